"""A worker executes the controllers that the campaign was planned with, or none."""

import sys
from dataclasses import replace

import pytest

from mesonet import (
    _core,  # noqa: TID251  (what is counted)
    checked,
)
from mesonet.campaign.work import Work, controllers_of, execute
from mesonet.errors import ControllerError
from mesonet.plan import plan_from_dict
from mesonet.scenario.keywords import dumbbell

MINE = """\
import mesonet


class Mine(mesonet.Controller):
    def on_ack(self, ack, flow): ...
    def on_congestion(self, event, flow): ...
"""


def scenario(algorithm):
    return dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=[algorithm], duration="1 s")


def test_built_in_controllers_need_no_check():
    assert controllers_of(scenario("ctcp:tuned")) == ""
    assert execute(Work("id", scenario("reno"), 1, ("utilization",))).row["run"] == "id"


def test_a_controller_that_changed_is_not_run(tmp_path, monkeypatch):
    file = tmp_path / "changing.py"
    file.write_text(MINE)
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = scenario("python:changing.Mine")
    work = Work("id", mine, 1, ("utilization",), controllers=controllers_of(mine))
    assert execute(work).row["packets"] > 0
    file.write_text(MINE + "    # another\n")
    # A worker that lives on has the old class still, which it may run as that alone.
    assert execute(work).row["packets"] > 0
    old = sys.modules.pop("changing")
    planned_anew = replace(work, controllers=controllers_of(mine))
    with pytest.raises(ControllerError, match=r"python:changing\.Mine"):
        execute(work)
    sys.modules["changing"], new = old, sys.modules["changing"]
    with pytest.raises(ControllerError, match=r"python:changing\.Mine"):
        execute(planned_anew)
    sys.modules["changing"] = new
    assert execute(planned_anew).row["packets"] > 0


def test_a_scenario_is_parsed_once_by_its_plan_and_once_by_a_worker(monkeypatch):
    parsed = []

    def counted(*args):
        parsed.append(args)
        return spec(*args)

    spec = _core.Spec
    monkeypatch.setattr(_core, "Spec", counted)
    checked._KEPT.clear()
    checked._ACCEPTED.clear()
    table = {"rate": {"path": "rate", "low": "3 Mbit/s", "high": "5 Mbit/s"}}
    world = scenario("reno").to_dict()
    plan = plan_from_dict({"name": "a", "scenario": world, "factors": table, "replicates": 3})
    runs = plan.runs()
    assert plan.runs() == runs
    assert plan.with_replicates(4).runs()
    assert (len(runs), len(parsed)) == (6, 2)
    # A worker is another process, which begins with nothing.
    checked._KEPT.clear()
    checked._ACCEPTED.clear()
    rows = [execute(Work(run.id, run.scenario, run.seed, ("loss_rate",))).row for run in runs]
    assert [row["run"] for row in rows] == [run.id for run in runs]
    assert len(parsed) == 4

"""A worker executes the controllers that the campaign was planned with, or none."""

from dataclasses import replace

import pytest

from mesonet.campaign.work import Work, controllers_of, execute
from mesonet.dumbbell import dumbbell
from mesonet.errors import ControllerError

MINE = """\
import mesonet


class Mine(mesonet.Controller):
    def on_ack(self, ack, flow): ...
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
    with pytest.raises(ControllerError, match=r"python:changing\.Mine: not what it was when"):
        execute(work)
    assert execute(replace(work, controllers=controllers_of(mine))).row["packets"] > 0

"""Controllers written in Python: they run as built-in ones do, and fail with a place and time."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from labs import lab, world
from refusals import refused
from typer.testing import CliRunner

import mesonet
from mesonet.campaign import Campaign
from mesonet.campaign.provenance import what_changed
from mesonet.checked import checked
from mesonet.cli import app
from mesonet.controller import Controller, built_in, controllers, fingerprint, load
from mesonet.errors import CampaignError, ControllerError, ScenarioError

pytestmark = pytest.mark.usefixtures("path")

# A controller that does nothing, and one line of a method of it.
MODULE = """import mesonet

class Mine(mesonet.Controller):
    "Mine alone."

    def __init__(self, initial, gain=1.0):
        super().__init__(initial)
        self.gain = gain
        {init}

    def on_ack(self, ack, flow):
        {ack}

    def on_congestion(self, event, flow):
        {event}
"""


@pytest.fixture
def mine(path):
    def write(*, init="pass", ack="pass", event="pass"):
        # As in a process that begins after the edit.
        sys.modules.pop("mine", None)
        text = MODULE.format(init=init, ack=ack, event=event)
        (path / "mine.py").write_text(text, encoding="utf-8")
        return "python:mine.Mine"

    return write


def test_a_class_stands_for_its_name():
    cls = load("python:aimd.Aimd")
    name = "python:aimd.Aimd"
    assert mesonet.flow(cls).algorithm == name
    assert lab(cls, mesonet.flow(cls, start="1 s")) == lab(
        name, {"algorithm": name, "start": "1 s"}
    )
    assert lab("reno").replace({"flows[0].algorithm": cls}) == lab(name)
    assert world(cls) == world(name)
    assert world({cls: 0.5, "reno": 0.5}) == world({name: 0.5, "reno": 0.5})
    text = world({cls: 0.5, "reno": 0.5}).to_toml()
    assert f'"{name}" = 0.5' in text


def test_parameters_are_arguments_of_the_class(mine):
    name = mine(ack="self.cwnd = (10 + self.gain) * flow.smss")
    run = mesonet.simulate(lab(name, parameters={name: {"gain": 4.0}}), seed=1)
    assert run.flows["cwnd"][-1] == 14
    with refused(ScenarioError, ("parameters.python:mine.Mine.gian", "unknown_key")):
        mesonet.simulate(lab(name, parameters={name: {"gian": 4.0}}), seed=1)


def test_what_a_class_lacks_is_told_before_the_run(path):
    needy = MODULE.replace("gain=1.0", "gain").format(init="pass", ack="pass", event="pass")
    (path / "mine.py").write_text(f"{needy}\n\nclass Nothing:\n    pass\n", encoding="utf-8")
    scenario = lab("python:mine.Mine", "python:mine.Nothing")
    with pytest.raises(ScenarioError) as refused:
        checked(scenario)
    missing, nothing = refused.value.problems
    assert missing[:2] == ("parameters.python:mine.Mine.gain", "missing")
    assert nothing.loc == "flows[1].algorithm"
    assert nothing.message.startswith("python:mine.Nothing: expected a congestion controller")


def test_once_per_round_is_once_per_round(path):
    (path / "mine.py").write_text(
        MODULE.format(init="pass", ack="1 / 0", event="pass")
        + "    cadence = 'round'\n"
        + "    def on_round(self, round, flow):\n"
        + "        assert 0 < round.rtt_count and 0.04 <= round.min_rtt <= flow.srtt + 1\n"
        + "        self.cwnd += flow.smss\n",
        encoding="utf-8",
    )
    run = mesonet.simulate(lab("python:mine.Mine", duration="2 s", buffer="10 bdp"), seed=1)
    # From 10 segments, in 2 s of 40 ms on the way and what little the queue adds.
    assert 40 <= run.flows["cwnd"][-1] - 10 < 50


def test_views_tell_what_the_engine_tells(mine):
    check = (
        "assert ack.delivered % flow.smss == 0 and ack.rtt > 0.04 and not ack.lost; "
        "assert flow.now_ps == round(flow.now * 1e12) and flow.min_rtt <= flow.srtt + 1e-9; "
        "assert flow.flight_size >= flow.in_flight > 0 or ack.delivered; "
        "assert ack.rate.delivered > 0 and not flow.in_recovery and repr(ack) and repr(flow)"
    )
    init = (
        "self.wants_rate_samples = True; "
        "assert initial.smss == 1460 and initial.window == 10 and initial.halve == 'flight'"
    )
    mesonet.simulate(lab(mine(init=init, ack=check), duration="1 s"), seed=1)


@pytest.mark.parametrize(
    ("init", "expected"),
    [
        ("pass", "none"),
        ("self.ecn = 'none'", "none"),
        ("self.ecn = 'dctcp'", "dctcp"),
        ("self.ecn = 'l4s'; self.cwnd = initial.smss / 1024", "l4s"),
    ],
)
def test_ecn_is_asked_for_and_told(mine, init, expected):
    """No host has the ECN of RFC 3168 switched on, which is what a controller has by default."""
    check = f"assert flow.ecn == '{expected}', flow.ecn"
    mesonet.simulate(lab(mine(init=init, ack=check), duration="1 s"), seed=1)


def test_the_list_says_which_ecn_is_asked_for(mine):
    mine()
    importlib.import_module("mine")
    asked = {info.name: info.ecn for info in mesonet.controllers()}
    names = ("reno", "dctcp", "bbr1", "python:mine.Mine")
    assert [asked[name] for name in names] == ["classic", "dctcp", "none", "classic"]


def test_the_cause_is_the_controllers_own_traceback(mine):
    with pytest.raises(ControllerError) as caught:
        mesonet.simulate(lab(mine(ack="1 / 0")), seed=1)
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert cause.__traceback__ is not None
    assert cause.__traceback__.tb_frame.f_code.co_name == "on_ack"


def test_the_first_failure_is_reported_whatever_the_threads(mine):
    name = mine(event="1 / 0")
    texts = set()
    for threads in (1, 2, 2):
        with pytest.raises(ControllerError) as caught:
            mesonet.simulate(world({name: 0.5, "reno": 0.5}), seed=1, threads=threads)
        texts.add(str(caught.value))
    assert len(texts) == 1
    assert re.search(r"^python:mine\.Mine: source \d+, at", texts.pop())


def test_interrupts_are_not_the_controllers_fault(mine):
    scenario = lab(mine(ack="raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        mesonet.simulate(scenario, seed=1, partial=False)
    with pytest.warns(mesonet.InterruptedWarning):
        run = mesonet.simulate(scenario, seed=1)
    assert run.interrupted_at is not None
    assert run.interrupted_at < scenario.duration
    assert run.conservation["missing"] == 0


def test_pacing_is_obeyed(mine):
    name = mine(init="self.cwnd, self.pacing_rate = 1e6, 125_000.0")
    run = mesonet.simulate(lab(name, duration="10 s"), seed=1)
    # 1 Mbit/s of payload.
    assert run.totals["data_sent"] == pytest.approx(125_000 * 10 / 1460, rel=0.03)


def test_phase_follows_the_threshold_unless_told(mine):
    scenario = lab(mine(), duration="1 s")
    assert set(mesonet.simulate(scenario, seed=1).flows["phase"][2:]) == {1}
    for line, phase in (("self.ssthresh = 1e9", 0), ("self.phase = 'alternate'", 2)):
        name = mine(init=line)
        assert set(mesonet.simulate(lab(name, duration="1 s"), seed=1).flows["phase"][2:]) == {
            phase
        }


def test_classes_that_cannot_be_imported_are_refused(mine):
    class Local(Controller):
        pass

    with pytest.raises(ControllerError):
        mesonet.flow(Local)
    outside = type("Outside", (Controller,), {"__module__": "__main__"})
    with pytest.raises(ControllerError):
        lab(outside)
    old = load(mine())
    del sys.modules["mine"]
    with pytest.raises(ControllerError):
        mesonet.flow(old)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("python:Mine", "expected a name such as python:package.module.Class"),
        ("python:nowhere.Mine", "no module nowhere; is the folder it lies in on PYTHONPATH?"),
        ("python:mine.Mien", 'mine has no class Mien (did you mean "Mine"?)'),
        ("python:mine.mesonet", "mine has something else than a class mesonet"),
        ("python:broken.Mine", "importing broken failed: ZeroDivisionError: division by zero"),
        (
            "python:needy.Mine",
            "importing needy failed: ModuleNotFoundError: No module named 'gone'",
        ),
        ("python:typo.Mine", 'typo.py", line 2)'),
    ],
)
def test_names_that_lead_nowhere(path, mine, look_in_folders, name, message):
    look_in_folders()
    mine()
    (path / "broken.py").write_text("1 / 0", encoding="utf-8")
    (path / "needy.py").write_text("import gone", encoding="utf-8")
    (path / "typo.py").write_text("\nclass Mine\n    pass\n", encoding="utf-8")
    with refused(ScenarioError, ("flows[1].algorithm", "unknown_algorithm")) as caught:
        mesonet.simulate(lab("reno", name), seed=1)
    assert message in str(caught.value)


def test_imported_controllers_are_listed(mine):
    load(mine())
    info = next(info for info in controllers() if info.name == "python:mine.Mine")
    assert (info.display, info.summary) == ("Mine", "Mine alone.")
    assert [(param.name, param.default) for param in info.parameters] == [("gain", 1.0)]
    assert "reno" in {info.name for info in controllers()}


def test_controllers_have_names_for_people():
    names = {info.name: info.display for info in built_in()}
    assert names["cubic:linux"] == "CUBIC (Linux)"
    assert len(set(names.values())) == len(names)
    listed = json.loads(CliRunner().invoke(app, ["list", "controllers", "--json"]).stdout)
    assert {row["name"]: row["display"] for row in listed}.items() >= names.items()


def plan(name):
    return mesonet.plan_from_dict(
        {
            "name": "mine",
            "responses": ["utilization"],
            "scenario": {
                "kind": "dumbbell",
                "rate": "10 Mbit/s",
                "rtt": "20 ms",
                "flows": ["reno"],
                "duration": "1 s",
            },
            "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
            "design": {"kind": "full_factorial"},
            "alternatives": [
                {"label": "reno", "set": {"flows[0].algorithm": "reno"}},
                {"label": "mine", "set": {"flows[0].algorithm": name}},
            ],
        }
    )


def test_campaigns_simulate_python_controllers_in_their_workers(path, mine):
    campaign = mesonet.run_campaign(plan("python:reno.Reno"), out=path / "out", workers=1)
    frame = campaign.results().sort("condition", "alternative")
    assert frame.height == 4
    by = frame.partition_by("alternative", as_dict=True)
    assert by["reno",]["utilization"].to_list() == by["mine",]["utilization"].to_list()

    bad = mesonet.run_campaign(plan(mine(ack="1 / 0")), out=path / "bad", workers=1)
    assert bad.status()["failed"] == 2
    for error in Campaign.open(path / "bad").failures().values():
        assert "ControllerError: python:mine.Mine: flow" in error
        assert "in on_ack" in error


def test_a_changed_file_makes_other_runs(mine):
    before = {run.alternative: run.id for run in plan(mine()).runs()}
    assert before == {run.alternative: run.id for run in plan(mine()).runs()}
    after = {run.alternative: run.id for run in plan(mine(ack="self.cwnd += 1")).runs()}
    assert before["reno"] == after["reno"]
    assert before["mine"] != after["mine"]
    assert fingerprint([{"name": "reno", "params": {}}]) == ""


def test_a_controller_that_changed_is_named(path, mine):
    campaign = mesonet.run_campaign(plan(mine()), out=path / "out", workers=1)
    runs = dict(campaign.results().select("alternative", "run").iter_rows())
    assert list(campaign.manifest["controllers"]) == ["python:mine.Mine"]
    assert what_changed(campaign, runs["mine"]) == []
    mine(ack="self.cwnd = flow.smss")
    assert what_changed(campaign, runs["mine"]) == ["python:mine.Mine has changed since (mine.py)"]
    assert what_changed(campaign, runs["reno"]) == []
    with pytest.raises(CampaignError):
        mesonet.run_campaign(plan("python:mine.Mine"), out=path / "out", workers=1)
    sys.modules.pop("mine", None)
    result = CliRunner().invoke(app, ["replay", str(path / "out"), runs["mine"], "--trust"])
    assert result.exit_code == 1
    assert "utilization: python:mine.Mine has changed since (mine.py)" in " ".join(
        result.stderr.split()
    )
    (path / "mine.py").unlink()
    sys.modules.pop("mine", None)
    assert what_changed(campaign, runs["mine"]) == ["python:mine.Mine can no longer be found"]


def test_the_command_line_imports_from_where_it_is_given(path, mine):
    scenario = lab(mine(), duration="1 s").to_toml()
    (path / "scenario.toml").write_text(scenario, encoding="utf-8")
    command = [Path(sys.executable).with_name("mesonet"), "simulate", "scenario.toml", "--trust"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        (
            ["on_ACK", "on_congestion"],
            'the class has no on_ack, which its cadence "ack" calls; it has on_ACK',
        ),
        (["on_ack"], "the class has no on_congestion"),
        (
            ["on_ack", "on_congestion", "on_timeout", "on_loss"],
            "nothing calls on_timeout, on_loss; a run calls on_ack or on_round, on_congestion",
        ),
        (["on_ack", "on_congestion(self, event)"], "expected on_congestion(self, event, flow), "),
        (["on_ack", "on_congestion", "on_undo(self, flow)"], "expected on_undo(self, cwnd, "),
    ],
)
def test_methods_that_nothing_can_call_are_told_before_the_run(path, methods, said):
    defined = [name if "(" in name else f"{name}(self, sample, flow)" for name in methods]
    body = "".join(f"    def {method}: pass\n" for method in defined)
    (path / "mine.py").write_text(f"import mesonet\nclass Mine(mesonet.Controller):\n{body}")
    with pytest.raises(ScenarioError) as caught:
        mesonet.simulate(lab("python:mine.Mine"))
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"python:mine.Mine: {said}")
    assert not problem.message.endswith(",")


def test_methods_that_the_class_or_its_module_calls_are_its_own(path):
    (path / "mine.py").write_text(
        "import mesonet\n"
        "def away(controller): controller.on_far()\n"
        "class Mine(mesonet.Controller):\n"
        "    def on_ack(self, *inputs): away(self)\n"
        "    def on_congestion(self, event, flow): [self.on_near() for _ in (1, 2)]\n"
        "    def on_near(self): pass\n"
        "    def on_far(self): pass\n"
    )
    assert mesonet.simulate(lab("python:mine.Mine", duration="1 s")).totals["delivered"] > 0

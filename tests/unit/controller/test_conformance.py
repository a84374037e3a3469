"""Conformance of controllers: the suite finds what is wrong, and says what is measured."""

import json

import pytest
from typer.testing import CliRunner

import mesonet
from mesonet import conformance
from mesonet.cli import app
from mesonet.conformance import (
    ResponsePoint,
    beside_reno,
    reno_window,
    response_function,
    response_problem,
)
from mesonet.controller import controllers

pytestmark = pytest.mark.usefixtures("path")

MODULE = """
import mesonet

class Mine(mesonet.Controller):
    def on_ack(self, ack, flow):
        {ack}

    def on_congestion(self, event, flow):
        {event}
"""

# Built-in algorithms that rare losses do not slow, by their own rules; other demands are tested in
# Rust, in crates/congestion/tests/conformance.rs.
UNRESPONSIVE = {"bbr1", "bbr1:linux"}
BUILT_IN = [info.name for info in controllers() if not info.name.startswith("python:")]


@pytest.fixture
def mine(path):
    def write(*, ack="pass", event="pass"):
        (path / "mine.py").write_text(MODULE.format(ack=ack, event=event), encoding="utf-8")
        return "python:mine.Mine"

    return write


def failed(demands):
    return {demand.name for demand in demands if demand.problem}


@pytest.mark.parametrize("name", ["aimd.Aimd", "cubic.Cubic", "reno.Reno"])
def test_examples_conform(name):
    demands = mesonet.check_controller(f"python:{name}", steps=1000, response=False)
    assert len(demands) == 12
    assert failed(demands) == set()


@pytest.mark.parametrize(
    ("lines", "failing"),
    [
        ({"ack": "self.cwnd += flow.smss"}, {"loss", "ecn", "silence", "application-limited"}),
        ({"event": "self.cwnd = max(self.cwnd / 2, flow.smss)"}, {"idle", "recovery"}),
        ({"event": "self.cwnd *= 2"}, {"events", "loss", "ecn", "timeout", "silence"}),
        ({"event": "self.cwnd = 0"}, {"events", "loss", "ecn", "timeout", "silence", "simulation"}),
        ({"ack": "self.pacing_rate = -1"}, {"events", "idle", "simulation", "repetition"}),
        (
            {"ack": "Mine.count = getattr(Mine, 'count', 0) + 1; self.cwnd += Mine.count"},
            {"independence", "repetition"},
        ),
        ({"ack": "self.queued = ack.rtt - flow.min_rtt"}, {"events"}),
        ({"ack": "self.least = ack.round and ack.round.min_rtt - flow.min_rtt"}, {"events"}),
        ({"event": "pass\n    def on_undo(self, *_): 1 / 0"}, {"events"}),
    ],
)
def test_what_is_wrong_is_found(mine, lines, failing):
    assert failing <= failed(mesonet.check_controller(mine(**lines), steps=1000, response=False))


SHARES = """
import mesonet

class Mine(mesonet.Controller):
    cadence = "round"
    base = 9.0

    def on_round(self, round, flow):
        least = round.min_rtt or 9.0
        Mine.base = min(Mine.base, least)
        if flow.cwnd_limited and least < 1.5 * Mine.base:
            self.cwnd += flow.smss

    def on_congestion(self, event, flow):
        if event.kind != "exit_recovery":
            self.cwnd = flow.smss if event.kind == "rto" else max(self.cwnd / 2, flow.smss)
"""


def test_a_least_round_trip_time_of_all_flows_is_found(path):
    """The usual shared state: what the events before have left in it must not hide it."""
    (path / "mine.py").write_text(SHARES, encoding="utf-8")
    demands = mesonet.check_controller("python:mine.Mine", steps=1000, response=False)
    assert "independence" in failed(demands)


WAITS = """
import mesonet

class Mine(mesonet.Controller):
    cadence = "round"

    def on_round(self, round, flow):
        if flow.cwnd_limited and not flow.in_recovery:
            self.cwnd += flow.smss

    def on_congestion(self, event, flow):
        if event.kind == "rto":
            self.cwnd = flow.smss
        elif event.kind != "exit_recovery":
            self.cwnd = max(self.cwnd / 2, flow.smss)
"""


def test_one_that_waits_for_the_repair_after_a_timeout_is_found(path):
    (path / "mine.py").write_text(WAITS, encoding="utf-8")
    demands = mesonet.check_controller("python:mine.Mine", steps=1000, response=False)
    assert failed(demands) == {"after-timeout"}
    problem = next(demand.problem for demand in demands if demand.name == "after-timeout")
    assert problem is not None
    assert "cwnd was 1.00 segments after a timeout" in problem


NEEDY = """
import mesonet

class Mine(mesonet.Controller):
    cadence = "round"

    def __init__(self, initial, gain, *, floor=1.0):
        super().__init__(initial)
        assert gain == 2, gain
        self.gain, self.floor = gain, floor

    def on_round(self, round, flow):
        if flow.cwnd_limited:
            self.cwnd += self.gain * flow.smss

    def on_congestion(self, event, flow):
        if event.kind != "exit_recovery":
            self.cwnd = max(self.cwnd / 2, self.floor * flow.smss)
"""


@pytest.mark.parametrize("name", ["python:mine.Mine", "mine.py"])
def test_parameters_reach_the_demands_and_the_engine(path, monkeypatch, name):
    monkeypatch.chdir(path)
    (path / "mine.py").write_text(NEEDY, encoding="utf-8")
    command = ["check-controller", name, "--no-response", "--steps", "100"]
    result = CliRunner().invoke(app, [*command, "--set", "gain=2", "--set", "floor=1.5"])
    assert result.exit_code == 0, result.output
    assert "all checks passed" in result.stdout
    demands = mesonet.check_controller("reno", steps=10, parameters={}, response=False)
    assert len(demands) == 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "parameters.python:mine.Mine.gain: missing; it has no default"),
        (["--set", "flor=1"], "parameters.python:mine.Mine.gain: missing"),
        (["--set", "flor=1"], "parameters.python:mine.Mine.flor: "),
        (["--set", "gain=2", "--set", "flor=1"], '"floor"'),
        (["--set", "gain"], 'expected NAME=NUMBER, such as gain=2, got "gain"'),
        (["--set", "gain=much"], 'expected NAME=NUMBER, such as gain=2, got "gain=much"'),
        (["--set", "gain=2", "--set", "gain=3"], '"gain" is set more than once'),
    ],
)
def test_parameters_that_do_not_fit_are_told_once(path, options, message):
    (path / "mine.py").write_text(NEEDY, encoding="utf-8")
    result = CliRunner().invoke(app, ["check-controller", "python:mine.Mine", *options])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count(message) == 1


def test_a_fault_that_several_demands_meet_is_told_once(path):
    faulty = NEEDY.replace("self.cwnd += self.gain * flow.smss", "flow.base_rtt")
    (path / "mine.py").write_text(faulty, encoding="utf-8")
    options = ["--no-response", "--steps", "100", "--set", "gain=2", "--set", "floor=1.5"]
    result = CliRunner().invoke(app, ["check-controller", "python:mine.Mine", *options])
    assert result.exit_code == 1
    told = [line for line in result.stdout.splitlines() if line.strip().startswith("on_")]
    assert len(told) == len(set(told)) > 0


def test_what_cannot_be_made_is_tried_once(path):
    (path / "mine.py").write_text(NEEDY, encoding="utf-8")
    (only,) = mesonet.check_controller("python:mine.Mine", parameters={"gain": 3})
    assert only.problem is not None
    assert "AssertionError: 3" in only.problem


def test_all_parameters_that_do_not_fit_are_told_at_once():
    settings = ["--set", "beta=5", "--set", "c=-1", "--set", "x=3", "--set", "hystart=0"]
    result = CliRunner().invoke(app, ["check-controller", "cubic", *settings])
    assert result.exit_code == 2
    beta, c, x = result.stderr.splitlines()
    expected = "expected a number from 0.1 to 0.94, got 5.0"
    assert beta == f"error: parameters.cubic.beta: {expected}"
    assert c.startswith("error: parameters.cubic.c: expected a number from 1e-06 to 1000")
    assert x.startswith('error: parameters.cubic.x: "cubic" has no such parameter')


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_algorithms_respond_to_loss(name, monkeypatch):
    """From 1e-3 to 1e-1, in a third of the round trips; rare losses take nearly all of them."""
    monkeypatch.delitem(conformance._LOSSES, 1e-4)
    monkeypatch.setitem(conformance._LOSSES, 1e-3, 40)
    monkeypatch.setattr(conformance, "_ROUNDS", 300)
    problem = response_problem(response_function(name))
    assert (problem is not None) == (name in UNRESPONSIVE)


def points(*windows):
    probabilities = (1e-4, 1e-3, 1e-2, 1e-1)
    return [
        ResponsePoint(p, window, reno_window(p))
        for p, window in zip(probabilities, windows, strict=True)
    ]


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ((122.0, 39.0, 12.0, 3.0), None),
        # Indifferent to rare losses, but not to many.
        ((1000.0, 1000.0, 900.0, 4.0), None),
        # The repair of timeouts, not the controller, decides at 1e-1.
        ((500.0, 148.0, 43.0, 225.0), None),
        ((1000.0, 1000.0, 950.0, 800.0), "1000.0 segments at 1e-4 and never less than 800.0"),
        ((12.0, 39.0, 12.0, 3.0), "12.0 segments at 1e-4 become 39.0 at 1e-3"),
        ((39.0, 12.0, 20.0, 3.0), "12.0 segments at 1e-3 become 20.0 at 1e-2"),
    ],
)
def test_response_functions_are_judged(windows, expected):
    problem = response_problem(points(*windows))
    assert problem is expected if expected is None else expected in (problem or "")


def test_response_functions_are_compared_with_reno():
    scalable, bbr = points(502.0, 75.0, 14.0, 3.0)[0], points(999.0, 999.0, 900.0, 4.0)[0]
    assert beside_reno(scalable) == "4.1 times Reno's window at 1e-4"
    assert beside_reno(bbr) == "at least 8.2 times Reno's window at 1e-4"


def test_reno_has_the_response_function_of_reno():
    for point in response_function("reno")[:3]:
        assert point.ratio == pytest.approx(1, abs=0.12)


def test_a_window_that_never_changes_has_no_response(mine):
    (demand,) = [
        demand
        for demand in mesonet.check_controller(mine(), steps=10)
        if demand.name == "response-function"
    ]
    assert "and never less than" in str(demand.problem)
    assert [row["loss"] for row in demand.measured] == [1e-4, 1e-3, 1e-2, 1e-1]
    assert demand.measured[0]["ratio"] < 0.1


def check(*arguments):
    done = CliRunner().invoke(app, ["check-controller", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_the_command_prints_a_table_and_the_response_function():
    status, out, _ = check("reno", "--steps", "200")
    assert (status, out.count("passed  "), out.count("FAILED")) == (0, 13, 0)
    assert "    1e-4" in out
    assert "times Reno's window at 1e-4" in out
    assert out.endswith("all checks passed\n")


def test_the_command_gives_json():
    status, out, _ = check("reno", "--json", "--steps", "200")
    rows = {row["name"]: row for row in json.loads(out)}
    assert status == 0
    assert rows["response-function"]["measured"][0]["loss"] == 1e-4
    assert rows["events"] | {"measured": []} == rows["events"]
    status, out, _ = check("copa", "--json", "--steps", "200", "--no-response")
    rows = {row["name"]: row["problem"] for row in json.loads(out)}
    assert status == 1
    assert rows["loss"]
    assert rows["timeout"] is None
    assert "response-function" not in rows


def test_the_command_knows_no_such_controller():
    status, out, err = check("renoo")
    assert (status, out) == (2, "")
    assert 'did you mean "reno"?' in err

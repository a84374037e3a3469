"""Input far beyond any use: said with its place, quickly, and never with a traceback."""

import json
import math

import pytest
from typer.testing import CliRunner

from mesonet import dumbbell, simulate
from mesonet.cli import app
from mesonet.conformance import check_controller
from mesonet.design import best_fraction, between, morris
from mesonet.errors import InputError, PlanError, ScenarioError
from mesonet.plan import plan_from_dict
from mesonet.scenario import load_scenario

HUGE = "1" + 400 * "0"
LAB = """kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "20 ms"
flows = ["reno"]
duration = "1 s"
"""


def with_flow(**options):
    given = ", ".join(f"{name} = {value}" for name, value in options.items())
    return LAB.replace('"reno"', f'{{algorithm = "reno", {given}}}')


WORLD = 'kind = "internet"\n'
SCENARIOS = {
    "rtt": (LAB.replace('"20 ms"', '"1e308 s"'), "at most 14400 s"),
    "flows[0].rtt": (with_flow(rtt='"5 h"'), "14400 s, got 18000 s"),
    "flows[0].count": (with_flow(count=HUGE), "at most 100000 flows, got 1000"),
    "rate": (LAB.replace("10 Mbit", "1e300 Mbit"), "to 10 Tbit/s"),
    "initial_ssthresh": (f"{LAB}initial_ssthresh = {HUGE}", "from 1 to 9007199254740992"),
    "queue.mark_above": (
        f'{LAB}[queue]\nkind = "droptail"\nmark_above = {HUGE}',
        "at most 9007199254740992",
    ),
    "transport.dup_thresh": (f"{LAB}transport.dup_thresh = {HUGE}", "at most 4294967295"),
    "transport.ack_every": (f"{LAB}transport.ack_every = {HUGE}", "at most 4294967295"),
    "transport.receive_window": (f"{LAB}transport.receive_window = {2**33}", "at most 4294967295"),
    "periods": (f"{LAB}periods = {HUGE}", "at most 100"),
    "buffers": (f"{WORLD}buffers = {HUGE}", "at most 1e+09"),
}


def problems(error, call, *args):
    with pytest.raises(error) as caught:
        call(*args)
    return {problem.loc: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize("place", SCENARIOS)
def test_numbers_of_scenarios(place, tmp_path):
    text, message = SCENARIOS[place]
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    assert message in problems(ScenarioError, load_scenario, path)[place]


@pytest.mark.parametrize(
    "changes",
    [
        {"rtt": "14400 s"},
        {"queue": {"kind": "droptail", "mark_above": 2**53}},
        {"transport": {"dup_thresh": 2**32 - 1, "ack_every": 2**32 - 1}},
        {"transport": {"receive_window": 2**32 - 1}, "initial_ssthresh": 2**53},
        {"buffer": "9007199254740992 packets"},
    ],
)
def test_the_largest_numbers_are_taken(changes):
    given = {"rate": "100 kbit/s", "rtt": "20 ms", "flows": ["reno"], "duration": "1 s"}
    assert simulate(dumbbell(**(given | changes))).totals["injected"] >= 0


def plan(**changes):
    scenario = {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "20 ms", "flows": ["reno"]}
    return {"name": "far", "scenario": scenario, **changes}


TWO = {
    "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
    "loss": {"path": "loss", "low": 0.0, "high": 0.1},
}
MANY = {f"f{n}": {"path": f"parameters.reno.p{n}", "low": 1, "high": 2} for n in range(20)}


@pytest.mark.parametrize(
    ("place", "factors", "design", "message"),
    [
        ("factors", MANY, {}, "got 1048576; a fractional factorial"),
        ("design.points", TWO, {"kind": "sobol", "points": 2**40}, "got 1099511627776"),
        ("design.points", TWO, {"kind": "latin_hypercube", "points": int(HUGE)}, "about 10^400"),
        ("design.trajectories", TWO, {"kind": "morris", "trajectories": 10**8}, "got 300000000"),
        ("design.levels", TWO, {"kind": "morris", "trajectories": 4, "levels": 10**12}, "1000000"),
        ("design.runs", TWO, {"kind": "fractional_factorial", "runs": 2**30}, "got 1073741824"),
        (
            "design.generators",
            {**MANY, "f20": {"path": "loss", "low": 0.0, "high": 0.1}},
            {"kind": "fractional_factorial", "generators": {"f20": "f1*f2"}},
            "got 1048576",
        ),
    ],
)
def test_designs_of_far_too_many_conditions_are_refused_before_they_are_made(
    place, factors, design, message, monkeypatch
):
    def never(*_args, **_options):
        raise AssertionError("made")

    monkeypatch.setattr("mesonet.design.regular._levels", never)
    assert (
        message in problems(PlanError, plan_from_dict, plan(factors=factors, design=design))[place]
    )


def test_designs_alone_know_their_limits():
    names = [f"f{n}" for n in range(200)]
    found = problems(PlanError, lambda: best_fraction(names, resolution=5))
    assert "200 factors is known, got V" in found["design.resolution"]
    found = problems(PlanError, lambda: morris("ab", trajectories=10**8))
    assert "300000000 conditions" in found["design.trajectories"]


def test_between_what_is_no_number_of_the_machine_there_is_nothing():
    assert between(0.0, int(HUGE), 0.5, scale="linear") is None
    assert between(5e-324, 1e308, 0.5, scale="log") is None
    factors = {"loss": {"path": "loss", "low": 0.0, "high": int(HUGE)}}
    assert set(problems(PlanError, plan_from_dict, plan(factors=factors))) == {"factors.loss.high"}


@pytest.mark.parametrize(
    ("options", "place"),
    [({"seed": 2**64}, "seed"), ({"steps": 10**11}, "steps"), ({"steps": 0}, "steps")],
)
def test_seeds_and_steps_of_the_trial_of_a_controller(options, place):
    assert set(problems(InputError, lambda: check_controller("reno", **options))) == {place}


@pytest.mark.parametrize("speed", [math.inf, -math.inf, math.nan, 0])
def test_speeds_that_are_no_speeds(speed, tmp_path):
    path = tmp_path / "plan.json.toml"
    path.write_text(f'name = "p"\nscenario = {{{", ".join(LAB.strip().splitlines())}}}\n')
    assert CliRunner().invoke(app, ["plan", str(path)]).exit_code == 0
    result = CliRunner().invoke(app, ["plan", str(path), "--speed", json.dumps(speed)])
    assert result.exit_code == 2
    assert "--speed" in result.stderr

"""Input far beyond any use: said with its place, quickly, and never with a traceback."""

import pytest

from mesonet.conformance import check_controller
from mesonet.design import best_fraction
from mesonet.errors import InputError, PlanError
from mesonet.plan import plan_from_dict


def problems(error, call, *args):
    with pytest.raises(error) as caught:
        call(*args)
    return {problem.loc: problem.message for problem in caught.value.problems}


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
    refusals = problems(PlanError, lambda: best_fraction(names, resolution=5))
    assert "200 factors is known, got V" in refusals["design.resolution"]


@pytest.mark.parametrize(
    ("options", "place"),
    [({"seed": 2**64}, "seed"), ({"steps": 10**11}, "steps"), ({"steps": 0}, "steps")],
)
def test_seeds_and_steps_of_the_trial_of_a_controller(options, place):
    assert set(problems(InputError, lambda: check_controller("reno", **options))) == {place}

"""Faults of plans: one hides no other, wherever the others can be seen."""

import pytest

from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict

SCENARIO = {
    "kind": "dumbbell",
    "rate": "10 Mbit/s",
    "rtt": "40 ms",
    "duration": "5 s",
    "flows": ["reno"],
}


def problems(**parts):
    with pytest.raises(PlanError) as caught:
        plan_from_dict({"name": "x", "responses": ["utilization"], "scenario": SCENARIO, **parts})
    return {problem.loc: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"replicates": 0}, "replicates"),
        ({"nmae": "x"}, "nmae"),
        ({"stopping": {"responses": {}, "max_replicates": 2}}, "stopping.responses"),
        ({"factors": {"rate": {"path": "rate", "low": "5 Mbit/s"}}}, "factors.rate.high"),
    ],
)
def test_a_wrong_part_hides_no_wrong_option(part, place):
    analysis = {"paired_differences": {"baseline": "b"}}
    found = problems(analysis=analysis, alternatives=[{"label": "a"}], **part)
    assert list(found) == [place, "analysis.paired_differences.baseline"]


@pytest.mark.parametrize(
    "rate",
    [
        {"path": "rate", "low": "5 Mbit/s"},
        {"path": "rate", "low": "5 Mbit/s", "high": "5 Mbit/s"},
        {"path": "rate", "levels": ["5 Mbit/s", "6 Mbit/s", "7 Mbit/s"]},
        {"path": "rate", "low": "5 Mbit/s", "high": "9 Mbits"},
    ],
)
def test_a_wrong_level_hides_nothing_of_the_design_and_what_follows(rate):
    found = problems(
        factors={"rate": rate, "rtt": {"path": "rtt", "low": "1 ms", "high": "2 ms"}},
        design={"kind": "fractional_factorial", "runs": 3},
        stopping={"responses": {"nope": "5 %"}, "max_replicates": 3},
        analysis={"paired_differences": {"baseline": "nobody"}},
    )
    wrong, *rest = found
    assert wrong.startswith("factors.rate")
    assert rest == [
        "design.runs",
        "stopping.responses.nope",
        "analysis.paired_differences.baseline",
    ]


def test_an_alternative_that_cannot_be_read_hides_nothing_of_the_design():
    found = problems(
        factors={"rtt": {"path": "rtt", "low": "1 ms", "high": "2 ms"}},
        design={"kind": "fractional_factorial", "runs": 3},
        alternatives=[{"label": "a", "st": {}}],
    )
    assert list(found) == ["alternatives[0].st", "design.runs"]

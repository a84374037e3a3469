"""Faults of plans: one hides no other, wherever the others can be seen."""

import pytest

from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict
from mesonet.plan.paths import cause

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
    refusals = problems(analysis=analysis, alternatives=[{"label": "a"}], **part)
    assert list(refusals) == [place, "analysis.paired_differences.baseline"]


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
    refusals = problems(
        factors={"rate": rate, "rtt": {"path": "rtt", "low": "1 ms", "high": "2 ms"}},
        design={"kind": "fractional_factorial", "runs": 3},
        stopping={"responses": {"nope": "5 %"}, "max_replicates": 3},
        analysis={"paired_differences": {"baseline": "nobody"}},
    )
    wrong, *rest = refusals
    assert wrong.startswith("factors.rate")
    assert rest == [
        "design.runs",
        "stopping.responses.nope",
        "analysis.paired_differences.baseline",
    ]


def test_an_alternative_that_cannot_be_read_hides_nothing_of_the_design():
    refusals = problems(
        factors={"rtt": {"path": "rtt", "low": "1 ms", "high": "2 ms"}},
        design={"kind": "fractional_factorial", "runs": 3},
        alternatives=[{"label": "a", "st": {}}],
    )
    assert list(refusals) == ["alternatives[0].st", "design.runs"]


@pytest.mark.parametrize("part", [{"replicates": 0}, {"scenario": SCENARIO | {"rtt": "40"}}])
def test_a_wrong_part_hides_no_unknown_algorithm(part):
    wrong = {"scenario": SCENARIO, **part}
    wrong["scenario"] = wrong["scenario"] | {"flows": ["reno", {"algorithm": "reon"}]}
    refusals = problems(
        factors={"who": {"path": "flows[0].algorithm", "levels": ["reno", "rneo"]}},
        alternatives=[
            {"label": "a", "set": {"flows[0].algorithm": "reno"}},
            {"label": "b", "set": {"flows[0]": {"algorithm": "rino"}}},
        ],
        **wrong,
    )
    assert {"scenario.flows[1].algorithm", "factors.who", "alternatives[1]"} < set(refusals)
    assert not {"alternatives[0]", "scenario.flows[0].algorithm"} & set(refusals)


def test_names_that_stand_for_an_unknown_algorithm_are_told_with_the_rest():
    world = {"kind": "internet", "algorithms": {"reno": 0.5, "new": 0.5}, "duration": "5 s"}
    refusals = problems(
        scenario=world,
        responses=["loss_rate"],
        replicates=0,
        alternatives=[{"label": "a", "names": {"new": "cubci"}}],
    )
    assert list(refusals) == ["replicates", "alternatives[0]"]


def test_a_place_is_set_by_a_path_above_it_and_not_by_one_that_begins_alike():
    settings = {"factors.rate": ["rate"], "alternatives[0]": ["flows[0]", "transport.ecn"]}
    places = {
        "rate": "factors.rate",
        "rate.value": "factors.rate",
        "rate_changes[0]": "scenario.rate_changes[0]",
        "flows[0].algorithm": "alternatives[0]",
        "flows[01]": "scenario.flows[01]",
        "transport": "scenario.transport",
    }
    assert {loc: cause(loc, settings) for loc in places} == places


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"responses": ["utilization", "loss_rate", "utilization"]}, "responses[2]"),
        ({"analysis": {"responses": ["utilization"] * 2}}, "analysis.responses[1]"),
        ({"report": {"sections": ["ranks", "ranks"]}}, "report.sections[1]"),
        ({"alternatives": [{"label": "a", "set": {"flows[*].count": 2}}]}, "alternatives[0].set"),
    ],
)
def test_names_that_are_there_twice_and_wildcards_are_refused(part, place):
    assert list(problems(**part)) == [place]


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("receiver", {"long_flows": [{"name": "L", "source": "A1a", "receiver": "nowhere"}]}),
        ("base_sources", {"receiver_distribution": [0, 0, 1], "layout": {"direct": 1}}),
    ],
)
def test_flows_without_a_place_in_a_topology_are_refused(place, part, tmp_path):
    backbone = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"
    (tmp_path / "pair.gml").write_text(backbone)
    nation = {"kind": "internet", "topology": f"{tmp_path}/pair.gml", "long_flows": "none", **part}
    nation |= {"application_shares": [{"share": 0.1, "application": "video"}]}
    plan = plan_from_dict({"name": "x", "responses": ["y1"], "scenario": nation})
    with pytest.raises(PlanError, match=place):
        plan.runs()

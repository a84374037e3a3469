"""Faults of plans: one hides no other, wherever the others can be seen."""

import pytest

from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict, plan_from_manifest

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


def test_a_path_that_does_not_exist_hides_no_algorithm():
    found = problems(
        factors={"rate": {"path": ["rat", "rtt"], "low": [1, "1 s"], "high": [1, "2 parsec"]}},
        alternatives=[
            {"label": "a", "set": {"flows[0].algorithm": "rno"}},
            {"label": "b", "set": {"parameters.reno.bet": 3}},
        ],
        analysis={"main_effects": {"conf": 3}},
    )  # fmt: skip
    assert list(found) == [
        "factors.rate.path",
        "factors.rate.high",
        "analysis.main_effects.conf",
        "alternatives[0].set",
        "alternatives[1].set",
    ]
    assert (
        'flows[0].algorithm: expected a congestion controller, got "rno"'
        in found["alternatives[0].set"]
    )
    assert '"reno" has no such parameter' in found["alternatives[1].set"]


def test_algorithms_of_levels_and_of_the_scenario_are_found_beside_other_faults():
    level = {"path": "flows[0].algorithm", "levels": ["reno", "cubc"]}
    assert list(problems(replicates=0, factors={"a": level})) == [
        "replicates",
        "factors.a.levels[1]",
    ]
    nix = SCENARIO | {"flows": ["nix"]}
    assert "scenario.flows[0].algorithm" in problems(replicates=0, scenario=nix)
    # Every alternative replaces it, or one that cannot be read may.
    other = [{"label": "a", "set": {"flows[0].algorithm": "reno"}}]
    assert list(problems(replicates=0, scenario=nix, alternatives=other)) == ["replicates"]
    found = problems(scenario=nix, alternatives=[{"label": "a", "st": {}}])
    assert list(found) == ["alternatives[0].st"]


def test_names_that_alternatives_give_a_meaning_are_no_algorithms():
    mix = {"kind": "internet", "algorithms": {"new": 0.5, "reno": 0.5}}
    meaning = [{"label": "a", "names": {"new": "ctpc"}}]
    found = problems(scenario=mix | {"scael": 1}, alternatives=meaning)
    assert list(found) == ["scenario.scael"]
    found = problems(scenario=mix, alternatives=meaning, replicates=0)
    assert 'did you mean "ctcp"' in found["alternatives[0].set"]
    time = {"path": "think_time", "low": "1 s", "high": "2 parsec"}
    found = problems(scenario=mix, alternatives=meaning, factors={"time": time})
    assert list(found) == ["factors.time.high", "alternatives[0].set"]


def test_wrong_shares_of_a_mix_make_no_name_unknown():
    mix = {"kind": "internet", "algorithms": {"reno": 1.0}}
    meaning = {"label": "a", "names": {"new": "ctcp"}}
    fits, too_much = {"new": 0.5, "reno": 0.5}, {"new": 0.9, "reno": 0.8}
    share = {"path": "algorithms", "low": fits, "high": too_much}
    found = problems(scenario=mix, alternatives=[meaning], factors={"share": share})
    assert list(found) == ["factors.share.high"]
    assert found["factors.share.high"].endswith("expected probabilities that sum to 1, got 1.7")
    found = problems(scenario=mix, alternatives=[meaning | {"set": {"algorithms": too_much}}])
    assert list(found) == ["alternatives[0].set"]
    assert found["alternatives[0].set"].endswith("expected probabilities that sum to 1, got 1.7")
    found = problems(scenario=mix, factors={"share": share}, alternatives=[])
    assert "expected a congestion controller" in found["factors.share.high"]


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
    ("levels", "place"),
    [
        ({"levels": ["1 s", "2 s", "1000 ms"]}, "levels[2]"),
        ({"low": "1 s", "high": "1000 ms"}, "high"),
    ],
)
def test_levels_that_are_the_same_value_are_refused(levels, place):
    found = problems(factors={"rtt": {"path": "rtt", **levels}})
    message = (
        '"1000 ms" is the same value as "1 s", which is there already; levels of a factor differ'
    )
    assert found == {f"factors.rtt.{place}": message}


def test_a_campaign_that_was_begun_with_equal_levels_can_be_read():
    rtt = {"path": "rtt", "levels": ["1 s", "1000 ms"]}
    data = {"name": "x", "scenario": SCENARIO, "factors": {"rtt": rtt}}
    assert plan_from_manifest(data).conditions == 2


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

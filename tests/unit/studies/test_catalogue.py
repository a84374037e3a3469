"""The studies that come with mesonet."""

import pytest
from refusals import refused

from mesonet.errors import PlanError
from mesonet.studies import Options, find_study


def pocket(**options):
    (plan,) = find_study("pocket").prepare(Options(**options)).plans.values()
    return plan


def test_pocket_is_experiment_1b_at_a_tenth():
    plan = pocket()
    assert plan.design.name == "2^(6-1)"
    assert plan.design.resolution == 6
    assert len(plan.runs()) == 96
    assert [factor.symbol for factor in plan.factors] == ["X2", "X3", "X4", "X6", "X9", "X11"]
    assert [alternative.label for alternative in plan.alternatives] == ["Reno", "Scalable", "CTCP"]


def test_pocket_has_the_published_levels():
    plan = pocket()
    low, high = (plan.scenario_of(number, plan.alternatives[0]) for number in (1, 32))
    assert plan.coded(1) == dict.fromkeys(plan.coded(1), -1)
    assert plan.coded(32) == dict.fromkeys(plan.coded(32), 1)
    assert (low.delay_multiplier, high.delay_multiplier) == (1, 2)
    assert (low.speed, high.speed) == (60_000, 120_000)
    assert (low.buffers, high.buffers) == ("rtt*c/sqrt(n)", "rtt*c")
    assert low.source_distribution == (0.1, 0.6, 0.3)
    assert high.source_distribution == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert (low.think_time, high.think_time) == (2.5, 5.0)
    assert (low.web_object_mean, high.web_object_mean) == (50, 100)
    sources = [sum(s["sources"] for s in scenario.resolve()["sites"]) for scenario in (low, high)]
    assert sources == [1746, 2780]


def test_pocket_keeps_the_five_periods_in_proportion():
    scenario = pocket().scenario
    assert list(scenario.timeline().values()) == [
        (30.0, 45.0),
        (45.0, 60.0),
        (60.0, 75.0),
    ]
    spec = scenario.resolve()
    assert spec["population"]["jumbo"] == {"start": 45.0, "end": 60.0, "factor": 100.0}
    assert [(flow["name"], flow["start"]) for flow in spec["flows"]] == [
        ("L1", 30.0),
        ("L2", 30.0),
        ("L3", 30.0),
    ]


def test_replicates_and_seed_can_be_chosen():
    plan = pocket(replicates=2, seed=5)
    assert plan.seeds == (5, 6)
    with refused(PlanError, ("replicates", "greater_than_equal")):
        pocket(replicates=0)


def test_unknown_studies_are_refused():
    with refused(PlanError, ("study", "unknown_study")) as caught:
        find_study("poket")
    assert '"pocket"' in str(caught.value)


def test_algorithms_replace_the_alternatives():
    plan = pocket(algorithms=("cubic", "bbr3"))
    assert [alternative.label for alternative in plan.alternatives] == ["cubic", "bbr3"]
    assert len(plan.runs()) == 64
    with pytest.raises(PlanError):
        pocket(algorithms=())

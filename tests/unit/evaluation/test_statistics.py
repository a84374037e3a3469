"""Harm, excess and verdicts, on numbers that can be worked out on paper."""

import math
import random

import numpy as np
import polars as pl
import pytest

from mesonet.evaluation.cells import excess
from mesonet.evaluation.criteria import Measure
from mesonet.evaluation.plans import Arms
from mesonet.evaluation.statistics import effect, harm, judged


def verdict(*excess, margin=0.05):
    return judged([(np.array(excess), margin)])[0]


def test_harm_is_the_part_that_is_lost():
    """Ware and others, HotNets 2019: (x - y) / x of a goodput, (y - x) / y of a delay."""
    assert harm(np.array([10.0]), np.array([4.0]), better="higher") == pytest.approx(0.6)
    assert harm(np.array([20.0]), np.array([50.0]), better="lower") == pytest.approx(0.6)


def test_a_gain_is_the_harm_with_sides_exchanged():
    assert harm(np.array([4.0]), np.array([10.0]), better="higher") == pytest.approx(-0.6)
    assert harm(np.array([50.0]), np.array([20.0]), better="lower") == pytest.approx(-0.6)


def test_nothing_on_both_sides_is_no_harm():
    assert harm(np.zeros(2), np.array([0.0, 1.0]), better="lower").tolist() == [0.0, 1.0]


def test_a_few_runs_beyond_a_limit_are_not_hidden_by_a_mean():
    runs = {"alternative": "candidate", "replicate": range(8), "rate": [5.0] * 7 + [285.0]}
    below = Measure(response="rate", words="", better="lower", statistic="line", line=100.0)
    cell = excess(pl.DataFrame(runs), 1, Arms("reno", "candidate", "reno"), below)
    assert cell.excess.tolist() == [0.0] * 7 + [1.0]
    above = below.model_copy(update={"better": "higher"})
    cell = excess(pl.DataFrame(runs), 1, Arms("reno", "candidate", "reno"), above)
    assert cell.excess.tolist() == [1.0] * 7 + [0.0]


def test_worse_has_its_lower_end_above_zero():
    # Mean 0.3, deviation 0.1, error 0.1 / sqrt(3); t(0.975, 2) = 4.303.
    judgement = verdict(0.2, 0.3, 0.4)
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert (judgement.low, judgement.high) == pytest.approx((0.3 - half, 0.3 + half))
    assert judgement.state == "worse"


def test_what_is_surely_small_is_no_worse():
    assert verdict(0.010, 0.011, 0.012, 0.010, 0.011).state == "no worse"
    assert verdict(-0.02, 0.01, 0.0, 0.02, -0.01).state == "no worse"


def test_a_wide_interval_is_undecided_and_says_how_many_would_do():
    judgement = verdict(-0.2, 0.3, 0.1, -0.1, 0.2)
    assert judgement.state == "undecided"
    # Mean 0.06, deviation 0.207: t (0.207 / sqrt n) < 0.06 first at 49 replicates.
    assert judgement.needed == 49


def test_better_is_a_gain_beyond_the_margin():
    assert verdict(-0.3, -0.31, -0.29).state == "better"
    assert verdict(-0.03, -0.031, -0.029).state == "no worse"


def test_the_same_in_all_replicates_is_no_evidence():
    # Five equal differences: were signs chance, all would agree with probability 2^-4.
    judgement = verdict(0.2, 0.2, 0.2, 0.2, 0.2)
    assert judgement.state == "undecided"
    assert judgement.p == pytest.approx(1 / 16)
    assert judgement.low is None
    assert verdict(0.0, 0.0, 0.0).state == "no worse"


def test_one_replicate_or_none_decides_nothing():
    assert verdict(0.9).state == "undecided"
    assert verdict().state == "no value"


def test_p_is_adjusted_over_all_cells():
    cells = [(np.array([0.2, 0.3, 0.4]), 0.05)] * 3
    alone = judged(cells[:1])[0].p
    together = judged(cells)
    assert alone is not None
    assert [each.p for each in together] == pytest.approx([3 * alone] * 3)
    assert {each.state for each in together} == {"undecided"}


def test_the_effect_of_a_factor_leaves_the_centre_out():
    excess = np.array([[0.1, 0.5, 0.2, 0.6, 9.0], [0.0, 0.4, 0.2, 0.6, 9.0]])
    codes = np.array([-1.0, 1.0, -1.0, 1.0, 0.0])
    assert effect(excess, codes) == pytest.approx([0.4, 0.4])


def repetitions(planted, *, cells=18, replicates=10, times=200):
    """Verdicts of criteria of many cells, of which the first has a planted excess."""
    drawn = random.Random(1)
    states = []
    for _ in range(times):
        means = [planted, *[0.0] * (cells - 1)]
        values = [[drawn.gauss(mean, 0.1) for _ in range(replicates)] for mean in means]
        states.append([it.state for it in judged([(np.array(it), 0.05) for it in values])])
    return states


def test_false_alarms_of_a_criterion_are_as_rare_as_stated():
    """At most 5 % of criteria without any excess; of 200 at most 20 with probability 0.999."""
    alarms = sum(bool({"worse", "better"} & set(it)) for it in repetitions(0.0))
    assert 0 < alarms <= 20


def test_a_planted_excess_of_two_deviations_is_found():
    states = [it[0] for it in repetitions(0.2)]
    assert states.count("worse") > 0.9 * len(states)
    assert "no worse" not in states

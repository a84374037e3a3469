"""Intervals and tests of comparisons."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from mesonet.analysis.multiplicity import adjusted
from mesonet.comparison.estimates import bounded_interval, share_p, step_levels


@pytest.mark.parametrize(
    "values", [[0.99, 0.97, 0.8], [0.0, 0.0, 0.041], [0.3, 0.5, 0.42, 0.37, 0.7]]
)
def test_intervals_of_shares_are_wilsons_with_the_effective_number_of_trials(values):
    mean, error = np.mean(values), stats.sem(values)
    t = stats.t.ppf(0.975, len(values) - 1)
    trials = mean * (1 - mean) / error**2
    ends = proportion_confint(mean * trials, trials, alpha=2 * stats.norm.sf(t), method="wilson")
    assert bounded_interval(values, maximum=1) == pytest.approx(ends)


def test_intervals_of_delays_have_the_mean_as_their_geometric_middle():
    values = [0.001, 0.0, 0.02]
    low, high = bounded_interval(values, maximum=math.inf)
    mean = np.mean(values)
    assert 0 < low < mean < high
    assert low * high == pytest.approx(mean**2)
    # The ends are t standard errors away, for a variance that goes with the mean.
    error = stats.sem(values) * math.sqrt(high / mean)
    assert (high - mean) / error == pytest.approx(stats.t.ppf(0.975, 2))


def test_intervals_stay_in_the_range_of_their_measure():
    for values in stats.beta(0.3, 3).rvs(size=(200, 3), random_state=1):
        low, high = bounded_interval(values, maximum=1)
        assert 0 <= low < values.mean() < high <= 1
    assert bounded_interval([1.0, 1.00004, 1.0], maximum=1) == (1.0, 1.0)
    assert bounded_interval([0.0, 0.0], maximum=1) == (0.0, 0.0)
    assert bounded_interval([0.25], maximum=1) == (None, None)
    low, high = bounded_interval([1.0, 1.0 - 2**-53], maximum=1)
    assert low == high == pytest.approx(1.0)


def test_intervals_cover_skewed_shares_and_delays_better_than_students():
    for measure, most in ((stats.beta(30, 1), 1), (stats.expon(), math.inf)):
        drawn = measure.rvs(size=(2000, 5), random_state=1)
        bounded = [bounded_interval(values, maximum=most) for values in drawn]
        half = stats.t.ppf(0.975, 4) * stats.sem(drawn, axis=1)
        student = zip(drawn.mean(axis=1) - half, drawn.mean(axis=1) + half, strict=True)
        covered = [
            sum(low <= measure.mean() <= high for low, high in ends) / len(drawn)
            for ends in (bounded, student)
        ]
        assert 0.91 < covered[0] < 0.96
        assert covered[0] - covered[1] > 0.02


@pytest.mark.parametrize("values", [[0.6, 0.7, 0.52], [0.02, 0.03, 0.5, 0.11], [0.5, 0.4]])
def test_p_of_a_share_is_the_level_at_which_its_interval_ends_at_a_half(values):
    p = share_p(values)
    ends = bounded_interval(values, maximum=1, level=p)
    assert min(abs(end - 0.5) for end in ends) < 1e-9


def test_shares_that_do_not_vary_are_no_evidence_of_chance():
    assert share_p([0.5, 0.5]) == 1.0
    for values in ([0.8, 0.8], [0.0, 0.0], [0.8], [0.8, math.nan]):
        assert math.isnan(share_p(values))


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=8))
def test_p_is_below_its_level_where_holms_method_rejects_and_only_there(p):
    levels = step_levels(p)
    rejected = [each < 0.05 for each in adjusted(p, method="holm")]
    below = [each < level for each, level in zip(p, levels, strict=True)]
    assert below == rejected or min(abs(x / y - 1) for x, y in zip(p, levels, strict=True)) < 1e-9

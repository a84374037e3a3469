from __future__ import annotations

import math

import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st

from mesonet.analysis import grubbs_critical, grubbs_test
from mesonet.errors import InputError


@pytest.mark.parametrize(
    ("n", "sides", "expected"),
    [(7, 2, 2.02), (7, 1, 1.94), (8, 2, 2.13), (8, 1, 2.03), (3, 2, 1.1543), (3, 1, 1.153)],
)
def test_critical_values_match_published_tables(n, sides, expected):
    digits = len(str(expected).split(".")[1])
    assert round(grubbs_critical(n, sides=sides), digits) == expected


def test_two_observations_have_no_critical_value():
    assert math.isnan(grubbs_critical(2))


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan])
def test_alpha_must_be_a_probability(alpha):
    with pytest.raises(InputError, match="alpha: expected a probability"):
        grubbs_critical(7, alpha=alpha)


def test_hand_computed_statistic():
    # Mean 20/8 = 2.5; residuals -1.5 ... 4.5; sd = sqrt(32/7) = 2.138.
    found = grubbs_test([1, 2, 2, 2, 2, 2, 2, 7])
    assert found.extreme == 7
    assert found.residual == pytest.approx(4.5)
    squares = 1.5**2 + 6 * 0.5**2 + 4.5**2
    assert found.statistic == pytest.approx(4.5 / math.sqrt(squares / 7))
    assert found.outlier


def test_critical_value_of_the_sources_can_be_asked_for():
    values = [0, 1, 2, 3, 4, 5, 12.5]
    statistic = grubbs_test(values).statistic
    assert 2.02 < statistic < 2.08
    assert grubbs_test(values).outlier
    assert not grubbs_test(values, critical=2.08).outlier


def test_identical_values_have_no_extreme():
    found = grubbs_test([0.1 + 0.2, 0.3, 0.3])
    assert found.extreme == -1
    assert math.isnan(found.statistic)
    assert not found.outlier


def test_the_first_of_two_equally_far_values_is_the_extreme():
    assert grubbs_test([0.7, 0.5, 0.6, 0.6]).extreme == 0


values = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=3, max_size=12
)


@given(values)
def test_agrees_with_scikit_posthocs(sample):
    found = grubbs_test(sample)
    if found.extreme < 0 or abs(found.statistic - found.critical) < 1e-6:
        return
    kept = scikit_posthocs.outliers_grubbs(sample, alpha=0.05)
    assert found.outlier == (len(kept) < len(sample))


@given(values, st.floats(0.1, 100), st.floats(-100, 100))
def test_statistic_ignores_scale_and_origin(sample, scale, origin):
    before = grubbs_test(sample)
    if before.extreme < 0 or max(sample) - min(sample) < 1:
        return
    after = grubbs_test([scale * value + origin for value in sample])
    assert after.statistic == pytest.approx(before.statistic, rel=1e-6)

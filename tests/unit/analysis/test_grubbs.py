import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from mesonet.analysis import grubbs_critical, grubbs_p, grubbs_test
from mesonet.errors import InputError


@pytest.mark.parametrize(("n", "expected"), [(7, 2.02), (8, 2.13), (3, 1.1543)])
def test_critical_values_match_published_tables(n, expected):
    digits = len(str(expected).split(".")[1])
    assert round(grubbs_critical(n), digits) == expected


def test_two_observations_have_no_critical_value():
    assert math.isnan(grubbs_critical(2))


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan])
def test_alpha_must_be_a_probability(alpha):
    with refused(InputError, ("alpha", "out_of_range")):
        grubbs_critical(7, alpha=alpha)


def test_hand_computed_statistic():
    # Mean 20/8 = 2.5; residuals -1.5 ... 4.5; sd = sqrt(32/7) = 2.138.
    test = grubbs_test([1, 2, 2, 2, 2, 2, 2, 7])
    assert test.extreme == 7
    assert test.residual == pytest.approx(4.5)
    squares = 1.5**2 + 6 * 0.5**2 + 4.5**2
    assert test.statistic == pytest.approx(4.5 / math.sqrt(squares / 7))
    assert test.outlier


def test_critical_value_of_the_sources_can_be_asked_for():
    values = [0, 1, 2, 3, 4, 5, 12.5]
    statistic = grubbs_test(values).statistic
    assert 2.02 < statistic < 2.08
    assert grubbs_test(values).outlier
    assert not grubbs_test(values, critical=2.08).outlier


def test_identical_values_have_no_extreme():
    test = grubbs_test([0.1 + 0.2, 0.3, 0.3])
    assert test.extreme == -1
    assert math.isnan(test.statistic)
    assert not test.outlier


def test_the_first_of_two_equally_far_values_is_the_extreme():
    assert grubbs_test([0.7, 0.5, 0.6, 0.6]).extreme == 0


values = st.lists(
    st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=3, max_size=12
)


@given(values, st.floats(0.1, 100), st.floats(-100, 100))
def test_statistic_ignores_scale_and_origin(sample, scale, origin):
    before = grubbs_test(sample)
    if before.extreme < 0 or max(sample) - min(sample) < 1:
        return
    after = grubbs_test([scale * value + origin for value in sample])
    assert after.statistic == pytest.approx(before.statistic, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "one_percent", "five_percent"),
    # F. E. Grubbs and G. Beck, Technometrics 14(4), 1972, table 1: one-sided critical values.
    [
        (3, 1.155, 1.153),
        (5, 1.749, 1.672),
        (7, 2.097, 1.938),
        (10, 2.410, 2.176),
        (20, 2.884, 2.557),
    ],
)
def test_one_sided_critical_values_as_published(n, one_percent, five_percent):
    # Of one side, which are those of both at twice the alpha. The table prints three decimals; some
    # entries are rounded differently in the last.
    assert grubbs_critical(n, alpha=0.02) == pytest.approx(one_percent, abs=1.1e-3)
    assert grubbs_critical(n, alpha=0.10) == pytest.approx(five_percent, abs=1.1e-3)


@given(st.integers(3, 40), st.floats(1e-6, 0.2))
def test_p_is_the_alpha_of_its_critical_value(n, alpha):
    g = grubbs_critical(n, alpha=alpha)
    # Near the largest G that n allows, floats cannot tell small p apart.
    assert grubbs_p(g, n) == pytest.approx(alpha, rel=1e-6, abs=1e-9)


def test_p_at_its_bounds():
    assert grubbs_p(2 / math.sqrt(3), 3) == pytest.approx(0.0, abs=1e-6)
    assert grubbs_p(0.5, 7) == 1.0
    assert math.isnan(grubbs_p(math.nan, 7))
    assert math.isnan(grubbs_p(1.0, 2))


def test_the_worked_case_of_the_handbook():
    """NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.5.17.

    Uranium isotopes of Tietjen and Moore (1972): "G = 2.468765", upper critical value 2.032.
    """
    test = grubbs_test([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57])
    assert test.extreme == 7
    assert test.statistic == pytest.approx(2.468765, abs=5e-7)
    assert grubbs_critical(8, alpha=0.1) == pytest.approx(2.032, abs=5e-4)
    assert test.p == grubbs_p(test.statistic, 8) < 0.05

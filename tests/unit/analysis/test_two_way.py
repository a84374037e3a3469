import math

import numpy as np
import pytest

from mesonet.analysis.two_way import mean_interval, t_test


def test_equal_values_have_the_p_of_equal_signs():
    """Fisher 1935, section 21: n differences are all of one sign with probability 2 / 2^n."""
    for n in (2, 3, 10):
        assert t_test(0.25, 0.0, n - 1) == (math.inf, 2.0 / 2**n)
    assert t_test(0.0, 0.0, 3) == (0.0, 1.0)
    assert all(map(math.isnan, t_test(1.0, math.nan, math.nan)))


def test_what_rounding_makes_of_values_is_no_spread():
    values = np.array([0.1, 0.1 + 1e-13, 0.1 - 1e-13]) + 1.0 - 1.0
    *_, p = mean_interval(values, 0.95, rounding=1e-12)
    assert p == 0.25
    mean, lower, upper, t, p = mean_interval(np.full(4, 2.2e-16), 0.95, rounding=1e-12)
    assert (t, p) == (0.0, 1.0)
    assert lower <= mean <= upper


def test_values_with_a_spread_have_the_t_test():
    """Of 1, 2, 3 against 0: t = 2 / (1 / sqrt(3)) at 2 degrees of freedom, p = 1 - t/sqrt(t²+2)."""
    *_, t, p = mean_interval(np.array([1.0, 2.0, 3.0]), 0.95)
    assert t == pytest.approx(2 * math.sqrt(3))
    assert p == pytest.approx(1 - t / math.sqrt(t**2 + 2))

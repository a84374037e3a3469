"""Arithmetic of the comparison with ns-3's queues, which itself needs ns-3."""

import numpy as np
import pytest


def test_a_difference_is_that_of_the_means_with_welchs_interval(load_tool):
    found = load_tool("queues").difference(np.array([10.0, 12.0]), np.array([9.0, 11.0]))
    assert found[:3] == pytest.approx((11.0, 10.0, 0.1))
    # Relative variances of the means: 1/121 and 1/100. t(0.975) of 1.982 degrees of freedom.
    reach = 4.340 * np.sqrt(1 / 121 + 1 / 100)
    assert found.low == pytest.approx(1.1 * np.exp(-reach) - 1, abs=2e-3)
    assert found.high == pytest.approx(1.1 * np.exp(reach) - 1, abs=2e-3)
    assert not found.decides(0.1)


def test_samples_without_spread_have_an_interval_without_width(load_tool):
    tool = load_tool("queues")
    found = tool.difference(np.array([9.0, 9.0]), np.array([10.0, 10.0]))
    assert found[2:] == pytest.approx((-0.1, -0.1, -0.1))
    assert found.decides(0.11)
    assert found.decides(0.09)


def test_starts_are_distinct_and_within_a_second(load_tool):
    tool = load_tool("queues")
    orders = {tuple(tool.starts(tool.WORLDS[2], seed)) for seed in range(10)}
    assert len(orders) == 10
    for order in orders:
        assert len(set(order)) == 20
        assert all(0.1 <= at <= 1.1 for at in order)

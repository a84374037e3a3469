"""MSER-5: against a worked example, and on series whose warm-up is known."""

import numpy as np
import polars as pl
import pytest

import mesonet
from mesonet.analysis import truncation, warm_up


def by_definition(values, batch=5):
    """The rule as it is written: the cut with the least sum of squares over squared number."""
    means = [np.mean(values[i : i + batch]) for i in range(0, len(values) - batch + 1, batch)]
    errors = []
    for cut in range(len(means) - 4):
        rest = means[cut:]
        mean = sum(rest) / len(rest)
        errors.append(sum((value - mean) ** 2 for value in rest) / len(rest) ** 2)
    best = errors.index(min(errors))
    return best * batch if 2 * best <= len(means) else None


def test_worked_on_paper():
    # Batch means 10, 4, 5, 4, 5, ...: of all ten the sum of squares is 30, over 100; without the
    # first 2.22 over 81, which is 0.0274; without two 2 over 64, which is 0.0313.
    values = np.repeat([10.0, 4, 5, 4, 5, 4, 5, 4, 5, 4], 5)
    assert truncation(values) == 5


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_the_definition(seed):
    noise = np.sin(np.arange(400) * (1.7 + seed)) * 3
    values = noise + 40 * np.exp(-np.arange(400) / (5 + 9 * seed))
    assert truncation(values) == by_definition(values)


def test_a_series_without_warm_up_loses_nothing():
    assert truncation(np.tile([1.0, 2, 3, 2, 1, 0, 1, 2], 20)) <= 10
    assert truncation(np.full(100, 7.0)) == 0


def test_a_series_that_never_settles_has_no_answer():
    assert truncation(np.arange(200.0)) is None
    assert truncation(np.zeros(40)) is None  # eight batches are too few


def test_undefined_values_are_left_out():
    values = np.concatenate([np.full(20, np.nan), np.tile([4.0, 5, 6, 5, 5], 30)])
    values[57] = np.nan
    assert truncation(values) is not None
    assert truncation(np.full(100, np.nan)) is None


def frame(values):
    return pl.DataFrame({"time": np.arange(1, len(values) + 1) * 0.2, "queue": values})


def test_the_answer_in_seconds():
    values = [0.0] * 40 + [9.0, 11, 10, 12, 8] * 20
    estimate = warm_up(frame(values))
    row = estimate.frame.row(0, named=True)
    assert (row["series"], row["observations"], row["truncated"]) == ("queue", 140, 40)
    assert row["time"] == pytest.approx(8.0)
    assert row["fraction"] == pytest.approx(40 / 140)
    assert (row["mean"], row["mean_after"]) == (pytest.approx(1000 / 140), 10.0)
    assert row["settled"]
    assert estimate.notes == ()


def test_a_last_interval_that_is_shorter_is_no_observation():
    scenario = mesonet.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=["reno"], duration="10.01 s")
    series = mesonet.simulate(scenario, seed=1).series
    assert series.height == 101
    estimate = warm_up(series, series="delivered")
    assert estimate.frame.equals(warm_up(series[:100], series="delivered").frame)
    assert estimate.frame["observations"].item() == 100

"""Estimates of a comparison: means with intervals, and differences with verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from scipy import special

from mesonet.analysis.frames import ROUNDING, indistinguishable
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.two_way import t_test
from mesonet.comparison.measures import BY_NAME, MEASURES
from mesonet.comparison.question import Condition, Question

LEVEL = 0.05
"""Level of the tests, and of the intervals."""
HALF = 0.5
"""Share of either algorithm where none takes from the other."""
HARDLY = 0.005
"""Standard deviation of shares about a half below which repeats hardly differ.

Half a percentage point. It goes with m (1 - m), as in the intervals. Of 39 conditions in round
numbers, six were below it without host jitter, and none with it.
"""
_PLACE = [f"condition_{each.name}" for each in fields(Condition)]
_CELL = [*_PLACE, "algorithm", "beside"]
_ALONE = ("utilization", "delay_p95", "sent_again")


def means(runs: pl.DataFrame, differences: pl.DataFrame) -> pl.DataFrame:
    """Mean and 95 % interval over repeats of every measure; intervals keep to its range.

    The interval of a share is that of its test against a half, so that both say the same.

    Columns: those of the condition (`condition_rate` and so on), `algorithm`, `beside` (empty if
    alone), `measure`, `mean`, `low`, `high` (null with one repeat), `repeats`.
    """
    shares = _tested_shares(differences)
    rows = []
    for key, frame in runs.group_by(_CELL, maintain_order=True):
        cell = dict(zip(_CELL, key, strict=True))
        for measure in MEASURES:
            values = frame[measure.name].to_numpy()
            low, high = bounded_interval(values, most=measure.most)
            if measure.name == "share":
                low, high = shares.get(key, (low, high))
            rows.append(
                {
                    **cell,
                    "measure": measure.name,
                    "mean": float(values.mean()),
                    "low": low,
                    "high": high,
                    "repeats": len(values),
                }
            )
    return pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64})


def _tested_shares(differences: pl.DataFrame) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Intervals of the shares that were tested, by cell, for both sides of a match."""
    ends: dict[tuple[Any, ...], tuple[float, float]] = {}
    for row in differences.iter_rows(named=True):
        if row["measure"] == "share" and row["low"] is not None:
            place = [row[name] for name in _PLACE]
            low, high = row["low"] + HALF, row["high"] + HALF
            ends[*place, row["algorithm"], row["beside"]] = low, high
            ends[*place, row["beside"], row["algorithm"]] = 1 - high, 1 - low
    return ends


def bounded_interval(
    values: Any, *, most: float, level: float = LEVEL
) -> tuple[float | None, float | None]:
    """Interval of the mean of values from 0 to `most`, which it never leaves.

    Wilson's score interval with the effective number of trials, and with Student's t for the
    normal: the ends are those means m whose distance from the measured one is t standard errors,
    where the variance goes with m (1 - m / most). Without a bound above it goes with m. C. Franco,
    R. J. A. Little, T. A. Louis, E. V. Slud, Comparative study of confidence intervals for
    proportions in complex sample surveys, J. Survey Statistics and Methodology 7, 2019, compare
    such intervals and recommend this one.

    Args:
        values: One value for each repeat.
        most: Largest value that there can be; may be infinite.
        level: Part of such intervals that miss the mean.

    Returns:
        Ends of the interval; `None` for fewer than two values.
    """
    count = len(values)
    if count < 2:
        return None, None
    # Busy times are counted by whole packets, so a full link may be used a little more than fully.
    inside = np.minimum(values, most)
    mean = float(np.mean(inside))
    error = float(np.var(inside, ddof=1)) / count
    room = mean * (1 - mean / most)
    if not (error > 0 and room > 0):
        # Equal values, or values that equal a bound within rounding; or one is not a number, and so
        # is the mean.
        return mean, mean
    quantile = _quantile(count - 1, level)
    spread = quantile**2 * error / room
    middle = 2 * mean + spread
    root = math.sqrt(spread**2 + 4 * spread * room)
    scale = 2 * (1 + spread / most)
    return (middle - root) / scale, (middle + root) / scale


def share_p(values: Any) -> float | None:
    """P of the test that the mean of shares is a half.

    It is the score test that `bounded_interval` inverts. Null for fewer than two values, and where
    all are the same and not a half: what does not vary at all is no measure of chance.
    """
    count, mean = len(values), _mean(values)
    if count < 2 or not math.isfinite(mean):
        return None
    deviation = float(np.std(values, ddof=1))
    if deviation <= ROUNDING * mean:
        return 1.0 if mean == HALF else None
    # The standard error under a half, for a variance that goes with m (1 - m).
    error = deviation / math.sqrt(count) * HALF / math.sqrt(mean * (1 - mean))
    return float(2 * special.stdtr(count - 1, -abs((mean - HALF) / error)))


def interval(values: Any, *, level: float = LEVEL) -> tuple[float | None, float | None]:
    """Interval of a mean by Student's t; without ends for fewer than two values."""
    count = len(values)
    if count < 2:
        return None, None
    mean = float(np.mean(values))
    half = float(_quantile(count - 1, level) * np.std(values, ddof=1) / math.sqrt(count))
    return mean - half, mean + half


def _quantile(freedom: int, level: float) -> float:
    """Quantile of Student's t for the ends of an interval."""
    # scipy.stats would give the same one, and half a second of imports with it.
    return float(special.stdtrit(freedom, 1 - level / 2))


def differences(question: Question, runs: pl.DataFrame) -> pl.DataFrame:
    """Shares of the goodput against a half, and differences alone from the first algorithm.

    Columns: those of the condition, `measure`, `algorithm`, `beside`, `baseline`, `value` and
    `reference`, `difference`, `low`, `high`, `p` (all three null where every repeat has the same
    difference), `repeats`, `p_adjusted` and `verdict`: "more", "less" or "not told apart".

    Rows with `measure` "share" are about coexistence: `value` is the part of the goodput that
    `algorithm` gets beside `beside`, and `reference` a half (`share_p`). All others are paired
    t-tests of algorithms alone: of `algorithm`, and of `baseline` as `reference`, over the same
    repeats. Delays are known to a class of their histogram, so a difference of a class or less is
    not told apart.

    P is adjusted by Holm's method, over all shares and over all differences alone. An interval of
    the difference (`low`, `high`) has the level of its step, so that it says what the adjusted test
    says: that of a share excludes zero where, and only where, it is told apart from a half.
    """
    rows = []
    for key, frame in runs.group_by(_PLACE, maintain_order=True):
        cell = dict(zip(_PLACE, key, strict=True))
        tests = (*_shares(question, frame), *_alone(question, frame))
        rows += [{**cell, **test} for test in tests]
    if not rows:
        return pl.DataFrame(schema={"measure": pl.String})
    for together in (True, False):
        _judge([row for row in rows if (row["measure"] == "share") == together])
    floats = ("low", "high", "p", "p_adjusted")
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64))


def _judge(rows: Sequence[dict[str, Any]]) -> None:
    """Adjusts the tests of one family, and gives their intervals the same levels."""
    tested = [math.nan if row["p"] is None else row["p"] for row in rows]
    levels = _step_levels(tested)
    for row, p, level in zip(rows, adjusted(tested, method="holm"), levels, strict=True):
        ends = row.pop("ends")
        row["low"], row["high"] = (None, None) if math.isnan(p) else ends(level)
        row["p_adjusted"] = None if math.isnan(p) else p
        row["verdict"] = _verdict(row)


def _step_levels(p: Sequence[float]) -> list[float]:
    """Level that Holm's method compares each p with.

    The smallest of n is compared with a part n of `LEVEL`, the next with a part n - 1, and so on to
    the first that exceeds its part; all others exceed that one's.
    """
    levels = [LEVEL] * len(p)
    order = sorted((here for here in range(len(p)) if p[here] == p[here]), key=p.__getitem__)
    left = len(order)
    for here in order:
        levels[here] = LEVEL / left
        if p[here] < levels[here]:
            left -= 1
    return levels


def _shares(question: Question, frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for match in question.matches():
        if match.algorithm == match.other or not match.other:
            continue
        # The later algorithm is the one that is asked about.
        both = [match.algorithm, match.other]
        algorithm, beside = both[::-1] if match.other in question.algorithms else both
        values = list(_values(frame, "share", algorithm, beside).values())
        yield {
            "measure": "share",
            "algorithm": algorithm,
            "beside": beside,
            "baseline": "",
            "value": _mean(values),
            "reference": HALF,
            "difference": _mean(values) - HALF,
            "ends": partial(_share_ends, values),
            "p": share_p(values),
            "repeats": len(values),
        }


def _share_ends(values: Sequence[float], level: float) -> Sequence[float | None]:
    ends = bounded_interval(values, most=1, level=level)
    return [None if end is None else end - HALF for end in ends]


def _alone(question: Question, frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    baseline = question.baseline
    for algorithm in question.algorithms[1:]:
        for measure in _ALONE:
            values = _values(frame, measure, algorithm, "")
            reference = _values(frame, measure, baseline, "")
            who = {"measure": measure, "algorithm": algorithm, "beside": "", "baseline": baseline}
            yield {**who, **_compared(values, reference, BY_NAME[measure].known_to)}


def _values(frame: pl.DataFrame, measure: str, algorithm: str, beside: str) -> dict[int, float]:
    rows = frame.filter(algorithm=algorithm, beside=beside).select("repeat", measure)
    return dict(rows.iter_rows())


def _compared(
    values: dict[int, float], reference: dict[int, float], known_to: float
) -> dict[str, Any]:
    # An interrupted comparison has repeats of one side alone, and other repeats have other means.
    shared = [repeat for repeat in values if repeat in reference]
    value, other = (
        _mean([values[each] for each in shared]),
        _mean([reference[each] for each in shared]),
    )
    each = np.array([values[repeat] - reference[repeat] for repeat in shared])
    width = known_to * max(value, other)
    p = _paired_p(each, known_to=width, scale=max(value, other))
    # Repeats of which both sides have the same values are the same runs again.
    sides = ([side[repeat] for repeat in shared] for side in (values, reference))
    if p is not None and p < 1 and not known_to and all(map(indistinguishable, sides)):
        p = None
    # Percentiles of two runs may differ by a class of the histogram, and their times by nothing.
    if p is not None and known_to and abs(_mean(each)) <= width * (1 + 1e-9):
        p = 1.0
    return {
        "value": value,
        "reference": other,
        "difference": _mean(each),
        "ends": partial(_difference_ends, each, width),
        "p": p,
        "repeats": len(shared),
    }


def _difference_ends(each: Any, width: float, level: float) -> Sequence[float | None]:
    low, high = interval(each, level=level)
    return None if low is None else low - width, None if high is None else high + width


def _mean(values: Sequence[float] | Any) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _paired_p(each: Any, *, known_to: float = 0.0, scale: float = 0.0) -> float | None:
    """P of the paired t-test, `mesonet.analysis.two_way.t_test`; null for fewer than two pairs.

    Differences of classes of a histogram vary by what the classes hide.

    Args:
        each: Differences, one for each repeat.
        scale: Size of the values that they are differences of.
        known_to: Width of the classes that the values are known to; 0 if they are known exactly.
    """
    if len(each) < 2 or not np.isfinite(each).all():
        return None
    # A value that may lie anywhere in its class has the standard deviation of a uniform one.
    spread = max(float(np.std(each, ddof=1)), known_to / math.sqrt(12))
    error = spread / math.sqrt(len(each))
    _, p = t_test(float(np.mean(each)), error, len(each) - 1, rounding=ROUNDING * scale)
    return p


def hardly_varying_shares(runs: pl.DataFrame) -> int:
    """Matches of two algorithms whose shares are nearly the same in every repeat."""
    shares = runs.filter((pl.col("beside") != "") & (pl.col("beside") != pl.col("algorithm")))
    spread = shares.group_by(_CELL, maintain_order=True).agg(
        pl.col("share").mean().alias("mean"), pl.col("share").std()
    )
    room = (pl.col("mean") * (1 - pl.col("mean"))).sqrt()
    # Each match has a row for either side.
    return spread.filter(pl.col("share") < 2 * HARDLY * room).height // 2


def _verdict(row: Mapping[str, Any]) -> str:
    p = row["p_adjusted"]
    if p is None or p >= LEVEL or row["low"] <= 0 <= row["high"]:
        return "not told apart"
    return "more" if row["difference"] > 0 else "less"

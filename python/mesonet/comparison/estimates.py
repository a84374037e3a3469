"""Estimates of a comparison: means with intervals, and differences with verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
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
_PLACE = [f"condition_{each.name}" for each in fields(Condition)]
_CELL = [*_PLACE, "algorithm", "beside"]
_ALONE = ("utilization", "delay_p95", "sent_again")


def means(runs: pl.DataFrame) -> pl.DataFrame:
    """Mean and 95 % interval over repeats of every measure; intervals keep to its range.

    Columns: those of the condition (`condition_rate` and so on), `algorithm`, `beside` (empty if
    alone), `measure`, `mean`, `low`, `high` (null with one repeat), `repeats`.
    """
    rows = []
    for key, frame in runs.group_by(_CELL, maintain_order=True):
        cell = dict(zip(_CELL, key, strict=True))
        for measure in MEASURES:
            values = frame[measure.name].to_numpy()
            low, high = bounded_interval(values, most=measure.most)
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


def bounded_interval(values: Any, *, most: float) -> tuple[float | None, float | None]:
    """95 % interval of the mean of values from 0 to `most`, which it never leaves.

    Wilson's score interval with the effective number of trials, and with Student's t for the
    normal: the ends are those means m whose distance from the measured one is t standard errors,
    where the variance goes with m (1 - m / most). Without a bound above it goes with m. C. Franco,
    R. J. A. Little, T. A. Louis, E. V. Slud, Comparative study of confidence intervals for
    proportions in complex sample surveys, J. Survey Statistics and Methodology 7, 2019, compare
    such intervals and recommend this one.

    Args:
        values: One value for each repeat.
        most: Largest value that there can be; may be infinite.

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
    quantile = _quantile(count - 1)
    spread = quantile**2 * error / room
    middle = 2 * mean + spread
    root = math.sqrt(spread**2 + 4 * spread * room)
    scale = 2 * (1 + spread / most)
    return (middle - root) / scale, (middle + root) / scale


def interval(values: Any) -> tuple[float | None, float | None]:
    """95 % interval of a mean by Student's t; without ends for fewer than two values."""
    count = len(values)
    if count < 2:
        return None, None
    mean = float(np.mean(values))
    half = float(_quantile(count - 1) * np.std(values, ddof=1) / math.sqrt(count))
    return mean - half, mean + half


def _quantile(freedom: int) -> float:
    """Quantile of Student's t for the ends of an interval."""
    # scipy.stats would give the same one, and half a second of imports with it.
    return float(special.stdtrit(freedom, 1 - LEVEL / 2))


def differences(question: Question, runs: pl.DataFrame) -> pl.DataFrame:
    """Differences from the first algorithm over the same repeats, and who takes from whom.

    Columns: those of the condition, `measure`, `algorithm`, `beside`, `baseline`, `value` and
    `reference` (means over the repeats of both), `difference`, `low`, `high`, `p` (paired t-test;
    all three null where every repeat is the same on both sides), `repeats` (of both), `p_adjusted`
    (Holm, over all rows) and `verdict`: "more", "less" or "not told apart". Delays are known to a
    class of their histogram, so a difference of a class or less is not told apart. Rows with
    `measure` "left" are about the goodput that the flows of `beside` get: beside `algorithm`, less
    beside their own kind.
    """
    rows = []
    for key, frame in runs.group_by(_PLACE, maintain_order=True):
        cell = dict(zip(_PLACE, key, strict=True))
        rows += [{**cell, **pair} for pair in _pairs(question, frame)]
    if not rows:
        return pl.DataFrame()
    tested = [math.nan if row["p"] is None else row["p"] for row in rows]
    for row, p in zip(rows, adjusted(tested, method="holm"), strict=True):
        row["p_adjusted"] = None if math.isnan(p) else p
        row["verdict"] = _verdict(row)
    floats = ("low", "high", "p", "p_adjusted")
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64))


def _pairs(question: Question, frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    baseline = question.baseline
    for algorithm in question.algorithms[1:]:
        for measure in _ALONE:
            values = _values(frame, measure, algorithm, "")
            reference = _values(frame, measure, baseline, "")
            who = {"measure": measure, "algorithm": algorithm, "beside": "", "baseline": baseline}
            yield {**who, **_compared(values, reference, BY_NAME[measure].known_to)}
    for algorithm in question.algorithms:
        for other in question.beside:
            if other == algorithm:
                continue
            values = _values(frame, "rate", other, algorithm)
            reference = _values(frame, "rate", other, other)
            who = {"measure": "left", "algorithm": algorithm, "beside": other, "baseline": other}
            yield {**who, **_compared(values, reference, BY_NAME["rate"].known_to)}


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
    low, high = interval(each) if p is not None else (None, None)
    # Percentiles of two runs may differ by a class of the histogram, and their times by nothing.
    if p is not None and known_to and abs(_mean(each)) <= width * (1 + 1e-9):
        p = 1.0
    return {
        "value": value,
        "reference": other,
        "difference": _mean(each),
        "low": None if low is None else low - width,
        "high": None if high is None else high + width,
        "p": p,
        "repeats": len(shared),
    }


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


def _verdict(row: Mapping[str, Any]) -> str:
    p = row["p_adjusted"]
    if p is None or p >= LEVEL or row["low"] <= 0 <= row["high"]:
        return "not told apart"
    return "more" if row["difference"] > 0 else "less"

"""Estimates of a comparison: means with intervals, and differences with verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.paired.estimate import paired_mean
from mesonet.analysis.student import t_above, t_exceeded
from mesonet.comparison.measures import MEASURES, TESTED
from mesonet.comparison.question import Condition, Match, Question

LEVEL = 0.05
"""Level of the tests, and of the intervals."""
HALF = 0.5
"""Share of either algorithm where none takes from the other."""
OPEN = "not significant"
"""Verdict of a test that finds nothing."""
UNTESTED = "not tested"
"""Verdict of fewer than two replicates, and where all have the same difference."""
_PLACE = [f"condition_{name}" for name in Condition._fields]
_CELL = [*_PLACE, "algorithm", "versus"]


def means(runs: pl.DataFrame, differences: pl.DataFrame) -> pl.DataFrame:
    """Mean and 95 % interval over replicates of every measure; intervals keep to its range.

    The interval of a share is that of its test against a half, so that both say the same.

    Columns: those of the condition (`condition_rate` and so on), `algorithm`, `versus` (empty if
    alone), `measure`, `mean`, `low`, `high` (null with one replicate), `replicates`.
    """
    shares: dict[tuple[Any, ...], tuple[float, float]] = {}
    for row in differences.iter_rows(named=True):
        if row["measure"] == "share" and row["low"] is not None:
            low, high = row["low"] + HALF, row["high"] + HALF
            place, sides = [row[name] for name in _PLACE], (row["algorithm"], row["versus"])
            shares[*place, *sides] = low, high
            shares[*place, *sides[::-1]] = 1 - high, 1 - low
    rows = []
    for key, frame in runs.group_by(_CELL, maintain_order=True):
        cell = dict(zip(_CELL, key, strict=True))
        for measure in MEASURES:
            values = frame[measure.name].to_numpy()
            low, high = bounded_interval(values, maximum=measure.maximum)
            if measure.name == "share":
                low, high = shares.get(key, (low, high))
            estimate = {"mean": float(values.mean()), "low": low, "high": high}
            rows.append({**cell, "measure": measure.name, **estimate, "replicates": len(values)})
    return pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64})


def bounded_interval(
    values: Any, *, maximum: float, level: float = LEVEL
) -> tuple[float | None, float | None]:
    """Interval of the mean of values from 0 to `maximum`, which it never leaves.

    Wilson's score interval with the effective number of trials, and with Student's t for the
    normal: the ends are those means m whose distance from the measured one is t standard errors,
    where the variance goes with m (1 - m / maximum). Without a bound above it goes with m.
    C. Franco, R. J. A. Little, T. A. Louis, E. V. Slud, Comparative study of confidence intervals
    for proportions in complex sample surveys, J. Survey Statistics and Methodology 7, 2019, compare
    such intervals and recommend this one.

    `level` is the part of such intervals that miss the mean. Fewer than two values have no ends.
    """
    count = len(values)
    if count < 2:
        return None, None
    # Busy times are counted by whole packets, so a full link may be used a little more than fully.
    inside = np.minimum(values, maximum)
    mean = float(np.mean(inside))
    error = float(np.var(inside, ddof=1)) / count
    room = mean * (1 - mean / maximum)
    if not (error > 0 and room > 0):
        # Equal values, or values that equal a bound within rounding; or one is not a number, and so
        # is the mean.
        return mean, mean
    spread = float(t_exceeded(level / 2, count - 1)) ** 2 * error / room
    middle = 2 * mean + spread
    root = math.sqrt(spread**2 + 4 * spread * room)
    scale = 2 * (1 + spread / maximum)
    return (middle - root) / scale, (middle + root) / scale


def share_p(values: Any) -> float:
    """P of the test that the mean of shares is a half.

    It is the score test that `bounded_interval` inverts. NaN for fewer than two values, and where
    all are the same and not a half: what does not vary at all is no measure of chance.
    """
    count = len(values)
    mean = float(np.mean(values)) if count else math.nan
    if count < 2 or not math.isfinite(mean):
        return math.nan
    deviation = float(np.std(values, ddof=1))
    if deviation <= ROUNDING * mean:
        return 1.0 if mean == HALF else math.nan
    # The standard error under a half, for a variance that goes with m (1 - m).
    error = deviation / math.sqrt(count) * HALF / math.sqrt(mean * (1 - mean))
    return float(2 * t_above(abs((mean - HALF) / error), count - 1))


def differences(question: Question, results: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Shares of the goodput against a half, and differences alone from the first algorithm.

    Columns: those of the condition, `measure`, `algorithm`, `versus`, `baseline`, `value` and
    `reference`, `difference`, `low`, `high`, `p` (all three null where every replicate has the same
    values), `replicates`, `p_adjusted` and `verdict`: "more", "less", `OPEN` or `UNTESTED`.

    Rows with `measure` "share" are about coexistence: `value` is the part of the goodput that
    `algorithm` gets versus another, `versus`, and `reference` a half (`share_p`). All others are
    those of `mesonet.analysis.paired_differences` within a condition: of `algorithm` alone, and of
    `baseline` alone as `reference`. Delays are known to a class of their histogram, so a
    difference of a class or less is not significant.

    P is adjusted by Holm's method, over all shares and over all differences alone. An interval of
    the difference (`low`, `high`) has the `level` of its step, so that it says what the adjusted
    test says: that of a share excludes zero where, and only where, it is told apart from a half.
    """
    rows = []
    for number, condition in enumerate(question.conditions, 1):
        place = condition.columns()
        shares = _shares(question, runs.filter(**place))
        alone = _alone(question, results.filter(condition=number))
        rows += [{**place, **test} for test in (*shares, *alone)]
    if not rows:
        return pl.DataFrame(schema={"measure": pl.String})
    for together in (True, False):
        _judge([row for row in rows if (row["measure"] == "share") == together])
    floats = ("low", "high", "p", "p_adjusted")
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64)).with_columns(
        pl.col(floats).fill_nan(None)
    )


def _judge(rows: Sequence[dict[str, Any]]) -> None:
    """Adjusts the tests of one family, and gives their intervals the same levels."""
    tested = [row["p"] for row in rows]
    levels = step_levels(tested)
    for row, p, level in zip(rows, adjusted(tested, method="holm"), levels, strict=True):
        ends, known_to = row.pop("ends"), row.pop("known_to")
        row["low"], row["high"] = (None, None) if math.isnan(p) else ends(level)
        row["p_adjusted"], row["level"] = p, 1 - level
        differs = p < LEVEL and abs(row["difference"]) > known_to * (1 + 1e-9)
        alike = row["difference"] == 0 and row["replicates"] > 1
        otherwise = UNTESTED if math.isnan(p) and not alike else OPEN
        row["verdict"] = ("more" if row["difference"] > 0 else "less") if differs else otherwise


def step_levels(p: Sequence[float]) -> list[float]:
    """Level that Holm's method compares each p with.

    The smallest of n is compared with a part n of `LEVEL`, the next with a part n - 1, and so on to
    the first that exceeds its part; all others exceed that one's.
    """
    levels = [LEVEL] * len(p)
    order = sorted((here for here in range(len(p)) if p[here] == p[here]), key=p.__getitem__)
    remaining = len(order)
    for here in order:
        levels[here] = LEVEL / remaining
        if p[here] < levels[here]:
            remaining -= 1
    return levels


def _shares(question: Question, runs: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for match in question.matches:
        if match.algorithm == match.other or not match.other:
            continue
        # The later algorithm is the one that is asked about.
        both = (match.algorithm, match.other)
        algorithm, versus = both[::-1] if match.other in question.algorithms else both
        values = runs.filter(algorithm=algorithm, versus=versus)["share"].to_numpy()
        value = float(values.mean()) if len(values) else math.nan
        yield {
            "measure": "share",
            "algorithm": algorithm,
            "versus": versus,
            "baseline": "",
            "value": value,
            "reference": HALF,
            "difference": value - HALF,
            "ends": partial(_share_ends, values),
            "known_to": 0.0,
            "p": share_p(values),
            "replicates": len(values),
        }


def _share_ends(values: Any, level: float) -> tuple[float, ...]:
    return tuple(
        end - HALF for end in bounded_interval(values, maximum=1, level=level) if end is not None
    )


def _alone(question: Question, results: pl.DataFrame) -> Iterator[dict[str, Any]]:
    first = question.algorithms[0]
    for algorithm in question.algorithms[1:]:
        for measure in TESTED:
            pairs = paired_mean(
                results,
                response=measure.response,
                alternative=Match(algorithm).words(),
                baseline=Match(first).words(),
            )
            yield {
                "measure": measure.name,
                "algorithm": algorithm,
                "versus": "",
                "baseline": first,
                "value": pairs.value,
                "reference": pairs.reference,
                "difference": pairs.value - pairs.reference,
                "ends": lambda level, pairs=pairs: pairs.interval(1 - level)[1:3],
                "known_to": measure.known_to * max(pairs.value, pairs.reference),
                "p": pairs.interval(1 - LEVEL)[-1],
                "replicates": pairs.pairs,
            }

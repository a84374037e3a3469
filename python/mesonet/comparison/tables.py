"""The answer of a comparison as tables for a terminal of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from mesonet.comparison.measures import BY_NAME, MEASURES, TESTED, Measure
from mesonet.numbers import number
from mesonet.text import capital
from mesonet.text import table as in_columns

if TYPE_CHECKING:
    from mesonet.comparison.question import Condition
    from mesonet.comparison.result import Comparison

_ALONE = MEASURES[:6]


def printed(measure: Measure, value: float | None) -> str:
    """A value with three digits in the unit that people read; a dash without one.

    What is below half of the last decimal that tables have is zero.
    """
    if value is None or value != value:
        return "–"
    size = value * measure.factor
    return number(size if abs(size) >= 0.5 * 10.0 ** -_decimals(measure) else 0.0, digits=3)


def table(comparison: Comparison, *, every: bool = False) -> str:
    """Tables of the condition; of several, an overview, or with `every` those of each."""
    question, conditions = comparison.question, comparison.question.conditions
    if len(conditions) == 1 or every:
        return "\n\n".join(_of_condition(comparison, condition) for condition in conditions)
    begin = f"{question.where}: {_replicates(comparison, comparison.frame)} of {question.duration}"
    parts = [f"{title}\n{in_columns(rows)}" for title, rows in overview(comparison)]
    return "\n\n".join([begin, *parts])


def overview(comparison: Comparison) -> Iterator[tuple[str, list[list[str]]]]:
    """Tables over all conditions, each with its title: a row per condition, a column per algorithm.

    Measures of each algorithm alone, then shares versus the first algorithm or each opponent.
    """
    question = comparison.question
    asked = [(measure, "") for measure in TESTED]
    first = question.algorithms[0]
    versus = [first] if first in question.versus else question.versus
    asked += [(BY_NAME["share"], opponent) for opponent in versus]
    for measure, opponent in asked:
        names = [name for name in question.algorithms if name != opponent]
        if not names:
            continue
        frame = comparison.frame.filter(measure=measure.name, versus=opponent)
        rows = [["", *names]]
        for condition in question.conditions:
            cells = frame.filter(**condition.columns())
            values = dict(cells.select("algorithm", "mean").iter_rows())
            shown = [printed(measure, values.get(name)) for name in names]
            rows.append([question.words(condition), *shown])
        where = f"versus {opponent}" if opponent else "alone"
        yield f"{capital(measure.title)} {where} ({measure.unit})", rows


def _of_condition(comparison: Comparison, condition: Condition) -> str:
    question = comparison.question
    frame = comparison.frame.filter(**condition.columns())
    size = _replicates(comparison, frame)
    title = f"{question.link}{condition.words()}: {size} of {question.duration}"
    alone = [measure for measure in _ALONE if _is_telling(comparison, measure)]
    rows = [["alone", *(f"{it.short} {it.unit}".rstrip() for it in alone)]]
    rows += [
        [who, *(_cell(frame, measure, who, "") for measure in alone)] for who in question.algorithms
    ]
    if {*question.algorithms, *question.versus} == {question.algorithms[0]}:
        return f"{title}\n{in_columns(rows)}"
    shares = [["share %", *(f"vs {opponent}" for opponent in question.versus)]]
    shares += [
        [who, *(_cell(frame, BY_NAME["share"], who, opponent) for opponent in question.versus)]
        for who in question.algorithms
    ]
    return "\n".join([title, in_columns(rows), "", in_columns(shares)])


def _is_telling(comparison: Comparison, measure: Measure) -> bool:
    """True unless every comparison has the same: no mark, or the fairness of one flow."""
    if measure.name == "jain":
        return comparison.question.flows > 1
    values = comparison.frame.filter(measure=measure.name)["mean"]
    return measure.name != "marked" or bool((values > 0).any())


def _replicates(comparison: Comparison, frame: pl.DataFrame) -> str:
    """Replicates behind the cells of a table, which an interruption leaves unequal."""
    replicates = comparison.question.plan.replicates
    words = f"{replicates} replicate{'s' if replicates != 1 else ''}"
    if comparison.executed >= comparison.question.total:
        return words
    maximum = max(frame["replicates"].to_list(), default=0)
    return f"at most {maximum} of {words}"


_SKEWED = 0.05
"""Part of its width by which an interval may reach further to one side and still have a ±."""


def _cell(frame: pl.DataFrame, measure: Measure, algorithm: str, versus: str) -> str:
    """Mean, and half its interval or the ends of a skewed one; a dash for own kinds."""
    rows = frame.filter(algorithm=algorithm, versus=versus, measure=measure.name)
    if rows.is_empty() or (measure.name == "share" and algorithm == versus):
        return "–"
    mean, low, high = rows.select("mean", "low", "high").row(0)
    if mean is None or mean != mean:
        return "–"
    value = mean * measure.factor
    # Three digits, but none after the last decimal.
    wanted = max(2 - math.floor(math.log10(abs(value))), 0) if value else 0
    digits = min(wanted, _decimals(measure))
    text, known = f"{value:.{digits}f}", [] if low is None else [low, high]
    ends = [f"{end * measure.factor:.{digits}f}" for end in known]
    if len(set(ends)) < 2:
        return text
    if abs(low + high - 2 * mean) > _SKEWED * (high - low):
        return f"{text} [{ends[0]}, {ends[1]}]"
    return f"{text} ±{(high - low) / 2 * measure.factor:.{digits}f}"


def _decimals(measure: Measure) -> int:
    """Most decimals of a value: a hundredth of a millisecond, or of a hundredth of a per cent."""
    return 2 if measure.unit == "ms" else 4

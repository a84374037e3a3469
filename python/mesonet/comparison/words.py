"""The answer of a comparison in words, and as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console
from rich.table import Table

from mesonet.comparison.estimates import OPEN
from mesonet.comparison.measures import BY_NAME, Measure
from mesonet.comparison.question import Condition
from mesonet.numbers import number

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_LISTED = 5
"""Most differences that were not told apart and are listed one by one."""
_SHOWN = ("utilization", "delay_p50", "delay_p95", "sent_again")


def of_condition(frame: pl.DataFrame, condition: Condition) -> pl.DataFrame:
    """Rows of one condition."""
    return frame.filter(**{f"condition_{name}": v for name, v in condition._asdict().items()})


def shown(measure: Measure, value: float | None) -> str:
    """A value with three digits in the unit that people read; a dash without one.

    What is below half of the last decimal that tables have is zero.
    """
    if value is None or value != value:
        return "–"
    size = value * measure.factor
    return number(size if abs(size) >= 0.5 * 10.0 ** -_decimals(measure) else 0.0, digits=3)


def _decimals(measure: Measure) -> int:
    """Most decimals of a value: a hundredth of a millisecond, or of a hundredth of a per cent."""
    return 2 if measure.unit == "ms" else 4


def table(comparison: Comparison) -> str:
    """Tables of all conditions as text: alone, and shares beside the others."""
    return "\n".join(_table(comparison, each) for each in comparison.question.conditions)


def _table(comparison: Comparison, condition: Condition) -> str:
    question = comparison.question
    frame = of_condition(comparison.frame, condition)
    title = f"{condition.words()}: {_repeats(comparison, frame)} of {question.duration}"
    shares = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    shares.add_column("")
    for name in _SHOWN:
        measure = BY_NAME[name]
        shares.add_column(
            f"{measure.title.replace(', ', chr(10))}\n({measure.unit})", justify="right"
        )
    for other in question.beside:
        shares.add_column(f"share beside\n{other}\n(%)", justify="right")
    for algorithm in question.algorithms:
        cells = [_cell(frame, BY_NAME[name], algorithm, "") for name in _SHOWN]
        cells += [_cell(frame, BY_NAME["share"], algorithm, other) for other in question.beside]
        shares.add_row(algorithm, *cells)
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        console.print(shares)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _repeats(comparison: Comparison, frame: pl.DataFrame) -> str:
    """Repeats behind the cells of a table, which an interruption leaves unequal."""
    repeats = comparison.question.plan.replicates
    words = f"{repeats} repeat{'s' if repeats != 1 else ''}"
    if comparison.results.height >= comparison.question.total:
        return words
    most = max(frame["repeats"].to_list(), default=0)
    return f"at most {most} of {words}"


def _cell(frame: pl.DataFrame, measure: Measure, algorithm: str, beside: str) -> str:
    """Mean and the ends of its interval, with the same decimals."""
    rows = frame.filter(algorithm=algorithm, beside=beside, measure=measure.name)
    if rows.is_empty():
        return "–"
    mean, low, high = rows.select("mean", "low", "high").row(0)
    if mean is None or mean != mean:
        return "–"
    value = mean * measure.factor
    # Three digits, but none after the last decimal.
    wanted = max(2 - math.floor(math.log10(abs(value))), 0) if value else 0
    digits = min(wanted, _decimals(measure))
    own_kind = measure.name == "share" and algorithm == beside
    if low is None or own_kind:
        return f"{value:.{digits}f}"
    ends = (f"{end * measure.factor:.{digits}f}" for end in (low, high))
    return f"{value:.{digits}f} [{', '.join(ends)}]"


def sentences(comparison: Comparison) -> tuple[str, ...]:
    """A sentence for every share, for each difference alone that was told apart, and the rest."""
    question, tests = comparison.question, comparison.differences
    several = len(question.conditions) > 1
    open_tests = [row for row in tests.iter_rows(named=True) if row["verdict"] == OPEN]
    open_shares = sum(row["measure"] == "share" for row in open_tests)
    said: list[str] = []
    open_alone: list[str] = []
    for row in tests.iter_rows(named=True):
        place = f"{question.words(_condition(row))}: " if several else ""
        if row["measure"] == "share":
            if row["verdict"] != OPEN or open_shares <= _LISTED:
                said.append(_capital(place + _share_sentence(row)))
        elif row["verdict"] == OPEN:
            open_alone.append(place + _subject(row))
        else:
            said.append(_capital(place + "".join(_sentence(row))))
    if open_shares > _LISTED:
        shares = tests.filter(measure="share").height
        said.append(f"{open_shares} of {shares} shares were not told apart from half.")
    if len(open_alone) > _LISTED:
        alone = tests.filter(pl.col("measure") != "share").height
        said.append(f"{len(open_alone)} of {alone} differences alone were not told apart.")
    elif open_alone:
        said.append(f"Not told apart alone: {'; '.join(open_alone)}.")
    return tuple(said)


def _condition(row: dict[str, Any]) -> Condition:
    return Condition(*(row[f"condition_{name}"] for name in Condition._fields))


def _share_sentence(row: dict[str, Any]) -> str:
    share = BY_NAME["share"]
    words = f"beside {row['beside']}, {row['algorithm']} gets {shown(share, row['value'])} %"
    if row["low"] is None:
        return f"{words} of the goodput."
    low, high = (shown(share, row[end] + row["reference"]) for end in ("low", "high"))
    verdict = {"more": "more than half", "less": "less than half"}.get(
        row["verdict"], "not told apart from half"
    )
    return f"{words} of the goodput (95 % interval {low} to {high}): {verdict}."


def _sentence(row: dict[str, Any]) -> Iterator[str]:
    algorithm, baseline = row["algorithm"], row["baseline"]
    measure = BY_NAME[row["measure"]]
    size = shown(measure, abs(row["difference"]))
    less = row["difference"] < 0
    amount = f"{size} percentage points {'less' if less else 'more'} of"
    if measure.name == "utilization":
        yield f"alone, {algorithm} uses {amount} the link than {baseline}"
    elif measure.name == "sent_again":
        yield f"alone, {algorithm} sends {amount} its segments again than {baseline}"
    else:
        yield f"alone, the {measure.words} of {algorithm} is {size} {measure.unit} "
        yield f"{'lower' if less else 'higher'} than that of {baseline}"
    low, high = sorted(abs(row[end]) * measure.factor for end in ("low", "high"))
    yield f" (95 % interval {number(low, digits=3)} to {number(high, digits=3)})."


def _subject(row: dict[str, Any]) -> str:
    return f"{BY_NAME[row['measure']].words} of {row['algorithm']} and {row['baseline']}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

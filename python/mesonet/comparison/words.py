"""The answer of a comparison in words, and as a table for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console
from rich.table import Table

from mesonet.comparison.estimates import OPEN
from mesonet.comparison.measures import BY_NAME, MEASURES, Measure
from mesonet.comparison.question import Condition
from mesonet.numbers import number

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_LISTED = 5
"""Most differences that were not told apart and are listed one by one."""
_SHOWN = MEASURES[:4]


def printed(measure: Measure, value: float | None) -> str:
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
    return "\n".join(_table(comparison, condition) for condition in comparison.question.conditions)


def _table(comparison: Comparison, condition: Condition) -> str:
    question = comparison.question
    frame = comparison.frame.filter(**condition.columns())
    title = f"{condition.words()}: {_repeats(comparison, frame)} of {question.duration}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("")
    for measure in _SHOWN:
        heading = f"{measure.title.replace(', ', chr(10))}\n({measure.unit})"
        table.add_column(heading, justify="right")
    for opponent in question.beside:
        table.add_column(f"share beside\n{opponent}\n(%)", justify="right")
    for who in question.algorithms:
        cells = [_cell(frame, measure, who, "") for measure in _SHOWN]
        cells += [_cell(frame, BY_NAME["share"], who, opponent) for opponent in question.beside]
        table.add_row(who, *cells)
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _repeats(comparison: Comparison, frame: pl.DataFrame) -> str:
    """Repeats behind the cells of a table, which an interruption leaves unequal."""
    repeats = comparison.question.plan.replicates
    words = f"{repeats} repeat{'s' if repeats != 1 else ''}"
    if comparison.executed >= comparison.question.total:
        return words
    maximum = max(frame["repeats"].to_list(), default=0)
    return f"at most {maximum} of {words}"


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
    digits_shown = max(2 - math.floor(math.log10(abs(value))), 0) if value else 0
    digits = min(digits_shown, _decimals(measure))
    own_kind = measure.name == "share" and algorithm == beside
    if low is None or own_kind:
        return f"{value:.{digits}f}"
    ends = (f"{end * measure.factor:.{digits}f}" for end in (low, high))
    return f"{value:.{digits}f} [{', '.join(ends)}]"


def sentences(comparison: Comparison) -> tuple[str, ...]:
    """A sentence for every share, for each difference alone that was told apart, and the rest."""
    question = comparison.question
    rows = list(comparison.differences.iter_rows(named=True))
    if len(question.conditions) > 1:
        for row in rows:
            values = (row[f"condition_{name}"] for name in Condition._fields)
            row["place"] = f"{question.words(Condition(*values))}: "
    shares = [row for row in rows if row["measure"] == "share"]
    alone = [row for row in rows if row["measure"] != "share"]
    open_shares, open_alone = (
        [row for row in family if row["verdict"] == OPEN] for family in (shares, alone)
    )
    few = len(open_shares) <= _LISTED
    texts = [
        _share_sentence(row) if row["measure"] == "share" else _sentence(row)
        for row in rows
        if row["verdict"] != OPEN or (few and row["measure"] == "share")
    ]
    if not few:
        texts.append(f"{len(open_shares)} of {len(shares)} shares were not told apart from half.")
    if len(open_alone) > _LISTED:
        texts.append(f"{len(open_alone)} of {len(alone)} differences alone were not told apart.")
    elif open_alone:
        texts.append(f"Not told apart alone: {'; '.join(map(_subject, open_alone))}.")
    return tuple(text[:1].upper() + text[1:] for text in texts)


def _share_sentence(row: dict[str, Any]) -> str:
    share = BY_NAME["share"]
    value = f"{row['algorithm']} gets {printed(share, row['value'])} % of the goodput"
    words = f"{row.get('place', '')}beside {row['beside']}, {value}"
    if row["low"] is None:
        return f"{words}."
    low, high = (printed(share, row[end] + row["reference"]) for end in ("low", "high"))
    verdict = row["verdict"]
    verdict = f"{verdict} from half" if verdict == OPEN else f"{verdict} than half"
    return f"{words} (95 % interval {low} to {high}): {verdict}."


def _sentence(row: dict[str, Any]) -> str:
    measure = BY_NAME[row["measure"]]
    less = row["difference"] < 0
    text = measure.sentence.format(
        who=row["algorithm"],
        whom=row["baseline"],
        size=printed(measure, abs(row["difference"])),
        less="less" if less else "more",
        lower="lower" if less else "higher",
    )
    ends = sorted(abs(row[end]) * measure.factor for end in ("low", "high"))
    low, high = (number(end, digits=3) for end in ends)
    return f"{row.get('place', '')}alone, {text} (95 % interval {low} to {high})."


def _subject(row: dict[str, Any]) -> str:
    words = BY_NAME[row["measure"]].words
    return f"{row.get('place', '')}{words} of {row['algorithm']} and {row['baseline']}"

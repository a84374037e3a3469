"""The answer of a comparison in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mesonet.comparison.estimates import OPEN, UNTESTED
from mesonet.comparison.measures import BY_NAME
from mesonet.comparison.question import Condition
from mesonet.comparison.tables import printed
from mesonet.numbers import number
from mesonet.text import capital

if TYPE_CHECKING:
    from mesonet.comparison.result import Comparison

_LISTED = 5
"""Most differences that are not significant and are listed one by one."""


def sentences(comparison: Comparison) -> tuple[str, ...]:
    """A sentence for every share, for each significant difference alone, and the rest.

    Of several conditions, one for each pair of algorithms and measure.
    """
    rows = list(comparison.differences.iter_rows(named=True))
    several = len(comparison.question.conditions) > 1
    return tuple(_over_conditions(rows) if several else _of_one(rows))


def each(comparison: Comparison) -> tuple[str, ...]:
    """The sentences of each of several conditions."""
    question, rows = comparison.question, list(comparison.differences.iter_rows(named=True))
    for row in rows:
        values = (row[f"condition_{name}"] for name in Condition._fields)
        row["place"] = f"{question.words(Condition(*values))}: "
    return tuple(_of_one(rows))


def _of_one(rows: list[dict[str, Any]]) -> Iterator[str]:
    shares = [row for row in rows if row["measure"] == "share"]
    alone = [row for row in rows if row["measure"] != "share"]
    open_shares, open_alone = (
        [row for row in family if row["verdict"] == OPEN] for family in (shares, alone)
    )
    few = len(open_shares) <= _LISTED
    for row in rows:
        if row["measure"] == "share" and (few or row["verdict"] != OPEN):
            yield _placed(row, _share_sentence(row))
        elif row["measure"] != "share" and row["verdict"] in ("more", "less"):
            yield _placed(row, _sentence(row))
    if not few:
        yield f"{len(open_shares)} of {len(shares)} shares do not differ significantly from half."
    if len(open_alone) > _LISTED:
        yield f"{len(open_alone)} of {len(alone)} differences alone are not significant."
    elif open_alone:
        yield f"No significant difference alone: {'; '.join(map(_subject, open_alone))}."


def _over_conditions(rows: list[dict[str, Any]]) -> Iterator[str]:
    pairs: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["measure"] != "share"):
        pairs.setdefault((row["versus"], row["algorithm"], row["measure"]), []).append(row)
    for (versus, algorithm, name), tests in pairs.items():
        ends = [printed(BY_NAME[name], end(row["value"] for row in tests)) for end in (min, max)]
        counts = Counter(row["verdict"] for row in tests)
        unit = f" {BY_NAME[name].unit}"
        if name == "share":
            what = f"Versus {versus}, {algorithm} gets {ends[0]} to {ends[1]}{unit} of the goodput"
            than = "than half"
        else:
            words = capital(BY_NAME[name].words)
            what = f"{words} of {algorithm} alone is {ends[0]} to {ends[1]}{unit}"
            than = f"than of {tests[0]['baseline']}"
        told = [f"{it} {than} in {counts[it]}" for it in ("more", "less") if counts[it]]
        told += [f"no significant difference in {counts[OPEN]}"] if counts[OPEN] else []
        told += [f"not tested in {counts[UNTESTED]}"] if counts[UNTESTED] else []
        yield f"{what}: {', '.join(told)} of {len(tests)} conditions."


def _placed(row: dict[str, Any], text: str) -> str:
    """Behind its condition, whose names stay as they are, if there are several."""
    return f"{row['place']}{text}" if "place" in row else capital(text)


def _share_sentence(row: dict[str, Any]) -> str:
    share = BY_NAME["share"]
    value = f"{row['algorithm']} gets {printed(share, row['value'])} % of the goodput"
    words = f"versus {row['versus']}, {value}"
    if row["low"] is None:
        return f"{words}."
    low, high = (printed(share, row[end] + row["reference"]) for end in ("low", "high"))
    verdict = row["verdict"]
    verdict = "not significantly different from" if verdict == OPEN else f"{verdict} than"
    return f"{words} ({_level(row)} % interval {low} to {high}): {verdict} half."


def _level(row: dict[str, Any]) -> str:
    return f"{100 * row['level']:.3g}"


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
    return f"alone, {text} ({_level(row)} % interval {low} to {high})."


def _subject(row: dict[str, Any]) -> str:
    words = BY_NAME[row["measure"]].words
    return f"{row.get('place', '')}{words} of {row['algorithm']} and {row['baseline']}"

"""Tables for a terminal of 80 columns: the first numbers of runs, and trimmed frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mesonet.cli.common import print_frame
from mesonet.numbers import number
from mesonet.text import table

if TYPE_CHECKING:
    import polars as pl

    from mesonet.run import Run
    from mesonet.scenario import Scenario

All = Annotated[bool, typer.Option("--all", help="Print all rows and columns.")]
FLOWS = 12
"""Most flows that have a row of their own."""


class Headline(NamedTuple):
    """One of the first numbers of a run: the first of some responses that it has."""

    name: str
    responses: tuple[str, ...]
    unit: str
    factor: float


_HEADLINES = (
    Headline("utilization", ("utilization",), "%", 100),
    Headline("goodput", ("goodput",), "Mbit/s", 1e-6),
    Headline(
        "queueing delay, median",
        ("sojourn_p50", "bottleneck_delay_p50", "network_queueing_delay_p50"),
        "ms",
        1000,
    ),
    Headline(
        "queueing delay, 95th percentile",
        ("sojourn_p95", "bottleneck_delay_p95", "network_queueing_delay_p95"),
        "ms",
        1000,
    ),
    Headline("retransmitted", ("flow_retransmitted",), "%", 100),
    Headline("lost", ("loss_rate",), "%", 100),
)
_OF_APPLICATIONS = (
    Headline("bit rate of films", ("video_bitrate",), "kbit/s", 1e-3),
    Headline("time that films stall", ("video_stall_share",), "%", 100),
    Headline("time to load a page", ("page_load_time",), "s", 1),
    Headline("late frames of calls", ("call_late_share",), "%", 100),
)
_OF_FLOWS = (
    Headline("goodput", ("flow_goodput",), "Mbit/s", 1e-6),
    Headline("delay p95", ("queueing_delay_p95",), "ms", 1000),
    Headline("retx", ("flow_retransmitted",), "%", 100),
)
_FIRST = 5
_QUALIFIED = {"bottleneck_delay_p50": " over time", "bottleneck_delay_p95": " over time"}
"""What tells a response from the one of packets that would stand in its place."""


def headlines(scenario: Scenario, columns: Mapping[str, Mapping[str, float]]) -> str:
    """The first numbers of runs, or of means over some: a column each, with the unit beside."""
    heading = [["", *columns, ""]] if len(columns) > 1 else []
    users, network = (_rows(scenario, columns, it) for it in (_OF_APPLICATIONS, _HEADLINES))
    return table([*heading, *users, *network[:_FIRST]])


def _rows(
    scenario: Scenario, columns: Mapping[str, Mapping[str, float]], names: Iterable[Headline]
) -> list[list[str]]:
    rows = []
    for headline in names:
        unit, factor = _in(scenario, headline)
        for response in headline.responses:
            values = [column.get(response, float("nan")) for column in columns.values()]
            if any(value == value for value in values):
                shown = [number(value * factor, digits=3) for value in values]
                rows.append([headline.name + _QUALIFIED.get(response, ""), *shown, unit])
                break
    return rows


def flow_rows(run: Run) -> str:
    """A row for each of several named flows; empty for one, or for many.

    Where there are many, connections of applications have none.
    """
    from mesonet.responses import compute

    every = list(run.scenario.named_flows())
    names = every
    if len(every) > FLOWS:
        used = {place for it in run.scenario.applications().values() for place in it.places}
        names = [name for place, name in enumerate(every) if place not in used]
    if len(every) == 1 or not 0 < len(names) <= FLOWS:
        return ""
    scales = [_in(run.scenario, headline) for headline in _OF_FLOWS]
    heads = [f"{it.name} {unit}" for it, (unit, _) in zip(_OF_FLOWS, scales, strict=True)]
    rows = [["flow", *heads]]
    for name in names:
        ids = [f"{headline.responses[0]}:{name}" for headline in _OF_FLOWS]
        values = compute(run.measurements, ids).values()
        shown = [
            number(it * factor, digits=3) for it, (_, factor) in zip(values, scales, strict=True)
        ]
        rows.append([name, *shown])
    return table(rows)


def _in(scenario: Scenario, headline: Headline) -> tuple[str, float]:
    """Unit and factor of a number; goodputs of a scenario in packets have no bits."""
    if headline.unit != "Mbit/s":
        return headline.unit, headline.factor
    payload = scenario.payload()
    return ("segments/s", 1.0) if payload is None else ("Mbit/s", payload * headline.factor)


_IMPORTANT = (
    "effect", "difference", "p_holm", "p", "stars", "lower", "upper", "effect_lower",
    "effect_upper", "mean", "sd", "minimum", "maximum", "relative", "low", "high", "n",
)  # fmt: skip
"""Columns that are kept first, where not all fit."""


def print_table(frame: pl.DataFrame, *, every: bool) -> None:
    """Prints a frame: every column, or as many as fit the terminal."""
    if every:
        print_frame(frame)
        return
    for text in _trimmed(frame) if frame.height else ["no rows"]:
        print(text)


def _trimmed(frame: pl.DataFrame) -> Iterator[str]:
    """A frame as wide as the terminal: names and the most important columns, in their order.

    What is the same in all rows stands above; columns that do not fit are named below.
    """
    first = frame.row(0, named=True)
    alike = {
        name: first[name]
        for name in frame.columns
        if frame.height > 1 and frame[name].n_unique() == 1
    }
    told = {name: value for name, value in alike.items() if value not in (None, "")}
    if told:
        yield "same in all rows: " + ", ".join(f"{it} {_cell(told[it])}" for it in told)
    columns = frame.drop(alike).to_dict(as_series=False)
    cells = {name: [name, *map(_cell, values)] for name, values in columns.items()}
    widths = {name: max(map(len, column)) + 2 for name, column in cells.items()}
    kept: list[str] = []
    room = get_terminal_size().columns
    for name in sorted(cells, key=lambda name: _importance(frame, name)):
        if widths[name] <= room + 2 or not kept:
            kept.append(name)
            room -= widths[name]
    shown = [name for name in cells if name in kept]
    rows = list(zip(*(cells[name] for name in shown), strict=True))
    yield table(rows, left=len(_leading(frame, shown)))
    if others := [name for name in cells if name not in kept]:
        yield f"more columns: {', '.join(others)}"


def _leading(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Columns of text before the first number: what a row is about."""
    return list(takewhile(lambda name: not frame[name].dtype.is_numeric(), names))


def _importance(frame: pl.DataFrame, name: str) -> int:
    if name in ("condition", "replicate") or name in _leading(frame, frame.columns):
        return -1
    return _IMPORTANT.index(name) if name in _IMPORTANT else len(_IMPORTANT)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "–"
    return number(value, digits=4) if isinstance(value, float) else str(value)


def means(results: pl.DataFrame, responses: Sequence[str]) -> dict[str, dict[str, float]]:
    """Mean of each response over all runs, by alternative."""
    import polars as pl

    there = [name for name in responses if name in results.columns]
    grouped = results.group_by("alternative", maintain_order=True).agg(
        pl.col(name).drop_nans().mean() for name in there
    )
    return {
        str(row["alternative"]): {
            name: float("nan") if row[name] is None else row[name] for name in there
        }
        for row in grouped.iter_rows(named=True)
    }

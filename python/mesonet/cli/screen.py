"""What `mesonet plan --screen` prints: means of the fluid model, and effects of the factors."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

from rich.progress import track

from mesonet.cli.common import print_json, stderr
from mesonet.numbers import number
from mesonet.showing import moving
from mesonet.text import plain, table

if TYPE_CHECKING:
    import polars as pl

    from mesonet.plan import Plan

_ROWS = 20
"""Most rows of cells that are shown unasked."""
_SHOWN = (
    ("share", "share %", 100),
    ("rate", "rate Mbit/s", 1e-6),
    ("queueing_delay", "queueing ms", 1e3),
)
_MEANING = (
    "share: of the capacity, by all flows of the algorithm; rate: of a flow. ±: largest error "
    "versus the engine in the conditions measured around it, for an effect the sum of two; ?: none "
    "were. They are on the manual's page of the fluid model"
)


def print_screen(plan: Plan, *, json: bool, every: bool) -> None:
    """Solves the fluid model over a plan and prints what it says."""
    from mesonet.plan import cpu_seconds
    from mesonet.plan.screen import screen

    begin = time.monotonic()
    bar = partial(track, console=stderr, transient=True, disable=not moving(stderr))
    solution = screen(plan, bar)
    if json:
        frames = {"cells": solution.cells.to_dicts(), "effects": solution.effects.to_dicts()}
        print_json({"name": plan.name, **frames, "left_out": solution.left_out})
        return
    packets = cpu_seconds(run.expected for run in solution.runs)
    cost = (
        f"{len(solution.runs)} of {plan.conditions * len(plan.alternatives)} cells by the fluid "
        f"model, without packets, in {time.monotonic() - begin:.2g} s; a replicate of them by "
        f"the engine takes about {packets:.2g} CPU-seconds"
    )
    lines = [
        plain(f"{plan.name}: {plan.title}"),
        cost,
        *_left_out(solution.left_out, plan.conditions),
        _MEANING,
    ]
    for line in lines:
        print(fill(line, get_terminal_size().columns, subsequent_indent="  "))
    for what, frame in (("effect of", solution.effects), ("condition", solution.cells)):
        rows = list(_rows(frame))
        if not rows:
            continue
        shown = rows if every or frame is solution.effects else rows[:_ROWS]
        print()
        print(table([[what, *(head for _, head, _ in _SHOWN)], *shown]))
        if len(shown) < len(rows):
            print(f"{len(rows) - len(shown)} more rows: --runs prints them")


def _rows(frame: pl.DataFrame) -> Iterator[list[str]]:
    signed = "factor" in frame.columns
    for row in frame.iter_rows(named=True):
        names = [str(row["factor" if signed else "condition"]), row["alternative"]]
        if row["algorithm"] != row["alternative"]:
            names.append(row["algorithm"])
        yield [" ".join(names), *(_cell(row, *it, signed=signed) for it in _SHOWN)]


def _cell(row: dict[str, Any], name: str, _: str, factor: float, *, signed: bool) -> str:
    error = row[f"{name}_error"]
    known = " ?" if error is None else f" ±{number(error * factor, digits=2)}"
    return number(row[name] * factor, digits=3, signed=signed) + known


def _left_out(reasons: dict[str, dict[str, list[int]]], conditions: int) -> Iterator[str]:
    for reason, alternatives in reasons.items():
        where = "; ".join(
            f"{label}, conditions {', '.join(map(str, own))}"
            if len(own) < conditions
            else f"{label}, all conditions"
            for label, own in alternatives.items()
        )
        yield f"left out: {where}: {reason}"

"""Sensitivity of the scorecard to the details that the slides leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from mesonet.report.tables import counts, numbers, table, words
from mesonet.studies.bench import Results
from mesonet.studies.hcc.fairness import (
    EFFICIENCY_WITHIN,
    JAIN_WITHIN,
    RATIOS,
    TimingInterpretation,
    fairness_frame,
    jain,
)
from mesonet.studies.hcc.runs import (
    CONSTANTS,
    CONSTANTS_BUFFERS,
    OTHER_BASE,
    SENSITIVITY,
    Grid,
    constants_name,
    single_name,
)
from mesonet.studies.hcc.scenarios import BASE_RTT, label_of
from mesonet.studies.page import Section


def interpretation_sections(
    results: Results, grid: Grid, algorithms: Sequence[str], table_of: Sequence[str]
) -> list[Section]:
    """Tables of figure 12 by interpretation, of single flows by base, of HCC's constants."""
    if not grid.interpretations:
        return []
    tables = []
    cells = _cells(results, grid, table_of)
    if cells:
        columns = [words("reading", "interpretation"), counts("fi", "FI within 0.05")]
        columns += [counts("ei", "EI within 2 %"), counts("of", "cells of each")]
        columns += [numbers(label, label) for label in cells[0] if label not in _COUNTED]
        frame = pl.DataFrame(cells)
        tables.append(("Figure 12 by interpretation", table("readings", frame, columns)))
    bases = _bases(results, grid, algorithms)
    if bases:
        columns = [words("protocol", "protocol")]
        columns += [numbers(name, name) for name in bases[0] if name != "protocol"]
        frame = pl.DataFrame(bases)
        tables.append(
            (
                "One flow: throughput (Mbit/s) by round trip and buffer",
                table("bases", frame, columns),
            )
        )
    constants = _constants(results)
    if constants:
        columns = [words("constants", "constants")]
        columns += [numbers(name, name) for name in constants[0] if name != "constants"]
        frame = pl.DataFrame(constants)
        tables.append(("HCC by constants that are not printed", table("constants", frame, columns)))
    text = (
        "The slides print neither the round trip of the first flow of figure 12 nor when its flows "
        "start, nor Imin and mi_threshold of HCC. The scored interpretation is 40 ms, both at 0 s: "
        "20 ms is what the slides give for the shared link, one way, and only flows that start "
        "together have the equal shares that they print for FAST. It was not chosen by its score; "
        f"here is what others would give, all with {SENSITIVITY:g} s, columns by protocol: cells "
        "of FI within 0.05."
    )
    return [Section("readings", "What the slides leave open", (text,), tables=tuple(tables))]


_COUNTED = ("reading", "fi", "ei", "of")


def interpretation_words(interpretation: TimingInterpretation) -> str:
    """An interpretation in words.

    Examples:
        >>> interpretation_words(TimingInterpretation(start=0.5, short_first=False))
        '40 ms; the first flow 0.5 s late'
    """
    who = "the second" if interpretation.short_first else "the first"
    starts = (
        f"{who} flow {interpretation.start:g} s late" if interpretation.start else "both at 0 s"
    )
    return f"{interpretation.base * 1000:g} ms; {starts}"


def _cells(results: Results, grid: Grid, table_of: Sequence[str]) -> list[dict[str, Any]]:
    short = {
        name.removeprefix("short-"): run
        for name, run in results.items()
        if name.startswith("short-")
    }
    rows = []
    for interpretation in grid.interpretations:
        frame = fairness_frame(short, table_of, interpretation=interpretation).drop_nulls(
            "published_jain"
        )
        if frame.is_empty():
            continue
        near = frame.with_columns(
            fi=(pl.col("jain") - pl.col("published_jain")).abs() <= JAIN_WITHIN,
            ei=(pl.col("efficiency") / pl.col("published_efficiency") - 1).abs()
            <= EFFICIENCY_WITHIN,
        )
        row: dict[str, Any] = {
            "reading": interpretation_words(interpretation),
            "fi": int(near["fi"].sum()),
            "ei": int(near["ei"].sum()),
            "of": near.height,
        }
        for name in table_of:
            mine = near.filter(algorithm=name)
            if mine.height:
                row[label_of(name)] = int(mine["fi"].sum())
        rows.append(row)
    return rows


def _bases(results: Results, grid: Grid, algorithms: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for name in algorithms:
        row: dict[str, Any] = {"protocol": label_of(name)}
        for base, rtt in ((BASE_RTT, None), (OTHER_BASE, OTHER_BASE)):
            for buffer in grid.other_base:
                run = results.get(single_name(name, buffer, rtt))
                if run is not None:
                    row[f"{base * 1000:g} ms, {buffer} packets"] = run["throughput"]
        if len(row) == 1 + 2 * len(grid.other_base):
            rows.append(row)
    return rows


def _constants(results: Results) -> list[dict[str, Any]]:
    rows = []
    for name in CONSTANTS:
        row: dict[str, Any] = {"constants": name}
        for buffer in CONSTANTS_BUFFERS:
            run = results.get(constants_name(name, buffer))
            if run is not None:
                row[f"one flow, {buffer} packets (Mbit/s)"] = run["throughput"]
        for ratio in RATIOS:
            run = results.get(constants_name(name, 600, ratio))
            if run is not None:
                row[f"FI at {ratio:g}, 600 packets"] = jain(*run["throughputs"].values())
        if len(row) == 1 + len(CONSTANTS_BUFFERS) + len(RATIOS):
            rows.append(row)
    return rows

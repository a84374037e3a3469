"""Traces of one run, by the names people use for them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl

from mesonet.cli.common import names_in
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.run import Run
from mesonet.system.writing import table_bytes, write_all
from mesonet.tables import TABLES

TraceFormat = Literal["parquet", "csv"]
_OF_FLOWS = ("cwnd", "srtt", "phase", "acked", "in_flight", "retransmitted", "ce_marked")
TRACES = (*_OF_FLOWS, "queue", *TABLES)
"""Names of traces: one quantity over time, or a whole table of a run."""


def read_traces(text: str | None) -> list[str]:
    """The traces named in a list with commas."""
    names = [] if text is None else names_in("--trace", text)
    problems = []
    for name in names:
        if name not in TRACES:
            hint = did_you_mean(name, TRACES) or f"; there are {', '.join(TRACES)}"
            problems.append(Problem("--trace", "unknown_trace", f'no trace "{name}"{hint}'))
    if problems:
        raise InputError(problems)
    return list(dict.fromkeys(names))


def write_traces(run: Run, names: list[str], folder: Path, kind: TraceFormat) -> list[Path]:
    """Writes traces of a run into a folder, one file each; returns their paths."""

    def content(name: str) -> bytes:
        frame: pl.DataFrame
        if name in _OF_FLOWS:
            frame = run.flows.select("time", "flow", name) if run.flows.width else run.flows
        elif name == "queue":
            frame = run.queues.select("time", "station", "packets", "capacity")
        else:
            frame = run.tables[name]
        return table_bytes(frame, kind)

    return write_all(folder, ((f"{name}.{kind}", content(name)) for name in names))

"""Traces of one run, by the names people use for them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import polars as pl

from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.run import Run
from mesonet.system.writing import table_bytes, write_all
from mesonet.tables import TABLES


class TraceFormat(StrEnum):
    """File format of a trace."""

    parquet = "parquet"
    csv = "csv"


_COLUMNS: dict[str, tuple[str, list[str]]] = {
    "cwnd": ("flows", ["time", "flow", "cwnd"]),
    "srtt": ("flows", ["time", "flow", "srtt"]),
    "phase": ("flows", ["time", "flow", "phase"]),
    "acked": ("flows", ["time", "flow", "acked"]),
    "in_flight": ("flows", ["time", "flow", "in_flight"]),
    "retransmitted": ("flows", ["time", "flow", "retransmitted"]),
    "ce_marked": ("flows", ["time", "flow", "ce_marked"]),
    "queue": ("queues", ["time", "station", "packets", "capacity"]),
}
TRACES = (*_COLUMNS, *TABLES)
"""Names of traces: one quantity over time, or a whole table of a run."""


def read_traces(text: str | None) -> list[str]:
    """The traces named in a list with commas.

    Raises:
        InputError: some do not exist; all of them.
    """
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    if text is not None and not names:
        message = f"expected names separated by commas; there are {', '.join(TRACES)}"
        raise InputError([Problem("--trace", "empty", message)])
    problems = []
    for name in names:
        if name not in TRACES:
            hint = did_you_mean(name, TRACES) or f"; there are {', '.join(TRACES)}"
            problems.append(Problem("--trace", "unknown_trace", f'no trace "{name}"{hint}'))
    if problems:
        raise InputError(problems)
    return list(dict.fromkeys(names))


def write_traces(run: Run, names: list[str], folder: Path, kind: TraceFormat) -> list[Path]:
    """Writes traces of a run into a folder, one file each; returns their paths.

    Raises:
        StorageError: a file cannot be written, for instance on a full disk; none is left then.
    """

    def content(name: str) -> bytes:
        table, columns = _COLUMNS.get(name, (name, []))
        frame: pl.DataFrame = getattr(run, table)
        if columns and not frame.is_empty():
            frame = frame.select(columns)
        return table_bytes(frame, kind.value)

    return write_all(folder, ((f"{name}.{kind.value}", content(name)) for name in names))

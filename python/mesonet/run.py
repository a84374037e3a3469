"""A run: what was measured in one simulation, to compute with, to look at and to take along."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.showing import Shown
from mesonet.tables import TABLES, TablesByName, result_version
from mesonet.tables.datasets import About
from mesonet.tables.tabular import Tabular, table_bytes
from mesonet.units import format_time
from mesonet.writing import PAGES, refuse_name, refuse_occupied, write_all, write_atomically

if TYPE_CHECKING:
    import polars as pl

    from mesonet.capture import Recording
    from mesonet.responses import Measurements
    from mesonet.scenario import Scenario


@dataclass(frozen=True, repr=False)
class Run(TablesByName, Shown, Tabular):
    """Measurements of one simulation. Times in seconds, data in segments unless said otherwise.

    Tables are polars frames; `about(TABLE)` has unit and meaning of each column. Where a table has
    a row per measurement interval, `time` is its end, counts are of what happened during it, and
    the rest is the state at its end.
    """

    scenario: Scenario
    seed: int
    tables: Mapping[str, pl.DataFrame] = field(compare=False)
    """All tables by name; those that were not recorded have no columns."""
    totals: dict[str, int]
    """Counters of the whole run by name."""
    interrupted_at: float | None = None
    """Time until which it was simulated, if it was interrupted [s]."""

    def __repr__(self) -> str:
        """One line; frames show themselves."""
        from mesonet.responses import compute

        values = compute(self.measurements, ("utilization", "loss_rate"))
        responses = ", ".join(
            f"{name} {value:.2g}" for name, value in values.items() if value == value
        )
        return (
            f"Run({self.scenario.kind}, seed {self.seed}, {self.length}"
            f"{': ' if responses else ''}{responses}; tables {', '.join(self.table_names())})"
        )

    @property
    def length(self) -> str:
        """Time that was simulated, in words, such as "12 of 60 s, interrupted"."""
        whole = format_time(self.scenario.duration)
        if self.interrupted_at is None:
            return whole
        return f"{self.interrupted_at:.6g} s of {whole}, interrupted"

    @cached_property
    def measurements(self) -> Measurements:
        """The run in the shape that responses are computed from."""
        # Computed with polars, whose import takes as long as that of everything else.
        from mesonet.checked import varying_rate
        from mesonet.responses import Measurements

        flows, duration = self.scenario.named_flows(), self.scenario.duration
        return Measurements(
            interval=self.scenario.interval,
            duration=duration if self.interrupted_at is None else self.interrupted_at,
            tables=self.tables,
            totals=self.totals,
            periods=self.scenario.timeline(),
            groups_from=self.scenario.warm_up * self.scenario.duration,
            bottleneck=self.scenario.bottleneck(),
            varying=varying_rate(self.scenario, self.seed),
            flow_algorithms={name: flow.algorithm for name, flow in flows.items()},
            base_rtts={name: flow.base_rtt for name, flow in flows.items()},
            flow_starts={name: flow.start for name, flow in flows.items()} | self._first_requests(),
            files=tuple(name for name, flow in flows.items() if flow.is_file),
            applications=self.scenario.applications(),
            congestion=self.scenario.congestion(),
        )

    def _first_requests(self) -> dict[str, float]:
        """Begin of each connection of an application [s]; infinite for what it never asks of."""
        if not (applications := self.scenario.applications()):
            return {}
        names = list(self.scenario.named_flows())
        starts = {names[place]: math.inf for own in applications.values() for place in own.places}
        # Those of a connection are in the order of time.
        first = self.requests.drop_nulls("flow").unique("flow", keep="first", maintain_order=True)
        return starts | dict(first.select("flow", "asked").iter_rows())

    @cached_property
    def responses(self) -> dict[str, float]:
        """All responses by id; NaN where undefined."""
        from mesonet.responses import compute

        return compute(self.measurements)

    def plot(
        self,
        *panels: str,
        flows: Iterable[str] | None = None,
        stations: Iterable[str] | None = None,
        start: float = 0.0,
        end: float = math.inf,
    ) -> Any:
        """The run over time as an interactive Altair chart; a notebook shows it.

        Drag to move, Ctrl and the wheel to look closer, in all panels at once; click a flow in the
        legend to bring it to the front.

        Args:
            panels: "sequence", "rate", "cwnd", "srtt", "queue", "signals"
                (losses and marks) or "phase", in order; all but the first if none are given.
            flows: Named flows, or one; all by default.
            stations: Watched stations, or one; all by default.
            start: Begin of the chart [s].
            end: End of the chart [s].
        """
        from mesonet.analysis.traces.chart import run_chart

        return run_chart(self, *panels, flows=flows, stations=stations, start=start, end=end)

    def save(self, path: str | Path, *panels: str) -> Path:
        """Writes a page of the run, or its picture for a paper; returns the path.

        Args:
            path: File to write: `run.html` is an interactive page, `run.svg`, `run.pdf` and
                `run.png` are pictures.
            panels: As for `plot`; the page has all.
        """
        target = Path(path)
        if target.suffix.lower() in PAGES:
            from mesonet.report.run import render_run

            write_atomically(target, render_run(self).encode())
            return target
        from mesonet.figures.paper import save

        return save(self.plot(*panels), target)

    def to_pcapng(
        self,
        path: str | Path,
        *,
        flow: str | Iterable[str] | None = None,
        vantage: str = "sender",
    ) -> Path:
        """Writes packets of named flows as a pcapng file, for Wireshark; returns the path.

        The scenario needs `record_packets`. Every packet has right headers and no payload.

        Args:
            path: File to write; its name ends with `.pcapng`.
            flow: Name of a flow, or several; all by default.
            vantage: Host at which the packets are seen: "sender" or "receiver".
        """
        # Most processes write no packets.
        from mesonet.capture import as_pcapng

        return self._record(path, ".pcapng", as_pcapng, flow, vantage)

    def to_qlog(self, path: str | Path, *, flow: str | Iterable[str] | None = None) -> Path:
        """Writes congestion state of senders as a qlog file, for qvis; returns the path.

        The scenario needs `record_packets`. Each flow is a trace of the file. Arguments are as for
        `to_pcapng`; the name of the file ends with `.qlog`.
        """
        from mesonet.capture import as_qlog

        return self._record(path, ".qlog", as_qlog, flow)

    def _record(
        self, path: str | Path, ending: str, writer: Callable[..., bytes], *args: object
    ) -> Path:
        target = Path(path)
        refuse_name(target, str(path), (ending,))
        write_atomically(target, writer(self._recording(), *args))
        return target

    def _recording(self) -> Recording:
        from mesonet.capture import Recording

        scenario, seed = self.scenario, self.seed
        ended = "" if self.interrupted_at is None else f", {self.length}"
        return Recording(
            packets=self.packets,
            senders=self.senders,
            spec=scenario.resolve(),
            title=f"{scenario.kind}, seed {seed}{ended}",
            comment=f"Simulated; result version {result_version()}.\n\n{scenario.to_toml()}",
        )

    def said(self) -> Iterable[str]:
        """Reservations, above the picture."""
        return () if self.interrupted_at is None else (f"Interrupted: {self.length}.",)

    def table_names(self) -> tuple[str, ...]:
        """Tables that have rows, `series` first."""
        return tuple(name for name in TABLES if not self.tables[name].is_empty())

    def _table(self, name: str) -> pl.DataFrame:
        return self.tables[name]

    def about(self, table: str | None = None) -> dict[str, About]:
        """Units and meanings of the columns of a table."""
        from mesonet.responses.columns import COLUMNS

        return dict(COLUMNS[self._named(table)])

    def facts(self) -> dict[str, Any]:
        """Scenario, seed and result version, with which anyone gets the same numbers."""
        return self._identity() | {"scenario": self.scenario.to_toml()}

    def _identity(self) -> dict[str, Any]:
        ended = {} if self.interrupted_at is None else {"interrupted_at": self.interrupted_at}
        return {"seed": self.seed, **ended, "result_version": result_version()}

    @property
    def conservation(self) -> dict[str, int]:
        """Injected packets by fate: delivered, dropped or in flight; `missing` is zero."""
        parts = {name: self.totals[name] for name in ("delivered", "dropped", "in_flight")}
        injected = self.totals["injected"]
        return {"injected": injected, **parts, "missing": injected - sum(parts.values())}

    def write(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Writes the run into a folder, made if need be, and returns it.

        One Parquet file for every non-empty table, scenario.toml, and responses.json with the seed,
        the totals and the responses (null where undefined), and `interrupted_at` [s] if it was. The
        folder is new or empty, unless `overwrite`, which replaces files of these names.
        """
        folder = Path(folder)
        if not overwrite:
            refuse_occupied(folder, hint="; overwrite=True replaces files of the same names")
        files = self.to_files()
        write_all(folder, files.items())
        # A table that this run does not have would be another run's.
        for name in TABLES:
            if f"{name}.parquet" not in files:
                (folder / f"{name}.parquet").unlink(missing_ok=True)
        return folder

    def to_files(self) -> dict[str, bytes]:
        """The content of the files that `write` writes, by name."""
        files = {f"{name}.parquet": table_bytes(self.tables[name]) for name in self.table_names()}
        files["scenario.toml"] = self.scenario.to_toml().encode()
        numbers = self._identity() | {
            "totals": self.totals,
            # JSON has no NaN.
            "responses": {k: None if v != v else v for k, v in self.responses.items()},
        }
        text = json.dumps(numbers, indent=1, allow_nan=False)
        return files | {"responses.json": f"{text}\n".encode()}

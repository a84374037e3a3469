"""Reading a campaign folder: what was planned, how far it is, its results, any run again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.errors import CampaignError, MesonetError
from mesonet.plan import Plan, plan_from_dict
from mesonet.responses import lookup
from mesonet.responses.columns import CAMPAIGN as COLUMNS
from mesonet.run import Run
from mesonet.showing import Shown
from mesonet.simulation import simulate
from mesonet.store import MANIFEST, Store
from mesonet.tables.datasets import About
from mesonet.tables.tabular import Tabular

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


@dataclass(frozen=True, repr=False)
class RecordedRun:
    """Time series that a campaign kept of a run; empty where it kept none."""

    scenario: Scenario
    seed: int
    series: pl.DataFrame
    flows: pl.DataFrame = field(default_factory=pl.DataFrame)
    queues: pl.DataFrame = field(default_factory=pl.DataFrame)
    signals: pl.DataFrame = field(default_factory=pl.DataFrame)
    queue_states: pl.DataFrame = field(default_factory=pl.DataFrame)
    sojourns: pl.DataFrame = field(default_factory=pl.DataFrame)


RECORDED = ("series", "flows", "queues", "signals", "queue_states", "sojourns")
"""Tables of a recorded run."""


@dataclass(frozen=True)
class Cell:
    """One place of the design, and the run that fills it."""

    condition: int
    position: int
    """Position of the alternative in the plan, from 0."""
    alternative: str
    replicate: int
    seed: int
    run: str
    cost: float


class Campaign(Shown, Tabular):
    """A campaign folder: what was planned, how far it is, and its results."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self.store = store
        self.plan = plan

    @classmethod
    def open(cls, folder: str | Path) -> Campaign:
        """Opens a campaign's folder for reading; nothing in it is changed."""
        store = Store(folder)
        try:
            plan = plan_from_dict(store.manifest["plan"])
        except (MesonetError, KeyError) as error:
            message = f"{folder}: the plan in {MANIFEST} cannot be read: {error}"
            raise CampaignError(message) from None
        return cls(store, plan)

    def __repr__(self) -> str:
        """One line; `results` is the frame."""
        return f"Campaign({self.place}: {self._state()})"

    def plot(self) -> Any:
        """The answer as an Altair chart, as on the front page of its report."""
        from mesonet.report.front import campaign_chart

        return campaign_chart(self)

    def said(self) -> tuple[str, ...]:
        """Question and state, above the picture."""
        question = (self.plan.question,) if self.plan.question else ()
        return (*question, f"{self.place}: {self._state()}")

    def table_html(self) -> str:
        """The results, where nothing can be drawn yet."""
        return str(self.results()._repr_html_())

    def _state(self) -> str:
        counts = self.status()
        failed = f", {counts['failed']} failed" if counts["failed"] else ""
        return f"{counts['done']} of {counts['total']} runs are done{failed}"

    def table_names(self) -> tuple[str, ...]:
        """Tables of a campaign, `results` first."""
        return tuple(TABLES)

    def _table(self, name: str) -> pl.DataFrame:
        return TABLES[name](self)

    def about(self, table: str | None = None) -> dict[str, About]:
        """Units and meanings of the columns of a table, those of responses among them."""
        columns = dict(COLUMNS)
        for factor in self.plan.factors:
            label = factor.label or factor.name
            columns[factor.name] = About("", f"{label}, coded from -1 (low) to +1 (high)")
            columns[f"{factor.name}_level"] = About("", f"{label}, in words")
        for name in self.plan.responses:
            variant = lookup(name)
            unit = "" if variant.response.unit == "1" else variant.response.unit
            columns[name] = About(unit, f"{variant.name}: {variant.response.definition}")
        names = self.to_frame(table).columns
        return {name: columns[name] for name in names if name in columns}

    def facts(self) -> dict[str, Any]:
        """Name, question and result version of the campaign."""
        return {
            "campaign": self.plan.name,
            "question": self.plan.question,
            "result_version": str(self.manifest.get("result_version", "")),
        }

    @property
    def place(self) -> str:
        """Path of the campaign, as it was given."""
        return self.store.files.place

    @property
    def folder(self) -> Path:
        """Path of the campaign."""
        return self.store.files.folder

    @property
    def manifest(self) -> dict[str, Any]:
        """The resolved plan, versions and revision it is executed with."""
        return self.store.manifest

    def status(self) -> dict[str, int]:
        """Number of runs: total, done, failed, running, pending."""
        counts = self.store.counts()
        return {"total": sum(counts.values())} | dict(counts)

    def progress(self) -> dict[str, Any] | None:
        """Latest progress that the executing process reported; None if none executes the campaign.

        The fields of `mesonet.workers.Progress`, and `at`, the time of the report [s since 1970].
        """
        return self.store.progress()

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by run id."""
        return self.store.failures()

    def results(self) -> pl.DataFrame:
        """One row per finished cell, by condition, alternative and replicate.

        Columns: `run`, `condition` and `replicate` (from 1), `alternative` (label), `seed`; each
        factor coded, and `<factor>_level` as text; one column per response; `packets` (put on the
        network). The same plan gives the same frame however often it was killed and resumed; times
        are kept apart, in `timings`.
        """
        store = self.store
        return results_frame(self.plan, store.cells, store.conditions, store.results.read())

    def planned(self) -> pl.DataFrame:
        """One row per cell of the plan, finished or not.

        Columns: `condition`, `alternative`, `replicate`, `run`, `state` ("done", "failed",
        "running", "pending") and `<factor>_level`, each factor's level in words.
        """
        levels = [f"{factor.name}_level" for factor in self.plan.factors]
        return (
            self.store.cells.join(self._states(), on="run", how="left", maintain_order="left")
            .join(self.store.conditions, on="condition", how="left", maintain_order="left")
            .select("condition", "alternative", "replicate", "run", "state", *levels)
        )

    def _states(self) -> pl.DataFrame:
        schema = {"run": pl.String, "state": pl.String}
        return pl.DataFrame(list(self.store.states().items()), schema=schema, orient="row")

    def timings(self) -> pl.DataFrame:
        """One row per run.

        Columns: run, state, cost (expected packets), host, wall_seconds, cpu_seconds, memory (the
        most its process held [bytes]), started and finished (UTC).
        """
        costs = self.store.cells.select("run", "cost").unique("run")
        frame = self._states().join(costs, on="run", how="left", maintain_order="left")
        return frame.join(self.store.timings.read(), on="run", how="left", maintain_order="left")

    def traces(self, run: str, *, tables: Collection[str] | None = None) -> dict[str, pl.DataFrame]:
        """The time series kept of a run, by table; empty unless they were asked for.

        With `record_queues` in the scenario, `queue_states` and `sojourns` are among them. `tables`
        chooses some of them; all if `None`.
        """
        run = self.find(run)[1].run
        digests = self.store.digests(run)
        return {
            table: self.store.series(run, table, digests)
            for table in self.kept_tables(run)
            if tables is None or table in tables
        }

    def kept_tables(self, run: str) -> list[str]:
        """Names of the tables kept of a run, by its full id; none unless they were asked for."""
        names = self.store.files.names(f"runs/{run}")
        return [name.removesuffix(".parquet") for name in names if name.endswith(".parquet")]

    def runs_with_series(self) -> list[str]:
        """Runs with time series that were kept, in the order of the plan."""
        return [run for run in self.store.order if self.kept_tables(run)]

    def recorded_run(self, run: str) -> RecordedRun:
        """The time series kept of a run, for `trace`, `network_congestion` and `queue_records`."""
        scenario, cell = self.find(run)
        kept = self.traces(cell.run, tables=RECORDED)
        if "series" not in kept:
            hint = "`mesonet run --series` into a new folder keeps them, `replay` makes them again"
            raise CampaignError(f"{self.place}: no time series of run {cell.run}; {hint}")
        return RecordedRun(scenario, cell.seed, **kept)

    def find(self, run: str) -> tuple[Scenario, Cell]:
        """Scenario and place of a run, by its id or an unambiguous beginning of it."""
        cells = self.store.cells.filter(pl.col("run").str.starts_with(run)).unique(
            "run", keep="first", maintain_order=True
        )
        if cells.height != 1:
            what = "is no run" if cells.is_empty() else f"is the beginning of {cells.height} runs"
            raise CampaignError(
                f'"{run}" {what} of {self.place}; '
                f"`mesonet sql {shlex.quote(self.place)} 'select run from cells'` lists them"
            )
        cell = Cell(**cells.row(0, named=True))
        alternative = self.plan.alternatives[cell.position]
        return self.plan.scenario_of(cell.condition, alternative, cell.replicate), cell

    def replay(
        self,
        run: str,
        *,
        threads: int = 1,
        progress: Callable[[float], None] | None = None,
        record_packets: bool = False,
    ) -> Run:
        """Simulates one run again, bit for bit, with all its time series.

        To record packets of named flows, too, changes no number.
        """
        scenario, cell = self.find(run)
        if record_packets:
            scenario = scenario.replace({"record_packets": True})
        return simulate(scenario, seed=cell.seed, threads=threads, progress=progress, partial=False)

    def recorded(self, run: str) -> dict[str, float] | None:
        """Responses recorded for a run, by its full id; None if it is not finished."""
        rows = self.store.results.read().filter(pl.col("run") == run)
        if rows.is_empty():
            return None
        row = rows.row(0, named=True)
        return {name: row[name] for name in self.plan.responses}


def results_frame(
    plan: Plan, cells: pl.DataFrame, conditions: pl.DataFrame, finished: pl.DataFrame
) -> pl.DataFrame:
    """One row per finished cell, as `Campaign.results` has them."""
    factors = [factor.name for factor in plan.factors]
    joined = cells.join(finished.drop("seed"), on="run", how="inner").join(
        conditions, on="condition", how="left"
    )
    return joined.sort("condition", "position", "replicate").select(
        "run",
        "condition",
        "alternative",
        "replicate",
        "seed",
        *factors,
        *(f"{name}_level" for name in factors),
        *plan.responses,
        "packets",
    )


def _failures(campaign: Campaign) -> pl.DataFrame:
    rows = list(campaign.failures().items())
    return pl.DataFrame(rows, schema={"run": pl.String, "error": pl.String}, orient="row")


TABLES: dict[str, Callable[[Campaign], pl.DataFrame]] = {
    "results": Campaign.results,
    "timings": Campaign.timings,
    "failures": _failures,
    "cells": lambda campaign: campaign.store.cells,
    "conditions": lambda campaign: campaign.store.conditions,
}
"""Tables of every campaign, by name."""

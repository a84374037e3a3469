"""Campaigns: a plan being executed into a folder, that can be killed at any moment and resumed."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.errors import CampaignError, MesonetError
from mesonet.plan import Plan, RunSpec, plan_from_dict
from mesonet.responses import compute
from mesonet.scenario import Scenario
from mesonet.simulate import Run, result_version, simulate
from mesonet.store import MANIFEST, STATES, Cell, Store, lock, read_manifest, write_result
from mesonet.workers import Outcome, Progress, Speed, Task, execute_all

_OURS = {"results", "runs", "ledger.sqlite", "ledger.sqlite-journal", "campaign.lock"}


@dataclass(frozen=True)
class Work:
    """What a worker needs to simulate one run and keep its result; travels to other processes."""

    run: str
    scenario: Scenario
    seed: int
    responses: tuple[str, ...]
    result: Path
    series: Path | None


def execute(work: Work) -> float:
    """Simulates one run, writes its result, and returns the seconds it took."""
    started, clock = _now(), time.perf_counter()
    run = simulate(work.scenario, seed=work.seed)
    row: dict[str, Any] = {"run": work.run, "seed": work.seed}
    row |= {name: float(value) for name, value in compute(run.measurements, work.responses).items()}
    row["packets"] = int(run.totals["injected"])
    if work.series is not None:
        run.write(work.series)
    seconds = time.perf_counter() - clock
    timing = {"wall_seconds": seconds, "started": started, "finished": _now()}
    write_result(work.result, row | timing)
    return seconds


def run_campaign(
    plan: Plan,
    *,
    out: str | Path,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    retry_failed: bool = False,
    series: bool = False,
    execute: Callable[[Work], float] = execute,
) -> Campaign:
    """Executes a plan into a folder, or resumes it there; finished runs are never run again.

    Args:
        plan: what to execute.
        out: the campaign's folder; made if it does not exist.
        workers: processes; by default one per core that this process may use.
        progress: called after every change with how far the campaign is.
        retry_failed: also run again what failed before.
        series: keep the time series of every run, not only its responses.
        execute: what a worker does with a run; has to be importable by name.

    Raises:
        PlanError: a run of the plan cannot be simulated.
        CampaignError: the folder belongs to another plan or version, or another process executes
        it.
        KeyboardInterrupt: stopped by Ctrl-C or SIGTERM; what was finished is kept.
    """
    folder = Path(out)
    runs = plan.runs()
    identity = _identity(plan, runs)
    _refuse_unless_free(folder, identity)
    folder.mkdir(parents=True, exist_ok=True)
    with lock(folder):
        if (folder / MANIFEST).is_file():
            store = Store(folder)
            store.reconcile()
            store.write_plan(plan.to_dict())
        else:
            store = Store.create(folder, _manifest(plan, runs, identity), _cells(plan, runs))
        if retry_failed:
            for run, row in store.rows().items():
                if row.state == "failed":
                    store.mark(run, "pending")
        _execute_pending(store, plan, runs, workers, progress, series, execute)
    return Campaign(store, plan)


def _execute_pending(
    store: Store,
    plan: Plan,
    runs: list[RunSpec],
    workers: int | None,
    progress: Callable[[Progress], None] | None,
    series: bool,
    execute: Callable[[Work], float],
) -> None:
    ledger = store.rows()
    (store.folder / "results").mkdir(exist_ok=True)
    unique = {run.id: run for run in runs}
    pending = [
        Task(
            run.id,
            run.cost,
            Work(
                run.id,
                run.scenario,
                run.seed,
                plan.responses,
                store.result_path(run.id),
                store.series_path(run.id) if series else None,
            ),
        )
        for run in unique.values()
        if ledger[run.id].state == "pending"
    ]
    before = Progress(
        total=len(unique),
        done=sum(row.state == "done" for row in ledger.values()),
        failed=sum(row.state == "failed" for row in ledger.values()),
    )
    speed = Speed()
    for row in ledger.values():
        if row.wall_seconds:
            speed.learn(row.cost, row.wall_seconds)

    def started(run: str) -> None:
        store.mark(run, "running", started=_now())

    def finished(outcome: Outcome) -> None:
        if outcome.error is None:
            store.mark(outcome.id, "done", wall_seconds=outcome.seconds, finished=_now())
        else:
            store.mark(outcome.id, "failed", error=outcome.error, finished=_now())

    try:
        execute_all(
            pending,
            execute,
            workers=workers or available_cores(),
            before=before,
            speed=speed,
            started=started,
            finished=finished,
            progress=progress or (lambda _: None),
        )
    finally:
        # What was running when the campaign was stopped is pending again.
        with contextlib.suppress(CampaignError):
            store.reconcile()


class Campaign:
    """A campaign folder: what was planned, how far it is, and its results."""

    def __init__(self, store: Store, plan: Plan) -> None:
        self.store = store
        self.plan = plan

    @classmethod
    def open(cls, folder: str | Path) -> Campaign:
        """Opens a campaign folder for reading; nothing in it is changed.

        Raises:
            CampaignError: it is not a campaign folder.
        """
        store = Store(Path(folder))
        try:
            plan = plan_from_dict(store.manifest["plan"])
        except (MesonetError, KeyError) as error:
            message = f"{folder}: the plan in {MANIFEST} cannot be read: {error}"
            raise CampaignError(message) from None
        return cls(store, plan)

    @property
    def folder(self) -> Path:
        """Where the campaign lives."""
        return self.store.folder

    @property
    def manifest(self) -> dict[str, Any]:
        """The resolved plan, versions and revision it is executed with."""
        return self.store.manifest

    def status(self) -> dict[str, int]:
        """Number of runs: total, done, failed, running, pending."""
        states = [row.state for row in self.store.rows().values()]
        return {"total": len(states)} | {state: states.count(state) for state in STATES}

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by run id."""
        rows = self.store.rows().values()
        return {row.id: row.error or "" for row in rows if row.state == "failed"}

    def results(self) -> pl.DataFrame:
        """One row per finished cell, by condition, alternative and replicate.

        Columns: `run`, `condition` and `replicate` (from 1), `alternative` (label), `seed`; each
        factor coded -1/+1, and `<factor>_level` as text; one column per response; `packets` (put
        on the network). The same plan gives the same frame however often it was killed and
        resumed; times are kept apart, in `timings`.
        """
        rows = self.store.read_results()
        records = []
        for cell in self.store.cells():
            result = rows.get(cell.run)
            if result is None:
                continue
            coded = self.plan.coded(cell.condition)
            levels = {f"{f.name}_level": f.text(coded[f.name]) for f in self.plan.factors}
            responses = {name: result.get(name) for name in self.plan.responses}
            records.append(
                {
                    "run": cell.run,
                    "condition": cell.condition,
                    "alternative": cell.alternative,
                    "replicate": cell.replicate,
                    "seed": cell.seed,
                    **coded,
                    **levels,
                    **responses,
                    "packets": result["packets"],
                }
            )
        return pl.DataFrame(records, schema=self._schema())

    def _schema(self) -> dict[str, Any]:
        names = [factor.name for factor in self.plan.factors]
        return {
            "run": pl.String,
            "condition": pl.Int64,
            "alternative": pl.String,
            "replicate": pl.Int64,
            "seed": pl.Int64,
            **self.plan.factor_types,
            **{f"{name}_level": pl.String for name in names},
            **dict.fromkeys(self.plan.responses, pl.Float64),
            "packets": pl.Int64,
        }

    def timings(self) -> pl.DataFrame:
        """One row per run.

        Columns: run, state, cost (expected packets), wall_seconds, started and finished (UTC).
        """
        rows = [
            (row.id, row.state, row.cost, row.wall_seconds, row.started, row.finished)
            for row in self.store.rows().values()
        ]
        schema = {
            "run": pl.String,
            "state": pl.String,
            "cost": pl.Float64,
            "wall_seconds": pl.Float64,
            "started": pl.String,
            "finished": pl.String,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")

    def find(self, run: str) -> tuple[Scenario, Cell]:
        """Scenario and place of a run, by its id or an unambiguous beginning of it.

        Raises:
            CampaignError: no run, or several, begin so.
        """
        cells = {
            cell.run: cell for cell in reversed(self.store.cells()) if cell.run.startswith(run)
        }
        if len(cells) != 1:
            what = "is no run" if not cells else f"is the beginning of {len(cells)} runs"
            raise CampaignError(f'"{run}" {what} of {self.folder}; results() lists them')
        cell = next(iter(cells.values()))
        return self.plan.scenario_of(cell.condition, self.plan.alternatives[cell.position]), cell

    def replay(
        self,
        run: str,
        *,
        threads: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Simulates one run again, bit for bit, with all its time series.

        Raises:
            CampaignError: there is no such run.
        """
        scenario, cell = self.find(run)
        return simulate(scenario, seed=cell.seed, threads=threads, progress=progress)

    def measure(self, run: Run) -> dict[str, float]:
        """The responses of a run that this campaign records."""
        return compute(run.measurements, self.plan.responses)

    def recorded(self, run: str) -> dict[str, float] | None:
        """Responses recorded for a run, by its full id; None if it is not finished."""
        row = self.store.read_results().get(run)
        return None if row is None else {name: row[name] for name in self.plan.responses}

    def replay_command(self, run: str) -> str:
        """The command line that reproduces a run."""
        return f"mesonet replay {self.folder} {run}"


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")


def _cells(plan: Plan, runs: list[RunSpec]) -> list[Cell]:
    positions = {alternative.label: i for i, alternative in enumerate(plan.alternatives)}
    return [
        Cell(
            run.condition,
            run.alternative,
            positions[run.alternative],
            run.replicate,
            run.seed,
            run.id,
            run.cost,
        )
        for run in runs
    ]


def _identity(plan: Plan, runs: list[RunSpec]) -> str:
    """What makes two plans the same campaign: the runs, their places and what is kept of them."""
    cells = [(run.condition, run.alternative, run.replicate, run.id) for run in runs]
    text = json.dumps([cells, list(plan.responses)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _manifest(plan: Plan, runs: list[RunSpec], identity: str) -> dict[str, Any]:
    return {
        "name": plan.name,
        "identity": identity,
        "result_version": result_version(),
        "created": _now(),
        "runs": len({run.id for run in runs}),
        "seeds": list(plan.seeds),
        "versions": _versions(),
        "platform": platform.platform(),
        "git_revision": _git_revision(),
        "plan": plan.to_dict(),
    }


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in ("mesonet", "polars", "pydoe", "numpy"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def _git_revision() -> str | None:
    """Revision of the working directory, `-dirty` with changes; None outside a repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _refuse_unless_free(folder: Path, identity: str) -> None:
    """Raises `CampaignError` if `folder` holds anything but this very campaign; writes nothing."""
    if folder.exists() and not folder.is_dir():
        raise CampaignError(f"{folder}: not a folder")
    if not (folder / MANIFEST).is_file():
        foreign = [p.name for p in folder.iterdir()] if folder.exists() else []
        foreign = [
            name for name in foreign if name not in _OURS and not name.startswith(f".{MANIFEST}")
        ]
        if foreign:
            message = (
                f"contains other files ({', '.join(sorted(foreign)[:3])}) and is no campaign folder"
            )
            raise CampaignError(f"{folder}: {message}; choose an empty or a new one")
        return
    manifest = read_manifest(folder)
    here, now = manifest.get("result_version"), result_version()
    if here != now:
        raise CampaignError(
            f"{folder}: was begun with result version {here}, this mesonet has {now}. Runs of the "
            "two may differ, so they are not mixed. Report on it as it is, resume it with the "
            "mesonet it was begun with, or run the plan into a new folder"
        )
    if manifest.get("identity") != identity:
        name = manifest.get("name")
        raise CampaignError(
            f'{folder}: holds another plan ("{name}"), or this one with other runs or responses; '
            "its runs are not mixed with others. Choose a new folder"
        )

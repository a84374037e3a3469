"""Executes a plan into a folder, or resumes it there."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.campaign.manifest import (
    cells_frame,
    circumstances,
    conditions_frame,
    describe,
    identity_of,
    refuse_unless_free,
    refuse_unless_same,
)
from mesonet.campaign.reading import Campaign
from mesonet.campaign.sequential import begun, longer
from mesonet.campaign.work import RunRecord, Work, code_in, controllers_of
from mesonet.campaign.work import execute as simulate_run
from mesonet.controller.folders import folders
from mesonet.errors import CampaignError, MesonetError, PlanError, Problem, StorageError
from mesonet.machine import available, available_cores
from mesonet.plan import Plan, RunSpec, plan_from_dict
from mesonet.store import MANIFEST, Files, Store, lock, set_aside
from mesonet.tables import result_version
from mesonet.workers import (
    SILENCE,
    Budget,
    Execute,
    Listener,
    Outcome,
    Pace,
    Progress,
    Task,
    connected,
    execute_all,
)

if TYPE_CHECKING:
    from distributed import Client

_SHOW_EVERY = 1.0
_SHARE = 0.8
"""Part of the memory that is free which a run may take in which code of the user's takes part."""


def run_campaign(
    plan: Plan,
    *,
    out: str | Path,
    workers: int | None = None,
    cluster: str | Client | None = None,
    progress: Callable[[Progress], None] | None = None,
    retry_failed: bool = False,
    series: bool = False,
    conditions: Collection[int] | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    more: Callable[[int, int], None] | None = None,
    reuse: str | Path | None = None,
    execute: Execute = simulate_run,
) -> Campaign:
    """Executes a plan into a folder, or resumes it there; finished runs are never run again.

    A folder takes the same plan with more replicates, and then runs what is missing. With fewer it
    runs what is missing of these, and keeps the rest.

    With a stopping rule, whenever all replicates so far are done and some response is not known
    precisely enough in some cell, all conditions and alternatives get one more, until there are
    enough or `max_replicates`. The folder at the end is that of a plan with so many replicates.
    Runs that failed count as done.

    Args:
        plan: plan to execute.
        out: the campaign's folder, made if it does not exist.
        workers: processes on this machine; by default one per core that this process may use.
        cluster: address of a Dask scheduler, or a `dask.distributed.Client`, instead of processes
            on this machine.
        progress: called several times a second with how far the campaign is.
        retry_failed: also run again what failed before.
        series: keep the time series of every run, not only its responses.
        conditions: conditions to execute now, by number; the others stay pending. By default all.
        max_seconds: longest time of one run [s]; a longer one is ended and counts as failed.
        max_memory: most memory of the process of one run [bytes]; likewise. By default four fifths
            of what is free if a controller that is not built in takes part, else any. A run with
            such a controller is also ended if it gives no sign of life for ten minutes.
        more: called before each further replicate with its number and how many cells ask for it.
        reuse: folder of another campaign; runs that it has finished are taken from there. Their
            time series are not.
        execute: function of a `Work` that a worker calls, importable by name; gives `RunRecord`.

    Raises:
        PlanError: a run of the plan cannot be simulated, or it has no such condition.
        CampaignError: the folder belongs to another plan or version, another process executes it,
            or the cluster cannot be reached; nothing is written then.
        StorageError: results can no longer be kept, as on a full disk; what was finished is.
        KeyboardInterrupt: stopped by Ctrl-C or SIGTERM; what was finished is kept.
    """
    _refuse_conditions(plan, conditions or ())
    files = Files(out)

    def block(plan: Plan, *, retry: bool) -> Campaign:
        # Laying out takes milliseconds a run, and what a folder has done is in its tables.
        among = conditions or range(1, plan.conditions + 1)
        runs = plan.runs(_undone(files, plan, among))
        has_code = any(code_in(run.scenario) for run in runs if run.replicate == 1)
        memory = max_memory
        if memory is None and has_code and cluster is None:
            memory = int(_SHARE * available())
        budget = Budget(max_seconds, memory, SILENCE if has_code else None)
        identity = identity_of(plan, runs)
        refuse_unless_free(files, plan, runs, identity)
        with connected(cluster, execute, budget) as pool, _locked(files) as beat:
            store, notes = _prepare(files, plan, runs, identity)
            if retry:
                store.forget_failures()
            if reuse is not None:
                notes += store.take(Store(reuse))
            # The folder may have more replicates than the plan.
            asked = pl.col("condition").is_in(list(among)), pl.col("replicate") <= plan.replicates
            cells, states = store.cells.filter(asked).unique("run"), store.states()
            states = {run: states[run] for run in cells["run"]}
            tasks = [
                _task(run, plan.responses, series=series)
                for run in {run.id: run for run in runs}.values()
                if states.get(run.id) == "pending"
            ]
            keeper = _Keeper(store, beat, progress or (lambda _: None))
            try:
                if tasks:
                    execute_all(
                        tasks,
                        execute,
                        workers=min(workers or available_cores(), len(tasks)),
                        before=Progress(
                            total=len(states),
                            done=list(states.values()).count("done"),
                            failed=list(states.values()).count("failed"),
                            notes=tuple(notes),
                        ),
                        listener=Listener(keeper.started, keeper.finished, keeper.progress),
                        pace=_pace(store, cells),
                        budget=budget,
                        pool=pool,
                    )
            finally:
                # What was running when the campaign was stopped is pending again.
                with contextlib.suppress(CampaignError):
                    store.compact()
                    store.reconcile()
        return Campaign.open(out)

    plan = begun(plan, files)
    campaign = block(plan, retry=retry_failed)
    while following := longer(plan, campaign):
        plan, asking = following
        if more is not None:
            more(plan.replicates, asking)
        # Failures are tried again once at most.
        campaign = block(plan, retry=False)
    return campaign


def _refuse_conditions(plan: Plan, conditions: Collection[int]) -> None:
    unknown = sorted(number for number in conditions if not 1 <= number <= plan.conditions)
    if unknown:
        numbers = ", ".join(map(str, unknown))
        message = f"expected numbers from 1 to {plan.conditions}, got {numbers}"
        raise PlanError([Problem("conditions", "range", message)])


def _undone(files: Files, plan: Plan, among: Collection[int]) -> set[tuple[int, int]] | None:
    """Conditions and replicates with runs that a folder has not done; None if it cannot tell."""
    try:
        store = Store(files.place)
        is_done = pl.col("run").is_in(store.results.readable()[0]["run"].to_list())
        places = store.cells.group_by("condition", "replicate", maintain_order=True)
        done = places.agg(is_done.all()).filter("run").drop("run")
    except MesonetError:
        return None
    asked = {(it, number) for it in among for number in range(1, plan.replicates + 1)}
    return asked - set(done.iter_rows())


def _locked(files: Files) -> AbstractContextManager[Callable[[], None]]:
    """The lock of a folder, which is made if it does not exist."""
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{files.place}: cannot be made: {error.strerror}") from None
    return lock(files)


def _prepare(
    files: Files, plan: Plan, runs: Sequence[RunSpec], identity: str
) -> tuple[Store, list[str]]:
    """The campaign's folder, with its plan and its tables as they should be; notes of damage."""
    manifest = refuse_unless_free(files, plan, runs, identity)
    cells, conditions = cells_frame(plan, runs), conditions_frame(plan)
    about = describe(plan, runs)
    notes = []
    if manifest is None:
        if files.exists(MANIFEST):
            set_aside(files, MANIFEST)
            notes.append(f"{MANIFEST} was damaged; it is written again")
        about |= {"identity": identity, **circumstances(), **_looked_in(files, about)}
        store = Store.create(files.place, about, cells, conditions)
    else:
        store = Store(files.place)
        replicates = manifest["plan"].get("replicates", 1)
        if replicates > plan.replicates:
            plan = plan_from_dict(_lengthened(about["plan"], replicates))
        try:
            refuse_unless_same(files, manifest, store.cells, cells)
            cells = pl.concat([cells, store.cells]).unique(["condition", "position", "replicate"])
        except StorageError:  # missing or damaged, they are written again
            cells = cells_frame(plan, plan.runs())
        cells = cells.sort("condition", "position", "replicate")
        about = describe(plan, runs) | {"runs": cells["run"].n_unique()}
        store.extend(about, cells, conditions)
    damaged = store.reconcile()
    return store, notes + [f"{name} was damaged; its runs are run again" for name in damaged]


def _lengthened(plan: Mapping[str, Any], replicates: int) -> dict[str, Any]:
    """A plan's table with the replicates that a folder has, which its rule may not allow any more.

    Runs that are there stay, so the most that the rule allows is as many at least.
    """
    longer = {**plan, "replicates": replicates}
    if rule := plan.get("stopping"):
        maximum = max(replicates, rule["max_replicates"])
        longer["stopping"] = {**rule, "max_replicates": maximum}
    return longer


def _looked_in(files: Files, about: Mapping[str, Any]) -> dict[str, list[str]]:
    """Folders of controllers, seen from the campaign's: both are often copied together."""
    if not about["controllers"]:
        return {}
    here = files.folder.resolve()
    return {"looked_in": [os.path.relpath(folder, here) for folder in folders()]}


def _task(run: RunSpec, responses: tuple[str, ...], *, series: bool) -> Task:
    scenario, controllers = run.scenario, controllers_of(run.scenario)
    return Task(
        run.id,
        run.cost,
        Work(run.id, scenario, run.seed, responses, series, controllers),
        label=f"condition {run.condition}, {run.alternative}, replicate {run.replicate}",
        group=run.alternative,
        simulated=float(scenario.duration),
        version=result_version(),
        code=code_in(scenario),
    )


def _pace(store: Store, cells: pl.DataFrame) -> Pace:
    """Pace of the runs that have finished."""
    pace = Pace()
    timed = store.timings.read().join(cells, on="run").drop_nulls("wall_seconds")
    columns = ("run", "cost", "alternative", "wall_seconds")
    for run, cost, alternative, seconds in timed.select(columns).iter_rows():
        pace.learn(Task(run, cost, None, group=alternative), seconds)
    return pace


@dataclass
class _Keeper:
    """Puts into the folder what the workers bring."""

    store: Store
    beat: Callable[[], None]
    tell: Callable[[Progress], None]
    shown: float = -math.inf

    def started(self, _runs: Sequence[str]) -> None:
        self.shown = -math.inf

    def finished(self, outcomes: Sequence[Outcome]) -> None:
        whole: list[Outcome] = []
        try:
            for outcome in outcomes:
                if outcome.error is None:
                    self.store.record_series(outcome.id, _record(outcome).files)
                    whole.append(outcome)
        finally:
            # A full disk may still have room for the rows of those whose series it has.
            self.store.record(
                [_record(outcome).row for outcome in whole], [_timing(outcome) for outcome in whole]
            )
        for outcome in outcomes:
            if outcome.error is not None or outcome.printed:
                self.store.record_log(outcome.id, error=outcome.error, printed=outcome.printed)

    def progress(self, progress: Progress) -> None:
        self.beat()
        self.tell(progress)
        now = time.monotonic()
        if now - self.shown >= _SHOW_EVERY:
            self.shown = now
            self.store.show(asdict(progress) | {"at": time.time()})


def _record(outcome: Outcome) -> RunRecord:
    if not isinstance(outcome.value, RunRecord):
        raise TypeError(f"a run has to return RunRecord, got {type(outcome.value).__name__}")
    return outcome.value


def _timing(outcome: Outcome) -> dict[str, Any]:
    return {
        "run": outcome.id,
        "host": outcome.host,
        "wall_seconds": outcome.seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "memory": outcome.memory,
        "started": outcome.started,
        "finished": outcome.finished,
    }

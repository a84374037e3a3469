"""Repair of a campaign folder: what is damaged is set aside, and can be run again."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mesonet.campaign.inspection import Finding, Inspected, inspect
from mesonet.campaign.manifest import cells_frame, conditions_frame, digest
from mesonet.campaign.verification import not_here
from mesonet.errors import DamageError, InputError, MesonetError, Problem
from mesonet.plan import Plan
from mesonet.store import (
    LOCK,
    MANIFEST,
    Files,
    LocalFiles,
    Store,
    lock,
    open_files,
    read_manifest,
    restore_manifest,
    set_aside,
)

_TABLES = ("cells.parquet", "conditions.parquet")
_AGAIN = "`mesonet run PLAN --out {}` with the plan of this campaign {}"


@dataclass(frozen=True)
class Repaired:
    """Outcome of a repair."""

    moved: dict[str, str]
    """Names in `damaged/` by what was there before."""
    pending: int | None
    """Runs that have no result now; None where no manifest says so."""
    advice: str
    """Next step, in words; empty if there is none."""
    restored: tuple[str, ...] = ()
    """Files that were gone or damaged, and are there again: the manifest from its copy, tables."""


def repair(place: str | Path, *, runs: Collection[str] = ()) -> Repaired:
    """Moves what is damaged in a campaign folder to `damaged/`, so that it is run again.

    Nothing is deleted. Tables and the manifest are written again where their content is known.

    Args:
        place: folder or URL.
        runs: further runs whose results are set aside, by their full ids.

    Raises:
        CampaignError: it is no campaign folder, of another layout, or being executed.
        InputError: a run of these has no result.
        StorageError: a file cannot be read or moved now.
    """
    files = open_files(place)
    _refuse_other_layout(files)
    moved = _free_lock(files)
    with lock(files):
        if isinstance(files, LocalFiles):
            files.sweep()
        found, from_copy = _mend(files, moved)
        restored = (MANIFEST,) if from_copy else ()
        if found.store is None or found.plan is None:
            return Repaired(
                moved, None, _AGAIN.format(shlex.quote(str(place)), "writes the manifest again")
            )
        store = found.store
        _refuse_unknown(store, runs)
        moved |= store.results.set_runs_aside(runs)
        tables = tuple(name for name in _TABLES if not files.exists(name))
        if not _rewrite(store, found.plan):
            advice = _AGAIN.format(shlex.quote(str(place)), "writes its tables again")
            return Repaired(moved, None, advice, restored)
        store.compact()
        store.reconcile()
        pending = store.counts()["pending"]
    advice = _AGAIN.format(shlex.quote(str(place)), "runs them again") if pending else ""
    return Repaired(moved, pending, advice, restored + tables)


def _refuse_other_layout(files: Files) -> None:
    """Raises `CampaignError` for what is no campaign folder, or of another layout."""
    with contextlib.suppress(DamageError):
        read_manifest(files)


def _free_lock(files: Files) -> dict[str, str]:
    """Sets aside what is in the place of the lock and is no file; names as in `Repaired`."""
    if isinstance(files, LocalFiles):
        path = files.folder / LOCK
        if files.exists(LOCK) and (path.is_symlink() or not path.is_file()):
            return {LOCK: set_aside(files, LOCK)}
    return {}


def _mend(files: Files, moved: dict[str, str]) -> tuple[Inspected, bool]:
    """Sets aside what is damaged until nothing is; true if the manifest came from its copy."""
    restored = False
    while True:
        try:
            read_manifest(files)
        except DamageError:
            there = files.exists(MANIFEST)
            to = restore_manifest(files)
            restored = restored or to is not None
            if to is not None and there:
                moved[MANIFEST] = to
        found = inspect(files, held_here=True)
        if not _set_aside(files, found.store, found.findings, moved):
            return found, restored


def _refuse_unknown(store: Store, runs: Collection[str]) -> None:
    known = store.results.runs()
    problems = [
        Problem("--run", "unknown_run", f'no result of a run "{run}"; give the whole id')
        for run in runs
        if run not in known
    ]
    if problems:
        raise InputError(problems)


def _rewrite(store: Store, plan: Plan) -> bool:
    """Writes tables, their digests and the copy of the manifest; false if they are not known."""
    try:
        cells, conditions = store.cells, store.conditions
    except DamageError:
        if not_here(store, plan):
            return False
        try:
            runs = plan.runs()
        except MesonetError:
            return False
        expected = store.manifest.get("hashes", {}).get("runs")
        if expected is not None and digest([run.id for run in runs]) != expected:
            return False
        cells, conditions = cells_frame(plan, runs), conditions_frame(plan)
    store.extend({}, cells, conditions)
    return True


def _set_aside(
    files: Files, store: Store | None, findings: Collection[Finding], moved: dict[str, str]
) -> bool:
    """Sets aside what findings name; true if there was anything."""
    any_moved = False
    for finding in findings:
        if finding.state != "damaged":
            continue
        for name in finding.aside:
            if files.exists(name):
                moved[name] = set_aside(files, name)
                any_moved = True
        folder, runs = finding.rows
        if runs and store is not None:
            parts = store.results if folder == "results" else store.timings
            aside = parts.set_runs_aside(runs)
            moved |= aside
            any_moved = any_moved or bool(aside)
    return any_moved

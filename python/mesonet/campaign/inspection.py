"""Reading everything that a campaign folder holds: what is as it should be, and what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from mesonet.campaign.fitting import refuse_unless_fitting
from mesonet.campaign.manifest import digest
from mesonet.campaign.recorded import columns_of
from mesonet.errors import DamageError, MesonetError, Problem, StorageError
from mesonet.plan import Plan, plan_from_manifest
from mesonet.store import (
    BACKUP,
    DIGESTS,
    LOCK,
    MANIFEST,
    REPAIR,
    Files,
    LocalFiles,
    Parts,
    Store,
    digest_of,
    holder,
    is_part,
    read_manifest,
    read_table,
    remedy,
    timings_of,
)

_FOLDERS = ("results", "timings", "logs", "runs", "damaged")
_FILES = (MANIFEST, BACKUP, "cells.parquet", "conditions.parquet", "ledger.sqlite", LOCK)
_SHOWN = 3


@dataclass(frozen=True)
class Finding:
    """State of one part of a campaign folder.

    Attributes:
        place: File, folder or subject.
        state: "ok", "damaged", "skipped" if it could not be looked at, "note" for what is harmless.
        text: Number of what was read, or what is wrong.
        aside: Names that a repair sets aside.
        rows: Folder of rows and runs whose rows a repair sets aside.
    """

    place: str
    state: Literal["ok", "damaged", "skipped", "note"]
    text: str
    aside: tuple[str, ...] = ()
    rows: tuple[str, tuple[str, ...]] = ("", ())


@dataclass(frozen=True)
class Inspected:
    """Parts of a folder that could be read."""

    findings: tuple[Finding, ...]
    store: Store | None
    plan: Plan | None


def inspect(files: Files, *, held_here: bool = False) -> Inspected:
    """Reads every file of a campaign folder and compares them with each other.

    `held_here` says that the caller has the lock.

    Raises:
        CampaignError: it is no campaign folder, or of another layout.
        StorageError: a file cannot be read now.
    """
    findings = list(_kinds(files))
    found, store, plan = _manifest(files)
    findings += found
    if store is None or plan is None:
        # Names and hashes of rows can be read without knowing their responses.
        findings += _rows(Parts(files, "results", {"run": pl.String, "seed": pl.Int64}), None)
        findings += _rows(timings_of(files), None)
        return Inspected(tuple(findings), store, plan)
    tables = list(_tables(store, plan))
    findings += tables
    sound = all(finding.state == "ok" for finding in tables)
    findings += _rows(store.results, store.cells if sound else None)
    findings += _rows(store.timings, store.cells if sound else None)
    if sound:
        findings += _ledger(store, held_here=held_here)
    findings += inspect_series(store)
    findings += _left_over(files)
    return Inspected(tuple(findings), store, plan)


def _damaged(place: str, error: DamageError, *aside: str) -> Finding:
    text = "; ".join(str(problem) for problem in error.problems)
    return Finding(place, "damaged", text, aside)


def _kinds(files: Files) -> Iterator[Finding]:
    """Files in place of folders, folders in place of files, and links to other places."""
    if not isinstance(files, LocalFiles):
        return
    for name in (*_FOLDERS, *_FILES):
        path, folder = files.folder / name, name in _FOLDERS
        expected = "a folder" if folder else "a file"
        right = path.is_dir() if folder else path.is_file()
        if files.exists(name) and (not right or (path.is_symlink() and (folder or name == LOCK))):
            text = f"expected {expected}, got something else or a link"
            yield Finding(name, "damaged", text, (name,))
    for parts in ("results", "timings"):
        for path in _entries(files.folder / parts):
            if not path.is_file() or not (is_part(path.name) or path.name.endswith(".partial")):
                name = f"{parts}/{path.name}"
                text = "expected a file such as new-0-00000000-HASH.parquet, got something else"
                yield Finding(name, "damaged", text, (name,))


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []


def _manifest(files: Files) -> tuple[list[Finding], Store | None, Plan | None]:
    """Findings on the manifest and its copy, and what they say."""
    try:
        store = Store(files.place)
        plan = _plan(files, store)
    except DamageError as error:
        findings = [_damaged(MANIFEST, error, *([MANIFEST] if files.exists(MANIFEST) else []))]
        return [*findings, *_copy(files, None)], None, None
    return [Finding(MANIFEST, "ok", f"plan {plan.name}"), *_copy(files, store)], store, plan


def _refuse_other_plan(files: Files, name: str, manifest: dict[str, Any]) -> None:
    """Raises `DamageError` if the plan in a manifest is not the one that was written."""
    expected = manifest.get("hashes", {}).get("plan")
    if expected is not None and digest(manifest["plan"]) != expected:
        message = f"expected a plan with digest {expected[:16]}..., got another"
        problem = Problem("plan", "digest", message)
        raise DamageError(files.address(name), [problem], remedy(files))


def _plan(files: Files, store: Store) -> Plan:
    path, data = files.address(MANIFEST), store.manifest["plan"]
    _refuse_other_plan(files, MANIFEST, store.manifest)
    try:
        return plan_from_manifest(data)
    except MesonetError as error:
        raise DamageError(path, [Problem("plan", "plan", str(error))], remedy(files)) from None


def _copy(files: Files, store: Store | None) -> Iterator[Finding]:
    if not files.exists(BACKUP):
        yield Finding(BACKUP, "note", "there is no copy of the manifest; the next run writes one")
        return
    try:
        copy = read_manifest(files, BACKUP)
        _refuse_other_plan(files, BACKUP, copy)
    except DamageError as error:
        yield _damaged(BACKUP, error, BACKUP)
        return
    if store is not None and copy != store.manifest:
        yield Finding(BACKUP, "damaged", "is no copy of the manifest", (BACKUP,))
        return
    yield Finding(BACKUP, "ok", "")


def _tables(store: Store, plan: Plan) -> Iterator[Finding]:
    hashes = store.manifest.get("hashes", {})
    for name in ("cells", "conditions"):
        file = f"{name}.parquet"
        try:
            frame: pl.DataFrame = getattr(store, name)
            if name in hashes and digest_of(store.files.read(file)) != hashes[name]:
                text = "its content is not what was written"
                yield Finding(file, "damaged", text, (file,))
                continue
        except DamageError as error:
            yield _damaged(file, error, *([file] if store.files.exists(file) else []))
            continue
        yield Finding(file, "ok", f"{frame.height} {name}")
    try:
        refuse_unless_fitting(store, plan)
    except DamageError as error:
        file = (
            "conditions.parquet" if error.file.endswith("conditions.parquet") else "cells.parquet"
        )
        yield _damaged(file, error, file)
        return
    ids = store.cells.sort("condition", "position", "replicate")["run"].to_list()
    if "runs" in hashes and digest(ids) != hashes["runs"]:
        text = "its runs are not those of the manifest"
        yield Finding("cells.parquet", "damaged", text, ("cells.parquet",))


def _rows(parts: Parts, cells: pl.DataFrame | None) -> Iterator[Finding]:
    """Findings on the files of rows, on rows of runs unknown to the plan, and on contradictions."""
    frames, damaged = parts.files_by_name()
    for error in damaged:
        name = f"{parts.folder}/{error.file.rpartition('/')[2]}"
        yield _damaged(name, error, name)
    whole = pl.concat([pl.DataFrame(schema=parts.schema), *frames.values()]).unique()
    twice = whole.filter(pl.col("run").is_duplicated())["run"].unique().sort().to_list()
    yield from _wrong(parts, twice, "have two rows that differ")
    if cells is not None:
        strange = sorted(set(whole["run"]) - set(cells["run"]))
        yield from _wrong(parts, strange, "are not of the plan")
    if cells is not None and "seed" in parts.schema:
        seeds = cells.select("run", expected="seed").unique("run")
        other = whole.join(seeds, on="run").filter(pl.col("seed") != pl.col("expected"))
        yield from _wrong(parts, sorted(other["run"]), "have another seed than in the plan")
    files = "file" if len(frames) == 1 else "files"
    text = f"{whole['run'].n_unique()} runs in {len(frames)} {files}"
    yield Finding(f"{parts.folder}/", "ok", text)


def _wrong(parts: Parts, runs: list[str], what: str) -> Iterator[Finding]:
    if runs:
        shown = ", ".join(runs[:_SHOWN]) + (", ..." if len(runs) > _SHOWN else "")
        text = f"{len(runs)} runs {what}: {shown}"
        yield Finding(f"{parts.folder}/", "damaged", text, rows=(parts.folder, tuple(runs)))


def _ledger(store: Store, *, held_here: bool) -> Iterator[Finding]:
    """The ledger beside the files that it follows."""
    if holder(store.files, held_here=held_here) is not None:
        yield Finding("ledger.sqlite", "skipped", "the campaign is being executed")
        return
    aside = ("ledger.sqlite",) if isinstance(store.files, LocalFiles) else ()
    if not store.ledger.path.exists():
        yield Finding("ledger.sqlite", "note", "missing; the next run makes it anew")
        return
    try:
        store.ledger.check()
        said = dict(store.ledger.states())
    except StorageError as error:
        yield Finding("ledger.sqlite", "damaged", str(error), aside)
        return
    done = set(store.results.readable()[0]["run"])
    wrong = sorted(run for run, state in said.items() if (state == "done") != (run in done))
    if set(said) != set(store.order):
        yield Finding("ledger.sqlite", "damaged", "lists other runs than the cells", aside)
        return
    if wrong:
        # Set right by the next run, as by a repair; there is nothing to be kept of it.
        text = f"says of {len(wrong)} runs what the files do not"
        yield Finding("ledger.sqlite", "damaged", text)
        return
    yield Finding("ledger.sqlite", "ok", f"{len(said)} runs")


def inspect_series(store: Store) -> Iterator[Finding]:
    """Time series, with their digests where they have some."""
    if not isinstance(store.files, LocalFiles):
        yield Finding("runs/", "skipped", "time series in object storage are not listed")
        return
    count = 0
    for folder in _entries(store.files.folder / "runs"):
        name = f"runs/{folder.name}"
        if not folder.is_dir() or folder.is_symlink():
            yield Finding(name, "damaged", "expected a folder, got something else", (name,))
            continue
        rows = ("results", (folder.name,))
        try:
            digests = store.digests(folder.name)
            tables = set(store.files.names(name)) - {DIGESTS}
            for file in sorted(tables | set(digests)):
                content = store.series(folder.name, file, digests)
                count += 1
                if file.endswith(".parquet"):
                    columns, path = columns_of(file.removesuffix(".parquet")), f"{name}/{file}"
                    address = store.files.address(path)
                    read_table(content, columns, file=address, remedy=REPAIR)
        except DamageError as error:
            file = error.file.rpartition("/")[2]
            text = f"{file}: {'; '.join(map(str, error.problems))}"
            yield Finding(name, "damaged", text, (name,), rows)
    if count:
        yield Finding("runs/", "ok", f"{count} files")


def _left_over(files: Files) -> Iterator[Finding]:
    if isinstance(files, LocalFiles) and (left := len(files.partials())):
        text = f"{left} files that a killed writer began; the next run removes them"
        yield Finding("*.partial", "note", text)

"""The campaign folder: what is planned, what is finished, and what failed.

    manifest.json      what is executed, with which versions; digests of itself and of two tables
    cells.parquet      every place of the design, and the run that fills it
    conditions.parquet the factors' levels in every condition
    results/           the responses of the finished runs: nothing that depends on the machine
    timings/           what these runs took, where and when
    logs/RUN.log       the error of a run that failed, and whatever a run printed
    runs/RUN/          time series, where asked for, and their digests
    ledger.sqlite      the state of every run; follows the files above
    campaign.lock      held by the process that executes
    damaged/           what was found damaged and set aside

A run is finished when its row is in `results/`. All else can be made again from the files, or from
the plan.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.errors import DamageError, StorageError
from mesonet.store.digests import (
    DIGESTS,
    damaged,
    digest_lines,
    digest_of,
    read_digests,
    refuse_damaged,
)
from mesonet.store.files import Files, LocalFiles, open_files
from mesonet.store.ledger import STATES, Ledger, Mark, State, cache_folder
from mesonet.store.manifest import FORMAT, read_manifest, write_manifest
from mesonet.store.parts import Parts

CELLS = {
    "condition": pl.Int64,
    "position": pl.Int64,
    "alternative": pl.String,
    "replicate": pl.Int64,
    "seed": pl.Int64,
    "run": pl.String,
    "cost": pl.Float64,
}
"""Columns of the cells: condition and replicate from 1, position of the alternative from 0, cost in
expected packets."""

TIMINGS = {
    "run": pl.String,
    "host": pl.String,
    "wall_seconds": pl.Float64,
    "cpu_seconds": pl.Float64,
    "memory": pl.Int64,
    "started": pl.String,
    "finished": pl.String,
}
"""Columns of the timings: memory is the most that the worker's process held [bytes], times are
UTC."""


@dataclass(frozen=True)
class Failure:
    """A run that failed: its error, and whatever it printed."""

    run: str
    error: str
    printed: str = ""


class Store:
    """A campaign folder that exists."""

    def __init__(self, place: str | Path) -> None:
        """Opens a folder or a URL.

        Raises:
            CampaignError: it is not a campaign folder, or of another layout.
        """
        self.files = open_files(place)
        self.manifest = read_manifest(self.files)
        self.ledger = Ledger(_ledger_path(self.files))
        responses = self.manifest.get("responses", [])
        self.results = Parts(self.files, "results", results_schema(responses))
        self.timings = Parts(self.files, "timings", TIMINGS)

    @classmethod
    def create(
        cls,
        place: str | Path,
        manifest: Mapping[str, Any],
        cells: pl.DataFrame,
        conditions: pl.DataFrame,
    ) -> Store:
        """Writes a new campaign folder; the manifest comes last, so that half a folder is none."""
        files = open_files(place)
        digests = _write_frames(files, cells, conditions)
        write_manifest(files, {"format": FORMAT, **manifest, "hashes": digests})
        return cls(place)

    def extend(
        self, manifest: Mapping[str, Any], cells: pl.DataFrame, conditions: pl.DataFrame
    ) -> None:
        """Puts a plan with more cells, or with other words, in place of the one that is here."""
        digests = _write_frames(self.files, cells, conditions)
        for name in ("cells", "conditions", "order"):
            self.__dict__.pop(name, None)
        write_manifest(self.files, {**self.manifest, **manifest, "hashes": digests})
        self.manifest = read_manifest(self.files)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Every place of the design, by condition, alternative and replicate; see `CELLS`."""
        return self._frame("cells")

    @cached_property
    def conditions(self) -> pl.DataFrame:
        """Levels of the factors by condition: coded and, as `<factor>_level`, in words."""
        return self._frame("conditions")

    @cached_property
    def order(self) -> list[str]:
        """All runs by replicate, condition and alternative: more replicates move none."""
        by = ["replicate", "condition", "position"]
        return self.cells.sort(by)["run"].unique(maintain_order=True).to_list()

    def _frame(self, name: str) -> pl.DataFrame:
        file = f"{name}.parquet"
        return pl.read_parquet(io.BytesIO(self.content(file, self.manifest["hashes"].get(name))))

    def content(self, name: str, digest: str | None) -> bytes:
        """Content of a file that has a digest.

        Raises:
            DamageError: it is missing, or not what was written.
        """
        file = self.files.address(name)
        try:
            content = self.files.read(name)
        except FileNotFoundError:
            raise damaged(file, "missing", "missing") from None
        refuse_damaged(content, digest, file=file)
        return content

    # What the executing process does.

    def reconcile(self) -> list[str]:
        """Makes the ledger follow the files; returns names of damaged files, set aside.

        What writers that were killed have left is removed. The caller holds the lock.
        """
        if isinstance(self.files, LocalFiles):
            self.files.sweep()
        aside = [
            f"{parts.folder}/{name}"
            for parts in (self.results, self.timings)
            for name in parts.set_damaged_aside()
        ]
        if not self.ledger.sound():
            self.ledger.begin()
        done, failed = self.results.runs(), self._failed_by_logs()
        try:
            self.ledger.follow(self.order, done=done, failed=failed)
        except StorageError:
            # Damage that the check does not see.
            self.ledger.begin()
            self.ledger.follow(self.order, done=done, failed=failed)
        return aside

    def record(
        self, rows: Sequence[Mapping[str, Any]], timings: Sequence[Mapping[str, Any]]
    ) -> None:
        """Adds finished runs; they are finished when this returns.

        Raises:
            StorageError: none of them is.
        """
        self.timings.append(timings)
        self.results.append(rows)

    def record_failures(self, failures: Iterable[Failure]) -> None:
        """Keeps the errors of runs that failed, apart from the ledger."""
        for failure in failures:
            text = f"failed\n{failure.error}\n"
            if failure.printed:
                text += f"\n--- printed ---\n{failure.printed}"
            self.files.write(f"logs/{failure.run}.log", text.encode())

    def record_series(self, run: str, tables: Mapping[str, bytes]) -> None:
        """Keeps the time series of a run, and their digests."""
        for name, content in tables.items():
            self.files.write(f"runs/{run}/{name}", content)
        if tables:
            self.files.write(f"runs/{run}/{DIGESTS}", digest_lines(tables))

    def record_printed(self, run: str, printed: str) -> None:
        """Keeps what a run printed that was finished."""
        self.files.write(f"logs/{run}.log", f"done\n\n--- printed ---\n{printed}".encode())

    def forget_failures(self) -> list[str]:
        """Makes failed runs pending, their logs kept under other names; returns the runs."""
        failed = sorted(self.ledger.failures())
        logs = set(self.files.names("logs"))
        for run in failed:
            if f"{run}.log" in logs:
                number = next(n for n in range(1, len(logs) + 2) if f"{run}.{n}.log" not in logs)
                content = self.files.read(f"logs/{run}.log")
                self.files.write(f"logs/{run}.{number}.log", content)
                self.files.delete(f"logs/{run}.log")
        self.ledger.mark(Mark(run, "pending") for run in failed)
        return failed

    def compact(self) -> None:
        """Brings the rows at rest; the bytes of `results/` then depend on the results alone."""
        self.results.compact(self.order)
        self.timings.compact(self.order)

    # What readers ask; the ledger may be missing or damaged.

    def counts(self) -> dict[State, int]:
        """Number of runs in each state."""
        states = Counter(state for _, state in self.states())
        return {state: states[state] for state in STATES}

    def states(self) -> list[tuple[str, State]]:
        """Id and state of every run, in the order of `order`.

        A run that the ledger does not know as failed is done if its row can be read, and only then.
        """
        known: dict[str, State] = {}
        # Before the files: who executes the campaign writes these first.
        with contextlib.suppress(StorageError):
            known = dict(self.ledger.states())
        done = set(self.results.readable()[0]["run"])
        if len(known) < len(self.order):
            known = dict.fromkeys(self._failed_by_logs().keys() - done, "failed")
        return [(run, _state(known.get(run, "pending"), run in done)) for run in self.order]

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by id."""
        failed = {run for run, state in self.states() if state == "failed"}
        errors = self._failed_by_logs()
        with contextlib.suppress(StorageError):
            errors |= self.ledger.failures()
        return {run: errors.get(run, "") for run in sorted(failed)}

    def damage(self) -> list[DamageError]:
        """Damaged files of finished runs, whose rows cannot be read."""
        return self.results.readable()[1]

    def digests(self, run: str) -> dict[str, str]:
        """Digests of the time series of a run, by name of file; none if none were kept."""
        try:
            return read_digests(self.files.read(f"runs/{run}/{DIGESTS}"))
        except FileNotFoundError:
            return {}

    def series(self, run: str, table: str, digests: Mapping[str, str]) -> pl.DataFrame:
        """A table of the time series of a run.

        Raises:
            DamageError: it is missing, or not what was written.
        """
        file = f"{table}.parquet"
        return pl.read_parquet(io.BytesIO(self.content(f"runs/{run}/{file}", digests.get(file))))

    def log(self, run: str) -> str | None:
        """Log of a run that failed or printed something; None if there is none."""
        try:
            return self.files.read(f"logs/{run}.log").decode(errors="replace")
        except FileNotFoundError:
            return None

    def _failed_by_logs(self) -> dict[str, str]:
        known = set(self.order)
        found = {}
        for name in self.files.names("logs"):
            run = name.removesuffix(".log")
            if run in known and (text := self.log(run)) and text.startswith("failed\n"):
                error = text.removeprefix("failed\n").partition("\n--- printed ---\n")[0]
                found[run] = error.rstrip("\n")
        return found


def _ledger_path(files: Files) -> Path:
    if isinstance(files, LocalFiles):
        return files.folder / "ledger.sqlite"
    digest = hashlib.sha256(files.place.encode()).hexdigest()[:16]
    return cache_folder() / digest / "ledger.sqlite"


def _state(said: State, row: bool) -> State:
    if row and said != "failed":
        return "done"
    return "pending" if said == "done" else said


def results_schema(responses: Iterable[str]) -> dict[str, Any]:
    """Columns of the results of a campaign that records these responses."""
    values = dict.fromkeys(responses, pl.Float64)
    return {"run": pl.String, "seed": pl.Int64, **values, "packets": pl.Int64}


def _write_frames(files: Files, cells: pl.DataFrame, conditions: pl.DataFrame) -> dict[str, str]:
    """Writes the tables of a plan where they differ from what is there; returns their digests."""
    digests = {}
    for name, frame in (("cells", cells), ("conditions", conditions)):
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        content, file = buffer.getvalue(), f"{name}.parquet"
        digests[name] = digest_of(content)
        with contextlib.suppress(FileNotFoundError, StorageError):
            if files.read(file) == content:
                continue
        files.write(file, content)
    return digests

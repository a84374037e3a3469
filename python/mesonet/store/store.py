"""The campaign folder: what is planned, what is finished, and what failed.

    manifest.json      what is executed, with which versions
    cells.parquet      every place of the design, and the run that fills it
    conditions.parquet the factors' levels in every condition
    results/           the responses of the finished runs: nothing that depends on the machine
    timings/           what these runs took, where and when
    logs/RUN.log       the error of a run that failed, and whatever a run printed
    runs/RUN/          time series, where asked for
    ledger.sqlite      the state of every run; follows the files above
    campaign.lock      held by the process that executes

A run is finished when its row is in `results/`. All else can be made again from the files, or from
the plan.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.errors import CampaignError, StorageError
from mesonet.store.files import Files, LocalFiles, open_files
from mesonet.store.ledger import STATES, Ledger, Mark, State, cache_folder
from mesonet.store.parts import Parts

MANIFEST = "manifest.json"
FORMAT = 2
"""Version of the folder's layout."""

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
        schema = {"run": pl.String, "seed": pl.Int64, **dict.fromkeys(responses, pl.Float64)}
        self.results = Parts(self.files, "results", {**schema, "packets": pl.Int64})
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
        _write_frame(files, "cells.parquet", cells)
        _write_frame(files, "conditions.parquet", conditions)
        _write_manifest(files, {"format": FORMAT, **manifest})
        return cls(place)

    def extend(
        self, manifest: Mapping[str, Any], cells: pl.DataFrame, conditions: pl.DataFrame
    ) -> None:
        """Puts a plan with more cells, or with other words, in place of the one that is here."""
        for name, old, new in (
            ("cells.parquet", self._frame_or_none("cells.parquet"), cells),
            ("conditions.parquet", self._frame_or_none("conditions.parquet"), conditions),
        ):
            if old is None or not old.equals(new):
                _write_frame(self.files, name, new)
        for name in ("cells", "conditions", "order"):
            self.__dict__.pop(name, None)
        changed = {**self.manifest, **manifest}
        if changed != self.manifest:
            self.manifest = changed
            _write_manifest(self.files, changed)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Every place of the design, by condition, alternative and replicate; see `CELLS`."""
        return self._frame("cells.parquet")

    @cached_property
    def conditions(self) -> pl.DataFrame:
        """Levels of the factors by condition: coded and, as `<factor>_level`, in words."""
        return self._frame("conditions.parquet")

    @cached_property
    def order(self) -> list[str]:
        """All runs by replicate, condition and alternative: more replicates move none."""
        by = ["replicate", "condition", "position"]
        return self.cells.sort(by)["run"].unique(maintain_order=True).to_list()

    def _frame(self, name: str) -> pl.DataFrame:
        frame = self._frame_or_none(name)
        if frame is None:
            raise StorageError(
                f"{self.files.address(name)}: missing or damaged; resume the campaign, which "
                "writes it again"
            )
        return frame

    def _frame_or_none(self, name: str) -> pl.DataFrame | None:
        try:
            return pl.read_parquet(io.BytesIO(self.files.read(name)))
        except (FileNotFoundError, pl.exceptions.PolarsError):
            return None

    # What the executing process does.

    def reconcile(self) -> list[str]:
        """Makes the ledger follow the files; returns names of damaged files, set aside."""
        if isinstance(self.files, LocalFiles):
            self.files.sweep()
        damaged = [
            f"{parts.folder}/{name}"
            for parts in (self.results, self.timings)
            for name in parts.set_damaged_aside()
        ]
        done, failed = self.results.runs(), self._failed_by_logs()
        try:
            if not self.ledger.sound():
                self.ledger.begin()
            self.ledger.follow(self.order, done=done, failed=failed)
        except StorageError:
            # Damage that the check does not see.
            self.ledger.begin()
            self.ledger.follow(self.order, done=done, failed=failed)
        return damaged

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
        with contextlib.suppress(StorageError):
            counts = self.ledger.counts()
            if self._is_whole(sum(counts.values())):
                return counts
        states = [state for _, state in self.states()]
        return {state: states.count(state) for state in STATES}

    def states(self) -> list[tuple[str, State]]:
        """Id and state of every run, in the order of `order`."""
        with contextlib.suppress(StorageError):
            known = dict(self.ledger.states())
            if self._is_whole(len(known)):
                return [(run, known.get(run, "pending")) for run in self.order]
        done, failed = self.results.runs(), self._failed_by_logs()
        return [
            (run, "done" if run in done else "failed" if run in failed else "pending")
            for run in self.order
        ]

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by id."""
        with contextlib.suppress(StorageError):
            if self._is_whole(sum(self.ledger.counts().values())):
                return self.ledger.failures()
        done = self.results.runs()
        found = self._failed_by_logs().items()
        return {run: error for run, error in found if run not in done}

    def _is_whole(self, known: int) -> bool:
        """True if a ledger of so many runs has them all: with a full disk it may have none."""
        try:
            return known >= len(self.order)
        except StorageError:
            return True

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


def read_manifest(files: Files) -> dict[str, Any]:
    """The manifest of a campaign folder.

    Raises:
        CampaignError: there is none, or it is damaged or of another layout.
    """
    path = files.address(MANIFEST)
    try:
        manifest: dict[str, Any] = json.loads(files.read(MANIFEST))
        version = manifest["format"]
    except FileNotFoundError:
        what = f"not a campaign folder: no {MANIFEST}"
        if isinstance(files, LocalFiles) and not files.folder.exists():
            what = "no such folder"
        raise CampaignError(f"{files.place}: {what}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: damaged manifest ({error})") from None
    if version != FORMAT:
        raise CampaignError(f"{path}: folder layout {version}; this mesonet reads layout {FORMAT}")
    return manifest


def _write_manifest(files: Files, manifest: Mapping[str, Any]) -> None:
    content = json.dumps(manifest, indent=2, ensure_ascii=False)
    files.write(MANIFEST, content.encode())


def _write_frame(files: Files, name: str, frame: pl.DataFrame) -> None:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    files.write(name, buffer.getvalue())

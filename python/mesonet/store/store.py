"""The campaign folder: what is planned, what is finished, and what failed.

    manifest.json      what is executed, with which versions; digests of itself and of two tables
    cells.parquet      every place of the design, and the run that fills it
    conditions.parquet the factors' levels in every condition
    results/           the responses of the finished runs: nothing that depends on the machine
    timings/           what these runs took, where and when
    logs/RUN.log       the error of a run that failed, and whatever a run printed
    runs/RUN/          time series, where asked for, and their digests
    progress.json      how far the process is that executes the campaign, and what is running
    campaign.lock      held by this process
    damaged/           what was found damaged and set aside

A run is done if its row is in `results/`, failed if its log says so, running if the process that
executes the campaign does, and else pending.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from mesonet.errors import DamageError, StorageError
from mesonet.store.files import Files
from mesonet.store.lock import holder
from mesonet.store.manifest import (
    FORMAT,
    digest_of,
    read_manifest,
    write_if_different,
    write_manifest,
)
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
State = Literal["pending", "running", "done", "failed"]
DIGESTS = "SHA256SUMS"
"""Name of the file with the digests of a run's time series, as `sha256sum --check` reads it."""
_PROGRESS = "progress.json"
_FAILED, _PRINTED = "failed\n", "\n--- printed ---\n"


class Store:
    """A campaign folder that exists."""

    def __init__(self, place: str | Path) -> None:
        """Opens a folder."""
        self.files = Files(place)
        self.manifest = read_manifest(self.files)
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
        files = Files(place)
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
        return self._table("cells")

    @cached_property
    def conditions(self) -> pl.DataFrame:
        """Levels of the factors by condition: coded and, as `<factor>_level`, in words."""
        return self._table("conditions")

    @cached_property
    def order(self) -> list[str]:
        """All runs by replicate, condition and alternative: more replicates move none."""
        by = ["replicate", "condition", "position"]
        return self.cells.sort(by)["run"].unique(maintain_order=True).to_list()

    def _table(self, name: str) -> pl.DataFrame:
        content = self.content(f"{name}.parquet", self.manifest["hashes"].get(name))
        return pl.read_parquet(io.BytesIO(content))

    def content(self, name: str, digest: str | None) -> bytes:
        """Content of a file that has a digest.

        Raises:
            DamageError: it is missing, or not what was written.
        """
        file = self.files.address(name)
        try:
            content = self.files.read(name)
        except FileNotFoundError:
            raise DamageError(file, "missing") from None
        if digest_of(content) != digest:
            raise DamageError(file, "its content is not what was written")
        return content

    # What the executing process does.

    def reconcile(self) -> list[str]:
        """Sets damaged rows aside and removes what killed writers left; the caller has the lock.

        Returns names of damaged files.
        """
        self.files.sweep()
        self.show(None)
        return [
            f"{parts.folder}/{name}"
            for parts in (self.results, self.timings)
            for name in parts.set_damaged_aside()
        ]

    def record(
        self, rows: Sequence[Mapping[str, Any]], timings: Sequence[Mapping[str, Any]]
    ) -> None:
        """Adds finished runs: all of them are finished when this returns, none if it raises."""
        self.timings.append(timings)
        self.results.append(rows)

    def take(self, other: Store) -> list[str]:
        """Adds what another campaign has of this one's unfinished runs; returns why it cannot."""
        if lacking := ", ".join(sorted(self.results.schema.keys() - other.results.schema.keys())):
            return [f"{other.files.place} has no {lacking}; none of its runs are taken"]
        # An id is a result.
        runs = list(set(self.order) - self.results.runs())
        for own, there in ((self.timings, other.timings), (self.results, other.results)):
            own.append(there.read().filter(pl.col("run").is_in(runs)).to_dicts())
        return []

    def record_log(self, run: str, *, error: str | None = None, printed: str = "") -> None:
        """Keeps the error of a run that failed, and what a run printed."""
        text = "done\n" if error is None else f"{_FAILED}{error}\n"
        text += f"{_PRINTED}{printed}" if printed else ""
        self.files.write(f"logs/{run}.log", text.encode())

    def record_series(self, run: str, tables: Mapping[str, bytes]) -> None:
        """Keeps the time series of a run, and their digests."""
        for name, content in tables.items():
            self.files.write(f"runs/{run}/{name}", content)
        if tables:
            lines = (f"{digest_of(content)}  {name}\n" for name, content in sorted(tables.items()))
            self.files.write(f"runs/{run}/{DIGESTS}", "".join(lines).encode())

    def forget_failures(self) -> None:
        """Makes failed runs pending, their logs kept under other names."""
        logs = set(self.files.names("logs"))
        for run in self.failures():
            number = next(n for n in range(1, len(logs) + 2) if f"{run}.{n}.log" not in logs)
            self.files.move(f"logs/{run}.log", f"logs/{run}.{number}.log")

    def compact(self) -> None:
        """Brings the rows at rest; the bytes of `results/` then depend on the results alone."""
        self.results.compact(self.order)
        self.timings.compact(self.order)

    def show(self, progress: Mapping[str, Any] | None) -> None:
        """Leaves word of how far the executing process is; `None` when it ends."""
        if progress is None:
            self.files.delete(_PROGRESS)
        else:
            self.files.post(_PROGRESS, json.dumps(progress).encode())

    # What readers ask.

    def progress(self) -> dict[str, Any] | None:
        """Latest word of the process that executes the campaign; None if there is none."""
        if holder(self.files) is None:
            return None
        try:
            progress: dict[str, Any] = json.loads(self.files.read(_PROGRESS))
        except (FileNotFoundError, StorageError, ValueError):
            return None
        return progress

    def states(self) -> dict[str, State]:
        """State of every run by its id, in the order of `order`."""
        running = {run["id"] for run in (self.progress() or {}).get("running", ())}
        done = set(self.results.readable()[0]["run"])
        failed = self._failures(done)
        return {
            run: "done"
            if run in done
            else "failed"
            if run in failed
            else "running"
            if run in running
            else "pending"
            for run in self.order
        }

    def counts(self) -> dict[State, int]:
        """Number of runs in each state."""
        states = Counter(self.states().values())
        return {state: states[state] for state in ("done", "failed", "running", "pending")}

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by id."""
        return self._failures(set(self.results.readable()[0]["run"]))

    def _failures(self, done: set[str]) -> dict[str, str]:
        unfinished, errors = set(self.order) - done, {}
        for name in self.files.names("logs"):
            run = name.removesuffix(".log")
            if run in unfinished and (text := self.log(run) or "").startswith(_FAILED):
                errors[run] = text.removeprefix(_FAILED).partition(_PRINTED)[0].rstrip("\n")
        return errors

    def damage(self) -> list[DamageError]:
        """Damaged files of finished runs, whose rows cannot be read."""
        return self.results.readable()[1]

    def digests(self, run: str) -> dict[str, str]:
        """Digests of the time series of a run, by name of file; none if none were kept."""
        try:
            lines = self.files.read(f"runs/{run}/{DIGESTS}").decode(errors="replace").splitlines()
        except FileNotFoundError:
            return {}
        # What is no digest fits no file.
        return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}

    def series(self, run: str, table: str, digests: Mapping[str, str]) -> pl.DataFrame:
        """A table of the time series of a run."""
        file = f"{table}.parquet"
        return pl.read_parquet(io.BytesIO(self.content(f"runs/{run}/{file}", digests.get(file))))

    def log(self, run: str) -> str | None:
        """Log of a run that failed or printed something; None if there is none."""
        try:
            return self.files.read(f"logs/{run}.log").decode(errors="replace")
        except FileNotFoundError:
            return None


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
        digests[name] = digest_of(buffer.getvalue())
        write_if_different(files, f"{name}.parquet", buffer.getvalue())
    return digests

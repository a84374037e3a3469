"""The campaign folder: a manifest, a ledger of runs, one Parquet row per finished run.

    manifest.json        what is executed, with which versions; written once
    ledger.sqlite        every cell of the plan and the state of every run
    results/RUN.parquet  one row per finished run
    runs/RUN/            its time series, where asked for
    campaign.lock        held by the process that executes

A result is finished when its file has its final name: it is written beside, flushed to disk and
renamed. The ledger follows the files, so that a campaign killed at any moment has lost at most what
was still running.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from mesonet.errors import CampaignError

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of the folder's layout."""

State = Literal["pending", "running", "done", "failed"]
STATES: tuple[State, ...] = ("done", "failed", "running", "pending")

_SCHEMA = """
create table runs (
    id text primary key,
    cost real not null,
    seed integer not null,
    state text not null default 'pending',
    error text,
    wall_seconds real,
    started text,
    finished text
);
create table cells (
    condition integer not null,
    alternative text not null,
    position integer not null,
    replicate integer not null,
    run text not null references runs(id),
    primary key (condition, position, replicate)
);
"""


@dataclass(frozen=True)
class Cell:
    """One place of the design, and the run that fills it."""

    condition: int
    alternative: str
    position: int
    """Of the alternative in the plan, from 0."""
    replicate: int
    seed: int
    run: str
    cost: float


@dataclass(frozen=True)
class LedgerRow:
    """State of one run."""

    id: str
    cost: float
    seed: int
    state: State
    error: str | None
    wall_seconds: float | None
    started: str | None
    finished: str | None


class Store:
    """A campaign folder that exists."""

    def __init__(self, folder: Path) -> None:
        """Opens a folder.

        Raises:
            CampaignError: it is not a campaign folder, or of another layout.
        """
        self.folder = folder
        self.manifest = read_manifest(folder)

    def write_plan(self, plan: dict[str, Any]) -> None:
        """Replaces the plan in the manifest, for what may change without changing any run."""
        if self.manifest.get("plan") != plan:
            self.manifest = self.manifest | {"plan": plan}
            _write_manifest(self.folder, self.manifest)

    @classmethod
    def create(cls, folder: Path, manifest: dict[str, Any], cells: Iterable[Cell]) -> Store:
        """Writes a new campaign folder; the manifest comes last, so that half a folder is none."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results").mkdir(exist_ok=True)
        ledger = folder / "ledger.sqlite"
        ledger.unlink(missing_ok=True)
        rows = list(cells)
        with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
            connection.executescript(_SCHEMA)
            connection.executemany(
                "insert or ignore into runs (id, cost, seed) values (?, ?, ?)",
                [(cell.run, cell.cost, cell.seed) for cell in rows],
            )
            connection.executemany(
                "insert into cells values (?, ?, ?, ?, ?)",
                [(c.condition, c.alternative, c.position, c.replicate, c.run) for c in rows],
            )
        _write_manifest(folder, {"format": FORMAT, **manifest})
        return cls(folder)

    @contextlib.contextmanager
    def _ledger(self) -> Iterator[sqlite3.Connection]:
        # Read-only folders can still be reported on.
        ledger = self.folder / "ledger.sqlite"
        if not ledger.is_file():
            raise CampaignError(f"{self.folder}: the ledger (ledger.sqlite) is missing")
        try:
            connection = sqlite3.connect(ledger, timeout=30)
            with contextlib.closing(connection), connection:
                yield connection
        except sqlite3.Error as error:
            raise CampaignError(f"{ledger}: {error}") from None

    def cells(self) -> list[Cell]:
        """All cells, by condition, alternative and replicate."""
        query = """
            select condition, alternative, position, replicate, seed, run, cost
            from cells join runs on run = id order by condition, position, replicate
        """
        with self._ledger() as ledger:
            return [Cell(*row) for row in ledger.execute(query)]

    def rows(self) -> dict[str, LedgerRow]:
        """All runs by id, in the order of the cells."""
        query = """
            select id, cost, runs.seed, state, error, wall_seconds, started, finished
            from runs join cells on run = id
            group by id order by min(condition), min(position), min(replicate)
        """
        with self._ledger() as ledger:
            return {row[0]: LedgerRow(*row) for row in ledger.execute(query)}

    def mark(
        self,
        run: str,
        state: State,
        *,
        error: str | None = None,
        wall_seconds: float | None = None,
        started: str | None = None,
        finished: str | None = None,
    ) -> None:
        """Records the state of a run."""
        with self._ledger() as ledger:
            ledger.execute(
                "update runs set state = ?, error = ?, wall_seconds = ?, "
                "started = coalesce(?, started), finished = ? where id = ?",
                (state, error, wall_seconds, started, finished, run),
            )

    def reconcile(self) -> None:
        """Makes the ledger follow the files: a result means done, no result means not done."""
        for leftover in (self.folder / "results").glob(".*"):
            leftover.unlink()
        for run, row in self.rows().items():
            if self.result_path(run).is_file():
                if row.state != "done":
                    timing = pl.read_parquet(self.result_path(run))
                    self.mark(
                        run,
                        "done",
                        wall_seconds=timing["wall_seconds"].item(),
                        started=timing["started"].item(),
                        finished=timing["finished"].item(),
                    )
            elif row.state in ("running", "done"):
                self.mark(run, "pending")

    def result_path(self, run: str) -> Path:
        """Where the row of a run is, or will be."""
        return self.folder / "results" / f"{run}.parquet"

    def series_path(self, run: str) -> Path:
        """Where the time series of a run are, or will be."""
        return self.folder / "runs" / run

    def read_results(self) -> dict[str, dict[str, Any]]:
        """Rows of the finished runs by id."""
        rows = {}
        for run in self.rows():
            path = self.result_path(run)
            if path.is_file():
                try:
                    rows[run] = pl.read_parquet(path).row(0, named=True)
                except (OSError, pl.exceptions.PolarsError) as error:
                    message = f"{path}: cannot be read ({error}); delete it and resume the campaign"
                    raise CampaignError(message) from None
        return rows


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Holds a folder against a second executing process; the system frees it when this one dies.

    Raises:
        CampaignError: another process executes the campaign in it.
    """
    with (folder / "campaign.lock").open("w") as file:
        try:
            _lock(file)
        except OSError:
            message = f"{folder}: another process is executing this campaign"
            raise CampaignError(message) from None
        yield


def _lock(file: io.TextIOWrapper) -> None:
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows has no fcntl; two processes on one folder then repeat work, no more.
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a campaign folder.

    Raises:
        CampaignError: there is none, or it is damaged or of another layout.
    """
    path = folder / MANIFEST
    if not path.is_file():
        what = "no such folder" if not folder.exists() else f"not a campaign folder: no {MANIFEST}"
        raise CampaignError(f"{folder}: {what}")
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = manifest["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: damaged manifest ({error})") from None
    if version != FORMAT:
        raise CampaignError(f"{path}: folder layout {version}; this mesonet reads layout {FORMAT}")
    return manifest


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    content = json.dumps(manifest, indent=2, ensure_ascii=False)
    write_atomically(folder / MANIFEST, content.encode())


def write_result(path: Path, row: dict[str, Any]) -> None:
    """Writes one run's row; it is there in full or not at all."""
    buffer = io.BytesIO()
    pl.DataFrame([row]).write_parquet(buffer)
    write_atomically(path, buffer.getvalue())


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file beside its place, flushes it to disk and renames it.

    Raises:
        CampaignError: it cannot be written, for instance on a full disk.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise CampaignError(f"{path}: cannot be written: {error.strerror or error}") from None
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Makes a rename in `folder` survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

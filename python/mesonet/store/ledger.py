"""The ledger: the state of every run, quick to ask from any terminal.

It follows the files and can be made anew from them, so that it need not survive what they survive.
It uses no write-ahead log, which needs memory shared between all who open it and so fails on
network file systems, and does not wait for the disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mesonet.errors import StorageError

State = Literal["pending", "running", "done", "failed"]
STATES: tuple[State, ...] = ("done", "failed", "running", "pending")
_ANEW = "resume the campaign, which makes it anew from the files"

_SCHEMA = """
create table runs (
    id text primary key,
    state text not null default 'pending',
    error text,
    attempts integer not null default 0
) without rowid;
create index by_state on runs (state);
create table live (id integer primary key check (id = 0), progress text not null);
"""


@dataclass(frozen=True)
class Mark:
    """A run's new state."""

    run: str
    state: State
    error: str | None = None


class Ledger:
    """The ledger of a campaign folder, which may be missing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise StorageError(f"{self.path}: the ledger is missing; {_ANEW}")
        try:
            connection = sqlite3.connect(self.path, timeout=30)
            with contextlib.closing(connection), connection:
                connection.execute("pragma synchronous = off")
                yield connection
        # Text that is no UTF-8 or no JSON is an error of its own kind.
        except (sqlite3.Error, ValueError) as error:
            raise StorageError(f"{self.path}: {error}; {_ANEW}") from None

    def sound(self) -> bool:
        """True if the ledger is there and can be relied upon."""
        try:
            with self._open() as ledger:
                (answer,) = ledger.execute("pragma quick_check(1)").fetchone()
                ledger.execute("select id, state, error, attempts from runs limit 1")
                ledger.execute("select id, progress from live limit 1")
        except StorageError:
            return False
        return bool(answer == "ok")

    def begin(self) -> None:
        """An empty ledger in place of whatever is there."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite keeps a journal beside it.
            for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
                path.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(self.path)) as connection, connection:
                connection.executescript(_SCHEMA)
        except OSError as error:
            raise StorageError(f"{self.path}: cannot be made: {error.strerror}") from None
        except sqlite3.Error as error:
            raise StorageError(f"{self.path}: {error}") from None

    def follow(self, runs: Iterable[str], *, done: set[str], failed: dict[str, str]) -> None:
        """Makes it say what the files say: of each run, whether it is done, failed or pending."""
        rows = [
            (run, "done", None)
            if run in done
            else (run, "failed", failed[run])
            if run in failed
            else (run, "pending", None)
            for run in runs
        ]
        with self._open() as ledger:
            ledger.executemany(
                "insert into runs (id, state, error) values (?, ?, ?) on conflict (id) do update "
                "set state = excluded.state, error = excluded.error "
                "where state is not excluded.state or error is not excluded.error",
                rows,
            )

    def mark(self, marks: Iterable[Mark]) -> None:
        """Records new states, all or none."""
        rows = [(mark.state, mark.error, mark.state == "running", mark.run) for mark in marks]
        if rows:
            with self._open() as ledger:
                ledger.executemany(
                    "update runs set state = ?, error = ?, attempts = attempts + ? where id = ?",
                    rows,
                )

    def states(self) -> list[tuple[str, State]]:
        """Id and state of every run."""
        with self._open() as ledger:
            return ledger.execute("select id, state from runs").fetchall()

    def attempts(self) -> dict[str, int]:
        """Number of times that each run was begun; runs never begun are left out."""
        with self._open() as ledger:
            return dict(ledger.execute("select id, attempts from runs where attempts > 0"))

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by id."""
        query = "select id, coalesce(error, '') from runs where state = 'failed' order by id"
        with self._open() as ledger:
            return dict(ledger.execute(query))

    def show(self, progress: dict[str, Any] | None) -> None:
        """Leaves word of how far the executing process is; `None` when it ends."""
        with self._open() as ledger:
            ledger.execute("delete from live")
            if progress is not None:
                ledger.execute("insert into live values (0, ?)", (json.dumps(progress),))

    def shown(self) -> dict[str, Any] | None:
        """Latest progress that the executing process left."""
        with self._open() as ledger:
            row = ledger.execute("select progress from live").fetchone()
            progress: dict[str, Any] | None = json.loads(row[0]) if row else None
        return progress


def cache_folder() -> Path:
    """Folder for the ledgers of campaigns in object storage, which takes no SQLite."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "mesonet" / "campaigns"

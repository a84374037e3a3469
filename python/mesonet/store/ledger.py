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
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mesonet.errors import DamageError, Problem, StorageError, show
from mesonet.store.schema import ProgressDocument, read_document

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
_HOLDS = {"runs": "table", "by_state": "index", "live": "table"}
_KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "id": ("text", (str,)),
    "state": (", ".join(STATES), (str,)),
    "error": ("text or null", (str, type(None))),
    "attempts": ("a whole number", (int,)),
}
"""Columns of `runs`: what is expected in words, and its types. SQLite keeps any type in any."""


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
        # What a link names is not this campaign's to change.
        linked = [path for path in self._paths() if path.is_symlink()]
        if linked:
            problem = Problem("", "kind", "expected a file, got a link")
            raise DamageError(str(linked[0]), [problem], _ANEW)
        if not self.path.is_file():
            raise StorageError(f"{self.path}: the ledger is missing; {_ANEW}")
        try:
            connection = sqlite3.connect(self.path, timeout=30)
            with contextlib.closing(connection), connection:
                connection.execute("pragma synchronous = off")
                connection.execute("pragma trusted_schema = off")
                self._refuse_foreign(connection)
                yield connection
        # Text that is no UTF-8 is an error of its own kind in some versions.
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise StorageError(f"{self.path}: {error}; {_ANEW}") from None

    def _paths(self) -> list[Path]:
        """The ledger and the files that SQLite keeps beside it."""
        endings = ("", "-journal", "-wal", "-shm")
        return [self.path.with_name(self.path.name + ending) for ending in endings]

    def _refuse_foreign(self, connection: sqlite3.Connection) -> None:
        """Refuses a database with views or triggers, which could be any program, or without ours.

        Raises:
            DamageError: it has other tables than a ledger.
        """
        found = dict(connection.execute("select name, type from sqlite_master"))
        if found != _HOLDS:
            expected, got = (", ".join(sorted(map(str, names))) for names in (_HOLDS, found))
            problem = Problem("", "tables", f"expected {expected}, got {got or 'nothing'}")
            raise DamageError(str(self.path), [problem], _ANEW)

    def _runs(self, *columns: str, where: str = "") -> list[tuple[Any, ...]]:
        """Rows of the runs, every value of the type that its column declares."""
        with self._open() as ledger:
            rows = ledger.execute(f"select {', '.join(columns)} from runs {where}").fetchall()
        for row in rows:
            for name, value in zip(columns, row, strict=True):
                words, types = _KINDS[name]
                if not isinstance(value, types) or (name == "state" and value not in STATES):
                    message = f"expected {words}, got {show(value)}"
                    problem = Problem(f"runs.{name}", "type", message)
                    raise DamageError(str(self.path), [problem], _ANEW)
        return rows

    def check(self) -> None:
        """Reads the whole ledger.

        Raises:
            StorageError: it is missing or damaged; says what.
        """
        with self._open() as ledger:
            (answer,) = ledger.execute("pragma quick_check(1)").fetchone()
            ledger.execute("select id, progress from live limit 1")
        if answer != "ok":
            raise DamageError(str(self.path), [Problem("", "sqlite", str(answer))], _ANEW)
        self._runs("id", "state", "error", "attempts")

    def sound(self) -> bool:
        """True if the ledger is there and can be relied upon."""
        try:
            self.check()
        except StorageError:
            return False
        return True

    def begin(self) -> None:
        """An empty ledger in place of whatever is there."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            for path in self._paths():
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

    def counts(self) -> dict[State, int]:
        """Number of runs in each state."""
        states = Counter(state for _, state in self.states())
        return {state: states[state] for state in STATES}

    def states(self) -> list[tuple[str, State]]:
        """Id and state of every run."""
        return self._runs("id", "state")

    def attempts(self) -> dict[str, int]:
        """Number of times that each run was begun; runs never begun are left out."""
        return dict(self._runs("id", "attempts", where="where attempts > 0"))

    def failures(self) -> dict[str, str]:
        """Error of every failed run, by id."""
        rows = self._runs("id", "error", where="where state = 'failed' order by id")
        return {run: error or "" for run, error in rows}

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
        if row is None:
            return None
        if not isinstance(row[0], str | bytes):
            problem = Problem("live.progress", "type", f"expected text, got {show(row[0])}")
            raise DamageError(str(self.path), [problem], _ANEW)
        return read_document(
            row[0], ProgressDocument, file=f"{self.path}: live.progress", remedy=_ANEW
        )


def cache_folder() -> Path:
    """Folder for the ledgers of campaigns in object storage, which takes no SQLite."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "mesonet" / "campaigns"

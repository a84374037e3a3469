"""Rows by run in Parquet files that are never changed.

Each file's name ends in a hash of its content, so that damage is seen wherever it is read. New rows
go into small files; when there are many of one size they are merged into a larger one, and at rest
all rows are in *compacted* files of a fixed number of runs in a fixed order, whose names and bytes
depend on the rows alone and not on the order in which they came.

A writer may be killed between writing a merged file and deleting what went into it; a run then has
the same row twice, and readers take one.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.errors import DamageError, StorageError
from mesonet.store.files import Files, set_aside

COMPACTED_RUNS = 8192
"""Runs of one compacted file."""
MERGED = 32
"""So many files of one size are merged into the next."""
_NAME = re.compile(r"(?P<stem>(?P<kind>new|runs)-[0-9-]+)-(?P<hash>[0-9a-f]{16})\.parquet")
_NEW = re.compile(r"new-(?P<level>\d{1,2})-(?P<number>\d{1,12})-")
_TRIES = 5


class Parts:
    """The rows in one folder: one row per run, with a column `run`. One process may write."""

    def __init__(self, files: Files, folder: str, schema: Mapping[str, Any]) -> None:
        self.files = files
        self.folder = folder
        self.schema = dict(schema)
        self._levels: dict[int, list[str]] | None = None
        self._written: dict[str, pl.DataFrame] = {}
        self._next = 0

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Adds rows of runs that have none yet; they are on disk when this returns."""
        if rows:
            levels = self._known()
            frame = pl.DataFrame(rows, schema=self.schema, orient="row")
            name = self._write_new(0, frame)
            levels[0].append(name)
            # To read it again for a merge takes as long as to write it.
            self._written[name] = frame
            self._merge(levels)

    def read(self) -> pl.DataFrame:
        """All rows, one per run."""
        rows, errors = self.readable()
        if errors:
            raise errors[0]
        return rows

    def runs(self) -> set[str]:
        """Runs that have a row."""
        return set(self.read()["run"])

    def whole(self) -> list[pl.DataFrame]:
        """Content of the files that are what was written, with whatever columns they have."""
        frames = []
        for name in self._names():
            with contextlib.suppress(DamageError, FileNotFoundError):
                frames.append(self._content(name))
        return frames

    def readable(self) -> tuple[pl.DataFrame, list[DamageError]]:
        """Rows of the files that are whole, one per run, and what is damaged."""
        # A merge by the writing process may take away what has just been listed.
        for _ in range(_TRIES):
            with contextlib.suppress(FileNotFoundError):
                frames, errors = self._frames()
                whole = pl.concat([pl.DataFrame(schema=self.schema), *frames])
                rows = whole.unique("run", keep="first", maintain_order=True)
                return rows, list(errors.values())
        raise StorageError(f"{self.files.address(self.folder)}: changes too fast to be read")

    def _frames(self) -> tuple[list[pl.DataFrame], dict[str, DamageError]]:
        frames, errors = [], {}
        for name in self._names():
            try:
                frames.append(self._read(name))
            except DamageError as error:
                errors[name] = error
        return frames, errors

    def set_damaged_aside(self) -> list[str]:
        """Moves damaged files to `damaged/`; returns their names."""
        moved = list(self._frames()[1])
        for name in moved:
            set_aside(self.files, f"{self.folder}/{name}")
        self._levels = None
        return moved

    def set_runs_aside(self, runs: Collection[str]) -> None:
        """Moves files with rows of these runs to `damaged/`, other rows kept."""
        for name in self._names():
            frame = self._read(name)
            kept = frame.filter(~pl.col("run").is_in(list(runs)))
            if kept.height < frame.height:
                self._known()
                if kept.height:
                    self._write_new(0, kept)
                set_aside(self.files, f"{self.folder}/{name}")
        self._levels = None

    def compact(self, order: Sequence[str]) -> None:
        """Brings all rows into compacted files; a longer order that begins so moves no row."""
        names = self._names()
        if not any(name.startswith("new-") for name in names):
            return
        ranks = pl.DataFrame({"run": order}, schema={"run": pl.String}).with_row_index("rank")
        # What is finished stays, in the plan or not: behind all that is.
        ranked = self.read().join(ranks, on="run", how="left").sort("rank", "run", nulls_last=True)
        behind = len(order) + pl.col("rank").is_null().cum_sum().cast(pl.UInt32) - 1
        rows = ranked.with_columns(pl.col("rank").fill_null(behind))
        kept = set()
        for (chunk,), frame in rows.group_by(pl.col("rank") // COMPACTED_RUNS, maintain_order=True):
            content = _bytes(frame.drop("rank"))
            name = f"runs-{int(str(chunk)) * COMPACTED_RUNS:08d}-{_hash(content)}.parquet"
            if name not in names:
                self._write(name, content)
            kept.add(name)
        # New files last: while there are any, this is done again after a kill.
        for name in reversed(names):
            if name not in kept:
                self.files.delete(f"{self.folder}/{name}")
        self._levels = None

    def _names(self) -> list[str]:
        return [name for name in self.files.names(self.folder) if name.endswith(".parquet")]

    def _known(self) -> dict[int, list[str]]:
        """Files that can be merged, by level; listed once, for nobody else writes."""
        if self._levels is None:
            self._levels = defaultdict(list)
            self._written = {}
            for name in self._names():
                if match := _NEW.match(name):
                    self._levels[int(match["level"])].append(name)
                    self._next = max(self._next, int(match["number"]) + 1)
        return self._levels

    def _write_new(self, level: int, frame: pl.DataFrame) -> str:
        content = _bytes(frame)
        name = f"new-{level}-{self._next:08d}-{_hash(content)}.parquet"
        self._write(name, content)
        self._next += 1
        return name

    def _write(self, name: str, content: bytes) -> None:
        self.files.write(f"{self.folder}/{name}", content)

    def _merge(self, levels: dict[int, list[str]]) -> None:
        level = 0
        while len(levels[level]) >= MERGED:
            merged = pl.concat([self._rows(name) for name in levels[level]])
            levels[level + 1].append(self._write_new(level + 1, merged))
            for name in levels[level]:
                self.files.delete(f"{self.folder}/{name}")
                self._written.pop(name, None)
            levels[level] = []
            level += 1

    def _rows(self, name: str) -> pl.DataFrame:
        written = self._written.get(name)
        return self._read(name) if written is None else written

    def _read(self, name: str) -> pl.DataFrame:
        frame = self._content(name)
        if missing := self.schema.keys() - set(frame.columns):
            file = self.files.address(f"{self.folder}/{name}")
            raise DamageError(file, f"has no column {', '.join(sorted(missing))}")
        return frame.select(list(self.schema)).cast(self.schema)  # type: ignore[arg-type]

    def _content(self, name: str) -> pl.DataFrame:
        path = f"{self.folder}/{name}"
        content = self.files.read(path)
        match = _NAME.fullmatch(name)
        if match is None or match["hash"] != _hash(content):
            file = self.files.address(path)
            raise DamageError(file, f"has a content with hash {_hash(content)}")
        return pl.read_parquet(io.BytesIO(content))


def is_part(name: str) -> bool:
    """True for the name of a file of rows."""
    return _NAME.fullmatch(name) is not None


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3)
    return buffer.getvalue()


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()

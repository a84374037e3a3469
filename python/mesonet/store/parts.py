"""Rows by run in Parquet files that are never changed.

Each file's name ends in a hash of its content, so that damage is seen wherever it is read. New rows
go into small files; when there are many of one size they are merged into a larger one, and at rest
all rows are in *compacted* files of a fixed number of runs in a fixed order, whose names and bytes
depend on the rows alone and not on the order in which they came.

A writer may be killed between writing a merged file and deleting what went into it; a run then has
the same row twice, and readers take one.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.errors import StorageError
from mesonet.store.files import Files

COMPACTED_RUNS = 8192
"""Runs of one compacted file."""
MERGED = 32
"""So many files of one size are merged into the next."""
_NAME = re.compile(r"(?P<stem>(?P<kind>new|runs)-[0-9-]+)-(?P<hash>[0-9a-f]{16})\.parquet")
_TRIES = 5


class Parts:
    """The rows in one folder: one row per run, with a column `run`. One process may write."""

    def __init__(self, files: Files, folder: str, schema: Mapping[str, Any]) -> None:
        self.files = files
        self.folder = folder
        self.schema = dict(schema)
        self._levels: dict[int, list[str]] | None = None
        self._next = 0

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Adds rows of runs that have none yet; they are on disk when this returns.

        Raises:
            StorageError: they cannot be written; none of them is there then.
        """
        if rows:
            levels = self._known()
            frame = pl.DataFrame(rows, schema=self.schema, orient="row")
            levels[0].append(self._write_new(0, frame))
            self._merge(levels)

    def read(self) -> pl.DataFrame:
        """All rows, one per run.

        Raises:
            StorageError: a file is damaged; names it, and what to do.
        """
        # A merge by the writing process may take away what has just been listed.
        for _ in range(_TRIES):
            try:
                frames = [self._read(name) for name in self._names()]
            except FileNotFoundError:
                continue
            whole = pl.concat([pl.DataFrame(schema=self.schema), *frames])
            return whole.unique("run", keep="first", maintain_order=True)
        raise StorageError(f"{self.files.address(self.folder)}: changes too fast to be read")

    def runs(self) -> set[str]:
        """Runs that have a row."""
        return set(self.read()["run"])

    def set_damaged_aside(self) -> list[str]:
        """Moves damaged files to `damaged/`; returns their names."""
        moved = []
        for name in self._names():
            try:
                self._read(name)
            except StorageError:
                content = self.files.read(f"{self.folder}/{name}")
                self.files.write(f"damaged/{self.folder}-{name}", content)
                self.files.delete(f"{self.folder}/{name}")
                moved.append(name)
        self._levels = None
        return moved

    def compact(self, order: Sequence[str]) -> None:
        """Brings all rows into compacted files.

        Args:
            order: all runs; a longer one may follow that begins with it, and moves no row.

        Raises:
            StorageError: a file cannot be written; nothing is lost then.
        """
        names = self._names()
        if not any(name.startswith("new-") for name in names):
            return
        ranks = pl.DataFrame({"run": order}, schema={"run": pl.String}).with_row_index("rank")
        rows = self.read().join(ranks, on="run", how="inner").sort("rank")
        wanted = set()
        for (chunk,), frame in rows.group_by(pl.col("rank") // COMPACTED_RUNS, maintain_order=True):
            content = _bytes(frame.drop("rank"))
            name = f"runs-{int(str(chunk)) * COMPACTED_RUNS:08d}-{_hash(content)}.parquet"
            if name not in names:
                self.files.write(f"{self.folder}/{name}", content)
            wanted.add(name)
        for name in names:
            if name not in wanted:
                self.files.delete(f"{self.folder}/{name}")
        self._levels = None

    def addresses(self) -> list[str]:
        """Paths or URLs of the files."""
        return [self.files.address(f"{self.folder}/{name}") for name in self._names()]

    def _names(self) -> list[str]:
        return [name for name in self.files.names(self.folder) if name.endswith(".parquet")]

    def _known(self) -> dict[int, list[str]]:
        """Files that can be merged, by level; listed once, for nobody else writes."""
        if self._levels is None:
            self._levels = defaultdict(list)
            for name in self._names():
                if name.startswith("new-"):
                    _, level, number, _ = name.split("-")
                    self._levels[int(level)].append(name)
                    self._next = max(self._next, int(number) + 1)
        return self._levels

    def _write_new(self, level: int, frame: pl.DataFrame) -> str:
        content = _bytes(frame)
        name = f"new-{level}-{self._next:08d}-{_hash(content)}.parquet"
        self.files.write(f"{self.folder}/{name}", content)
        self._next += 1
        return name

    def _merge(self, levels: dict[int, list[str]]) -> None:
        level = 0
        while len(levels[level]) >= MERGED:
            merged = pl.concat([self._read(name) for name in levels[level]])
            levels[level + 1].append(self._write_new(level + 1, merged))
            for name in levels[level]:
                self.files.delete(f"{self.folder}/{name}")
            levels[level] = []
            level += 1

    def _read(self, name: str) -> pl.DataFrame:
        path = f"{self.folder}/{name}"
        content = self.files.read(path)
        match = _NAME.fullmatch(name)
        if match is None or match["hash"] != _hash(content):
            raise StorageError(
                f"{self.files.address(path)}: damaged; resume the campaign, which sets it aside "
                "and runs again what it held"
            )
        return pl.read_parquet(io.BytesIO(content), use_statistics=False).select(
            pl.col(column).cast(dtype) for column, dtype in self.schema.items()
        )


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=3)
    return buffer.getvalue()


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()

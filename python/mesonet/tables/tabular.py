"""Tables that can be taken along: as CSV, Parquet and Arrow files."""

from __future__ import annotations

import io
import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mesonet.errors import InputError, unknown
from mesonet.tables.datasets import About, flat
from mesonet.writing import write_atomically

if TYPE_CHECKING:
    import polars as pl

TableFormat = Literal["csv", "arrow", "parquet"]


class Tabular:
    """Something that has tables, which can be taken along.

    Files have what `to_frame` has. Units and meanings of columns go along in Parquet's metadata
    under `mesonet`, as JSON.
    """

    def table_names(self) -> tuple[str, ...]:
        """Names of the tables, the main one first."""
        raise NotImplementedError

    def _table(self, name: str) -> pl.DataFrame:
        """A table by its name, which exists."""
        raise NotImplementedError

    def about(self, table: str | None = None) -> dict[str, About]:  # noqa: ARG002 - others need it
        """Units and meanings of columns, as far as they are known."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Facts that go along with every table, as plain data: notes, seeds, versions."""
        return {}

    def to_frame(self, table: str | None = None) -> pl.DataFrame:
        """A table as a polars frame; the main one if `None`."""
        return self._table(self._named(table))

    def to_csv(self, path: str | Path, *, table: str | None = None) -> Path:
        """Writes a table as a CSV file, an old one replaced; returns its path."""
        return _written(path, table_bytes(self.to_frame(table), "csv"))

    def to_parquet(self, path: str | Path, *, table: str | None = None) -> Path:
        """Writes a table as a Parquet file; returns its path."""
        name = self._named(table)
        columns = {column: about._asdict() for column, about in self.about(name).items()}
        facts = {"mesonet": version("mesonet"), **self.facts()}
        described = json.dumps({"table": name, "columns": columns, **facts}, ensure_ascii=False)
        buffer = io.BytesIO()
        self._table(name).write_parquet(buffer, metadata={"mesonet": described})
        return _written(path, buffer.getvalue())

    def to_arrow(self, path: str | Path, *, table: str | None = None) -> Path:
        """Writes a table as an Arrow file; returns its path."""
        return _written(path, table_bytes(self.to_frame(table), "arrow"))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The main table, for whatever reads Arrow's streams in memory."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def _named(self, table: str | None) -> str:
        names = self.table_names()
        if table is None:
            return names[0]
        if problems := unknown("table", "unknown_table", table, names):
            raise InputError(problems)
        return table


def table_bytes(frame: pl.DataFrame, kind: TableFormat = "parquet") -> bytes:
    """A table as the content of a file, so that it can be written whole or not at all."""
    buffer = io.BytesIO()
    match kind:
        case "csv":
            flat(frame).write_csv(buffer)
        case "arrow":
            import polars as pl

            # R and older readers know no views of texts.
            frame.write_ipc(buffer, compat_level=pl.CompatLevel.oldest())
        case "parquet":
            frame.write_parquet(buffer)
    return buffer.getvalue()


def _written(path: str | Path, content: bytes) -> Path:
    write_atomically(Path(path), content)
    return Path(path)

"""Tables that can be taken along: as CSV, Parquet and Arrow files, and as data sets of xarray."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.system.datasets import About, dataset, needed
from mesonet.system.writing import TableFormat, table_bytes, write_atomically

if TYPE_CHECKING:
    import polars as pl


class Tabular:
    """Something that has tables, which can be taken along.

    Files have what `to_frame` has. Units and meanings of columns go along in Parquet's metadata
    under `mesonet`, as JSON, and as attributes of xarray.
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
        """A table as a polars frame; the main one if `None`.

        Raises:
            InputError: There is no such table.
        """
        return self._table(self._named(table))

    def to_csv(self, path: str | Path, *, table: str | None = None) -> Path:
        """Writes a table as a CSV file, an old one replaced; returns its path.

        Raises:
            InputError: There is no such table, or the path is none of a file here.
            StorageError: The file cannot be written.
        """
        return self._write(path, "csv", table)

    def to_parquet(self, path: str | Path, *, table: str | None = None) -> Path:
        """Writes a table as a Parquet file; returns its path.

        Raises:
            InputError: There is no such table, or the path is none of a file here.
            StorageError: The file cannot be written.
        """
        name = self._named(table)
        target = local_path(path)
        write_atomically(target, self.parquet_bytes(name))
        return target

    def parquet_bytes(self, table: str | None = None) -> bytes:
        """Content of the file that `to_parquet` writes."""
        name = self._named(table)
        buffer = io.BytesIO()
        described = json.dumps(self._described(name), ensure_ascii=False)
        self._table(name).write_parquet(buffer, metadata={"mesonet": described})
        return buffer.getvalue()

    def to_arrow(self, path: str | Path | None = None, *, table: str | None = None) -> Any:
        """A table as a `pyarrow.Table`, or, given a path, as an Arrow file; returns that path.

        Raises:
            InputError: There is no such table, or the path is none of a file here.
            MesonetError: pyarrow is not installed, which files do without.
            StorageError: The file cannot be written.
        """
        if path is not None:
            return self._write(path, "arrow", table)
        return needed("pyarrow", "arrow").table(self.to_frame(table))

    def _write(self, path: str | Path, kind: TableFormat, table: str | None) -> Path:
        frame, target = self.to_frame(table), local_path(path)
        write_atomically(target, table_bytes(frame, kind))
        return target

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The main table, for whatever reads Arrow's streams in memory."""
        return self.to_frame().__arrow_c_stream__(requested_schema)

    def to_xarray(self, table: str | None = None, *, dims: Sequence[str] = ()) -> Any:
        """A table as an `xarray.Dataset`, with units and meanings as attributes.

        Args:
            table: Name of the table; the main one if `None`.
            dims: Columns that become dimensions; without any, rows are numbered.

        Raises:
            InputError: There is no such table or column, or `dims` name several rows.
            MesonetError: xarray is not installed.
        """
        xarray = needed("xarray", "xarray")
        name = self._named(table)
        return dataset(
            xarray, self._table(name), dims=dims, about=self.about(name), facts=self._attributes()
        )

    def _named(self, table: str | None) -> str:
        names = self.table_names()
        if table is None:
            return names[0]
        if table not in names:
            hint = did_you_mean(table, names) or f"; there are {', '.join(names)}"
            raise InputError([Problem("table", "unknown_table", f'no table "{table}"{hint}')])
        return table

    def _described(self, table: str) -> dict[str, Any]:
        """Everything that is known of a table beside its numbers."""
        known = self.about(table)
        columns = {name: about._asdict() for name, about in known.items()}
        return {"table": table, "columns": columns, **self._facts()}

    def _facts(self) -> dict[str, Any]:
        return {"mesonet": version("mesonet"), **self.facts()}

    def _attributes(self) -> dict[str, Any]:
        """Facts as NetCDF can hold them: text and numbers."""
        return {
            name: value if isinstance(value, str | int | float) else json.dumps(value)
            for name, value in self._facts().items()
        }


def local_path(path: str | Path, loc: str = "path") -> Path:
    """Path of a file to write here.

    Raises:
        InputError: It is a URL, which would become a folder of that name, or no file.
    """
    text = str(path)
    # `Path` makes one slash of two.
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", text):
        message = f'expected a file on this machine, got the URL "{text}"'
        raise InputError([Problem(loc, "url", message)])
    if not text.strip() or text.endswith(("/", "\\")) or Path(path).is_dir():
        message = f'expected the name of a file, got "{text}"'
        raise InputError([Problem(loc, "no_file", message)])
    return Path(path)

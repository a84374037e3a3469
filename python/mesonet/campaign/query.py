"""A campaign's tables, as frames and in SQL."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.campaign.reading import Campaign
from mesonet.errors import InputError, Problem, StorageError, did_you_mean
from mesonet.store import LocalFiles, Parts, RemoteFiles
from mesonet.tables import TABLES as RUN_TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

TABLES: dict[str, Callable[[Campaign], pl.DataFrame]] = {
    "results": Campaign.results,
    "timings": Campaign.timings,
    "failures": lambda campaign: pl.DataFrame(
        list(campaign.failures().items()),
        schema={"run": pl.String, "error": pl.String},
        orient="row",
    ),
    "cells": lambda campaign: campaign.store.cells,
    "conditions": lambda campaign: campaign.store.conditions,
}
"""Tables of every campaign, by name."""


def table_of(campaign: Campaign, name: str) -> pl.DataFrame:
    """A table by name.

    Raises:
        InputError: there is none of this name.
    """
    if name not in TABLES:
        hint = did_you_mean(name, TABLES) or f"; there are {', '.join(TABLES)}"
        raise InputError([Problem("--table", "unknown_table", f'no table "{name}"{hint}')])
    return TABLES[name](campaign)


def ask(campaign: Campaign, query: str) -> pl.DataFrame:
    """The answer to a query in DuckDB's SQL.

    Tables are read from the campaign's Parquet files as they are needed; nothing is copied. A query
    reads these tables and nothing else: no other file, no network, no extension. It writes nothing.

    Raises:
        InputError: the query is wrong, or does something else than read; says what. Or DuckDB is
            not installed.
        StorageError: a file cannot be read.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        message = 'DuckDB is not installed; pip install "mesonet[sql]"'
        raise InputError([Problem("sql", "missing", message)]) from None

    # What does not fit into memory is put here, and so is the answer.
    with (
        tempfile.TemporaryDirectory(prefix="mesonet-") as room,
        duckdb.connect(config={**_CLOSED, "temp_directory": room}) as connection,
    ):
        try:
            readable = _define(connection, campaign)
            _close(connection, readable, room)
            _refuse_writing(connection, query)
            answer = connection.sql(query)
            return _frame(answer, Path(room)) if answer is not None else pl.DataFrame()
        except duckdb.PermissionException:
            message = f"expected only tables of the campaign ({', '.join(TABLES)} and time series)"
            raise InputError([Problem("query", "outside", message)]) from None
        except duckdb.Error as error:
            # A damaged file is not the query's fault.
            for parts in (campaign.store.results, campaign.store.timings):
                parts.read()
            if isinstance(error, duckdb.IOException):
                raise StorageError(f"{campaign.place}: {error}") from None
            raise InputError([Problem("query", "sql", str(error))]) from None


_CLOSED: dict[str, bool | int | float | str | list[str]] = {
    # Variables of this program are no tables.
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
}
"""Settings of DuckDB that keep a query to what it is given."""


@dataclass
class _Readable:
    """Places that a query may read."""

    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)


def _close(connection: DuckDBPyConnection, readable: _Readable, room: str) -> None:
    """Leaves the tables and the room for temporary files; nothing can be opened again."""
    files = ", ".join(map(_text, readable.files))
    folders = ", ".join(_text(f"{folder}/") for folder in (room, *readable.folders))
    connection.execute(f"set allowed_paths = [{files}]")
    connection.execute(f"set allowed_directories = [{folders}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")


def _refuse_writing(connection: DuckDBPyConnection, query: str) -> None:
    """Refuses statements that do not just read.

    What a query may read it could also write: that is what the settings of DuckDB cannot forbid.

    Raises:
        InputError: one is there.
        duckdb.Error: the query cannot be parsed.
    """
    kinds = [statement.type.name for statement in connection.extract_statements(query)]
    if kinds == ["EXPLAIN"]:
        explained = re.sub(r"(?is)^\s*explain\s+(analyze\s+)?", "", query)
        kinds = [statement.type.name for statement in connection.extract_statements(explained)]
    writing = sorted({kind for kind in kinds if kind != "SELECT"})
    if len(kinds) == 1 and not writing:
        return
    got = f"got {' and '.join(writing)}" if writing else f"got {len(kinds)} statements"
    hint = "; `mesonet export` writes a table into a file" if "COPY" in writing else ""
    hint = "; give the columns of PIVOT: in (...)" if writing == ["MULTI"] else hint
    message = f"expected one query that only reads, such as select, {got}{hint}"
    raise InputError([Problem("query", "reading_only", message)])


def _frame(answer: DuckDBPyRelation, room: Path) -> pl.DataFrame:
    """An answer as a frame, by way of a file.

    DuckDB's own way to polars wants pyarrow; polars' way leaves objects behind that DuckDB
    complains of, at length, when Python ends.
    """
    file = room / "answer.parquet"
    answer.write_parquet(str(file))
    return pl.read_parquet(file, memory_map=False)


def tables(campaign: Campaign) -> pl.DataFrame:
    """Tables that a query can name, with their columns and types."""
    return ask(
        campaign,
        "select table_name as \"table\", string_agg(column_name || ' ' || lower(data_type), ', ' "
        "order by ordinal_position) as columns from information_schema.columns "
        "where table_name not like '\\_%' escape '\\' group by 1 order by 1",
    )


def _define(connection: DuckDBPyConnection, campaign: Campaign) -> _Readable:
    """The tables of `TABLES`, and those kept of the runs, as views over the files that it names."""
    store = campaign.store
    files = store.files
    if isinstance(files, RemoteFiles):
        connection.register_filesystem(files.system)
    readable = _Readable([*store.results.addresses(), *store.timings.addresses()])
    for name in ("cells", "conditions"):
        address = files.address(f"{name}.parquet")
        readable.files.append(address)
        connection.execute(f"create view {name} as select * from read_parquet({_text(address)})")
    _define_rows(connection, "_results", store.results)
    _define_rows(connection, "_timings", store.timings)
    factors = [factor.name for factor in campaign.plan.factors]
    columns = [
        "cells.run",
        "cells.condition",
        "alternative",
        "replicate",
        "cells.seed",
        *map(_name, factors),
        *(_name(f"{factor}_level") for factor in factors),
        *map(_name, campaign.plan.responses),
        "packets",
    ]
    connection.execute(
        f"create view results as select {', '.join(columns)} from cells "
        "join _results on _results.run = cells.run "
        "join conditions on conditions.condition = cells.condition "
        "order by cells.condition, position, replicate"
    )
    connection.execute("create table _states (run varchar, state varchar)")
    connection.execute("create table failures (run varchar, error varchar)")
    _insert(connection, "_states", store.states())
    _insert(connection, "failures", list(campaign.failures().items()))
    connection.execute(
        "create view timings as select _states.run, state, cost, _timings.* exclude run "
        "from _states left join _timings on _timings.run = _states.run "
        "left join (select distinct run, cost from cells) c on c.run = _states.run"
    )
    if isinstance(files, LocalFiles):
        for table in RUN_TABLES:
            if next(files.folder.glob(f"runs/*/{table}.parquet"), None) is not None:
                pattern = _text(files.address(f"runs/*/{table}.parquet"))
                connection.execute(
                    f"create view {table} as "
                    "select parse_path(filename)[-2] as run, * exclude filename "
                    f"from read_parquet({pattern}, filename = true, union_by_name = true)"
                )
                readable.folders = [files.address("runs")]
    return readable


def _define_rows(connection: DuckDBPyConnection, name: str, parts: Parts) -> None:
    addresses = parts.addresses()
    if addresses:
        where = ", ".join(map(_text, addresses))
        # A row may stand in two files after a merge that was interrupted.
        connection.execute(
            f"create view {name} as select distinct on (run) * from read_parquet([{where}])"
        )
        return
    kinds: dict[Any, str] = {pl.String: "varchar", pl.Int64: "bigint", pl.Float64: "double"}
    columns = ", ".join(f"{_name(key)} {kinds[dtype]}" for key, dtype in parts.schema.items())
    connection.execute(f"create table {name} ({columns})")


def _insert(connection: DuckDBPyConnection, table: str, rows: list[tuple[Any, ...]]) -> None:
    """Rows of two columns of text."""
    if rows:
        first, second = zip(*rows, strict=True)
        connection.execute(
            f"insert into {table} select unnest(?::varchar[]), unnest(?::varchar[])",
            [list(first), list(second)],
        )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'

"""A campaign's tables, as frames and in SQL."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.campaign.inspection import inspect_series
from mesonet.campaign.reading import Campaign
from mesonet.errors import DamageError, InputError, Problem, StorageError, did_you_mean
from mesonet.store import LocalFiles, Store
from mesonet.store.schema import REPAIR
from mesonet.system.queries import QueryError, Question, answer, named, quoted
from mesonet.tables import TABLES as RUN_TABLES

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

    Tables are read from the campaign's Parquet files as they are needed, by a process of its own: a
    crafted file may end that, and not this one. Nothing is copied but what lies behind a URL. A
    query reads these tables and nothing else: no other file, no network, no extension. It writes
    nothing.

    Raises:
        InputError: the query is wrong, or does something else than read; says what. Or DuckDB is
            not installed.
        StorageError: a file cannot be read.
    """
    if find_spec("duckdb") is None:
        message = 'DuckDB is not installed; pip install "mesonet[sql]"'
        raise InputError([Problem("sql", "missing", message)])
    # What does not fit into memory is put here, and so is the answer.
    with tempfile.TemporaryDirectory(prefix="mesonet-") as room:
        question = _question(campaign, query, Path(room))
        try:
            file = answer(question, Path(room))
        except QueryError as error:
            raise _refusal(campaign, error) from None
        except OSError as error:
            reason = f"no process to read it: {error.strerror or error}"
            raise StorageError(f"{campaign.place}: {reason}") from None
        return pl.read_parquet(file, memory_map=False) if file is not None else pl.DataFrame()


def _refusal(campaign: Campaign, error: QueryError) -> InputError | StorageError:
    """Says why a query has no answer; raises what is damaged, which is not the query's fault."""
    if error.kind == "statements":
        return _does_more_than_reading(error.statements)
    if error.kind == "outside":
        message = f"expected only tables of the campaign ({', '.join(TABLES)} and time series)"
        return InputError([Problem("query", "outside", message)])
    if error.kind != "mistake":
        _refuse_damaged_series(campaign.store)
    if error.kind in ("mistake", "doubt"):
        return InputError([Problem("query", "sql", _with_our_tables(str(error)))])
    if error.kind == "end":
        advice = "a file that it reads is damaged, or there is too little memory"
        return StorageError(f"{campaign.place}: the process of the query {error}; {advice}")
    return StorageError(f"{campaign.place}: {error}")


def _with_our_tables(message: str) -> str:
    """A message of DuckDB that names the campaign's tables where it suggests one of its own."""

    def suggest(found: re.Match[str]) -> str:
        if found[1] in (*TABLES, *RUN_TABLES):
            return found[0]
        return f"There are {', '.join(TABLES)}, and time series if they were kept."

    return re.sub(r'(?<=does not exist!\n)Did you mean "([^"]*)"\?', suggest, message)


def _refuse_damaged_series(store: Store) -> None:
    """Reads all time series; raises `DamageError` for the first run with damaged ones."""
    for finding in inspect_series(store):
        if finding.state == "damaged":
            problem = Problem("", "series", finding.text)
            raise DamageError(store.files.address(finding.place), [problem], REPAIR)


def _does_more_than_reading(kinds: Sequence[str]) -> InputError:
    writing = sorted({kind for kind in kinds if kind != "SELECT"})
    got = f"got {' and '.join(writing)}" if writing else f"got {len(kinds)} statements"
    hint = "; `mesonet export` writes a table into a file" if "COPY" in writing else ""
    hint = "; give the columns of PIVOT: in (...)" if writing == ["MULTI"] else hint
    message = f"expected one query that only reads, such as select, {got}{hint}"
    return InputError([Problem("query", "reading_only", message)])


def tables(campaign: Campaign) -> pl.DataFrame:
    """Tables that a query can name, with their columns and types."""
    return ask(
        campaign,
        "select table_name as \"table\", string_agg(column_name || ' ' || lower(data_type), ', ' "
        "order by ordinal_position) as columns from information_schema.columns "
        "where table_name not like '\\_%' escape '\\' group by 1 order by 1",
    )


def _question(campaign: Campaign, query: str, room: Path) -> Question:
    """A query with the tables of `TABLES`, and those kept of the runs, as views over files."""
    store = campaign.store
    # DuckDB looks at no hash, and might find other values in what is damaged.
    for parts in (store.results, store.timings):
        parts.read()
    places = _places(store, room)
    factors = [factor.name for factor in campaign.plan.factors]
    columns = [
        "cells.run",
        "cells.condition",
        "alternative",
        "replicate",
        "cells.seed",
        *map(named, factors),
        *(named(f"{factor}_level") for factor in factors),
        *map(named, campaign.plan.responses),
        "packets",
    ]
    definitions = [
        *(
            f"create view {name} as select * from read_parquet({quoted(places[name][0])})"
            for name in ("cells", "conditions")
        ),
        _rows("_results", places["results"], store.results.schema),
        _rows("_timings", places["timings"], store.timings.schema),
        (
            f"create view results as select {', '.join(columns)} from cells "
            "join _results on _results.run = cells.run "
            "join conditions on conditions.condition = cells.condition "
            "order by cells.condition, position, replicate"
        ),
        "create table _states (run varchar, state varchar)",
        "create table failures (run varchar, error varchar)",
        (
            "create view timings as select _states.run, state, cost, _timings.* exclude run "
            "from _states left join _timings on _timings.run = _states.run "
            "left join (select distinct run, cost from cells) c on c.run = _states.run"
        ),
    ]
    folders = []
    if isinstance(store.files, LocalFiles) and (series := _series(store.files)):
        definitions += series
        folders = [store.files.address("runs")]
    return Question(
        query,
        definitions,
        rows={"_states": store.states(), "failures": list(campaign.failures().items())},
        files=[place for some in places.values() for place in some],
        folders=folders,
    )


def _places(store: Store, room: Path) -> dict[str, list[str]]:
    """Paths of the files of each table; what lies behind a URL is copied into a folder."""
    names = {
        "cells": ["cells.parquet"],
        "conditions": ["conditions.parquet"],
        "results": store.results.names(),
        "timings": store.timings.names(),
    }
    if isinstance(store.files, LocalFiles):
        return {
            table: [store.files.address(each) for each in some] for table, some in names.items()
        }
    for name in (name for some in names.values() for name in some):
        (room / name).parent.mkdir(exist_ok=True)
        (room / name).write_bytes(store.files.read(name))
    return {table: [str(room / each) for each in some] for table, some in names.items()}


def _rows(name: str, places: Sequence[str], schema: Mapping[str, Any]) -> str:
    """The table of the rows in some files."""
    if places:
        where = ", ".join(map(quoted, places))
        # A row may stand in two files after a merge that was interrupted.
        return f"create view {name} as select distinct on (run) * from read_parquet([{where}])"
    kinds: dict[Any, str] = {pl.String: "varchar", pl.Int64: "bigint", pl.Float64: "double"}
    columns = ", ".join(f"{named(key)} {kinds[dtype]}" for key, dtype in schema.items())
    return f"create table {name} ({columns})"


def _series(files: LocalFiles) -> list[str]:
    """Views over the tables that were kept of the runs."""
    return [
        f"create view {table} as select parse_path(filename)[-2] as run, * exclude filename from "
        f"read_parquet({quoted(files.address(f'runs/*/{table}.parquet'))}, "
        "filename = true, union_by_name = true)"
        for table in RUN_TABLES
        if next(files.folder.glob(f"runs/*/{table}.parquet"), None) is not None
    ]

"""Questions in SQL about the tables of a campaign."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

import polars as pl
from polars import selectors as cs

from mesonet.campaign.reading import TABLES, Campaign
from mesonet.errors import InputError, Problem
from mesonet.tables import TABLES as RUN_TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_CLOSED: dict[str, bool | int | float | str | list[str]] = {
    # Variables of the program are no tables.
    "python_enable_replacements": False,
    "enable_external_access": False,
    "lock_configuration": True,
    "temp_directory": "",
    # With more, one of them may not hear of Ctrl-C, and DuckDB waits for it.
    "threads": 1,
}
"""Settings of DuckDB that leave a query the tables that it is given."""
_COMMON = frozenset(
    (
        *("null", "boolean", "varchar", "float", "double", "decimal"),
        *("tinyint", "smallint", "integer", "bigint"),
        *("utinyint", "usmallint", "uinteger", "ubigint"),
    )
)
"""Types that Polars has, too; all others become text."""


def ask(campaign: Campaign, query: str) -> pl.DataFrame:
    """Returns the answer to a query in DuckDB's SQL.

    A query sees the tables of the campaign in memory, and nothing else: no file, no network.
    """
    # Tables are those that a query names.
    if re.fullmatch(r"\s*show\s+tables\s*;?\s*", query, re.IGNORECASE):
        return tables(campaign)
    words = set(re.findall(r"\w+", query.lower()))
    frames = {name: TABLES[name](campaign) for name in words.intersection(TABLES)}
    kept = campaign.runs_with_series()
    for name in words.intersection(RUN_TABLES):
        if series := _series(campaign, name, kept):
            frames[name] = pl.concat(series, how="diagonal_relaxed")
    # What is undefined is NULL: an aggregate leaves it out.
    frames = {name: frame.with_columns(cs.float().fill_nan(None)) for name, frame in frames.items()}
    return _answer(frames, query)


def tables(campaign: Campaign) -> pl.DataFrame:
    """Returns the tables that a query can name, with their columns and types."""
    frames = {name: frame(campaign) for name, frame in TABLES.items()}
    first = campaign.runs_with_series()[:1]
    frames |= {name: series[0] for name in RUN_TABLES if (series := _series(campaign, name, first))}
    return _answer(
        frames,
        "select table_name as \"table\", string_agg(column_name || ' ' || lower(data_type), ', ' "
        "order by ordinal_position) as columns from information_schema.columns "
        "where table_name <> '_answer' group by 1 "
        "order by 1",
    )


def _series(campaign: Campaign, table: str, runs: Iterable[str]) -> list[pl.DataFrame]:
    """Returns a table of the time series of runs that kept it, with the run in front."""
    kept = ((run, campaign.traces(run, tables=[table])) for run in runs)
    return [
        frames[table].select(pl.lit(run).alias("run"), pl.all())
        for run, frames in kept
        if table in frames
    ]


def _answer(frames: dict[str, pl.DataFrame], query: str) -> pl.DataFrame:
    if any(find_spec(module) is None for module in ("duckdb", "pyarrow")):
        message = 'DuckDB is not installed; it comes with the extra "sql" of mesonet'
        raise InputError([Problem("sql", "missing", message)])
    import duckdb

    with duckdb.connect(config=_CLOSED) as connection:
        try:
            for name, frame in frames.items():
                connection.register(name, frame)
            return _executed(connection, query)
        except duckdb.Error as error:
            if f"failed: {KeyboardInterrupt.__name__}" in str(error):
                # Ctrl-C came while DuckDB was reading a table from Python.
                raise KeyboardInterrupt from None
            # Suggestions are for DuckDB's own tables.
            message = re.sub(r"\nDid you mean .*", "", str(error))
            if isinstance(error, duckdb.CatalogException):
                message += f"\nThere are {', '.join(TABLES)}, and time series if they were kept."
            raise InputError([Problem("query", "sql", message)]) from None
        except RuntimeError:
            # So DuckDB says that Ctrl-C ended it.
            raise KeyboardInterrupt from None


def _executed(connection: DuckDBPyConnection, query: str) -> pl.DataFrame:
    relation: DuckDBPyRelation | None = connection.sql(query)
    if relation is None:
        return pl.DataFrame()
    columns = enumerate(zip(relation.columns, relation.types, strict=True), 1)
    values = ", ".join(f"{_cast(f'#{at}', kind)} as {_named(name)}" for at, (name, kind) in columns)
    # Ctrl-C ends this, and not the conversion to Polars.
    statement = relation.project(values).sql_query()
    connection.execute(f"create temp table _answer as {statement}")
    answer: pl.DataFrame = connection.table("_answer").pl()
    return answer


def _cast(column: str, kind: object) -> str:
    if _is_common(kind):
        return column
    # Sums of whole numbers are of this type.
    return f"{column}::double" if str(kind) == "HUGEINT" else f"{column}::varchar"


def _is_common(kind: object) -> bool:
    name = getattr(kind, "id", "")
    if name in ("list", "struct"):
        return all(_is_common(inner) for _, inner in kind.children)  # type: ignore[attr-defined]
    return name in _COMMON


def _named(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'

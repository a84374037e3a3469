"""Questions in SQL about the tables of a campaign."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl
from polars import selectors as cs

from mesonet.campaign.reading import TABLES, Campaign
from mesonet.errors import InputError, Problem
from mesonet.tables import TABLES as RUN_TABLES


def ask(campaign: Campaign, query: str) -> pl.DataFrame:
    """Returns the answer to a query in the SQL of Polars, which writes nothing."""
    # Tables are those that a query names.
    words = set(re.findall(r"\w+", query.lower()))
    frames = {name: TABLES[name](campaign) for name in words.intersection(TABLES)}
    kept = campaign.runs_with_series()
    for name in words.intersection(RUN_TABLES):
        if series := _series(campaign, name, kept):
            frames[name] = pl.concat(series, how="diagonal_relaxed")
    # What is undefined is NULL: an aggregate leaves it out.
    frames = {name: frame.with_columns(cs.float().fill_nan(None)) for name, frame in frames.items()}
    try:
        return pl.SQLContext(frames).execute(query, eager=True)
    except pl.exceptions.PolarsError as error:
        there = f"; there are {', '.join(TABLES)}, and time series if they were kept"
        first = str(error).partition("\n")[0].rstrip(":")
        message = first + (there if "relation" in first else "")
        raise InputError([Problem("query", "sql", message)]) from None


def tables(campaign: Campaign) -> pl.DataFrame:
    """Returns the tables that a query can name, with their columns and types."""
    frames = {name: frame(campaign) for name, frame in TABLES.items()}
    first = campaign.runs_with_series()[:1]
    frames |= {name: series[0] for name in RUN_TABLES if (series := _series(campaign, name, first))}
    columns = {
        name: ", ".join(f"{column} {str(kind).lower()}" for column, kind in frame.schema.items())
        for name, frame in sorted(frames.items())
    }
    return pl.DataFrame({"table": list(columns), "columns": list(columns.values())})


def _series(campaign: Campaign, table: str, runs: Iterable[str]) -> list[pl.DataFrame]:
    """Returns a table of the time series of runs that kept it, with the run in front."""
    kept = ((run, campaign.traces(run, tables=[table])) for run in runs)
    return [
        frames[table].select(pl.lit(run).alias("run"), pl.all())
        for run, frames in kept
        if table in frames
    ]

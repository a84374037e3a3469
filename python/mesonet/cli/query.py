"""Commands that ask a campaign folder: `sql` and `export`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mesonet.cli.campaigns import Folder, Json
from mesonet.cli.common import friendly, print_frame, print_json, stderr
from mesonet.errors import InputError, Problem
from mesonet.system.writing import table_bytes, write_atomically


class Format(StrEnum):
    """File format of a table."""

    csv = "csv"
    arrow = "arrow"
    parquet = "parquet"


@friendly
def sql(
    folder: Folder,
    query: Annotated[str, typer.Argument(help="A query; tables as `mesonet sql DIR tables`.")],
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
) -> None:
    """Answer an SQL query about a campaign, with DuckDB over its Parquet files.

    Tables are results, timings, failures, cells, conditions, and with `--series` one for each kind
    of time series. `mesonet sql DIR tables` lists them with their columns.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign.query import ask, tables

    if json and csv:
        raise InputError([Problem("--csv", "conflict", "expected one of --json and --csv")])
    campaign = Campaign.open(folder)
    frame = tables(campaign) if query.strip().lower() == "tables" else ask(campaign, query)
    if json:
        print_json(frame.to_dicts())
    elif csv:
        sys.stdout.write(frame.write_csv())
    else:
        print_frame(frame)


@friendly
def export(
    folder: Folder,
    kind: Annotated[Format, typer.Option("--format", help="Format of the file.")] = Format.csv,
    table: Annotated[
        str, typer.Option(help="Table to write: results, timings, failures, cells or conditions.")
    ] = "results",
    out: Annotated[
        Path | None, typer.Option(help="File to write; TABLE.FORMAT here by default.")
    ] = None,
) -> None:
    """Write a table of a campaign as one CSV, Arrow or Parquet file and print its path."""
    from mesonet.campaign import Campaign
    from mesonet.campaign.query import table_of

    frame = table_of(Campaign.open(folder), table)
    path = out or Path(f"{table}.{kind.value}")
    if path.exists():
        message = "expected the name of a new file, got one that exists"
        raise InputError([Problem(f"--out {path}", "occupied", message)])
    write_atomically(path, table_bytes(frame, kind.value))
    stderr.print(f"{frame.height} rows, {frame.width} columns")
    print(path)

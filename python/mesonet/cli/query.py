"""Commands that ask a campaign folder: `sql` and `export`."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import Folder, Json, friendly, print_json, stderr
from mesonet.cli.tables import All, print_table
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.tables.tabular import Tabular, table_bytes
from mesonet.writing import refuse_name

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


FORMATS = (".csv", ".arrow", ".parquet")
"""Endings of files of tables."""


@friendly
def sql(
    folder: Folder,
    query: Annotated[str, typer.Argument(help="A query; tables as `mesonet sql DIR tables`.")],
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    every: All = False,
) -> None:
    """Answer an SQL query about a campaign, in the SQL of Polars.

    Tables are results, timings, failures, cells, conditions, and with `--series` one for each kind
    of time series. `mesonet sql DIR tables` lists them with their columns.
    """
    from mesonet.campaign import Campaign
    from mesonet.campaign.query import ask, tables

    if json and csv:
        raise InputError([Problem("--csv", "conflict", "--json is another format; keep one")])
    campaign = Campaign.open(folder)
    is_list = query.strip().lower() == "tables"
    frame = tables(campaign) if is_list else ask(campaign, query)
    if json:
        print_json(frame.to_dicts())
    elif csv:
        sys.stdout.write(table_bytes(frame, "csv").decode())
    elif is_list and not every:
        for table, columns in frame.iter_rows():
            # A column and its type stay together.
            joined = columns.replace(", ", ",\n").replace(" ", "\N{NO-BREAK SPACE}")
            wrapped = textwrap.fill(f"{table}: {joined}", 78, subsequent_indent="  ")
            print(wrapped.replace("\N{NO-BREAK SPACE}", " "))
    else:
        print_table(frame, every=every)


@friendly
def export(
    folder: Folder,
    table: Annotated[
        str,
        typer.Option(
            help="Table to write: results, timings, failures, cells, conditions, or of an analysis."
        ),
    ] = "results",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="File to write: .csv, .arrow or .parquet; TABLE.csv by default."
        ),
    ] = None,
) -> None:
    """Write a table of a campaign as one CSV, Arrow or Parquet file and print its path.

    Parquet files have units and meanings of columns in their metadata.

    Packets (pcapng) and congestion state (qlog) of a run are not in the folder: `mesonet replay DIR
    RUN --pcapng FILE --qlog FILE` simulates it again and writes them.
    """
    from mesonet.campaign import Campaign

    path = out or Path(f"{table}.csv")
    refuse_name(path, "--out", FORMATS)
    if out is None and path.exists():
        message = f"{path} is here already; name a file"
        raise InputError([Problem("--out", "exists", message)])
    tables = _tables_with(Campaign.open(folder), table)
    frame = tables.to_frame(table)
    getattr(tables, f"to_{path.suffix.lower()[1:]}")(path, table=table)
    stderr.print(f"{frame.height} rows, {frame.width} columns")
    print(path)


def _tables_with(campaign: Campaign, table: str) -> Tabular:
    """A campaign, or its analysis that has a table."""
    from mesonet.analysis import REGISTRY
    from mesonet.cli.analyses import campaign_tables

    names = {
        shown.name: declared.name for declared in REGISTRY.values() for shown in declared.tables
    }
    if table in campaign.table_names():
        return campaign
    if table in names:
        return campaign_tables(campaign, [names[table]])
    hint = did_you_mean(table, [*campaign.table_names(), *names])
    hint = hint or f"; there are {', '.join(campaign.table_names())}, and those of analyses"
    raise InputError([Problem("--table", "unknown_table", f'no table "{table}"{hint}')])

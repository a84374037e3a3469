"""Commands that ask a campaign folder: `sql` and `export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from mesonet.cli.campaigns import Folder
from mesonet.cli.common import Force, Json, friendly, print_frame, print_json, stderr
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.system.place import refuse_foreign
from mesonet.system.tabular import Tabular, local_path
from mesonet.system.writing import TableFormat, table_bytes

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


FORMATS = ("csv", "arrow", "parquet")
"""Formats of tables."""
_REPLAYED = ("pcapng", "qlog")
"""Formats of what only another simulation of a run gives."""


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
        sys.stdout.write(table_bytes(frame, "csv").decode())
    else:
        print_frame(frame)


@friendly
def export(
    folder: Folder,
    kind: Annotated[
        str | None,
        typer.Option("--format", help="csv, arrow or parquet; the end of --out says it, or csv."),
    ] = None,
    table: Annotated[
        str,
        typer.Option(
            help="Table to write: results, timings, failures, cells, conditions, or of an analysis."
        ),
    ] = "results",
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="File to write; TABLE.FORMAT here by default.")
    ] = None,
    force: Force = False,
) -> None:
    """Write a table of a campaign as one CSV, Arrow or Parquet file and print its path.

    Parquet files have units and meanings of columns in their metadata.

    Packets (pcapng) and congestion state (qlog) of a run are not in the folder: `mesonet replay DIR
    RUN --pcapng FILE --qlog FILE` simulates it again and writes them.
    """
    from mesonet.campaign import Campaign

    chosen, path = _place(kind, table, out, force=force)
    tables = _tables_with(Campaign.open(folder), table)
    frame = tables.to_frame(table)
    match chosen:
        case "csv":
            tables.to_csv(path, table=table)
        case "arrow":
            tables.to_arrow(path, table=table)
        case "parquet":
            tables.to_parquet(path, table=table)
    stderr.print(f"{frame.height} rows, {frame.width} columns")
    print(path)


def _place(
    kind: str | None, table: str, out: str | None, *, force: bool
) -> tuple[TableFormat, Path]:
    """Format and path of the file to write.

    Raises:
        InputError: The format is unknown, or the path is none of a new file here.
    """
    ending = Path(out or "").suffix.lower().removeprefix(".")
    asked = kind or (ending if ending in FORMATS else "csv")
    problems = []
    if out == "-":
        message = 'expected the name of a file, got "-"; tables are not written to standard output'
        problems.append(Problem("--out", "no_file", message))
    elif kind is None and ending and ending not in (*FORMATS, *_REPLAYED):
        hint = did_you_mean(ending, FORMATS)
        message = f"expected a name that ends with .{', .'.join(FORMATS)}, or --format{hint}"
        problems.append(Problem(f"--out {out}", "suffix", message))
    elif kind in FORMATS and ending in FORMATS and ending != kind:
        message = f"expected a name that ends with .{kind}, or --format {ending}"
        problems.append(Problem(f"--out {out}", "conflict", message))
    if kind is None and ending in _REPLAYED:
        asked = ending
    if asked in _REPLAYED:
        place = "--format" if kind else f"--out {out}"
        message = (
            f"packets and congestion state are not in a campaign folder; "
            f"`mesonet replay DIR RUN --{asked} FILE` simulates a run again and writes them"
        )
        problems.append(Problem(place, "replayed_format", message))
    elif asked not in FORMATS:
        hint = did_you_mean(asked, FORMATS) or f"; there are {', '.join(FORMATS)}"
        problems.append(Problem("--format", "unknown_format", f'no format "{asked}"{hint}'))
    path = Path(f"{table}.{asked}")
    if out is not None:
        try:
            path = local_path(out, f"--out {out}")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    refuse_foreign([path], force=force)
    return cast("TableFormat", asked), path


def _tables_with(campaign: Campaign, table: str) -> Tabular:
    """A campaign, or its analysis that has a table.

    Raises:
        InputError: There is no such table; suggests one.
    """
    from mesonet.analysis import REGISTRY
    from mesonet.cli.analyses import campaign_tables

    names = {one.name: declared.name for declared in REGISTRY.values() for one in declared.tables}
    if table in campaign.table_names():
        return campaign
    if table in names:
        return campaign_tables(campaign, [names[table]])
    hint = did_you_mean(table, [*campaign.table_names(), *names])
    hint = hint or f"; there are {', '.join(campaign.table_names())}, and those of analyses"
    raise InputError([Problem("--table", "unknown_table", f'no table "{table}"{hint}')])

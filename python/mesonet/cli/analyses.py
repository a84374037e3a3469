"""The command that makes analyses and prints their tables."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import polars as pl
import typer

from mesonet.cli.campaigns import Folder
from mesonet.cli.common import Json, friendly, print_frame, print_json, stderr

if TYPE_CHECKING:
    from mesonet.analysis import Tables
    from mesonet.campaign import Campaign

SHORT = 40
"""Most rows of a table that is printed unasked."""
SCREEN = 500
"""Most rows of a table that is printed to a terminal."""


@friendly
def analyze(
    folder: Folder,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Analyses to make and to print whole; by default those of the plan.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Print long tables, too.")] = False,
    json: Json = False,
) -> None:
    """Make the analyses that the plan asks for, or those named, and print their tables.

    Short tables are printed, and of long ones how to get them.
    """
    from mesonet.campaign import Campaign

    campaign = Campaign.open(folder)
    tables = campaign_tables(campaign, names or [])
    if json:
        for note in dict.fromkeys(note for notes in tables.notes.values() for note in notes):
            stderr.print(f"note: {note}")
        print_json({name: frame.to_dicts() for name, frame in tables.items()})
        return
    whole = every or bool(names)
    short = {name for name, frame in tables.items() if whole or frame.height <= SHORT}
    for name in short_first(tables) if not whole else tables:
        if name in short:
            _print(name, tables)
    left_out = [name for name in tables if name not in short]
    if left_out:
        print("\nnot printed")
        for name in left_out:
            made_by = _analysis_of(name)
            print(
                f"{name}: {tables[name].height} rows; mesonet analyze {_quoted(folder)} {made_by}"
            )
    if not whole and left_out:
        print(f"All tables: mesonet analyze {_quoted(folder)} --all, or --json")


def short_first(tables: Tables) -> list[str]:
    """Names of tables, those with few rows first."""
    return sorted(tables, key=lambda name: tables[name].height > SHORT)


def campaign_tables(campaign: Campaign, names: list[str]) -> Tables:
    """Tables of analyses of a campaign; those that its plan asks for if no names are given."""
    from mesonet.analysis import analyze as analyze_frame
    from mesonet.analysis import option_problems, order_of
    from mesonet.errors import InputError

    plan = campaign.plan
    asked = plan.analysis.kinds()
    unknown = option_problems({name: {} for name in names})
    if unknown:
        raise InputError(unknown)
    kinds = {name: asked.get(name, {}) for name in names} or asked or {"describe": {}}
    return analyze_frame(
        campaign.results(),
        factors=[factor.name for factor in plan.factors],
        centre=None if plan.design is None else plan.design.centre_condition,
        responses=plan.responses,
        asked=plan.analysis.responses,
        order_by=order_of(plan.analysis.congestion_response, plan.responses),
        kinds=kinds,
        read_series=lambda run: campaign.traces(run).get("series"),
        planned=campaign.planned(),
    )


def _print(name: str, tables: Tables) -> None:
    frame: pl.DataFrame = tables[name]
    print(f"\n{name}")
    for note in tables.notes[name]:
        print(f"note: {note}")
    shown = frame.head(SCREEN) if sys.stdout.isatty() else frame
    print_frame(shown)
    if shown.height < frame.height:
        print(f"{frame.height - shown.height} rows left out; send the output to a file for all")


def _analysis_of(table: str) -> str:
    from mesonet.analysis import REGISTRY

    return next(
        name for name, one in REGISTRY.items() if table in {each.name for each in one.tables}
    )


def _quoted(folder: str) -> str:
    return shlex.quote(str(folder))

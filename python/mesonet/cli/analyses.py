"""The command that makes analyses and prints their tables."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import Folder, Json, friendly, print_json, stderr
from mesonet.cli.tables import All, means, print_table

if TYPE_CHECKING:
    from mesonet.analysis import Tables
    from mesonet.campaign import Campaign

SHORT = 16
"""Most rows of a table that are printed unasked."""


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
    every: All = False,
    json: Json = False,
) -> None:
    """Make the analyses that the plan asks for, or those named, and print their tables.

    First come means over all runs. Of tables those rows and columns are printed that fit a
    terminal, and how to get all.
    """
    from mesonet.campaign import Campaign
    from mesonet.report.headlines import headlines
    from mesonet.text import table

    campaign = Campaign.open(folder)
    tables = campaign_tables(campaign, names or [])
    if json:
        for note in dict.fromkeys(note for notes in tables.notes.values() for note in notes):
            stderr.print(f"note: {note}")
        print_json({name: frame.to_dicts() for name, frame in tables.items()})
        return
    if not names:
        columns = means(campaign.results(), campaign.plan.responses)
        print(table(headlines(campaign.plan.scenario, columns)))
    for name, frame in tables.items():
        print(f"\n{name}")
        rows = frame if names or every else frame.head(SHORT)
        print_table(rows, every=every)
        if more := frame.height - rows.height:
            print(f"{more} more rows: mesonet analyze {shlex.quote(folder)} --all, or --json")
    print()
    for note in dict.fromkeys(note for name in tables for note in tables.notes[name]):
        print(f"note: {note}")


def campaign_tables(campaign: Campaign, names: list[str]) -> Tables:
    """Tables of analyses of a campaign; those that its plan asks for if no names are given."""
    from mesonet.analysis import Subject, described, option_problems, tables_of
    from mesonet.errors import InputError

    plan = campaign.plan
    planned = plan.analysis.kinds()
    unknown = option_problems({name: {} for name in names})
    if unknown:
        raise InputError(unknown)
    kinds = {name: planned.get(name, {}) for name in names} or planned or {"describe": {}}
    subject = Subject(
        frame=campaign.results(),
        factors=[factor.name for factor in plan.factors],
        centre=None if plan.design is None else plan.design.centre_condition,
        responses=plan.responses,
        tested=plan.analysis.responses,
        about={name: described(name) for name in plan.responses},
        order_by=plan.analysis.congestion_response,
    )
    return tables_of(subject, kinds=kinds, planned=campaign.planned())

"""Commands for campaigns: `run`, `status` and `report`."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mesonet.cli.common import (
    Cluster,
    Folder,
    Json,
    Quiet,
    Workers,
    friendly,
    positive_time,
    print_json,
    report_failures,
    stderr,
)
from mesonet.cli.plans import read_plan
from mesonet.cli.progress import (
    CampaignProgress,
    describe_executing,
)
from mesonet.cli.trust import Trust
from mesonet.errors import InputError, Problem, gathered, show
from mesonet.text import plain
from mesonet.units import UnitError, parse_size
from mesonet.writing import refuse_name

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


@friendly
def run(
    file: Annotated[Path, typer.Argument(help="Plan file (TOML).")],
    out: Annotated[
        str,
        typer.Option("--out", "-o", help="Campaign folder, made if it does not exist."),
    ],
    workers: Workers = None,
    cluster: Cluster = None,
    reuse: Annotated[
        str | None, typer.Option(help="Campaign whose finished runs are taken.", show_default=False)
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run failed runs again, too.")
    ] = False,
    series: Annotated[
        bool, typer.Option("--series", help="Keep the time series of every run.")
    ] = False,
    max_time: Annotated[
        str | None, typer.Option(help='Longest time of one run by the clock, such as "2 h".')
    ] = None,
    max_memory: Annotated[
        str | None, typer.Option(help='Most memory of one run\'s process, such as "4 GB".')
    ] = None,
    trust: Trust = False,
    _quiet: Quiet = False,
) -> None:
    """Execute a plan into a folder, or resume it there."""
    from mesonet.campaign import Campaign, run_campaign
    from mesonet.campaign.sequential import stopping_of

    problems: list[Problem] = []
    seconds = memory = None
    with gathered(problems):
        seconds = positive_time("--max-time", max_time)
    with gathered(problems):
        memory = _bytes("--max-memory", max_memory)
    if problems:
        raise InputError(problems)
    loaded = read_plan(file, trust=trust)
    if reuse is not None:
        Campaign.open(reuse)  # What is no campaign is refused before the new one begins.
    with CampaignProgress() as progress:
        campaign = run_campaign(
            loaded,
            out=out,
            workers=workers,
            cluster=cluster,
            progress=progress,
            retry_failed=retry_failed,
            series=series,
            more=_say_more,
            reuse=reuse,
            max_seconds=seconds,
            max_memory=memory,
        )
    if state := stopping_of(campaign):
        stderr.print(state.text)
    if series and (bare := campaign.status()["done"] - len(campaign.runs_with_series())) > 0:
        stderr.print(
            f"{bare} runs were finished without their time series; a new folder keeps those of all "
            "runs, and `mesonet replay` makes those of a run again"
        )
    print(campaign.place)
    exit_if_failed(campaign)


def _bytes(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    with contextlib.suppress(UnitError):
        size = parse_size(text)
        if size.of == "bytes" and size.value >= 1:
            return int(size.value)
    message = f'expected bytes, such as "4 GB", got {show(text)}'
    raise InputError([Problem(option, "quantity", message)])


def _say_more(replicate: int, cells: int) -> None:
    stderr.print(f"{cells} cells are not known precisely enough; replicate {replicate} follows")


def exit_if_failed(campaign: Campaign) -> None:
    """Reports failed runs and damaged files and exits with 1, if there are any."""
    if failures := campaign.failures():
        stderr.print(f"{len(failures)} runs failed; `mesonet run --retry-failed` tries them again")
    report_failures(failures, campaign.store.damage())


@friendly
def status(folder: Folder, json: Json = False) -> None:
    """Show how many runs are done, failed and remaining; exit status 1 if any failed."""
    from mesonet.campaign import Campaign
    from mesonet.campaign.sequential import stopping_of

    campaign = Campaign.open(folder)
    counts, failures = campaign.status(), campaign.failures()
    executing, damage = campaign.progress(), campaign.store.damage()
    # What is damaged cannot be judged.
    stopping = None if damage else stopping_of(campaign)
    if json:
        data: dict[str, Any] = {"name": campaign.plan.name, **counts, "failures": failures}
        if damage:
            data["damaged"] = [error.file for error in damage]
        if stopping is not None:
            data["stopping"] = asdict(stopping)
        print_json(data | {"executing": executing})
    else:
        print(plain(f"{campaign.plan.name}: {campaign.plan.title}"))
        for state, count in counts.items():
            print(f"{state:<8} {count}")
        if stopping is not None:
            print(stopping.text)
        for line in describe_executing(executing):
            print(line)
    report_failures(failures, damage)


@friendly
def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write; report.html in the folder by default."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(help="Folder for all figures as SVG and PDF files.")
    ] = None,
) -> None:
    """Write the report of a campaign as one HTML file and print its path; simulates nothing.

    Beside it a JSON file of the same name holds all sentences and tables.
    """
    from mesonet.campaign import Campaign
    from mesonet.report import ReportInputs, build

    campaign = Campaign.open(folder)
    page = out or campaign.folder / "report.html"
    refuse_name(page, "--out")
    print(build(ReportInputs.from_campaign(campaign), page, figures=figures))

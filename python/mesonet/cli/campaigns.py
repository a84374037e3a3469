"""Commands for plans and campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mesonet.cli.common import FAILED, friendly, print_frame, print_json, stderr
from mesonet.cli.progress import CampaignProgress

if TYPE_CHECKING:
    import polars as pl

    from mesonet.campaign import Campaign

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
PlanFile = Annotated[Path, typer.Argument(help="Plan file (TOML).")]
Folder = Annotated[Path, typer.Argument(help="Campaign folder.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Processes; by default one per core.", show_default=False)
]


@friendly
def run(
    file: PlanFile,
    out: Annotated[Path, typer.Option(help="Campaign folder; made if it does not exist.")],
    workers: Workers = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Also run again what failed before.")
    ] = False,
    series: Annotated[
        bool, typer.Option("--series", help="Keep the time series of every run.")
    ] = False,
) -> None:
    """Execute a plan into a folder, or resume it there."""
    from mesonet.plan import load_plan
    from mesonet.sequential import run_plan

    loaded = load_plan(file)
    with CampaignProgress() as progress:
        campaign = run_plan(
            loaded,
            out=out,
            workers=workers,
            progress=progress,
            retry_failed=retry_failed,
            series=series,
            more=_say_more,
        )
    print(campaign.folder)
    exit_if_failed(campaign)


def _say_more(replicate: int, cells: int) -> None:
    """Says why a campaign goes on after all its replicates are done."""
    stderr.print(f"{cells} cells are not known precisely enough; replicate {replicate} follows")


def exit_if_failed(campaign: Campaign) -> None:
    """Says what failed and exits with 1, if anything did."""
    failures = campaign.failures()
    for run_id, error in failures.items():
        stderr.print(f"failed: {run_id}: {error.splitlines()[0]}")
    if failures:
        stderr.print(f"{len(failures)} runs failed; `mesonet run --retry-failed` tries them again")
        raise typer.Exit(FAILED)


@friendly
def status(folder: Folder, json: Json = False) -> None:
    """Show how many runs are done, failed and remaining; exit status 1 if any failed."""
    from mesonet.campaign import Campaign

    campaign = Campaign.open(folder)
    counts, failures = campaign.status(), campaign.failures()
    if json:
        print_json({"name": campaign.plan.name, **counts, "failures": failures})
    else:
        print(f"{campaign.plan.name}: {campaign.plan.title}")
        for state, count in counts.items():
            print(f"{state:<8} {count}")
    for run_id, error in failures.items():
        stderr.print(f"failed: {run_id}: {error.splitlines()[0]}")
    if failures:
        raise typer.Exit(FAILED)


@friendly
def analyze(folder: Folder, json: Json = False) -> None:
    """Make the analyses that the plan asks for and print their tables."""
    from mesonet.analysis import analyze as analyze_frame
    from mesonet.campaign import Campaign

    campaign = Campaign.open(folder)
    asked, kinds = campaign.plan.analysis, campaign.plan.analysis.kinds()
    tables = analyze_frame(
        campaign.results(),
        factors=[factor.name for factor in campaign.plan.factors],
        responses=list(asked.responses or campaign.plan.responses),
        kinds=kinds or {"describe": {}},
        read_series=lambda run: _kept_series(campaign, run),
    )
    if json:
        for note in dict.fromkeys(note for notes in tables.notes.values() for note in notes):
            stderr.print(f"note: {note}")
        print_json({name: frame.to_dicts() for name, frame in tables.items()})
        return
    for name, frame in tables.items():
        print(f"\n{name}")
        for note in tables.notes[name]:
            print(f"note: {note}")
        print_frame(frame)


def _kept_series(campaign: Campaign, run: str) -> pl.DataFrame | None:
    """The time series of a run that was executed with --series."""
    import polars as pl

    file = campaign.folder / "runs" / run / "series.parquet"
    return pl.read_parquet(file) if file.is_file() else None


@friendly
def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(help="File to write; report.html in the folder by default.")
    ] = None,
) -> None:
    """Write the report of a campaign as one HTML file and print its path; simulates nothing."""
    from mesonet.campaign import Campaign
    from mesonet.report import ReportInputs, build

    campaign = Campaign.open(folder)
    inputs = ReportInputs.from_campaign(campaign)
    print(build(inputs, out or campaign.folder / "report.html"))

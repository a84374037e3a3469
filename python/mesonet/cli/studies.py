"""Commands for studies: `study`, `score` and `new-study`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mesonet.cli.common import (
    FAILED,
    Cluster,
    Json,
    Quiet,
    Workers,
    aside,
    friendly,
    names_in,
    positive_time,
    print_json,
    report_failures,
    stderr,
)
from mesonet.cli.completion import studies
from mesonet.cli.progress import CampaignProgress
from mesonet.cli.trust import Trust
from mesonet.errors import InputError, Problem

if TYPE_CHECKING:
    from mesonet.studies.scorecard import Scorecard


@friendly
def study(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a study (`mesonet list studies`), or the folder of any other.",
            autocompletion=studies,
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder of the results. By default NAME, or the name with -results for a folder.",
        ),
    ] = None,
    size: Annotated[
        Literal["pocket", "desk", "population", "full"] | None,
        typer.Option(
            help="pocket takes minutes, desk about an hour, both on two cores; population is as "
            "published but for its duration, full is as published. By default the smallest."
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(help="Algorithms, separated by commas; by default the study's own."),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    replicates: Annotated[
        int | None,
        typer.Option(min=1, help="Replicates of every run; the study's own number by default."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed; the study's own by default.")
    ] = None,
    variants: Annotated[
        str | None,
        typer.Option(
            help="Variants, separated by commas, or all, or none; by default those of the size."
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(help='Simulated time of a run at size population, such as "60 s".'),
    ] = None,
    conditions: Annotated[
        str | None,
        typer.Option(
            help="Conditions whose runs are made now, by number, separated by commas; by default "
            "all. The folder takes the others later."
        ),
    ] = None,
    trust: Trust = False,
    _quiet: Quiet = False,
) -> None:
    """Execute or resume a study, write its page and print where it is."""
    from mesonet.controller import look_in
    from mesonet.studies import run_study

    look_in(*([Path(name)] if Path(name).is_dir() else []), Path.cwd())
    with CampaignProgress() as progress, aside():
        done = run_study(
            name,
            out=out,
            size=size,
            algorithms=None if algorithms is None else names_in("--algorithms", algorithms),
            seed=seed,
            replicates=replicates,
            variants=None if variants is None else _variants(variants),
            duration=positive_time("--duration", duration),
            conditions=None if conditions is None else _numbers(conditions),
            workers=workers,
            cluster=cluster,
            progress=progress,
            before=lambda cost: stderr.print(cost, highlight=False),
            trust=trust,
        )
    print(done.page)
    report_failures(done.failures)


@friendly
def score(
    results: Annotated[Path, typer.Argument(help="Folder of a campaign, or of a study's results.")],
    claims: Annotated[Path, typer.Argument(help="File of claims, such as claims.toml.")],
    json: Json = False,
) -> None:
    """Judge finished campaigns by the claims of a file. Nothing is simulated.

    Exit status 1 says that a claim disagrees, or that its figures have no data.
    """
    from mesonet.studies.scoring import failed, score_results

    card = score_results(results, claims)
    _say_unfinished(results)
    if json:
        print_json(card.to_dict())
    else:
        _print_card(card)
    if failed(card):
        raise typer.Exit(FAILED)


def _say_unfinished(results: Path) -> None:
    """Says how many runs the verdicts do not rest on, as a killed or failed campaign leaves."""
    from mesonet.campaign import Campaign
    from mesonet.store import MANIFEST

    for manifest in (*results.glob(MANIFEST), *sorted(results.glob(f"*/{MANIFEST}"))):
        counts = Campaign.open(manifest.parent).status()
        if missing := counts["total"] - counts["done"]:
            failed = f", of which {counts['failed']} failed" if counts["failed"] else ""
            lost = f"{missing} of {counts['total']} runs are missing{failed}"
            stderr.print(f"note: {manifest.parent}: {lost}; verdicts rest on the others")


@friendly
def new_study(
    folder: Annotated[Path, typer.Argument(help="New folder; its name is that of the study.")],
) -> None:
    """Make a folder with a small complete study: a plan, three claims and a page."""
    from mesonet.studies import CATALOGUE
    from mesonet.studies.new_study import new_study as make

    print(make(folder))
    # A name of the catalogue alone is the study that comes with mesonet.
    named = f"./{folder}" if str(folder) in CATALOGUE else str(folder)
    stderr.print(f"now: mesonet study {shlex.quote(named)}")


def _print_card(card: Scorecard) -> None:
    for entry in card.entries:
        print(f"{entry.verdict:<22}  {entry.claim.id}")
        figures = f"{'':24}measured {entry.measured}; published {entry.claim.published}"
        print(f"{figures}; agrees if {entry.claim.rule.words}")
    counts = card.counts()
    print(f"{counts['agrees']} of {card.scored} claims that can be scored agree")


def _numbers(text: str) -> list[int]:
    names = names_in("--conditions", text)
    if wrong := [name for name in names if not (name.isascii() and name.isdigit())]:
        message = f"expected numbers separated by commas, got {', '.join(wrong)}"
        raise InputError([Problem("--conditions", "type", message)])
    return [int(name) for name in names]


def _variants(text: str) -> list[str]:
    return [] if text == "none" else names_in("--variants", text)

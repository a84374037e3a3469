"""The command that runs a study that comes with mesonet."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mesonet.cli.budget import refuse_both
from mesonet.cli.campaigns import Workers
from mesonet.cli.common import FAILED, first_line, friendly, stderr
from mesonet.cli.progress import CampaignProgress
from mesonet.errors import PlanError, Problem


class SizeName(StrEnum):
    """Size of a study."""

    pocket = "pocket"
    desk = "desk"
    full = "full"


@friendly
def study(
    name: Annotated[str, typer.Argument(help="Name of the study; `mesonet list studies`.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder; named after the study by default.")
    ] = None,
    size: Annotated[
        SizeName | None,
        typer.Option(
            help="pocket takes minutes, desk about an hour, both on two cores; full is as "
            "published. By default the smallest."
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(help="Algorithms, separated by commas; by default the study's own."),
    ] = None,
    workers: Workers = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler, whose workers then execute the runs."),
    ] = None,
    replicates: Annotated[
        int | None,
        typer.Option(min=1, help="Replicates of every run; the study's own number by default."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed; the study's own by default.")
    ] = None,
) -> None:
    """Execute or resume a study, write its page and print where it is."""
    from mesonet.studies import run_study

    refuse_both(workers=workers, cluster=cluster)
    with CampaignProgress() as progress:
        done = run_study(
            name,
            out=out or Path(name),
            size=None if size is None else size.value,
            algorithms=None if algorithms is None else _names(algorithms),
            seed=seed,
            replicates=replicates,
            workers=workers,
            cluster=cluster,
            progress=progress,
        )
    print(done.page)
    for run, error in done.failures.items():
        stderr.print(f"failed: {run}: {first_line(error)}")
    if done.failures:
        stderr.print(f"{len(done.failures)} runs failed")
        raise typer.Exit(FAILED)


def _names(text: str) -> list[str]:
    names = [name for name in (part.strip() for part in text.split(",")) if name]
    if not names:
        message = f'expected names separated by commas, got "{text}"'
        raise PlanError([Problem("--algorithms", "empty", message)])
    return names

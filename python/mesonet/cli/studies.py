"""The command that runs a study that comes with mesonet."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mesonet.cli.campaigns import Workers, exit_if_failed
from mesonet.cli.common import FAILED, friendly, stderr
from mesonet.cli.progress import CampaignProgress
from mesonet.errors import PlanError, Problem


class SizeName(StrEnum):
    """How much of a bench."""

    pocket = "pocket"
    full = "full"


@friendly
def study(
    name: Annotated[str, typer.Argument(help="Name of the study; `mesonet list studies`.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder; named after the study by default.")
    ] = None,
    workers: Workers = None,
    replicates: Annotated[
        int | None,
        typer.Option(min=1, help="Replicates of a plan; the study's own number by default."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of a plan; the study's own by default.")
    ] = None,
    size: Annotated[
        SizeName | None,
        typer.Option(help="How much of a bench; pocket, which takes minutes, by default."),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(help="Algorithms of a bench, separated by commas; by default the size's own."),
    ] = None,
) -> None:
    """Execute or resume a study, write its page and print where it is."""
    from mesonet.studies import LAB_STUDIES, run_study

    plan_options = {"replicates": replicates, "seed": seed}
    bench_options = {"size": size, "algorithms": algorithms}
    if name not in LAB_STUDIES:
        _refuse(name, bench_options, "a plan")
        changes = {key: value for key, value in plan_options.items() if value is not None}
        with CampaignProgress() as progress:
            campaign, path = run_study(
                name, out=out or Path(name), workers=workers, progress=progress, **changes
            )
        print(path)
        exit_if_failed(campaign)
        return
    _refuse(name, plan_options, "a bench")
    with CampaignProgress() as progress:
        path, failures = LAB_STUDIES[name].run(
            out=out or Path(name),
            size="full" if size is SizeName.full else "pocket",
            algorithms=None if algorithms is None else _names(algorithms),
            workers=workers,
            progress=progress,
        )
    print(path)
    for run, error in failures.items():
        stderr.print(f"failed: {run}: {error.splitlines()[0]}")
    if failures:
        stderr.print(f"{len(failures)} runs failed; the same command tries them again")
        raise typer.Exit(FAILED)


def _names(text: str) -> list[str]:
    names = [name for name in (part.strip() for part in text.split(",")) if name]
    if not names:
        message = f'expected names separated by commas, got "{text}"'
        raise PlanError([Problem("--algorithms", "empty", message)])
    return names


def _refuse(study: str, options: dict[str, Any], kind: str) -> None:
    """Options that the kind of study does not have are a mistake, not to be passed over."""
    problems = [
        Problem(f"--{key}", "not_taken", f"{study} is {kind} and has no such option")
        for key, value in options.items()
        if value is not None
    ]
    if problems:
        raise PlanError(problems)

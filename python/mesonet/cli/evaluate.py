"""Command `evaluate`: the evidence that RFC 9743 asks for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from mesonet.cli.common import (
    Assignments,
    Candidate,
    Cluster,
    Json,
    Quiet,
    Workers,
    aside,
    friendly,
    names_in,
    parameters_in,
    print_json,
    refuse_beside,
    report_failures,
    stderr,
)
from mesonet.cli.completion import several_algorithms
from mesonet.cli.progress import CampaignProgress
from mesonet.cli.trust import Trust, require
from mesonet.errors import InputError, Problem, gathered


@friendly
def evaluate(
    context: typer.Context,
    candidate: Candidate,
    size: Annotated[
        Literal["pocket", "desk", "full"],
        typer.Option(
            help="pocket takes some minutes on two cores, desk about an hour, full an afternoon."
        ),
    ] = "pocket",
    criteria: Annotated[
        str | None,
        typer.Option(
            help="Sections of RFC 9743, such as 5.1.2,7.1, with those below them; by default all."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Algorithms that it is compared with; by default cubic,reno.",
            autocompletion=several_algorithms,
        ),
    ] = None,
    assignments: Assignments = None,
    packs: Annotated[
        str | None, typer.Option(help="Conformance packs to test, too, such as bbr,l4s.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder; by default NAME-evaluation.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 1,
    add: Annotated[
        list[Path] | None,
        typer.Option(
            help="Scenario to put into an evaluation that is there; may be repeated.",
            show_default=False,
        ),
    ] = None,
    reuse: Annotated[
        Path | None,
        typer.Option(
            help="Evaluation of another candidate: its runs of the baselines, its added scenarios.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="An evaluation.json; status 1 where a criterion is worse than there.",
            show_default=False,
        ),
    ] = None,
    trust: Trust = False,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
    _quiet: Quiet = False,
) -> None:
    """Make the evidence that RFC 9743 asks for of an algorithm, or resume it.

    Executes a designed experiment for each criterion, and writes a page and evaluation.json. Prints
    where it is worse than the baselines, and the page.
    """
    from mesonet.controller import name_of
    from mesonet.evaluation import execution
    from mesonet.evaluation.counter import files
    from mesonet.evaluation.inputs import described, folder_of, refuse_candidate
    from mesonet.evaluation.regression import in_both, read_evaluation, worse
    from mesonet.evaluation.sentences import foremost

    if add:
        # They are those of the folder.
        refuse_beside(context, "--add", "size", "seed", "baseline")
    folder, parameters = folder_of(candidate, out), parameters_in(assignments or ())
    if there := files(folder):
        refuse_candidate(folder, described(name_of(candidate), parameters))
    _require_trust([*(add or ()), *there], name_of(candidate), trust=trust)
    if reuse is not None and (added := files(reuse)):
        was = read_evaluation(reuse / execution.RESULT, "reuse").candidate
        _require_trust(added, was.name, trust=trust)
    base = None if against is None else read_evaluation(against)
    with CampaignProgress("runs of this experiment") as progress, aside():
        evaluation = execution.evaluate(
            candidate,
            parameters=parameters,
            size=size,
            criteria=None if criteria is None else names_in("--criteria", criteria),
            baseline=None if baseline is None else names_in("--baseline", baseline),
            packs=() if packs is None else names_in("--packs", packs),
            out=out,
            seed=seed,
            add=add or (),
            reuse=reuse,
            workers=workers,
            cluster=cluster,
            progress=progress,
            before=stderr.print,
        )
    if json:
        print_json(evaluation.model_dump(mode="json"))
    else:
        for heading, others in (("Worse for others", True), ("Worse by itself", False)):
            if own := foremost(evaluation.sentences, "worse", others=others):
                print(f"{heading} (baseline: its value → that of the candidate):")
            for it, more in own:
                rest = f"; {more} more" if more else ""
                print(f"{it.section} {it.experiment}: {it.text}{rest}")
        print(folder / execution.PAGE)
    groups = {} if base is None else worse(evaluation, base)
    if base is not None:
        cells = sum(map(len, groups.values()))
        common = len(in_both(evaluation, base))
        stderr.print(f"cells that are worse than in {against}: {cells} of {common} that both have")
    lines = [
        f"worse: {group}: {first}" + (f"; and {len(others)} more" if others else "")
        for group, (first, *others) in groups.items()
    ]
    report_failures(execution.failures(evaluation), lines)


def _require_trust(scenarios: Iterable[Path], candidate: str, *, trust: bool) -> None:
    """Refuses code in counter-scenarios, but for the candidate's: the user names what runs."""
    from mesonet.controller import code, outside_names
    from mesonet.evaluation.counter import read

    problems: list[Problem] = []
    for file in scenarios:
        with gathered(problems):
            require(file, outside_names(read(file).to_dict()) - {code(candidate)}, trust=trust)
    if problems:
        raise InputError(problems)

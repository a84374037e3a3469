"""Executes an evaluation: campaigns of its criteria, verdicts, JSON and page."""

from __future__ import annotations

import datetime as dt
import json
import platform
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.campaign import run_campaign
from mesonet.controller import Controller, name_of
from mesonet.errors import InputError, Problem, gathered
from mesonet.evaluation import counter
from mesonet.evaluation.cells import criterion_result, families, judge
from mesonet.evaluation.criteria import Size, chosen
from mesonet.evaluation.criteria import criteria as all_criteria
from mesonet.evaluation.inputs import (
    Inputs,
    asked_before,
    claim,
    described,
    folder_of,
    inputs,
    refuse_candidate,
)
from mesonet.evaluation.packs import check_names, check_pack
from mesonet.evaluation.regression import read_evaluation
from mesonet.evaluation.result import Evaluation, Provenance
from mesonet.evaluation.sentences import sentences
from mesonet.evaluation.statistics import LEVEL
from mesonet.store import MANIFEST
from mesonet.studies import run_study
from mesonet.studies.bench import Means
from mesonet.tables import result_version
from mesonet.workers import Progress
from mesonet.writing import write_atomically

if TYPE_CHECKING:
    from distributed import Client

RESULT, PAGE = "evaluation.json", "index.html"
"""Files of an evaluation's folder, beside the campaigns."""
STUDY, DEPLOYED = "deployment-mix", "5.3.2"
"""Study of a national network in which the candidate spreads, and its criterion."""


def evaluate(
    candidate: str | type[Controller],
    *,
    parameters: Mapping[str, float] | None = None,
    size: Size = "pocket",
    criteria: Iterable[str] | None = None,
    baseline: Iterable[str] | None = None,
    packs: Iterable[str] = (),
    out: str | Path | None = None,
    seed: int = 1,
    add: Iterable[str | Path] = (),
    reuse: str | Path | None = None,
    workers: int | None = None,
    cluster: str | Client | None = None,
    progress: Callable[[Progress], None] | None = None,
    before: Callable[[str], None] | None = None,
) -> Evaluation:
    """Makes the evidence that RFC 9743 asks for, and resumes it where it was stopped.

    Every criterion is a designed experiment in a campaign of its own. Where the candidate shares a
    path with others, their loss is set against what they lose among their own kind. The folder has
    `evaluation.json`, with a published schema, and a page, `index.html`.

    Args:
        candidate: Name of an algorithm, a class of Python's, a file of Python or a library that has
            one controller.
        parameters: Values of its parameters; the others have their defaults.
        size: "pocket" takes minutes on two cores, "desk" about an hour, "full" an afternoon.
        criteria: Sections of RFC 9743, such as "5.2.1"; by default all that have an experiment.
        baseline: Algorithms that it is compared with; CUBIC and Reno by default, but for the
            candidate.
        packs: Conformance packs whose statements are tested, too, such as "bbr".
        out: Folder, by default the name of the candidate with "-evaluation" behind it.
        seed: First seed of all experiments.
        add: Files of scenarios with a flow of the candidate, which join an evaluation that is
            there: its size, baselines and seed count, and no other criteria are run unless named.
        reuse: Folder of the evaluation of another candidate, or of another version of this one.
            Runs of the baselines among themselves are taken from there, and scenarios that were
            added there are added here.
        workers: Processes; one per core by default.
        cluster: Address of a Dask scheduler, or a client, instead.
        progress: Called with how far a campaign is.
        before: Called with words on each campaign before it begins.
    """
    folder, values = folder_of(candidate, out), dict(parameters or {})
    question: dict[str, Any] = {"parameters": values, "sections": criteria, "baseline": baseline}
    question |= {"size": size, "seed": seed}
    checked, tested = _checked(candidate, folder, question, packs, list(add), reuse)
    result = folder / RESULT
    there_now = read_evaluation(result, "out") if result.is_file() else None
    before_packs = there_now.packs if there_now else ()
    broken = there_now.deployment_errors if there_now else {}
    tell = before or (lambda _: None)
    means: Means = {"workers": workers, "cluster": cluster, "progress": progress}
    _execute(checked, partial(run_campaign, **means), reuse, tell)
    if checked.size != "pocket" and DEPLOYED in checked.sections and values:
        tell(f"{DEPLOYED} the study {STUDY} has all parameters at their defaults: not run")
    elif checked.size != "pocket" and DEPLOYED in checked.sections:
        tell(f"{DEPLOYED} the study {STUDY}, size {checked.size}")
        names = [checked.baselines[0], checked.candidate.name]
        asked: Any = {"size": checked.size, "seed": checked.seed, "algorithms": names}
        study = run_study(STUDY, out=folder / STUDY, **asked, **means)
        broken = dict(study.failures)
    evaluation = evaluated(checked, dict.fromkeys((*(it.name for it in before_packs), *tested)))
    evaluation = evaluation.model_copy(update={"deployment_errors": broken})
    write_atomically(result, evaluation.to_json().encode())
    from mesonet.evaluation.page import render_page, worst_traces

    traces = worst_traces(evaluation, folder, tell)
    write_atomically(folder / PAGE, render_page(evaluation, traces).encode())
    return evaluation


def _checked(
    candidate: str | type[Controller],
    folder: Path,
    question: dict[str, Any],
    packs: Iterable[str],
    add: list[str | Path],
    reuse: str | Path | None,
) -> tuple[Inputs, tuple[str, ...]]:
    """The question and the names of its packs, checked; the folder says then what it is asked.

    Scenarios that are added, and those of the folder to reuse, are copied into it.
    """
    problems: list[Problem] = []
    tested: tuple[str, ...] = ()
    with gathered(problems):
        tested = check_names(packs)
    other: dict[str, Any] = {}
    with gathered(problems):
        other = {} if reuse is None else _evaluation_in(Path(reuse), "reuse")
    if add:
        about = described(name_of(candidate), question["parameters"])
        refuse_candidate(folder, about)
        there = _evaluation_in(folder, "add")
        sections = () if question["sections"] is None else chosen(question["sections"])
        question |= {"sections": sections, "baseline": there["baselines"]}
        question |= {name: there[name] for name in ("size", "seed")}
    common = {name: question[name] for name in ("size", "seed")}
    if differing := [it for it, value in common.items() if other.get(it, value) != value]:
        message = f"expected the same {' and '.join(differing)} as in {reuse}"
        problems.append(Problem("reuse", "other_question", message))
    if add and not problems:
        counter.add(add, folder, candidate=about, baselines=there["baselines"], **common)
    with gathered(problems):
        checked = inputs(candidate, folder=folder, **question)
    if problems:
        raise InputError(problems)
    claim(folder, checked.about())
    if reuse is not None and (files := counter.files(Path(reuse))):
        own, versus = checked.candidate, checked.baselines
        was = read_evaluation(Path(reuse) / RESULT, "reuse").candidate
        counter.add(files, folder, candidate=own, before=was, baselines=versus, **common)
        checked = inputs(candidate, folder=folder, **question)
    return checked, tested


def _execute(
    checked: Inputs,
    run: Callable[..., Any],
    reuse: str | Path | None,
    tell: Callable[[str], None],
) -> None:
    """Executes the experiments, and those with an undecided cell again with more replicates."""
    folder = checked.folder
    asked = [it for it in checked.plans if it.criterion.section in checked.sections]
    for family in families(asked):
        for each in family:
            tell(f"{each.plan.title}, profile {each.profile}")
            # A copy takes its runs with it: those of all experiments are gigabytes.
            run(replace(each.plan), out=folder / each.folder, reuse=_campaign(reuse, each.folder))
        for part in judge(family, folder, first=True):
            longer, among = part.experiment.longer, part.undecided()
            if longer is not None and among:
                tell(f"{longer.title}: {longer.replicates} replicates where it is undecided")
                place = part.experiment.folder
                run(longer, out=folder / place, conditions=among, reuse=_campaign(reuse, place))


def _evaluation_in(folder: Path, place: str) -> dict[str, Any]:
    """What the evaluation in a folder was asked."""
    there = asked_before(folder)
    if "baselines" not in there:  # a search has such a file, too
        message = f"expected an evaluation in {folder}, there is none"
        raise InputError([Problem(place, "no_evaluation", message)])
    return there


def _campaign(evaluation: str | Path | None, folder: str) -> Path | None:
    """The campaign of an experiment in another evaluation, if it is there."""
    campaign = Path(evaluation or "") / folder
    return campaign if evaluation and (campaign / MANIFEST).is_file() else None


def _deployed(folder: Path) -> tuple[str, ...]:
    """What the study of a deployment says on the criteria, if it was run."""
    file = folder / STUDY / f"{STUDY}.json"
    if not file.is_file():
        return ()
    parts = json.loads(file.read_text("utf-8"))["sections"].items()
    return tuple(it for name, part in parts if name.startswith("rfc-9743") for it in part["text"])


def failures(evaluation: Evaluation) -> dict[str, str]:
    """Errors of the candidate's runs, by experiment and condition; without cells, their number."""
    experiments = [it for criterion in evaluation.criteria for it in criterion.experiments]
    errors = {
        f"{each.folder}, condition {cell.condition}": error
        for each in experiments
        for cell in each.cells
        for error in cell.errors
    }
    bare = {it.folder: f"{it.failed} runs" for it in experiments if it.failed and not it.cells}
    deployed = {f"{STUDY}, {run}": it for run, it in evaluation.deployment_errors.items()}
    return errors | bare | deployed


def evaluated(checked: Inputs, packs: Iterable[str] = ()) -> Evaluation:
    """The evaluation of the campaigns that a folder holds, with the statements of packs."""
    own = checked.candidate
    results_of_packs = [
        check_pack(own.name, each, seed=checked.seed, parameters=own.parameters) for each in packs
    ]
    name, folder, plans = checked.called, checked.folder, checked.plans
    asked_for = {it.section: it for it in (*all_criteria(), *(it.criterion for it in plans))}
    results = [criterion_result(each, plans, folder) for each in asked_for.values()]
    into = [] if folder == folder_of(name, None) else ["--out", str(folder)]
    again = ["mesonet", "evaluate", name, *own.options, *into]
    command = [*again, "--size", checked.size]
    command += ["--baseline", ",".join(checked.baselines), "--seed", str(checked.seed)]
    every = chosen(None)
    ran = [each.section for each in results if each.status == "run" and each.section in every]
    if len(ran) < len(every):
        command += ["--criteria", ",".join(ran)]
    if results_of_packs:
        command += ["--packs", ",".join(each.name for each in results_of_packs)]
    added = [[*again, "--add", str(file)] for file in counter.files(folder)]
    return Evaluation(
        candidate=checked.candidate,
        baselines=checked.baselines,
        size=checked.size,
        seed=checked.seed,
        level=LEVEL,
        command=" && ".join([shlex.join(command), *map(shlex.join, added)]),
        criteria=tuple(results),
        sentences=(*sentences(results, "worse"), *sentences(results, "better")),
        packs=tuple(results_of_packs),
        deployment=_deployed(folder),
        provenance=Provenance(
            mesonet=version("mesonet"),
            result_version=result_version(),
            python=platform.python_version(),
            platform=platform.platform(),
            date=dt.datetime.now(dt.UTC).date().isoformat(),
        ),
    )

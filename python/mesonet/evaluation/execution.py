"""Executes an evaluation: campaigns of its criteria, verdicts, JSON and page."""

from __future__ import annotations

import datetime as dt
import json
import platform
import shlex
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet.campaign import Campaign, run_campaign
from mesonet.controller import Controller
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.evaluation.candidate import described, name_of, refuse
from mesonet.evaluation.cells import Excess, excesses, experiment_result
from mesonet.evaluation.criteria import Criterion, Size, chosen, criteria
from mesonet.evaluation.plans import Designed, designed
from mesonet.evaluation.result import (
    Candidate,
    CriterionResult,
    Evaluation,
    ExperimentResult,
    Provenance,
)
from mesonet.evaluation.sentences import sentences
from mesonet.evaluation.statistics import LEVEL, judged
from mesonet.plan import cpu_seconds
from mesonet.store import MANIFEST
from mesonet.system.writing import write_atomically
from mesonet.tables import result_version
from mesonet.workers import Progress

if TYPE_CHECKING:
    from distributed import Client

BASELINES = ("cubic", "reno")
INPUTS, RESULT, PAGE = "inputs.json", "evaluation.json", "index.html"
"""Files of an evaluation's folder, beside the campaigns."""


def evaluate(
    candidate: str | type[Controller],
    *,
    size: Size = "pocket",
    criteria: Iterable[str] | None = None,
    baseline: Iterable[str] | None = None,
    out: str | Path | None = None,
    seed: int = 1,
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
        size: "pocket" takes minutes, "desk" an evening, "full" a day or a cluster.
        criteria: Sections of RFC 9743, such as "5.2.1"; by default all that have an experiment.
        baseline: Algorithms that it is compared with; CUBIC and Reno by default, but for the
            candidate.
        out: Folder, by default the name of the candidate with "-evaluation" behind it.
        seed: First seed of all experiments.
        workers: Processes; one per core by default.
        cluster: Address of a Dask scheduler, or a client, instead.
        progress: Called with how far a campaign is.
        before: Called with words on each campaign before it begins.
    """
    asked, folder, plans, about = prepared(
        candidate, size=size, criteria=criteria, baseline=baseline, out=out, seed=seed
    )
    tell = before or (lambda _: None)
    for each in plans:
        if each.criterion.section in asked:
            tell(f"{each.plan.title}, profile {each.profile}")
            run_campaign(
                each.plan,
                out=folder / each.folder,
                workers=workers,
                cluster=cluster,
                progress=progress,
            )
    evaluation = evaluated(folder, plans, about)
    from mesonet.evaluation.page import render_page

    write_atomically(folder / RESULT, evaluation.to_json().encode())
    write_atomically(folder / PAGE, render_page(evaluation).encode())
    return evaluation


def prepared(
    candidate: str | type[Controller],
    *,
    size: Size,
    criteria: Iterable[str] | None,
    baseline: Iterable[str] | None,
    out: str | Path | None,
    seed: int,
) -> tuple[tuple[str, ...], Path, list[Designed], dict[str, Any]]:
    """Sections, folder, plans and inputs; all is checked before the folder is made."""
    name = name_of(candidate)
    baselines = list(baseline) if baseline is not None else [it for it in BASELINES if it != name]
    problems = refuse(name, baselines)
    sections: tuple[str, ...] = ()
    try:
        sections = chosen(criteria)
    except InputError as error:
        problems += error.problems
    if size not in ("pocket", "desk", "full"):
        hint = did_you_mean(size, ("pocket", "desk", "full"))
        problems.append(Problem("size", "unknown_size", f"expected pocket, desk or full{hint}"))
    if problems:
        raise InputError(problems)
    about = {
        "candidate": described(name).model_dump(mode="json"),
        "baselines": baselines,
        "size": size,
        "seed": seed,
    }
    folder = folder_of(name, out)
    _refuse_other(folder, about)
    plans = _plans(name, baselines, size, seed)
    for each in plans:
        if each.criterion.section in sections:
            # All are known to be simulated before any is.
            each.plan.runs()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / INPUTS, (json.dumps(about, indent=1) + "\n").encode())
    return sections, folder, plans, about


def folder_of(candidate: str | type[Controller], out: str | Path | None) -> Path:
    """Folder of an evaluation: without `out` by the class, or what a library calls it."""
    if out is not None:
        return Path(out)
    name = name_of(candidate)
    short = name.rpartition(".")[2] if name.startswith("python:") else name.rpartition(":")[2]
    return Path(f"{short}-evaluation")


def failures(evaluation: Evaluation) -> dict[str, str]:
    """Errors of the candidate's runs, by experiment and condition."""
    return {
        f"{each.folder}, condition {cell.condition}": error
        for criterion in evaluation.criteria
        for each in criterion.experiments
        for cell in each.cells
        for error in cell.errors
    }


def _refuse_other(folder: Path, about: dict[str, Any]) -> None:
    """Refuses a folder of another evaluation, or with other files in it."""
    if not folder.exists():
        return
    place = folder / INPUTS
    entries = sorted(it.name for it in folder.iterdir()) if folder.is_dir() else ["a file"]
    if not place.is_file():
        if entries:
            message = f"{folder} is no folder of an evaluation: it has {', '.join(entries[:3])}"
            raise InputError([Problem("out", "not_empty", f"{message}; choose a new one")])
        return
    there = json.loads(place.read_text("utf-8"))
    other = [key for key, value in about.items() if there.get(key) != value]
    if other:
        shown = "; ".join(
            f"{key} {_words(there.get(key))}, not {_words(about[key])}" for key in other
        )
        message = f"{folder} is of another evaluation: {shown}; choose a new folder"
        raise InputError([Problem("out", "other_evaluation", message)])


def _words(value: Any) -> str:
    if isinstance(value, dict):
        code = f" ({value['sha256'][:12]})" if value.get("sha256") else ""
        return f"{value.get('name')}{code}"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _plans(candidate: str, baselines: Sequence[str], size: Size, seed: int) -> list[Designed]:
    return [
        designed(
            criterion,
            experiment,
            candidate=candidate,
            baselines=baselines,
            size=size,
            seed=seed,
            profile=profile,
        )
        for criterion in criteria()
        for experiment in criterion.experiments
        for profile in ("rfc", *experiment.profiles)
    ]


def cost(plans: Iterable[Designed]) -> tuple[int, float]:
    """Runs of some experiments, and their processor time by the model of plans [s]."""
    runs = [run for each in plans for run in each.plan.runs()]
    return len(runs), cpu_seconds(run.expected for run in runs)


def evaluated(folder: Path, plans: Sequence[Designed], about: dict[str, Any]) -> Evaluation:
    """The evaluation of the campaigns that a folder holds."""
    results = [_criterion(each, plans, folder) for each in criteria()]
    candidate = Candidate.model_validate(about["candidate"])
    command = ["mesonet", "evaluate", candidate.name, "--size", about["size"]]
    command += ["--baseline", ",".join(about["baselines"]), "--seed", str(about["seed"])]
    ran = [each.section for each in results if each.status == "run"]
    if len(ran) < len(chosen(None)):
        command += ["--criteria", ",".join(ran)]
    return Evaluation(
        candidate=candidate,
        baselines=tuple(about["baselines"]),
        size=about["size"],
        seed=about["seed"],
        level=LEVEL,
        command=shlex.join(command),
        criteria=tuple(results),
        sentences=(*sentences(results, "more harm"), *sentences(results, "less harm")),
        provenance=Provenance(
            mesonet=version("mesonet"),
            result_version=result_version(),
            python=platform.python_version(),
            platform=platform.platform(),
            date=dt.datetime.now(dt.UTC).date().isoformat(),
        ),
    )


def _criterion(criterion: Criterion, plans: Sequence[Designed], folder: Path) -> CriterionResult:
    """Verdicts on all cells of a criterion, as far as its campaigns were run.

    Those of a profile are judged together: other profiles ask the same again.
    """
    family: dict[str, list[tuple[Designed, Campaign, list[Excess]]]] = {}
    for each in plans:
        if each.criterion is criterion and (campaign := _executed(each, folder)) is not None:
            part = (each, campaign, excesses(each, campaign))
            family.setdefault(each.profile, []).append(part)
    experiments: list[ExperimentResult] = []
    for parts in family.values():
        verdicts = judged([cell.assessed for _, _, cells in parts for cell in cells])
        for each, campaign, cells in parts:
            own, verdicts = verdicts[: len(cells)], verdicts[len(cells) :]
            experiments.append(experiment_result(each, campaign, cells, own))
    designed_only = "not asked for" if criterion.status == "designed" else criterion.status
    return CriterionResult(
        section=criterion.section,
        title=criterion.title,
        strength=criterion.strength,
        asks=criterion.asks,
        status="run" if experiments else designed_only,
        covered_by=criterion.covered_by,
        why=criterion.why,
        omits=criterion.omits,
        experiments=tuple(experiments),
    )


def _executed(experiment: Designed, folder: Path) -> Campaign | None:
    """The campaign of an experiment; none where it was not run, or by another design."""
    place = folder / experiment.folder
    if not (place / MANIFEST).exists():
        return None
    campaign = Campaign.open(place)
    return campaign if campaign.plan.to_dict() == experiment.plan.to_dict() else None

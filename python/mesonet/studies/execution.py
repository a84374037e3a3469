"""Executes studies: runs, output, verdicts, page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.manifest import circumstances
from mesonet.controller import fingerprints, outside_names, untrusted, written_in
from mesonet.errors import InputError, PlanError, Problem
from mesonet.plan import cpu_seconds
from mesonet.studies.bench import BenchOutcome, measure_all
from mesonet.studies.catalogue import CATALOGUE, find_study
from mesonet.studies.page import StudyPage, write_study
from mesonet.studies.scorecard import Scorecard, score
from mesonet.studies.sharing import take_over
from mesonet.studies.study import SIZES, Options, Prepared, RunResults, Size, Study, StudyOutput
from mesonet.workers import Progress

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Predicted:
    """Cost of the runs of a study, before any is made.

    Attributes:
        runs: Runs of its plans, finished ones among them.
        packets: Packets that they are expected to send.
        cpu_seconds: Processor time that they are expected to take [s].
    """

    runs: int
    packets: float
    cpu_seconds: float


@dataclass(frozen=True)
class StudyRun:
    """A study that has been run.

    Attributes:
        page: Path of its page.
        failures: Errors of the runs that failed, by name.
        scorecard: Published beside measured; None if nothing is published, or nothing on the
            algorithms that were asked for.
    """

    page: Path
    failures: Mapping[str, str]
    scorecard: Scorecard | None


def run_study(
    name: str | Path,
    *,
    out: str | Path | None = None,
    size: Size | None = None,
    algorithms: Iterable[str] | None = None,
    seed: int | None = None,
    replicates: int | None = None,
    variants: Iterable[str] | None = None,
    duration: float | None = None,
    conditions: Iterable[int] | None = None,
    workers: int | None = None,
    cluster: str | Client | None = None,
    progress: Callable[[Progress], None] | None = None,
    before: Callable[[Predicted], None] | None = None,
    trust: bool = True,
) -> StudyRun:
    """Executes or resumes a study in a folder and writes its page there.

    Args:
        name: name of the study, or the folder with its files.
        out: folder of the results; made if it does not exist. By default the name of the study,
            with "-results" behind it for a study in a folder.
        size: size of the study; by default the smallest that it has.
        algorithms: names of controllers; by default the study's own.
        seed: seed of the runs; by default the study's own.
        replicates: number of replicates of every run; by default the study's own.
        variants: ids of the variants to run, or "all"; by default those of the size.
        duration: simulated time of a run at size population [s]; by default the study's own.
        conditions: conditions whose runs are made now; the folder takes the others later. By
            default all. What needs all of them cannot be computed until they are there.
        workers: processes; by default one per core.
        cluster: address of a Dask scheduler, or its client, instead of processes here.
        progress: called with how far the study is.
        before: called with the expected cost at sizes population and full, before any run.
        trust: code that the files of a study name is run; that of `algorithms` always is.

    Raises:
        PlanError: there is no such study, it has no such size, or an option does not fit.
        StudyError: the files of a study's folder do not fit.
        ScenarioError: an algorithm does not exist; nothing is run then.
        CampaignError: the folder cannot be used, or the cluster cannot be reached.
        InputError: a page has the name of a file that mesonet did not write; nothing is run then.
    """
    trust = trust or str(name) in CATALOGUE
    study = find_study(name, trust=trust)
    chosen = size_of(study, size)
    names = None if algorithms is None else tuple(dict.fromkeys(algorithms))
    asked = None if variants is None else tuple(dict.fromkeys(variants))
    asked_conditions = None if conditions is None else tuple(sorted(set(conditions)))
    options = Options(chosen, names, seed, replicates, asked, duration, asked_conditions)
    prepared = study.prepare(options)
    if not trust and (refused := untrusted(name, _code(prepared).difference(names or ()))):
        raise PlanError(refused)
    folder = Path(out or (study.name if str(name) in CATALOGUE else f"{study.name}-results"))
    if before is not None and chosen in ("population", "full"):
        before(predicted(prepared))
    run_results = execute_runs(
        prepared, out=folder, workers=workers, cluster=cluster, progress=progress
    )
    reports = _reports(prepared, run_results)
    if prepared.evaluate is None:
        (page,) = reports.values()
        return StudyRun(page, run_results.failures, None)
    output, card = judge(study, chosen, prepared, run_results)
    if names is not None and card is not None and not card.says_something:
        # Other algorithms were asked for than those that something is published on.
        card = None
    states = [campaign.status() for campaign in run_results.campaigns.values()]
    some = prepared.conditions is not None
    count = len(prepared.items) + sum(
        each["done"] + each["failed"] if some else each["total"] for each in states
    )
    contents = StudyPage(
        title=study.title,
        question=study.question,
        size=f"Size “{chosen}”: {output.size or study.sizes[chosen]}.",
        facts={"Size": chosen, "Runs": f"{count:,}", **output.facts},
        sections=output.sections,
        introduction=output.introduction,
        settings={"Source": study.source, **prepared.settings, **origin(prepared, run_results)},
        scorecard=card,
        failures=run_results.failures,
        reports={
            label or study.name: str(path.relative_to(folder)) for label, path in reports.items()
        },
    )
    return StudyRun(write_study(contents, folder, study.name), run_results.failures, card)


def _code(prepared: Prepared) -> set[str]:
    """Names of controllers that are code of others."""
    plans = [plan.to_dict() for plan in prepared.plans.values()]
    names = [name for item in prepared.items for name in item.scenario.algorithm_places()]
    return outside_names([plans, names])


def size_of(study: Study, size: Size | None) -> Size:
    """A size that the study has; the smallest for None.

    Raises:
        PlanError: it has no such size.
    """
    have: list[Size] = [each for each in SIZES if each in study.sizes]
    if size is None:
        return have[0]
    if size not in have:
        message = f'expected {" or ".join(have)}, got "{size}": {study.name} has no other size'
        raise PlanError([Problem("size", "unknown_size", message)])
    return size


def predicted(prepared: Prepared) -> Predicted:
    """The cost of the campaigns of a study, by the model of plans; nothing is run.

    Raises:
        PlanError: a run of a plan cannot be simulated.
    """
    some = prepared.conditions
    found = {
        run.id: run.expected
        for plan in prepared.plans.values()
        for run in plan.runs()
        if some is None or run.condition in some
    }
    packets = sum(each.packets for each in found.values())
    return Predicted(len(found), packets, cpu_seconds(found.values()))


def execute_runs(
    prepared: Prepared,
    *,
    out: Path,
    workers: int | None = None,
    cluster: str | Client | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RunResults:
    """Runs what a folder does not hold yet.

    Raises:
        ScenarioError: a scenario cannot be simulated; nothing is run then.
        PlanError: a run of a plan cannot be simulated; nothing is run then.
        CampaignError: the folder cannot be used, or the cluster cannot be reached.
    """
    if bool(prepared.items) + len(prepared.plans) > 1:
        # Each of them is checked before it begins; together they have to be before any does.
        for plan in prepared.plans.values():
            plan.runs()
    measured = BenchOutcome({}, {})
    if prepared.items:
        measured = measure_all(
            prepared.items, out=out, workers=workers, cluster=cluster, progress=progress
        )
    campaigns: dict[str, Campaign] = {}
    failures = dict(measured.failures)
    for name, plan in prepared.plans.items():
        if name in prepared.like:
            take_over(plan, out / prepared.like[name], out / name)
        campaigns[name] = run_campaign(
            plan,
            out=out / name,
            conditions=prepared.conditions,
            workers=workers,
            cluster=cluster,
            progress=progress,
        )
        prefix = f"{name}: " if name else ""
        failures |= {prefix + run: error for run, error in campaigns[name].failures().items()}
    ends = [
        str(end)
        for campaign in campaigns.values()
        for end in campaign.timings()["finished"].drop_nulls()
    ]
    return RunResults(measured.results, campaigns, failures, out, max(measured.finished, *ends, ""))


def origin(prepared: Prepared, run_results: RunResults) -> dict[str, str]:
    """Provenance of the runs, for the settings of the page.

    It has the time at which the last run was finished, the versions and the machine that put the
    page together, and the content of every controller that is not built in.
    """
    about = circumstances()
    scenarios = [item.scenario for item in prepared.items]
    for plan in prepared.plans.values():
        scenarios += [run.scenario for run in plan.runs() if run.replicate == 1]
    prints = fingerprints({name for scenario in scenarios for name in scenario.algorithm_places()})
    controllers = "; ".join(
        f"{name}: {digest} ({', '.join(written_in(name))})" for name, digest in prints.items()
    )
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    told = {
        "Last run finished": run_results.finished,
        "Versions": versions,
        "Platform": about["platform"],
        "Revision of the working folder": about["git_revision"] or "",
        "Controllers (SHA-256)": controllers,
    }
    return {name: value for name, value in told.items() if value}


def judge(
    study: Study, size: Size, prepared: Prepared, run_results: RunResults
) -> tuple[StudyOutput, Scorecard | None]:
    """Output of the study, and the verdicts on its claims; None without such claims.

    Raises:
        InputError: the study's files or code do not fit; runs that failed are told before, as what
            fails may rest on them.
    """
    assert prepared.evaluate is not None
    try:
        output = prepared.evaluate(run_results)
    except InputError as error:
        failed = [
            Problem(f"run {name}", "failed", f"failed: {text.splitlines()[0]}")
            for name, text in run_results.failures.items()
        ]
        raise type(error)([*failed, *error.problems]) from error
    if not study.claims:
        return output, None
    card = score(study.name, size, study.claims, output.figures, output.without)
    return output, replace(card, variants=output.variants)


def _reports(prepared: Prepared, run_results: RunResults) -> dict[str, Path]:
    if not run_results.campaigns:
        return {}
    # The report brings its drawing libraries, which no run needs.
    from mesonet.report import ReportInputs, build

    return {
        name: build(ReportInputs.from_campaign(campaign), campaign.folder / "report.html")
        for name, campaign in run_results.campaigns.items()
        if name not in prepared.like
    }

"""Executes studies: runs, output, verdicts, page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Unpack

import polars as pl

from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.manifest import circumstances
from mesonet.controller import fingerprints, name_of, outside_names, untrusted, written_in
from mesonet.errors import PlanError, unknown
from mesonet.plan import Plan, cpu_seconds
from mesonet.store import MANIFEST, Files, Parts, Store
from mesonet.studies.bench import Means, measure_all
from mesonet.studies.folder import CATALOGUE, Study, find_study
from mesonet.studies.page import write_study
from mesonet.studies.runs import Runs
from mesonet.studies.scorecard import Scorecard
from mesonet.studies.study import SIZES, Options, RunResults, Size


@dataclass(frozen=True)
class StudyRun:
    """A study that has been run: its page, and errors of the runs that failed, by name.

    There is no scorecard if nothing is published, or nothing on the algorithms asked for.
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
    before: Callable[[str], None] | None = None,
    trust: bool = True,
    **means: Unpack[Means],
) -> StudyRun:
    """Executes or resumes a study, by name or in a folder of its own, and writes its page.

    Results go to `out`, by default the name of the study, with "-results" behind it for a folder.
    By default the size is the smallest, and algorithms, seed, replicates and the `duration` of a
    run at size population [s] are the study's own. Variants are ids, "all", or those of the size.
    Where only some `conditions` run now, by number, the folder takes the others later.

    `before` is called with the expected cost at sizes population and full, before any run. Code
    that the files of a study name runs if trusted, that of `algorithms` always.
    """
    trust = trust or str(name) in CATALOGUE
    study = find_study(name, trust=trust)
    names = None if algorithms is None else tuple(dict.fromkeys(map(name_of, algorithms)))
    chosen = None if variants is None else tuple(dict.fromkeys(variants))
    some = None if conditions is None else tuple(sorted(set(conditions)))
    size = size_of(study, size)
    options = Options(size, names, seed, replicates, chosen, duration, some)
    runs = study.prepare(options)
    plans = [plan.to_dict() for plan in runs.plans.values()]
    code = outside_names([plans, [item.scenario.algorithm_places() for item in runs.items]])
    if not trust and (refused := untrusted(name, code.difference(names or ()))):
        raise PlanError(refused)
    folder = Path(out or (study.name if str(name) in CATALOGUE else f"{study.name}-results"))
    pages = {it: folder / it / "report.html" for it in runs.plans if it not in runs.like}
    if before is not None and options.size in ("population", "full"):
        before(cost(runs))
    results = execute_runs(runs, out=folder, **means)
    for label, path in pages.items():
        # The report brings its drawing libraries, which no run needs.
        from mesonet.report import ReportInputs, build

        build(ReportInputs.from_campaign(results.campaigns[label]), path)
    if not runs.has_page:
        return StudyRun(pages[""], results.failures, None)
    page = runs.evaluate(results)
    card = page.scorecard
    if names is not None and card and card.counts()["not computable"] == len(card.entries):
        # Other algorithms were asked for than those that something is published on.
        card = None
    count = counted(len(runs.items), (it.status() for it in results.campaigns.values()))
    page = replace(
        page,
        facts={"Size": options.size, "Runs": count, **page.facts},
        settings={**page.settings, **origin(runs, results)},
        scorecard=card,
        reports={it or study.name: str(path.relative_to(folder)) for it, path in pages.items()},
    )
    return StudyRun(write_study(page, folder, study.name), results.failures, card)


def counted(items: int, states: Iterable[Mapping[str, int]]) -> str:
    """The number of runs by themselves and in campaigns; of a part, how many of all are done."""
    total = left = 0
    for state in states:
        total, left = total + state["total"], left + state["running"] + state["pending"]
    whole = f"{items + total:,}"
    return f"{items + total - left:,} of {whole}" if left else whole


def size_of(study: Study, size: Size | None) -> Size:
    """A size that the study has; the smallest for None."""
    have = [size for size in SIZES if size in study.sizes]
    if size is None:
        return have[0]
    if problems := unknown("size", "unknown_size", size, have):
        raise PlanError(problems)
    return size


def cost(runs: Runs) -> str:
    """The cost of the campaigns of a study in words, by the model of plans; nothing is run."""
    some, planned = runs.options.conditions, chain(*(it.runs() for it in runs.plans.values()))
    expected = {it.id: it.expected for it in planned if some is None or it.condition in some}
    packets = sum(run.packets for run in expected.values())
    hours = cpu_seconds(expected.values()) / 3600
    return f"{len(expected)} runs, expected: {packets:.2g} packets, {hours:.2g} CPU-hours"


def execute_runs(runs: Runs, *, out: Path, **means: Unpack[Means]) -> RunResults:
    """Runs what a folder does not hold yet; nothing if any part cannot be simulated."""
    if bool(runs.items) + len(runs.plans) > 1:
        # Each of them is checked before it begins; together they have to be before any does.
        for plan in runs.plans.values():
            plan.runs()
    results = RunResults({}, {}, {}, out)
    if runs.items:
        results = measure_all(runs.items, out=out, **means)
    campaigns: dict[str, Campaign] = {}
    failures = dict(results.failures)
    finished = [results.finished]
    for name, plan in runs.plans.items():
        if name in runs.like:
            take_over(plan, out / runs.like[name], out / name)
        campaign = run_campaign(plan, out=out / name, conditions=runs.options.conditions, **means)
        campaigns[name] = campaign
        prefix = f"{name}: " if name else ""
        failures |= {prefix + run: error for run, error in campaign.failures().items()}
        finished += map(str, campaign.timings()["finished"].drop_nulls())
    return replace(results, campaigns=campaigns, failures=failures, finished=max(finished))


def take_over(plan: Plan, ours: Path, out: Path) -> None:
    """Copies runs of a plan that a folder has finished to its own, unless that has begun."""
    files = Files(out)
    if files.exists(MANIFEST):
        return
    ids = [run.id for run in plan.runs()]
    finished = Store(ours)
    for parts in (finished.timings, finished.results):
        rows = parts.read().filter(pl.col("run").is_in(ids)).to_dicts()
        Parts(files, parts.folder, parts.schema).append(rows)


def origin(runs: Runs, results: RunResults) -> dict[str, str]:
    """Provenance of the runs and the page, with every controller that is not built in."""
    about = circumstances()
    scenarios = [item.scenario for item in runs.items]
    for plan in runs.plans.values():
        scenarios += [run.scenario for run in plan.runs() if run.replicate == 1]
    prints = fingerprints({name for scenario in scenarios for name in scenario.algorithm_places()})
    settings = {
        "Last run finished": results.finished,
        "Versions": ", ".join(f"{name} {version}" for name, version in about["versions"].items()),
        "Platform": about["platform"],
        "Revision of the working folder": about["git_revision"] or "",
        "Controllers (SHA-256)": "; ".join(
            f"{name}: {digest} ({', '.join(written_in(name))})" for name, digest in prints.items()
        ),
    }
    return {name: value for name, value in settings.items() if value}

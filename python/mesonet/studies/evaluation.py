"""What finished runs of a study say: figures, verdicts and the page."""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import polars as pl

from mesonet.errors import InputError, Problem
from mesonet.page.tables import Table, counts, numbers, table, words
from mesonet.studies.campaigns import CampaignFigures, joined
from mesonet.studies.claims import unknown_figures
from mesonet.studies.entries import StudyError
from mesonet.studies.page import StudyPage
from mesonet.studies.rules import Figures
from mesonet.studies.runs import Cell, Runs
from mesonet.studies.scorecard import LEAST, Scorecard, Verdict, score
from mesonet.studies.study import Results, RunResults
from mesonet.studies.template import render_page


def evaluate(runs: Runs, run: RunResults) -> StudyPage:
    """The page of finished runs, with their figures and verdicts."""
    try:
        return _evaluated(runs, run)
    except InputError as error:
        first = {name: text.splitlines()[0] for name, text in run.failures.items()}
        failed = [Problem(f"run {it}", "failed", f"failed: {first[it]}") for it in first]
        raise type(error)([*failed, *error.problems]) from error


def _evaluated(runs: Runs, run: RunResults) -> StudyPage:
    study, first = runs.study, runs.cells[0]
    size = first.options.size
    whole = _measured(runs, first, run)
    scored, *fewer = whole
    card = score(study.name, size, study.claims, scored.figures, [it.figures for it in fewer])
    results: dict[str, RunResults] = {}
    verdicts: dict[str, Mapping[str, Verdict]] = {}
    for cell in runs.cells[1:]:
        assert cell.variant is not None
        same = cell.items is first.items
        under, *fewer = whole if same else _measured(runs, cell, run)
        figures, *without = (_replaced(it.figures, cell.variant.figures) for it in (under, *fewer))
        results[cell.variant.id] = replace(under, figures=figures)
        concerned = score(study.name, size, study.concerned(cell.variant), figures, without)
        verdicts[cell.variant.id] = {entry.claim.id: entry.verdict for entry in concerned.entries}
    scored = replace(scored, variants=results)
    card = replace(card, variants=verdicts)
    page = StudyPage(
        study.title,
        study.question,
        f"Size “{size}”: {first.options.words}.",
        study.code.hook("facts", scored),
        settings={"Source": study.source, **runs.settings},
        scorecard=card if study.claims else None,
        failures=run.failures,
        handout=study.handout,
        figures=scored.figures,
    )
    path = study.folder / "page.md"
    if path.exists():
        variants = _variants_table(runs, card, scored) if results else None
        introduction, sections = render_page(path, study.code, scored, variants)
        page = replace(page, introduction=introduction, sections=sections)
    return page


def _measured(runs: Runs, cell: Cell, run: RunResults) -> list[RunResults]:
    """Results of a cell, then those without each of its replicates, unless too few are there."""
    study, replicates = runs.study, dict[str, list[str]]()
    pattern = study.replicate if cell.replicates == 1 else _REPLICATE
    for name in cell.items if pattern and study.claims else ():
        if match := re.search(pattern, name):
            replicates.setdefault(match[1], []).append(name)
    left_out = sorted(replicates) if len(replicates) >= LEAST else []
    names = [[], *(replicates[replicate] for replicate in left_out)]
    return [_results(runs, cell, run, run_name) for run_name in names]


def _results(runs: Runs, cell: Cell, run: RunResults, without: Sequence[str]) -> RunResults:
    """Results of the runs of a cell, but for some, with NaN for figures that they lack."""
    results = {
        name: run.results[item.name]
        for name, item in cell.items.items()
        if item.name in run.results and name not in without
    }
    campaigns = {
        name: run.campaigns[folder]
        for name, (folder, _) in cell.plans.items()
        if folder in run.campaigns
    }
    cell_run = replace(run, results=results, campaigns=campaigns, options=cell.options)
    parts = [replace(cell_run, results=part) for part in _by_replicate(cell, results)]
    each = [runs.study.code.figures(part) for part in parts]
    own = {name: _mean(it.get(name, math.nan) for it in each) for name in dict(ChainMap(*each))}
    of_campaigns = (
        CampaignFigures(it, f"{name}." if name else "") for name, it in campaigns.items()
    )
    figures = joined(own, *of_campaigns)
    whole = not (cell.variant or without) and _is_whole(cell, run)
    if whole and (problems := unknown_figures(runs.study.claims, figures)):
        raise StudyError(problems)
    needed = dict.fromkeys(name for claim in runs.study.claims for name in claim.rule.needs)
    own |= {name: math.nan for name in needed if name not in figures}
    return replace(parts[0], figures=figures)


def _mean(numbers: Iterable[float]) -> float:
    """Mean of the numbers that are defined; NaN without any."""
    defined = [number for number in numbers if not math.isnan(number)]
    return fmean(defined) if defined else math.nan


_REPLICATE = r"-(\d+)$"
"""Pattern of the names of runs that the study itself does not repeat."""


def _by_replicate(cell: Cell, results: Results) -> list[Results]:
    """Results under the names that the study gives, for each replicate."""
    if cell.replicates == 1:
        return [results]
    parts = dict[str, dict[str, Mapping[str, Any]]]()
    for name, measured in results.items():
        run_name, _, replicate = name.rpartition("-")
        parts.setdefault(replicate, {})[run_name] = measured
    return [*parts.values()] or [{}]


def _replaced(figures: Figures, renamed: Mapping[str, str]) -> Figures:
    """Figures with those that a variant puts in the place of others."""
    return joined({name: figures.get(it, math.nan) for name, it in renamed.items()}, figures)


def _is_whole(cell: Cell, run: RunResults) -> bool:
    """Tests whether all runs of the study itself are there; else figures may be missing."""
    some = run.failures or cell.options.algorithms is not None or cell.options.conditions
    return not some and all(item.name in run.results for item in cell.items.values())


_CHANGES: Mapping[Verdict, str] = {
    "agrees": "Now agree",
    "disagrees": "Now disagree",
    "not computable": "Now cannot be computed",
    "undecided at this size": "Now undecided",
}
_ENOUGH = 5
"""Words of a claim that say enough."""
SCORED = "as scored"
"""Name of the row of the scored runs in the table of variants."""


def _variants_table(runs: Runs, card: Scorecard, run: RunResults) -> Table:
    """A row for the scored runs and for each variant: both answers, counts, changed verdicts."""
    texts = {entry.claim.id: _short(entry.claim.text) for entry in card.entries}
    ours = {entry.claim.id: entry.verdict for entry in card.entries}
    code, rows, more = runs.study.code, list[dict[str, Any]](), dict[str, Any]()
    for cell in runs.cells:
        variant = cell.variant
        verdicts = card.variants[variant.id] if variant else ours
        row: dict[str, Any] = {"variant": SCORED, "question": SCORED, "ours": "", "other": ""}
        if variant:
            row = {"variant": variant.id} | {word: getattr(variant, word) for word in _WORDS}
        row |= {verdict: list(verdicts.values()).count(verdict) for verdict in _COUNTS}
        compared = code.hook("compared", run.variants[variant.id] if variant else run)
        more = more or compared
        row |= {heading: compared.get(heading) for heading in more}
        changed = []
        for verdict, said in _CHANGES.items():
            moved = [texts[it] for it, now in verdicts.items() if now == verdict != ours[it]]
            changed += [f"{said}: {'; '.join(moved)}."] if moved else []
        rows.append({**row, "changed": " ".join(changed) or "none"})
    plain = {key: all(isinstance(row[key], int | float | None) for row in rows) for key in more}
    columns = [
        *(words(key, heading) for key, heading in _WORDS.items()),
        *((numbers if plain[heading] else words)(heading, heading) for heading in more),
        *(counts(key, heading) for key, heading in _COUNTS.items()),
        words("changed", "Other verdicts than in the first row"),
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    order = ["variant", *(column.name for column in columns)]
    return table(f"{card.study}-variants", frame.select(order), columns)


_WORDS = {"question": "Left open", "ours": "Ours", "other": "Other"}
_COUNTS: Mapping[Verdict, str] = {"agrees": "Agree", "disagrees": "Disagree"}


def _short(text: str) -> str:
    """A claim without its unit, and up to a colon if that says enough."""
    text = re.sub(r" \[.*?\]", "", text)
    statement = text.partition(":")[0]
    return statement if len(statement.split()) >= _ENOUGH else text

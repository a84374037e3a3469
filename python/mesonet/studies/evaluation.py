"""A folder as a study: its files are read and checked at once, and make a `Study`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mesonet.studies.campaigns import CampaignFigures
from mesonet.studies.cells import Cell, Cells, cells_of
from mesonet.studies.chance import LEAST
from mesonet.studies.claims import unknown_figures
from mesonet.studies.entries import StudyError, filled, fits
from mesonet.studies.files import StudyFiles
from mesonet.studies.rules import Figures, joined
from mesonet.studies.scorecard import Scorecard, Verdict, score
from mesonet.studies.study import (
    Assumption,
    Options,
    Prepared,
    RunResults,
    Study,
    StudyOutput,
)
from mesonet.studies.tables import VariantTable
from mesonet.studies.template import render_page
from mesonet.studies.variants import replaced, variants_table, verdicts_under


def read_folder(folder: Path, *, trust: bool = True) -> Study:
    """The study of a folder. Nothing is simulated.

    Raises:
        StudyError: every problem of its files, with file and line; code without trust is one.
    """
    files = StudyFiles.read(folder, trust=trust)
    return Study(
        name=files.table.name,
        title=files.table.title,
        question=files.table.question,
        source=files.table.source,
        sizes=files.table.words(),
        prepare=partial(_prepare, files),
        claims=tuple(files.claims),
        assumptions=tuple(_assumption(files, each) for each in files.variants),
    )


def _assumption(files: StudyFiles, variant: VariantTable) -> Assumption:
    ids = [each.id for each in files.claims]
    concerned = [each for each in ids if not variant.claims or fits(each, variant.claims)]
    words = (variant.id, variant.question, variant.ours, variant.other)
    return Assumption(*words, frozenset(concerned))


def _prepare(files: StudyFiles, options: Options) -> Prepared:
    cells = cells_of(files, options)
    plans, like = cells.plans()
    items = cells.items()
    evaluation = Evaluation(files, cells)
    has_page = bool(files.page or files.claims or items or len(plans) != 1)
    return Prepared(
        evaluation.evaluate if has_page else None,
        items,
        plans,
        _settings(files, cells.scored.options),
        like,
        options.conditions,
    )


def _settings(files: StudyFiles, options: Options) -> dict[str, str]:
    made = {name: str(filled(text, options.values)) for name, text in files.table.settings.items()}
    hook = files.code.hooks.get("settings")
    return made | (files.code.call(hook, options) if hook else {})


@dataclass(frozen=True)
class Evaluation:
    """Makes figures, verdicts and the page from finished runs.

    Attributes:
        files: Files of the study.
        cells: Runs of the study and of its variants.
    """

    files: StudyFiles
    cells: Cells

    def evaluate(self, run: RunResults) -> StudyOutput:
        """The output of the runs.

        Raises:
            StudyError: a claim, a variant or the page names what is not there, or code fails.
        """
        scored = self._measured(self.cells.scored, run)
        without = self._without_replicates(self.cells.scored, run)
        card = self._score(scored, without)
        variants: dict[str, RunResults] = {}
        verdicts: dict[str, Mapping[str, Verdict]] = {}
        for variant, cell in self.cells.variants:
            under = self._measured(cell, run) if cell else scored
            whole = self._is_whole(cell or self.cells.scored, run)
            under = replace(under, figures=replaced(under.figures, variant, whole=whole))
            fewer = self._without_replicates(cell, run) if cell else without
            fewer = [replaced(figures, variant) for figures in fewer]
            variants[variant.id] = under
            name, claims = self.files.table.name, self.files.claims
            verdicts[variant.id] = verdicts_under(name, claims, variant, under.figures, fewer)
        output = self._output(replace(scored, variants=variants), card, verdicts)
        return replace(output, without=without)

    def _output(
        self, run: RunResults, card: Scorecard, verdicts: Mapping[str, Mapping[str, Verdict]]
    ) -> StudyOutput:
        code = self.files.code
        facts = code.call(code.hooks["facts"], run) if "facts" in code.hooks else {}
        size = code.call(code.hooks["size"], run.options) if "size" in code.hooks else ""
        output = StudyOutput(run.figures, facts=facts, size=size, variants=verdicts)
        if self.files.page is None:
            return output
        shown = [variant for variant, _ in self.cells.variants]
        table = variants_table(card, shown, verdicts, self._compared(run)) if shown else None
        document = render_page(self.files.page, code, run, card, table)
        return replace(output, sections=document.sections, introduction=document.introduction)

    def _compared(self, run: RunResults) -> dict[str, Mapping[str, object]]:
        """Columns that the study adds to the table of variants, by the id of the variant."""
        code = self.files.code
        hook = code.hooks.get("compared")
        if hook is None:
            return {}
        return {name: code.call(hook, each) for name, each in {"": run, **run.variants}.items()}

    def _score(self, run: RunResults, without: Sequence[Figures]) -> Scorecard:
        claims = self.files.claims
        return score(self.files.table.name, run.options.size, claims, run.figures, without)

    def _without_replicates(self, cell: Cell, run: RunResults) -> list[Figures]:
        """Figures of a cell without each of its replicates; none where too few are there."""
        pattern = self.files.table.replicate
        if not pattern or not self.files.claims:
            return []
        found = {name: re.search(pattern, name) for name in cell.stored}
        replicates = {name: match[1] for name, match in found.items() if match}
        if len(set(replicates.values())) < LEAST:
            return []
        return [
            self._measured(replace(cell, stored=stored), run, every=False).figures
            for left_out in sorted(set(replicates.values()))
            for stored in [
                {n: at for n, at in cell.stored.items() if replicates.get(n) != left_out}
            ]
        ]

    def _measured(self, cell: Cell, run: RunResults, *, every: bool = True) -> RunResults:
        """Results of the runs of a cell, with their figures.

        Args:
            cell: the cell.
            run: results of all runs.
            every: presence of all runs of the cell, and so of all figures.

        Raises:
            StudyError: a claim names a figure that is not there although every run succeeded.
        """
        results = {
            name: run.results[stored]
            for name, stored in cell.stored.items()
            if stored in run.results
        }
        campaigns = {
            name: run.campaigns[folder]
            for name, folder in cell.folders.items()
            if folder in run.campaigns
        }
        mine = replace(run, results=results, campaigns=campaigns, options=cell.options)
        own = self.files.code.figures(mine)
        figures = joined(
            own,
            *(
                CampaignFigures(campaign, f"{name}." if name else "")
                for name, campaign in campaigns.items()
            ),
        )
        if every and self._is_whole(cell, run) and not cell.options.variant:
            problems = unknown_figures(self.files.claims, figures)
            if problems:
                raise StudyError(problems)
        needed = {name for each in self.files.claims for name in each.rule.needs}
        own |= {name: math.nan for name in needed if name not in figures}
        return replace(mine, figures=figures)

    @staticmethod
    def _is_whole(cell: Cell, run: RunResults) -> bool:
        """Tests whether all runs of the study itself are there; else figures may be missing."""
        return (
            not run.failures
            and cell.options.algorithms is None
            and cell.options.conditions is None
            and all(stored in run.results for stored in cell.stored.values())
        )

"""Words that several parts of the page of an evaluation share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mesonet.evaluation.result import Cell, CriterionResult
from mesonet.evaluation.statistics import STATES
from mesonet.page.blocks import Paragraph


def paragraph(text: str) -> Paragraph:
    """A paragraph of plain text."""
    return Paragraph(text, text)


def anchor(section: str) -> str:
    """Identifier of the part on a criterion."""
    return f"s-{section.replace('.', '-')}"


def cells_of(criteria: Sequence[CriterionResult], profile: str = "rfc") -> list[Cell]:
    """Cells of some criteria under a profile."""
    return [
        cell
        for criterion in criteria
        for experiment in criterion.experiments
        if experiment.profile == profile
        for cell in experiment.cells
    ]


def counted(cells: Sequence[Cell]) -> str:
    """How many cells have which verdict, in a sentence."""
    counts = Counter(cell.state for cell in cells)
    states = ", ".join(f"{state} in {counts[state]}" for state in STATES if counts[state])
    failed = sum(bool(cell.errors) for cell in cells)
    errors = f" In {failed} cells runs of the candidate failed." if failed else ""
    about = f"{len(cells)} cells, each of one condition, one baseline and one measure"
    return f"{about}: {states}.{errors}"

"""Charts and tables of the page of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from mesonet.analysis import Trace
from mesonet.analysis.traces.chart import trace_chart
from mesonet.evaluation.chart import measure_chart, place, shares_chart
from mesonet.evaluation.criteria import MARGIN
from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    Effect,
    ExperimentResult,
    PackResult,
    Slope,
    by_measure,
)
from mesonet.evaluation.statistics import LEVEL
from mesonet.numbers import number
from mesonet.page.charts import Picture, picture
from mesonet.page.tables import Table, rows_table

_TWO = partial(number, digits=2)
_CELL = {
    "baseline": "Baseline",
    "words": "Measure",
    "n": "Replicates",
    "reference": "Of the baseline",
    "candidate": "Of the candidate",
    "excess": "Excess",
    "interval": "Interval",
    "p": "p (Holm)",
    "state": "Verdict",
    "needed": "Replicates to decide",
}
"""Headings of the table of all cells."""
_EFFECT = {
    "factor": "Factor",
    "levels": "From",
    "what": "Excess in",
    "change": "Change",
    "interval": "95 % interval",
    "p": "p",
}
_STATEMENT = {
    "id": "Statement",
    "text": "What is measured",
    "published": "Published",
    "source": "Where",
    "expected": "Expected",
    "measured": "Measured",
    "verdict": "Verdict",
    "remark": "Remark",
}
_TURNED = {
    "section": "Section",
    "what": "Measure",
    "where": "Condition",
    "rfc": "Profile rfc (excess)",
    "profile": "Profile",
    "state": "There (excess)",
}


class Shown(NamedTuple):
    """An experiment with its charts, each with a caption, and its tables."""

    experiment: ExperimentResult
    charts: list[tuple[Picture, str]]
    shares: Table | None
    effects: Table | None
    cells: Table | None
    trace: Picture | None


def anchor(section: str) -> str:
    """Identifier of the part on a criterion."""
    return f"s-{section.replace('.', '-')}"


def interval(it: Cell | Effect | Slope) -> str:
    """The ends of an interval; nothing without any."""
    return "" if it.low is None else f"{_TWO(it.low)} to {_TWO(it.high)}"


def shown(
    criterion: CriterionResult, experiment: ExperimentResult, traces: Mapping[str, Trace]
) -> Shown:
    """An experiment as the page has it."""
    place_there = f"{criterion.section}{experiment.id}"
    name, worst = anchor(criterion.section) + experiment.id, None
    if (cell := experiment.worst) is not None and experiment.folder in traces:
        chart = trace_chart(traces[experiment.folder], panels=("rate", "queue"), height=90)
        worst = picture(f"{name}-worst", chart, f"{cell.words} at {place(cell)}")
    return Shown(
        experiment,
        [*_measures(name, experiment), *_shares_charts(name, experiment)],
        _shares(f"shares-{place_there}", experiment),
        _effects(f"effects-{place_there}", experiment),
        _cells(f"cells-{place_there}", experiment),
        worst,
    )


def _measures(name: str, experiment: ExperimentResult) -> Iterator[tuple[Picture, str]]:
    for at, (words, cells) in enumerate(by_measure(experiment.cells).items(), 1):
        what = "harm" if cells[0].statistic == "harm" else cells[0].unit
        title = f"{words} ({what})" if what else words
        caption = f"{words.capitalize()}: the candidate (filled), the baseline (hollow)."
        if experiment.arms == "mix":
            of = f"{'Harm to others' if what == 'harm' else 'Others'}' {words}"
            caption = f"{of}: beside the candidate (filled) and beside their own kind (hollow)."
        chart = measure_chart(cells, title=title)
        yield picture(f"{name}-{at}", chart, cells[0].response), caption


def _shares_charts(name: str, experiment: ExperimentResult) -> Iterator[tuple[Picture, str]]:
    if experiment.shares:
        title = "Goodput of a flow by flows of the candidate"
        chart = picture(f"{name}-shares", shares_chart(experiment.shares), title)
        yield chart, f"{title}: its own (filled) and those of the baseline (hollow)."


def _shares(identifier: str, experiment: ExperimentResult) -> Table | None:
    rows: dict[tuple[int, str], dict[str, str]] = {}
    headings = {name: name.capitalize() for name in experiment.factors} | {"baseline": "Versus"}
    for it in experiment.shares:
        row = rows.setdefault((it.condition, it.baseline), {**it.levels, "baseline": it.baseline})
        row[str(it.count)] = _TWO(it.probability)
        headings[str(it.count)] = f"{it.count} of {it.flows}"
    return rows_table(identifier, list(rows.values()), headings)


def _cells(identifier: str, experiment: ExperimentResult) -> Table | None:
    headings = {name: name.capitalize() for name in experiment.factors} | _CELL
    rows = [
        {**cell.levels, **cell.model_dump(), "interval": interval(cell), "p": _TWO(cell.p)}
        for cell in experiment.cells
    ]
    digits = dict.fromkeys(("reference", "candidate", "excess"), partial(number, digits=3))
    return rows_table(
        identifier, [{key: row[key] for key in headings} for row in rows], headings, digits
    )


def _effects(identifier: str, experiment: ExperimentResult) -> Table | None:
    rows = [
        {
            "factor": it.factor,
            "levels": f"{it.low_level} to {it.high_level}",
            "what": f"{it.words} versus {it.baseline}",
            "change": it.change,
            "interval": interval(it),
            "p": _TWO(it.p),
        }
        for it in sorted(experiment.effects, key=lambda it: -abs(it.change))
        if it.p is not None and it.p < LEVEL and abs(it.change) >= MARGIN
    ]
    return rows_table(identifier, rows, _EFFECT, {"change": partial(_TWO, signed=True)})


def statements(pack: PackResult) -> Table | None:
    """Statements of a specification with what was measured versus what is expected."""
    rows = [it.model_dump() for it in pack.statements]
    return rows_table(f"pack-{pack.name}", rows, _STATEMENT)


def sensitivity(ran: Sequence[CriterionResult]) -> Table | None:
    """Cells in which "more harm" comes or goes with another profile of the transport."""
    rows = []
    for criterion in ran:
        cells = {
            (it.profile, (it.id, cell.condition, cell.baseline, cell.response)): cell
            for it in criterion.experiments
            for cell in it.cells
        }
        for (profile, key), cell in cells.items():
            before = cells.get(("rfc", key))
            if before is None or (before.state == "more harm") == (cell.state == "more harm"):
                continue
            rows.append(
                {
                    "section": f"{criterion.section}{key[0]}",
                    "what": f"{cell.words}, {cell.baseline}",
                    "where": place(cell),
                    "rfc": f"{before.state} ({_TWO(before.excess)})",
                    "profile": profile,
                    "state": f"{cell.state} ({_TWO(cell.excess)})",
                }
            )
    return rows_table("sensitivity", rows, _TURNED)

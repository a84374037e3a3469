"""Parts of the page of an evaluation: one for each criterion, and other transports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from mesonet.analysis import Trace
from mesonet.analysis.traces.chart import trace_chart
from mesonet.controller import is_outside
from mesonet.evaluation.chart import measure_chart, place, shares_chart
from mesonet.evaluation.criteria import MARGIN
from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    Evaluation,
    ExperimentResult,
    PackResult,
    Slope,
    by_measure,
)
from mesonet.evaluation.statistics import LEVEL
from mesonet.evaluation.words import anchor, counted, paragraph
from mesonet.numbers import number
from mesonet.page.blocks import Block, CaptionedChart, Markdown, Notes, Program, TitledTable
from mesonet.page.charts import picture
from mesonet.page.simple import Part
from mesonet.page.tables import rows_table


def criterion_part(
    criterion: CriterionResult, evaluation: Evaluation, traces: Mapping[str, Trace]
) -> Part:
    """The part of a criterion: what its cells say, its experiments, and what is not modelled."""
    source = f"In RFC 9743: {criterion.strength}. " if criterion.section[0].isdigit() else ""
    blocks: list[Block] = [paragraph(f"{source}{criterion.asks}")]
    texts = [
        f"{it.state.capitalize()}, {it.experiment[:1].lower()}{it.experiment[1:]}: {it.text}."
        for it in evaluation.sentences
        if it.section == criterion.section
    ]
    items = Markup("").join(map(Markup("<li>{}</li>").format, texts))
    blocks += [Markdown(Markup("<ul>{}</ul>").format(items))] if texts else []
    own = any(map(is_outside, (evaluation.candidate.name, *evaluation.baselines)))
    for experiment in criterion.experiments:
        if experiment.profile == "rfc":
            blocks += _experiment(criterion, experiment, traces, trust=" --trust" if own else "")
    if criterion.omits:
        lines = [f"Not modelled here: {each}" for each in criterion.omits]
        blocks.append(Notes(tuple(map(paragraph, lines))))
    return Part(anchor(criterion.section), f"{criterion.section} {criterion.title}", tuple(blocks))


def _experiment(
    criterion: CriterionResult,
    experiment: ExperimentResult,
    traces: Mapping[str, Trace],
    *,
    trust: str,
) -> Iterator[Block]:
    yield Markdown(Markup("<h3>{}</h3>").format(experiment.title))
    yield paragraph(experiment.question)
    yield paragraph(_design(experiment))
    yield paragraph(f"Proposed limit: {experiment.line}")
    if experiment.arms == "shares":
        yield from _shares(criterion, experiment)
        return
    yield paragraph(counted(experiment.cells))
    for number_, (response, cells) in enumerate(by_measure(experiment.cells).items(), 1):
        first = cells[0]
        what = "harm" if first.statistic == "harm" else first.unit
        title = f"{first.words}{f' ({what})' if what else ''}"
        chart = measure_chart(cells, title=title)
        name = f"{anchor(criterion.section)}{experiment.id}-{number_}"
        if experiment.arms == "mix":
            of = f"{'Harm to others' if what == 'harm' else 'Others'}' {first.words}"
            caption = f"{of}: beside the candidate (filled) and beside their own kind (hollow)."
        else:
            caption = f"{first.words.capitalize()}: the candidate (filled), the baseline (hollow)."
        yield CaptionedChart(picture(name, chart, response), caption)
    yield from map(_slope, experiment.slopes)
    yield from _effects(criterion, experiment)
    yield _all_cells(criterion, experiment)
    if (cell := experiment.worst) is not None:
        where = f"{cell.words} versus {cell.baseline} at {place(cell)}"
        again = "To run one of its runs again, from the folder of this page:"
        yield paragraph(f"The worst condition: {where}. {again}")
        yield Program(f"mesonet replay {experiment.folder} {cell.run}{trust}")
        if experiment.folder in traces:
            chart = trace_chart(traces[experiment.folder], panels=("rate", "queue"), height=90)
            name = f"{anchor(criterion.section)}{experiment.id}-worst"
            yield CaptionedChart(
                picture(name, chart, where),
                "That run through time, with at most four flows of each algorithm.",
            )
    for error in dict.fromkeys(error for cell in experiment.cells for error in cell.errors):
        yield Notes((paragraph(f"A run of the candidate failed: {error}"),))


def _shares(criterion: CriterionResult, experiment: ExperimentResult) -> Iterator[Block]:
    rows: dict[tuple[int, str], dict[str, str]] = {}
    for it in experiment.shares:
        row = rows.setdefault((it.condition, it.baseline), {**it.levels, "baseline": it.baseline})
        row[str(it.count)] = number(it.probability, digits=2)
    if not rows:
        yield paragraph("In every condition a run of the candidate failed; nothing is said.")
        return
    flows = experiment.shares[0].flows
    headings = {name: name.capitalize() for name in experiment.factors} | {"baseline": "Versus"}
    headings |= {str(count): f"{count} of {flows}" for count in range(flows + 1)}
    table = rows_table(f"shares-{criterion.section}", list(rows.values()), headings)
    assert table is not None
    yield TitledTable("Probability that no flow gains by switching alone", table)
    title = "Goodput of a flow by flows of the candidate"
    chart = picture(f"{anchor(criterion.section)}-shares", shares_chart(experiment.shares), title)
    yield CaptionedChart(chart, f"{title}: its own (filled) and those of the baseline (hollow).")


def _slope(slope: Slope) -> Block:
    interval = _interval(slope.low, slope.high)
    ends = f" (95 % interval {interval})" if interval else ""
    own, other = (number(it, digits=2) for it in (slope.candidate, slope.reference))
    text = f"The {slope.words} goes with the power {own}{ends} of the {slope.factor}"
    return paragraph(f"{text}; that of {slope.baseline} with {other}.")


def _design(experiment: ExperimentResult) -> str:
    levels = "; ".join(
        f"{name} {low} or {high}" for name, (low, high) in experiment.factors.items()
    )
    design = f"Design {experiment.design}: {levels}. " if levels else ""
    size = (
        f"{experiment.conditions} condition{'s' if experiment.conditions > 1 else ''}, "
        f"{experiment.replicates} replicates of {experiment.duration}, {experiment.runs} runs"
    )
    failed = f", {experiment.failed} failed" if experiment.failed else ""
    aliases = (
        f" Cannot be distinguished: {'; '.join(experiment.aliases)}." if experiment.aliases else ""
    )
    return f"{design}{size}{failed}.{aliases}"


def _all_cells(criterion: CriterionResult, experiment: ExperimentResult) -> TitledTable:
    headings = {name: name.capitalize() for name in experiment.factors} | _CELL
    rows = [
        {
            **cell.levels,
            **cell.model_dump(include=set(_CELL)),
            "interval": _interval(cell.low, cell.high),
            "p": number(cell.p, digits=2),
        }
        for cell in experiment.cells
    ]
    digits = dict.fromkeys(("reference", "candidate", "excess"), partial(number, digits=3))
    table = rows_table(f"cells-{criterion.section}{experiment.id}", rows, headings, digits)
    assert table is not None
    return TitledTable("All cells", table, folded=True)


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


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{number(low, digits=2)} to {number(high, digits=2)}"


def _effects(criterion: CriterionResult, experiment: ExperimentResult) -> Iterator[Block]:
    rows = [
        {
            "factor": each.factor,
            "levels": f"{each.low_level} to {each.high_level}",
            "what": f"{each.words} versus {each.baseline}",
            "change": each.change,
            "interval": _interval(each.low, each.high),
            "p": number(each.p, digits=2),
        }
        for each in sorted(experiment.effects, key=lambda it: -abs(it.change))
        if each.p is not None and each.p < LEVEL and abs(each.change) >= MARGIN
    ]
    headings = {
        "factor": "Factor",
        "levels": "From",
        "what": "Excess in",
        "change": "Change",
        "interval": "95 % interval",
        "p": "p",
    }
    name = f"effects-{criterion.section}{experiment.id}"
    table = rows_table(name, rows, headings, {"change": partial(number, digits=2, signed=True)})
    if table is not None:
        yield TitledTable("What the excess depends on", table)


def pack_part(pack: PackResult) -> Part:
    """Statements of a specification with what was measured versus what is expected."""
    counts = Counter(each.verdict for each in pack.statements)
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    text = (
        f"{pack.title}: {pack.source}. {pack.scope} {len(pack.statements)} statements: {verdicts}."
    )
    headings = {
        "id": "Statement",
        "text": "What is measured",
        "published": "Published",
        "source": "Where",
        "expected": "Expected",
        "measured": "Measured",
        "verdict": "Verdict",
        "remark": "Remark",
    }
    rows = [each.model_dump() for each in pack.statements]
    table = rows_table(f"pack-{pack.name}", rows, headings)
    assert table is not None
    blocks = (paragraph(text), TitledTable("", table))
    return Part(f"pack-{pack.name}", f"Statements: {pack.name}", blocks)


def sensitivity(ran: Sequence[CriterionResult]) -> Iterator[Part]:
    """The part on cells that other profiles of the transport turn; none without any profile."""
    rows, profiles = [], set[str]()
    for criterion in ran:
        base = {
            (it.id, *_key(cell)): cell
            for it in criterion.experiments
            if it.profile == "rfc"
            for cell in it.cells
        }
        for other in (it for it in criterion.experiments if it.profile != "rfc"):
            profiles.add(other.profile)
            for cell in other.cells:
                before = base.get((other.id, *_key(cell)))
                if before is None or (before.state == "more harm") == (cell.state == "more harm"):
                    continue
                rows.append(
                    {
                        "section": f"{criterion.section}{other.id}",
                        "what": f"{cell.words}, {cell.baseline}",
                        "where": place(cell),
                        "rfc": f"{before.state} ({number(before.excess, digits=2)})",
                        "profile": other.profile,
                        "state": f"{cell.state} ({number(cell.excess, digits=2)})",
                    }
                )
    if not profiles:
        return
    text = (
        f"The same with hosts of profile {', '.join(sorted(profiles))}: details of the transport "
        "may turn the answer. Cells in which “more harm” comes or goes:"
    )
    headings = {
        "section": "Section",
        "what": "Measure",
        "where": "Condition",
        "rfc": "Profile rfc (excess)",
        "profile": "Profile",
        "state": "There (excess)",
    }
    table = rows_table("sensitivity", rows, headings)
    block: Block = TitledTable("", table) if table else paragraph("There is no such cell.")
    yield Part("sensitivity", "With other transports", (paragraph(text), block))


def _key(cell: Cell) -> tuple[int, str, str]:
    return cell.condition, cell.baseline, cell.response

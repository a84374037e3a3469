"""The page of an evaluation, which a working group reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from markupsafe import Markup

from mesonet.evaluation.chart import measure_chart, overview_chart, place
from mesonet.evaluation.criteria import MARGIN
from mesonet.evaluation.result import (
    Cell,
    CriterionResult,
    Evaluation,
    ExperimentResult,
    PackResult,
)
from mesonet.evaluation.statistics import LEVEL, STATES, State
from mesonet.numbers import number
from mesonet.page.blocks import (
    Block,
    CaptionedChart,
    Markdown,
    Notes,
    Paragraph,
    Program,
    TitledTable,
)
from mesonet.page.charts import picture
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page
from mesonet.page.tables import rows_table

_READING = """\
A cell is one condition with one baseline and one measure. Replicates have other start times,
round-trip times within 5 % and other random delays at hosts. The candidate and the baseline share
them, and are compared replicate by replicate.

Harm is the part of its performance that a flow loses in company: 0 is none, 1 is everything.
Excess is the harm beside the candidate less the harm beside the flow's own kind. Where the
candidate is by itself, excess is its loss against the baseline. Losses of rates and delays are
parts of the better value; those of shares, such as segments sent again, are plain differences.

“More harm” says that the excess is above zero, “no more harm” that it is below the margin, 0.05
unless the measure has another. Both are t-tests over replicates, adjusted by Holm's method: the
probability of any false alarm among the cells of a criterion is at most 5 %. “Undecided” is
neither; no evidence of harm is no evidence of its absence.

Effects of factors are shown where p is below 0.05 and the change at least 0.05. Their 95 %
intervals are not adjusted. Where a design is a fraction, effects that cannot be told apart are one
number."""
_LIMITS = (
    "This page is evidence from a simulator, under the conditions that it names. It has no verdict "
    "on RFC 9743, which sets no thresholds and asks for consensus; lines and margins are proposals."
)


def render_page(evaluation: Evaluation) -> str:
    """The page as HTML. It loads nothing, and the same evaluation gives the same text."""
    ran = [each for each in evaluation.criteria if each.experiments]
    candidate, provenance = evaluation.candidate, evaluation.provenance
    code = f"SHA-256 {candidate.sha256[:16]}" if candidate.sha256 else "built in"
    runs = sum(it.runs for each in ran for it in each.experiments)
    return simple_page(
        kind="mesonet evaluation · RFC 9743",
        title=f"Evidence on {candidate.name}",
        question=f"Where is {candidate.name} better or worse for others than "
        f"{' and '.join(evaluation.baselines)} are?",
        facts=[
            Fact("Code", code),
            Fact("Engine", f"mesonet {provenance.mesonet}"),
            Fact("Size", evaluation.size),
            Fact("Runs", f"{runs:,}"),
            Fact("Run it again", evaluation.command, wide=True),
        ],
        parts=[
            _summary(evaluation),
            _coverage(evaluation),
            *(_criterion(each) for each in ran),
            *map(_pack, evaluation.packs),
            *_sensitivity(ran),
            Part(
                "statistics",
                "How to read this",
                tuple(map(_said, _READING.replace("\n", " ").split("  "))),
            ),
        ],
        settings={
            "Candidate": candidate.name,
            "SHA-256 of its code": candidate.sha256 or "built in",
            "Its files": ", ".join(candidate.files) or "none",
            "Baselines": ", ".join(evaluation.baselines),
            "First seed": str(evaluation.seed),
            "Version of mesonet": provenance.mesonet,
            "Result version": provenance.result_version,
            "Python and platform": f"{provenance.python}, {provenance.platform}",
            "Date": provenance.date,
        },
    )


def _said(text: str) -> Paragraph:
    return Paragraph(text, text)


def _anchor(section: str) -> str:
    return f"s-{section.replace('.', '-')}"


def _summary(evaluation: Evaluation) -> Part:
    chart = picture("overview", overview_chart(evaluation), "Excess of all cells by measure")
    caption = (
        "Every dot is one condition beside one baseline. Right of zero the candidate is worse than "
        "the baseline. Filled dots are decided; hollow ones are not."
    )
    nowhere = _said("In no cell is more harm shown than the baseline does.")
    blocks: list[Block | None] = [
        _said(_counts(_cells(evaluation.criteria))),
        CaptionedChart(chart, caption),
        _listed("Not recommended where", evaluation, "more harm") or nowhere,
        _listed("Better than the baseline where", evaluation, "less harm"),
        Notes((_said(_LIMITS),)),
    ]
    return Part("summary", "The answer", tuple(block for block in blocks if block is not None))


def _cells(criteria: Sequence[CriterionResult], profile: str = "rfc") -> list[Cell]:
    return [
        cell
        for criterion in criteria
        for experiment in criterion.experiments
        if experiment.profile == profile
        for cell in experiment.cells
    ]


def _counts(cells: Sequence[Cell]) -> str:
    counts = Counter(cell.state for cell in cells)
    said = ", ".join(f"{state} in {counts[state]}" for state in STATES if counts[state])
    failed = sum(bool(cell.errors) for cell in cells)
    errors = f" In {failed} cells runs of the candidate failed." if failed else ""
    return f"Of {len(cells)} cells: {said}.{errors}"


def _listed(heading: str, evaluation: Evaluation, state: State) -> Block | None:
    """Sentences of a state by criterion, each a link to its section; None without any."""
    items = []
    for criterion in evaluation.criteria:
        section = criterion.section
        said = [it for it in evaluation.sentences if (it.section, it.state) == (section, state)]
        lines = Markup("").join(Markup("<li>{}</li>").format(it.text) for it in said)
        if said:
            link = f"{section} {criterion.title}"
            item = Markup('<li><a href="#{}">{}</a> ({})<ul>{}</ul></li>')
            items.append(item.format(_anchor(section), link, criterion.strength, lines))
    if not items:
        return None
    return Markdown(Markup("<h3>{}</h3><ul>{}</ul>").format(heading, Markup("").join(items)))


def _coverage(evaluation: Evaluation) -> Part:
    rows: list[dict[str, str]] = []
    for each in evaluation.criteria:
        counts = Counter(cell.state for cell in _cells([each]))
        covered = f"see {', '.join(each.covered_by)}" if each.covered_by else ""
        rows.append(
            {
                "section": each.section,
                "title": each.title,
                "strength": each.strength,
                "status": each.status,
                "why": "; ".join(filter(None, [covered, each.why])),
            }
            | {str(state): str(counts[state]) if each.experiments else "" for state in STATES}
        )
    headings = {"section": "Section", "title": "Criterion", "strength": "RFC 9743 says"}
    headings |= {"status": "Evidence"} | {str(state): state.capitalize() for state in STATES}
    headings |= {"why": "Remark"}
    table = rows_table("coverage", rows, headings)
    assert table is not None
    text = "Cells of each criterion by what can be said of them, under the profile rfc."
    return Part("coverage", "What is covered", (_said(text), TitledTable("", table)))


def _criterion(criterion: CriterionResult) -> Part:
    blocks: list[Block] = [_said(f"In RFC 9743: {criterion.strength}. {criterion.asks}")]
    for experiment in criterion.experiments:
        if experiment.profile == "rfc":
            blocks += _experiment(criterion, experiment)
    if criterion.omits:
        lines = [f"Not modelled here: {each}" for each in criterion.omits]
        blocks.append(Notes(tuple(map(_said, lines))))
    return Part(_anchor(criterion.section), f"{criterion.section} {criterion.title}", tuple(blocks))


def _experiment(criterion: CriterionResult, experiment: ExperimentResult) -> Iterator[Block]:
    yield Markdown(Markup("<h3>{}</h3>").format(experiment.title))
    yield _said(experiment.question)
    yield _said(_design(experiment))
    yield _said(f"Proposal for a line: {experiment.line}")
    yield _said(_counts(experiment.cells))
    for number_, (response, cells) in enumerate(_by_response(experiment).items(), 1):
        first = cells[0]
        what = "harm" if first.statistic == "harm" else first.unit
        title = f"{first.words}{f' ({what})' if what else ''}"
        chart = measure_chart(experiment, cells, title=title)
        name = f"{_anchor(criterion.section)}{experiment.id}-{number_}"
        caption = f"{first.words.capitalize()}: the candidate (filled) and the baseline (hollow)."
        yield CaptionedChart(picture(name, chart, response), caption)
    yield from _effects(criterion, experiment)
    yield _all_cells(criterion, experiment)
    known = [cell for cell in experiment.cells if cell.excess is not None]
    if known:
        worst = max(known, key=lambda cell: (cell.state == "more harm", cell.excess))
        where = f"{worst.words} beside {worst.baseline} at {place(worst)}"
        again = "To run one of its runs again, from the folder of this page:"
        yield _said(f"The worst condition: {where}. {again}")
        yield Program(f"mesonet replay {experiment.folder} {worst.run}")
    for error in dict.fromkeys(error for cell in experiment.cells for error in cell.errors):
        yield Notes((_said(f"A run of the candidate failed: {error}"),))


def _by_response(experiment: ExperimentResult) -> dict[str, list[Cell]]:
    groups: dict[str, list[Cell]] = {}
    for cell in experiment.cells:
        groups.setdefault(cell.words, []).append(cell)
    return groups


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
        f" Cannot be told apart: {'; '.join(experiment.aliases)}." if experiment.aliases else ""
    )
    return f"{design}{size}{failed}.{aliases}"


def _all_cells(criterion: CriterionResult, experiment: ExperimentResult) -> TitledTable:
    rows = [
        {
            **cell.levels,
            "baseline": cell.baseline,
            "words": cell.words,
            "n": str(cell.n),
            "reference": cell.reference,
            "candidate": cell.candidate,
            "excess": cell.excess,
            "interval": _interval(cell.low, cell.high),
            "p": number(cell.p, digits=2),
            "state": cell.state,
            "needed": "" if cell.needed is None else str(cell.needed),
        }
        for cell in experiment.cells
    ]
    headings = {name: name.capitalize() for name in experiment.factors} | {
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
    digits = dict.fromkeys(("reference", "candidate", "excess"), partial(number, digits=3))
    table = rows_table(f"cells-{criterion.section}{experiment.id}", rows, headings, digits)
    assert table is not None
    return TitledTable("All cells", table, folded=True)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{number(low, digits=2)} to {number(high, digits=2)}"


def _effects(criterion: CriterionResult, experiment: ExperimentResult) -> Iterator[Block]:
    rows = [
        {
            "factor": each.factor,
            "levels": f"{each.low_level} to {each.high_level}",
            "what": f"{each.words}, {each.baseline}",
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
        "what": "Of the excess in",
        "change": "Change",
        "interval": "95 % interval",
        "p": "p",
    }
    name = f"effects-{criterion.section}{experiment.id}"
    table = rows_table(name, rows, headings, {"change": partial(number, digits=2, signed=True)})
    if table is not None:
        yield TitledTable("What the excess depends on", table)


def _pack(pack: PackResult) -> Part:
    """Statements of a specification with what was measured beside what is expected."""
    counts = Counter(each.verdict for each in pack.statements)
    said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
    text = f"{pack.title}: {pack.source}. {pack.scope} {len(pack.statements)} statements: {said}."
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
    blocks = (_said(text), TitledTable("", table))
    return Part(f"pack-{pack.name}", f"Statements: {pack.name}", blocks)


def _sensitivity(ran: Sequence[CriterionResult]) -> Iterator[Part]:
    rows = []
    for criterion in ran:
        base = {it.id: it for it in criterion.experiments if it.profile == "rfc"}
        for other in criterion.experiments:
            if other.profile == "rfc" or other.id not in base:
                continue
            states = {_key(cell): cell for cell in base[other.id].cells}
            for cell in other.cells:
                before = states[_key(cell)]
                if {before.state, cell.state} >= {"more harm"} and before.state != cell.state:
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
    profiles = dict.fromkeys(
        it.profile for each in ran for it in each.experiments if it.profile != "rfc"
    )
    if not profiles:
        return
    text = (
        f"The same with hosts of profile {', '.join(profiles)}: details of the transport may turn "
        "the answer. Cells in which “more harm” comes or goes:"
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
    block: Block = TitledTable("", table) if table else _said("There is no such cell.")
    yield Part("sensitivity", "With other transports", (_said(text), block))


def _key(cell: Cell) -> tuple[int, str, str]:
    return cell.condition, cell.baseline, cell.response

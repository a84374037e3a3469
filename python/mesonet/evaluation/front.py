"""The front of the page of an evaluation: the answer, and what is covered."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

from mesonet.controller import short
from mesonet.evaluation.chart import overview_chart
from mesonet.evaluation.result import CriterionResult, Evaluation
from mesonet.evaluation.statistics import STATES, State
from mesonet.evaluation.words import anchor, cells_of, counted, paragraph
from mesonet.page.blocks import Block, CaptionedChart, Markdown, Notes
from mesonet.page.charts import picture
from mesonet.page.simple import Part

_LIMITS = (
    "This page is evidence from a simulator, under the conditions that it names. It has no verdict "
    "on RFC 9743, which sets no thresholds and asks for consensus; lines and margins are proposals."
)


def summary(evaluation: Evaluation) -> Part:
    """Where the candidate is better and worse."""
    chart = picture("overview", overview_chart(evaluation), "Excess of all cells by measure")
    caption = (
        "Every dot is a condition, a baseline and a measure. Right of zero the candidate is worse "
        "than the baseline. Filled dots are decided; hollow ones are not."
    )
    nowhere = paragraph("In no cell is more harm shown than the baseline does.")
    blocks: list[Block | None] = [
        paragraph(_lead(evaluation)),
        _listed("Not recommended where", evaluation, "more harm") or nowhere,
        CaptionedChart(chart, caption),
        paragraph(counted(cells_of(evaluation.criteria))),
        _listed("Better than the baseline where", evaluation, "less harm"),
        Notes((paragraph(_LIMITS),)),
    ]
    return Part("summary", "The answer", tuple(block for block in blocks if block is not None))


def _lead(evaluation: Evaluation) -> str:
    """The answer in two sentences: how many criteria have more harm, and which are MUSTs."""
    ran = [it for it in evaluation.criteria if cells_of([it])]
    worse = [it for it in ran if any(cell.state == "more harm" for cell in cells_of([it]))]
    musts = [it.section for it in worse if "MUST" in it.strength]
    than = " and ".join(evaluation.baselines)
    text = f"{short(evaluation.candidate.name)} does more harm than {than} under some conditions "
    text += f"of {len(worse)} of the {len(ran)} criteria that were run."
    return f"{text} RFC 9743 has a MUST for these of them: {', '.join(musts)}." if musts else text


def _listed(heading: str, evaluation: Evaluation, state: State) -> Block | None:
    """The widest sentence of a state by criterion, a link to the section; None without any."""
    items = []
    for criterion in evaluation.criteria:
        section = criterion.section
        sentences = [
            it for it in evaluation.sentences if (it.section, it.state) == (section, state)
        ]
        if sentences:
            widest = max(sentences, key=lambda it: it.cells)
            link = f"{section} {criterion.title}"
            more = f"; {len(sentences) - 1} more in its section" if sentences[1:] else ""
            item = Markup('<li><a href="#{}">{}</a> ({}): {}{}.</li>')
            strength = criterion.strength
            items.append(item.format(anchor(section), link, strength, widest.text, more))
    if not items:
        return None
    size = "largest excess" if state == "more harm" else "most that the excess is below zero"
    note = (
        f"In brackets: versus which baseline, and the {size}. Others' measures "
        "are those of flows that compete with the candidate; all other measures are its own."
    )
    template = Markup("<h3>{}</h3><p>{}</p><ul>{}</ul>")
    return Markdown(template.format(heading, note, Markup("").join(items)))


def coverage(evaluation: Evaluation) -> Part:
    """All criteria at a glance, as a table that is never folded or cut."""
    heads = ["Section", "Criterion", "RFC 9743 says", "Evidence"]
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(it) for it in heads)
    head += Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(it.capitalize()) for it in STATES
    )
    run = {it.section for it in evaluation.criteria if cells_of([it])}
    rows = Markup("").join(_covered(it, run) for it in evaluation.criteria)
    table = Markup(
        '<div class="scroll"><table class="data"><thead><tr>{}</tr></thead><tbody>{}</tbody>'
        "</table></div>"
    ).format(head, rows)
    text = "Numbers are cells, by what can be said of them under the profile rfc."
    return Part("coverage", "What is covered", (paragraph(text), Markdown(table)))


def _covered(criterion: CriterionResult, run: set[str]) -> Markup:
    cells = cells_of([criterion])
    counts = Counter(cell.state for cell in cells)
    row = Markup("<tr><td>{}</td><td>{}</td><td>{}</td>").format(
        criterion.section, criterion.title, criterion.strength
    )
    if cells:
        link = Markup('<td><a href="#{}">run</a></td>').format(anchor(criterion.section))
        numbers = (Markup('<td class="num">{}</td>').format(counts[state]) for state in STATES)
        return row + link + Markup("").join(numbers) + Markup("</tr>")
    by = f" by {', '.join(criterion.covered_by)}" if criterion.covered_by else ""
    if not run.issuperset(criterion.covered_by):
        by += ", of which not all were run"
    why = f": {criterion.why}" if criterion.why else ""
    return row + Markup('<td colspan="5">{}</td></tr>').format(f"{criterion.status}{by}{why}")

"""The front of the page of an evaluation: the answer, and what is covered."""

from __future__ import annotations

from collections import Counter

from markupsafe import Markup

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
        "Every dot is one condition beside one baseline. Right of zero the candidate is worse than "
        "the baseline. Filled dots are decided; hollow ones are not."
    )
    nowhere = paragraph("In no cell is more harm shown than the baseline does.")
    blocks: list[Block | None] = [
        paragraph(counted(cells_of(evaluation.criteria))),
        CaptionedChart(chart, caption),
        _listed("Not recommended where", evaluation, "more harm") or nowhere,
        _listed("Better than the baseline where", evaluation, "less harm"),
        Notes((paragraph(_LIMITS),)),
    ]
    return Part("summary", "The answer", tuple(block for block in blocks if block is not None))


def _listed(heading: str, evaluation: Evaluation, state: State) -> Block | None:
    """Sentences of a state by criterion, each a link to its section; None without any."""
    items = []
    for criterion in evaluation.criteria:
        section = criterion.section
        sentences = [
            it for it in evaluation.sentences if (it.section, it.state) == (section, state)
        ]
        several = len({it.title for it in criterion.experiments}) > 1
        texts = (f"{it.experiment}: {it.text}" if several else it.text for it in sentences)
        lines = Markup("").join(Markup("<li>{}.</li>").format(_begun(it)) for it in texts)
        if sentences:
            link = f"{section} {criterion.title}"
            rfc = "" if criterion.strength == "added" else "RFC: "
            item = Markup('<li><a href="#{}">{}</a> ({}{})<ul>{}</ul></li>')
            items.append(item.format(anchor(section), link, rfc, criterion.strength, lines))
    if not items:
        return None
    size = "largest excess" if state == "more harm" else "most that the excess is below zero"
    note = (
        f"In brackets: beside or against which baseline, and the {size}. Others' measures "
        "are those of flows beside the candidate; all other measures are its own."
    )
    template = Markup("<h3>{}</h3><p>{}</p><ul>{}</ul>")
    return Markdown(template.format(heading, note, Markup("").join(items)))


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def coverage(evaluation: Evaluation) -> Part:
    """All criteria at a glance, as a table that is never folded or cut."""
    heads = ["Section", "Criterion", "RFC 9743 says", "Evidence"]
    head = Markup("").join(Markup('<th scope="col">{}</th>').format(it) for it in heads)
    head += Markup("").join(
        Markup('<th scope="col" class="num">{}</th>').format(it.capitalize()) for it in STATES
    )
    rows = Markup("").join(map(_covered, evaluation.criteria))
    table = Markup(
        '<div class="scroll"><table class="data"><thead><tr>{}</tr></thead><tbody>{}</tbody>'
        "</table></div>"
    ).format(head, rows)
    text = "Numbers are cells, by what can be said of them under the profile rfc."
    return Part("coverage", "What is covered", (paragraph(text), Markdown(table)))


def _covered(criterion: CriterionResult) -> Markup:
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
    why = f": {criterion.why}" if criterion.why else ""
    return row + Markup('<td colspan="5">{}</td></tr>').format(f"{criterion.status}{by}{why}")

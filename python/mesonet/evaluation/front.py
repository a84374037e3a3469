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
    "on RFC 9743, which sets no thresholds and asks for consensus; its limits and margins are "
    "proposals."
)
_EXCESS = (
    "Excess is how much worse the candidate is than the baseline; below zero it is better. The "
    "largest stands in parentheses behind a measure, over all baselines unless it names some. "
    "Others' measures are those of flows that share its path. A candidate that sends little does "
    "them little harm, so look at its own measures, too."
)


def summary(evaluation: Evaluation) -> Part:
    """Where the candidate is better and worse."""
    chart = picture("overview", overview_chart(evaluation), "Excess of all cells by measure")
    caption = (
        "A dot is one condition with one baseline and one measure. Right of zero the candidate is "
        "worse than the baseline. Filled dots are decided; hollow ones are not."
    )
    blocks: list[Block | None] = [
        paragraph(_lead(evaluation)),
        paragraph(_EXCESS),
        _listed("Not recommended where", evaluation, "more harm"),
        CaptionedChart(chart, caption),
        paragraph(counted(cells_of(evaluation.criteria))),
        _listed("Less harm than the baseline where", evaluation, "less harm"),
        Notes((paragraph(_LIMITS),)),
    ]
    return Part("summary", "The answer", tuple(block for block in blocks if block is not None))


def _lead(evaluation: Evaluation) -> str:
    """The answer: how much was run, how many criteria have more harm, and which are MUSTs."""
    ran = [it for it in evaluation.criteria if cells_of([it])]
    worse = [it for it in ran if any(cell.state == "more harm" for cell in cells_of([it]))]
    musts = [it.section for it in worse if "MUST" in it.strength]
    asked, added = ([it for it in ran if it.section[0].isdigit() is own] for own in (True, False))
    total = len(evaluation.criteria) - len(added)
    text = f"{len(asked)} of the {total} criteria of RFC 9743 were run"
    text += f", and {len(added)} added. " if added else ". "
    than = " and ".join(evaluation.baselines)
    text += f"In {len(worse) or 'none'} of them {short(evaluation.candidate.name)} does more harm "
    text += f"than {than} under some conditions."
    return f"{text} The RFC says MUST for {', '.join(musts)}." if musts else text


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
    template = Markup("<h3>{}</h3><ul>{}</ul>")
    return Markdown(template.format(heading, Markup("").join(items)))


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
    text = "Numbers count cells: one condition, one baseline, one measure. Hosts have profile rfc."
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
        by += " (not all of them run)"
    why = f": {criterion.why}" if criterion.why else ""
    return row + Markup('<td colspan="5">{}</td></tr>').format(f"{criterion.status}{by}{why}")

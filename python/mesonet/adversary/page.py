"""The page of a search."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

from mesonet.adversary.chart import NAMES, search_chart
from mesonet.adversary.result import Judged, Search
from mesonet.controller import short
from mesonet.evaluation.words import paragraph
from mesonet.numbers import number
from mesonet.page.blocks import Block, CaptionedChart, Notes, Program, TitledTable
from mesonet.page.charts import picture
from mesonet.page.layout import Fact
from mesonet.page.simple import Part, simple_page
from mesonet.page.tables import rows_table
from mesonet.tables import result_version

_READING = (
    "The score is the part of their goodput that the victims lose to the candidate. Excess is what "
    "they lose to it beyond what they lose to their own kind. A run in which it fails counts 1."
)
_LIMITS = (
    "The best of many noisy trials looks worse than it is. So every stage has seeds of its own, "
    "and only the fresh replicates at the end count. A search that shows nothing shows no absence."
)
_CHART = "Every dot is a trial; above zero the victims lose."


def render_page(search: Search) -> str:
    """The page as HTML. It loads nothing, and the same search gives the same text."""
    chart = picture("tried", search_chart(search), "All trials by coordinate")
    return simple_page(
        kind="mesonet search",
        title=f"The worst condition for {search.against} versus {short(search.candidate)}",
        question="Where does it harm others most, and how simple is such a condition?",
        facts=[
            Fact("Runs", f"{search.runs:,}"),
            Fact("Conditions", f"{len({it.values for it in search.trials}):,}"),
            Fact("Score", search.response),
            Fact("Run it again", search.command, wide=True),
        ],
        parts=[
            Part("summary", "The answer", tuple(_answer(search))),
            Part("tried", "What was tried", (CaptionedChart(chart, _CHART),)),
        ],
        settings={
            "Candidate": search.candidate,
            "Victims": search.against,
            **{
                NAMES.get(name, name).capitalize(): " to ".join(map(str, ends))
                for name, ends in search.bounds.items()
            },
            "First seed": str(search.seed),
            "Budget": f"{search.budget:,} runs",
            "Version of mesonet": version("mesonet"),
            "Result version": result_version(),
        },
    )


def _answer(search: Search) -> Iterator[Block]:
    yield from (paragraph(it) for it in search.sentences())
    yield paragraph("To run the minimal condition again:")
    yield Program("\n".join(search.replay))
    rows = [_row("minimal", search.minimal), _row("worst", search.worst)]
    headings = {"condition": "Condition", "searched": "When chosen", "mean": "Fresh seeds"}
    headings["interval"] = "95 % interval"
    varied = [name for name, ends in search.bounds.items() if len(ends) > 1]
    headings |= {name: NAMES.get(name, name).capitalize() for name in varied}
    table = rows_table("found", rows, headings)
    assert table is not None
    yield TitledTable("Both conditions, when they were chosen and with fresh seeds", table)
    yield Notes((paragraph(_READING), paragraph(_LIMITS)))


def _row(name: str, it: Judged) -> dict[str, str]:
    ends = "" if it.low is None or it.high is None else f"{it.low:.2f} to {it.high:.2f}"
    scores = {"searched": it.searched, "mean": it.mean}
    texts = {key: "" if value is None else number(value, digits=2) for key, value in scores.items()}
    values = {key: str(value) for key, value in it.values.items()}
    return {"condition": name, **values, **texts, "interval": ends}

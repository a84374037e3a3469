"""The page of a search: `templates/search.html.j2`."""

from __future__ import annotations

from importlib.metadata import version

from mesonet.adversary.chart import NAMES, search_chart
from mesonet.adversary.result import Judged, Search
from mesonet.controller import short
from mesonet.numbers import number
from mesonet.page.charts import picture
from mesonet.page.layout import Entry, Fact, Head, render
from mesonet.page.tables import rows_table
from mesonet.tables import result_version


def render_page(search: Search) -> str:
    """The page as HTML. It loads nothing, and the same search gives the same text."""
    tried = picture("tried", search_chart(search), "All trials by coordinate")
    titles = {"summary": "The answer", "tried": "What was tried", "settings": "Settings"}
    head = Head(
        kind="mesonet search",
        title=f"The worst condition for {search.against} versus {short(search.candidate)}",
        question="Where does it harm others most, and how simple is such a condition?",
        facts=[
            Fact("Runs", f"{search.runs:,}"),
            Fact("Conditions", f"{len({it.values for it in search.trials}):,}"),
            Fact("Score", search.response),
            Fact("Run it again", search.command, wide=True),
        ],
        contents={"": [Entry(*both) for both in titles.items()]},
        first="“The answer”",
    )
    names = {name: NAMES.get(name, name).capitalize() for name in search.bounds}
    headings = {"condition": "Condition", "searched": "When chosen", "mean": "Fresh seeds"}
    headings["interval"] = "95 % interval"
    headings |= {name: names[name] for name, ends in search.bounds.items() if len(ends) > 1}
    rows = [_row("minimal", search.minimal), _row("worst", search.worst)]
    return render(
        "search.html.j2",
        "mesonet.adversary",
        head,
        charts=[tried],
        search=search,
        tried=tried,
        both=rows_table("found", rows, headings),
        settings={
            "Candidate": search.candidate,
            "Victims": search.against,
            **{names[name]: " to ".join(map(str, ends)) for name, ends in search.bounds.items()},
            "First seed": str(search.seed),
            "Budget": f"{search.budget:,} runs",
            "Version of mesonet": version("mesonet"),
            "Result version": result_version(),
        },
    )


def _row(name: str, it: Judged) -> dict[str, str]:
    ends = "" if it.low is None or it.high is None else f"{it.low:.2f} to {it.high:.2f}"
    scores = {"searched": it.searched, "mean": it.mean}
    texts = {key: "" if value is None else number(value, digits=2) for key, value in scores.items()}
    values = {key: str(value) for key, value in it.values.items()}
    return {"condition": name, **values, **texts, "interval": ends}

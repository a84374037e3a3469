"""The page of a search, with its picture: `templates/search.html.j2`."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import altair as alt

from mesonet.adversary.result import Judged, Search
from mesonet.controller import short
from mesonet.figures.chart import Chart
from mesonet.figures.style import BLUE, GREEN, GREY, INK, VERMILLION, data, themed
from mesonet.numbers import number
from mesonet.page.charts import picture
from mesonet.page.layout import Entry, Fact, Head, render
from mesonet.page.tables import rows_table
from mesonet.tables import result_version
from mesonet.units import parse_rate, parse_size, parse_time

_STAGES = {"start": GREY, "evolution": BLUE, "reduction": GREEN, "fresh": VERMILLION}
_WIDTH, _HEIGHT, _COLUMNS = 190, 120, 3
_UNITS = {"rate": "Mbit/s", "rtt": "ms", "buffer": "BDP", "start": "s"}
_NAMES = {
    "rtt": "round-trip time",
    "loss": "random loss",
    "flows": "flows of the candidate",
    "victims": "flows of the victims",
}
"""Names of coordinates that say more than their keywords."""


def render_page(search: Search) -> str:
    """The page as HTML. It loads nothing, and the same search gives the same text."""
    tried = picture("tried", _chart(search), "All trials by coordinate")
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
    names = {name: _NAMES.get(name, name).capitalize() for name in search.bounds}
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
            **{f"Its {name}": str(value) for name, value in search.parameters.items()},
            "Victims": search.against,
            **{names[name]: " to ".join(map(str, ends)) for name, ends in search.bounds.items()},
            names["queue"]: ", ".join(search.bounds["queue"]),
            "First seed": str(search.seed),
            "Budget": f"{search.budget:,} runs",
            "Version of mesonet": version("mesonet"),
            "Result version": result_version(),
        },
    )


def _row(name: str, it: Judged) -> dict[str, str]:
    ends = [f"{end:.2f}".replace("-", "−") for end in (it.low, it.high) if end is not None]
    scores = {"searched": it.searched, "mean": it.mean}
    texts = {key: "" if value is None else number(value, digits=2) for key, value in scores.items()}
    values = {key: str(value) for key, value in it.values.items()}
    return {"condition": name, **values, **texts, "interval": " to ".join(ends)}


def _chart(search: Search) -> Any:
    """The score of all trials, a panel for each coordinate that varies."""
    varied = [name for name, ends in search.bounds.items() if len(ends) > 1]
    places = {name: place for place, name in enumerate(search.bounds)}
    panels = [_panel(search, name, places[name]) for name in varied]
    return themed(alt.concat(*panels, columns=_COLUMNS, spacing=18))


def _panel(search: Search, name: str, place: int) -> Any:
    points = [
        {
            "value": _number(name, trial.values[place]),
            "score": max(-1.0, min(1.0, trial.mean)),
            "stage": trial.stage.partition("-")[0],
            "where": " · ".join(map(str, trial.values)),
        }
        for trial in search.trials
        if trial.mean is not None
    ]
    title = _NAMES.get(name, name) + (f" ({_UNITS[name]})" if name in _UNITS else "")
    axis = alt.Axis(title=title, tickCount=4, format="~g", labelOverlap="greedy", labelSeparation=4)
    kind, scale = "Q", alt.Scale(type="log", nice=False)
    if name in ("loss", "start"):
        # Linear up to the least value above zero.
        least = min((it["value"] for it in points if it["value"] > 0), default=1.0)
        scale = alt.Scale(type="symlog", constant=least, nice=False)
    if name == "queue":
        kind, scale, axis = "N", alt.Scale(), alt.Axis(title=title)
    colours = alt.Scale(domain=list(_STAGES), range=list(_STAGES.values()))
    zero = Chart(data([{"zero": 0}])).mark_rule(color=INK, opacity=0.5).encode(y="zero:Q")
    dots = (
        Chart(data(points))
        .mark_point(filled=True, size=26, opacity=0.7)
        .encode(
            alt.X(f"value:{kind}", scale=scale, axis=axis),
            alt.Y("score:Q", scale=alt.Scale(domain=[-1, 1]), axis=alt.Axis(title=search.response)),
            color=alt.Color("stage:N", scale=colours, legend=alt.Legend(title=None)),
            tooltip=["where:N", "score:Q", "stage:N"],
        )
    )
    return alt.layer(zero, dots).properties(width=_WIDTH, height=_HEIGHT)


def _number(name: str, value: Any) -> Any:
    """The value in the unit of its axis."""
    if name == "rate":
        return parse_rate(value).value / 1e6
    if name == "buffer":
        return parse_size(value, bdp=True).value
    return parse_time(value) * (1e3 if name == "rtt" else 1) if name in _UNITS else value

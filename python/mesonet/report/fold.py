"""The part of an analysis in the report: its reading, charts and tables, as it declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

from mesonet import figures
from mesonet.analysis import Analysis, ChartOf, Result
from mesonet.analysis.columns import Columns
from mesonet.analysis.declaration import follow
from mesonet.errors import InputError
from mesonet.numbers import number, percent, probability
from mesonet.page.charts import picture
from mesonet.page.tables import Column, Table
from mesonet.report.results import Results

_MOST_CONDITIONS, _MOST_GROUPS, _MOST_RANKED = 32, 6, 4
_SIGNED = {"difference", "effect", "residual", "loading", "weight", "r"}

NEEDS: Mapping[str, Callable[[Results], object]] = {
    "": lambda _: True,
    "alternatives": lambda results: results.several,
    "congestion": lambda results: results.inputs.congestion,
    "factors": lambda results: results.inputs.factors,
    "flows": lambda results: results.has_standard_flows,
    "levels": lambda results: results.several_levels or "level_means" in results.inputs.analysis,
    "responses": lambda results: len(results.every) > 2,
}
"""Requirements on a campaign, by the name in the declaration of an analysis."""

_DRAWN: Mapping[str, Callable[[Results, Any], Any]] = {
    "paired_differences": lambda results, _: (
        results.judged and results.judged.on(results.inputs.compared)
    ),
    "condition_response": lambda results, every: [
        result for result in every or () if result.response in results.inputs.shown
    ],
    "term_effects": lambda results, _: results.steps,
}
"""Results to draw in place of the analysis's own, by its name."""


def part(results: Results, analysis: Analysis) -> dict[str, Any] | None:
    """Content of an analysis; `None` where the campaign has nothing for it."""
    if analysis.on_request and analysis.name not in results.inputs.analysis:
        return None
    if results.inputs.frame.is_empty() or not results.every or not NEEDS[analysis.needs](results):
        return None
    try:
        every = results.analyses.tables(analysis.name)
        tables = {name: frame for name, frame in every.items() if frame.height}
        choose, drawn = _DRAWN.get(analysis.name), results.analyses.result(analysis.name)
        if choose:
            drawn = choose(results, drawn)
        charts = [
            _chart(results, analysis, place, chart, drawn)
            for place, chart in enumerate(analysis.charts if tables else (), start=1)
        ]
    except InputError as error:
        reasons = "; ".join(problem.message for problem in error.problems)
        return {"why": f"{analysis.title} could not be computed: {reasons}."}
    # Verdicts rest on what is drawn, and so do the notes beside them.
    notes = notes_of(
        drawn.notes if choose and isinstance(drawn, Result) else every.notes[analysis.name]
    )
    if not tables:
        return {"why": " ".join(notes) or "There is nothing to analyse."}
    return {
        "title": analysis.title,
        "reading": analysis.reading,
        "charts": [chart for chart in charts if chart["panels"]],
        "notes": notes,
        "tables": [
            (
                table.title,
                table_of(results, table.name.replace("_", "-"), tables[table.name], table.columns),
            )
            for table in analysis.tables
            if table.name in tables
        ],
    }


def notes_of(notes: Iterable[str]) -> list[str]:
    """Notes without repetitions; what concerns replication stands at the head of the page."""
    return [note for note in dict.fromkeys(notes) if not note.startswith(("n = 1", "Suspicious"))]


def table_of(results: Results, identifier: str, frame: pl.DataFrame, columns: Columns) -> Table:
    """A table with all its columns; their meanings stand behind their headings."""
    about = columns.about(frame)
    names = {it: results.names.response(it) for it in results.inputs.responses}
    names |= {it: results.names.factor(it) for it in results.names.factors}
    headed = []
    for column, kind in frame.schema.items():
        form = _form(column, kind, names)
        meaning = about[column].meaning if column in about else ""
        headed.append(Column(column, column.replace("_", " "), form, kind.is_numeric(), meaning))
    caution = "n = 1" if results.replicates == 1 else ""
    return Table(identifier, tuple(headed), frame, caution)


def _form(name: str, kind: pl.DataType, names: Mapping[str, str]) -> Callable[[Any], str]:
    if kind.is_integer() or kind == pl.Boolean:
        return str
    if not kind.is_numeric():
        return lambda value: names.get(value, str(value))
    if {"p", "holm", "bh"} & set(name.split("_")):
        return probability
    if name.startswith(("relative", "excess", "change", "explained", "fraction", "cumulative")):
        return percent
    return partial(number, signed=name in _SIGNED)


def _chart(
    results: Results, analysis: Analysis, place: int, chart: ChartOf, result: Any
) -> dict[str, Any]:
    """A chart with its caption, and a panel for each response or group that it is drawn for."""
    identifier = f"{analysis.name}-{place}".replace("_", "-")
    panels: list[dict[str, Any]] = []
    for name, value, draw, paper in _panels(results, chart, result):
        at = f"{identifier}-{len(panels) + 1}"
        file = "-".join((chart.function.removesuffix("_chart").replace("_", "-"), *value))
        drawn = picture(at, draw(), f"{chart.caption.split('.')[0]} {name}".strip(),
                        file=f"{analysis.section}-{file}", paper=paper)  # fmt: skip
        panels.append({"name": name, "picture": drawn})
    return {"caption": chart.caption, "panels": panels, "identifier": identifier}


def _panels(
    results: Results, chart: ChartOf, result: Any
) -> Iterator[tuple[str, tuple[str, ...], Callable[[], Any], Callable[[], Any] | None]]:
    """Name, ending of the file, drawing, and drawing for paper of each panel."""
    function = getattr(figures, chart.function)
    parameters = inspect.signature(function).parameters
    several = isinstance(result, list | tuple)
    for whole in result if several else [result]:
        if whole is None:
            continue
        drawn = follow(whole, chart.of)
        style = {key: value for key, value in _style(results).items() if key in parameters}
        own = (whole.response,) if several else ()
        for name, choice in _choices(results, drawn, parameters, own):
            style |= choice
            cut = {key: value for key, value in _cuts(results, drawn).items() if key in parameters}
            draw = partial(function, drawn, **style)
            label = results.names.response(own[0]) if own else name
            ending = own or tuple(str(value) for value in choice.values() if isinstance(value, str))
            ending = ending or ((name.replace(" ", "-"),) if name else ())
            yield label, ending, partial(draw, **cut), draw if cut else None


def _style(results: Results) -> dict[str, Any]:
    options = results.inputs.analysis
    return {
        "look": results.look,
        "names": results.names,
        "better": {n: str(a.get("better")) for n, a in results.inputs.responses.items()},
        "alternatives": results.effects_each,
        "levels": results.levels if results.two_level else None,
        "order": results.order,
        "threshold": options.get("response_clusters", {}).get("threshold"),
    }


def _choices(
    results: Results, drawn: Any, parameters: Mapping[str, Any], own: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each response, group or factor that a chart is drawn for, with its name."""
    if "response" in parameters:
        present = set(drawn.frame["response"]) if "response" in drawn.frame.columns else set(own)
        for name in own or results.inputs.shown:
            if name in present:
                yield results.names.response(name), {"response": name}
    elif "group" in parameters and hasattr(drawn, "groups"):
        present = set(drawn.frame["group"])
        for name in [name for name in drawn.groups if name in present][:_MOST_GROUPS]:
            yield results.names.response(name), {"group": name}
    elif "by" in parameters:
        yield "Factors that explain most", {"by": None}
        for name in drawn.factors:
            yield results.names.factor(name), {"by": [name]}
    else:
        yield "", {}


def _cuts(results: Results, drawn: Any) -> dict[str, Any]:
    """Choices that leave to paper responses without plots, and the less congested conditions."""
    cuts: dict[str, Any] = {}
    every = getattr(drawn, "responses", ())
    if not every and isinstance(drawn, Result) and "response" in drawn.frame.columns:
        every = drawn.frame["response"].unique(maintain_order=True).to_list()
    listed = [name for name in results.inputs.shown if name in every] or list(every)[:_MOST_RANKED]
    if len(listed) < len(every):
        cuts["only"] = listed
    order = results.order or sorted(results.inputs.frame["condition"].unique())
    if len(order) > _MOST_CONDITIONS:
        cuts["conditions"] = order[-_MOST_CONDITIONS:]
    return cuts

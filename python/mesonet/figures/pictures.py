"""The picture of a result, for those who ask for no other: what notebooks show."""

from __future__ import annotations

import inspect
from typing import Any

import polars as pl

from mesonet import figures
from mesonet.analysis import Result, alternatives, described
from mesonet.figures.style import Look, Names


def picture(result: Result) -> Any:
    """The picture of a result as an Altair chart; `None` if nothing draws it.

    Charts that need one response or one group get the first.
    """
    if not result.chart:
        return None
    draw = getattr(figures, result.chart)
    parameters = inspect.signature(draw).parameters
    arguments = {name: value for name, value in _chosen(result).items() if name in parameters}
    if any(
        parameter.default is inspect.Parameter.empty and name not in arguments
        for name, parameter in list(parameters.items())[1:]
    ):
        return None
    return draw(result, **arguments)


def _chosen(result: Result) -> dict[str, Any]:
    """Whatever charts may want to know, as far as the result has it."""
    frame = result.frame
    arguments: dict[str, Any] = {"look": Look.of(_alternatives(result)), "names": _names(result)}
    for name in ("response", "group", "alternative"):
        if name in frame.columns and frame.height:
            arguments[name] = frame[name][0]
    return arguments


def _alternatives(result: Result) -> list[str]:
    """Alternatives of a result in their order, the baseline first."""
    baseline = getattr(result, "baseline", None)
    listed = getattr(result, "alternatives", None)
    labels = [str(baseline)] if baseline else []
    if isinstance(listed, list | tuple):
        labels += map(str, listed)
    for frame in result.frames().values():
        if "alternative" in frame.columns and frame["alternative"].dtype == pl.String:
            labels += alternatives(frame)
    return list(dict.fromkeys(labels))


def _names(result: Result) -> Names:
    """Names and units of the responses of a result."""
    responses: set[str] = set()
    for frame in result.frames().values():
        for column in ("response", "first", "second"):
            if column in frame.columns and frame[column].dtype == pl.String:
                responses.update(frame[column].drop_nulls())
    about = {name: described(name) for name in sorted(responses)}
    return Names({name: (facts["name"], facts["unit"]) for name, facts in about.items()})

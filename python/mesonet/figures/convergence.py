"""Two windows against each other: the diagram of Chiu and Jain (1989), drawn by packets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.figures.chart import Chart
from mesonet.figures.style import GREEN, GREY, ORANGE, VERMILLION, data, themed

if TYPE_CHECKING:
    from mesonet.run import Run

_SIZE = 340


def convergence_chart(
    run: Run, first: str, second: str, *, start: float = 0.0, end: float = math.inf
) -> Any:
    """The windows of two named flows as a path, with the lines of fairness and efficiency.

    Fair is where both have the same rate. Efficient is from where they fill the pipe to where they
    fill its buffer as well, and lose packets. Both lines hold while no other flow sends.
    [Chiu and Jain (1989)](https://doi.org/10.1016/0169-7552(89)90019-6).

    Args:
        run: A run with one bottleneck whose rate is constant.
        first: Flow along the horizontal axis.
        second: Flow along the vertical axis.
        start: Begin of the path [s].
        end: End of the path [s].
    """
    names, capacity = run.scenario.named_flows(), run.scenario.bottleneck()
    problems = [
        Problem("flows", "unknown_flow", f'no named flow "{name}"{did_you_mean(name, names)}')
        for name in (first, second)
        if name not in names
    ]
    if capacity is None:
        problems.append(Problem("run", "no_bottleneck", "expected a run with one bottleneck"))
    if problems or capacity is None:
        raise InputError(problems)
    rtts = [names[name].base_rtt for name in (first, second)]
    room = max(run.queues["capacity"].to_list(), default=0)
    inside = run.flows.filter(pl.col("time") > start, pl.col("time") <= end)
    windows = inside.pivot("flow", index="time", values="cwnd").select(
        "time", x=pl.col(first), y=pl.col(second)
    )
    pipe = [capacity * rtt for rtt in rtts]
    full = [size + room for size in pipe]
    top = max(*full, *windows["x"].drop_nulls(), *windows["y"].drop_nulls())
    scale = top / max(pipe)
    lines = [
        *_line("equal rates", (0, 0), (pipe[0] * scale, pipe[1] * scale)),
        *_line("pipe full", (pipe[0], 0), (0, pipe[1])),
        *_line("buffer full", (full[0], 0), (0, full[1])),
    ]
    axes = (
        alt.X("x:Q", title=f"Window of {first} (segments)"),
        alt.Y("y:Q", title=f"Window of {second} (segments)"),
    )
    chart = alt.layer(_lines(lines, axes), *_path(windows, axes))
    apart = chart.resolve_scale(color="independent").properties(width=_SIZE, height=_SIZE)
    return themed(apart)


def _line(name: str, *ends: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"line": name, "x": x, "y": y} for x, y in ends]


def _lines(lines: list[dict[str, Any]], axes: tuple[Any, Any]) -> Any:
    names = list(dict.fromkeys(line["line"] for line in lines))
    ink = alt.Scale(domain=names, range=[GREEN, ORANGE, VERMILLION])
    dash = alt.Scale(domain=names, range=[[1, 0], [1, 0], [5, 4]])
    return (
        Chart(data(lines))
        .mark_line(strokeWidth=1.4)
        .encode(
            *axes,
            color=alt.Color("line:N", title=None, scale=ink),
            strokeDash=alt.StrokeDash("line:N", scale=dash, legend=None),
        )
    )


def _path(windows: pl.DataFrame, axes: tuple[Any, Any]) -> tuple[Any, Any]:
    base = Chart(data(windows)).encode(*axes)
    beside = alt.Legend(title="Time (s)", orient="right", gradientLength=160)
    time = alt.Color("time:Q", scale=alt.Scale(scheme="viridis"), legend=beside)
    line = base.mark_line(strokeWidth=0.8, opacity=0.6, color=GREY).encode(order="time:Q")
    return line, base.mark_circle(size=14, opacity=0.9).encode(color=time)

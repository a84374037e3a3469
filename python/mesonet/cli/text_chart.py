"""Charts in text, for terminals without a browser."""

from __future__ import annotations

from mesonet.analysis import trace
from mesonet.analysis.traces.estimate import cut_off
from mesonet.run import Run

_HEIGHT = 18
_MOST = 6


def rates(run: Run, *, width: int) -> str:
    """Rates of the first flows over time, or the total goodput of a run without named flows.

    Args:
        run: Run to draw.
        width: Width of the terminal [characters].
    """
    import plotext

    traced = trace(run, points=width)
    megabits = traced.payload is not None
    scale = traced.payload / 1e6 if traced.payload is not None else 1.0
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, _HEIGHT)
    plotext.xlabel("Time (s)")
    flows = traced.flows[:_MOST]
    for flow in flows:
        frame = traced.frame.filter(flow=flow)
        values = (frame["rate"] * scale).to_list()
        plotext.plot(frame["time"].to_list(), values, label=flow, marker="braille")
    if not flows:
        interval = run.scenario.interval
        series = run.series.with_columns(seconds=interval - cut_off(interval))
        values = (series["acked"] / series["seconds"] * scale).to_list()
        plotext.plot(series["time"].to_list(), values, marker="braille")
    left = f", the first {_MOST} of {len(traced.flows)} flows" if len(traced.flows) > _MOST else ""
    plotext.title(f"Rate ({'Mbit/s' if megabits else 'segments/s'}){left}")
    text: str = plotext.uncolorize(plotext.build())
    plotext.clear_figure()
    return text

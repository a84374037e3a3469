"""Long-lived flows in and after the congestion of Experiment 1b, under four readings of it."""

from __future__ import annotations

import math

import polars as pl

from mesonet.studies import Options, RunResults, value
from mesonet_studies.nist.exp1.figures import latency_figures, long_flow_figures
from mesonet_studies.nist.exp1.results import ExperimentResults

_READINGS = {(-1, -1): "printed", (1, -1): "files", (-1, 1): "ends", (1, 1): "both"}
"""Name of a reading by the levels of `files` and `ends`."""


def settings(options: Options) -> dict[str, str]:
    """The algorithms, which options change."""
    return {"Algorithms": ", ".join(options.chosen)}


def figures(run: RunResults) -> dict[str, float]:
    """Figures of the long-lived flows by reading.

    `long_kept` is their goodput in the congestion over that before, `recovery_seconds` the time
    from its end until a second with 90 % of their largest goodput outside it. It
    is there where the period after the congestion is as long as the longest printed latency.
    """
    frame = next(iter(run.campaigns.values())).results()
    values, numbers = run.options.values, dict[str, float]()
    long_enough = values["duration"] / 5 >= max(values["latencies"]["goodput"].values())
    for (files, ends), reading in _READINGS.items():
        rows = frame.filter((pl.col("files") == files) & (pl.col("ends") == ends))
        if not rows.is_empty():
            results = ExperimentResults(rows)
            latencies = latency_figures(results)
            if not long_enough:
                latencies = dict.fromkeys(latencies, math.nan)
            measured = long_flow_figures(results) | latencies
            numbers |= {f"{reading}.{name}": number for name, number in measured.items()}
    return numbers


@value
def labels(run: RunResults) -> list[str]:
    """Algorithms that have results; their order is that of the plan."""
    frame = next(iter(run.campaigns.values())).results()
    return frame["alternative"].unique(maintain_order=True).to_list()

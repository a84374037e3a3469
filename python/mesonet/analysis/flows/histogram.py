"""Histograms of the difference in goodput between two kinds of flows in the same network."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.flows.entry import FLOW_HISTOGRAM
from mesonet.analysis.flows.estimate import FlowComparison
from mesonet.analysis.result import Result


class DifferenceHistogram(Result, chart="difference_histogram_chart", frame=FLOW_HISTOGRAM):
    """Histogram of the difference in goodput between alternate and standard flows.

    `frame` has a row for each group, alternative and bin.
    """

    groups: tuple[str, ...]
    alternatives: tuple[str, ...]


def difference_histogram(comparison: FlowComparison, *, bins: int = 20) -> DifferenceHistogram:
    """Counts the differences of a comparison of flows.

    Args:
        bins: About how many bins, over all alternatives of a group.
    """
    rows: list[tuple[str, str, float, float, int]] = []
    notes = list(comparison.notes)
    for group in comparison.groups:
        chosen = comparison.frame.filter(pl.col("group") == group)
        if chosen.is_empty():
            continue
        values = chosen["difference"].to_numpy()
        edges = _edges(float(values.min()), float(values.max()), bins)
        if edges is None:
            notes.append(f"In {group} all differences are zero: there is one bin without width.")
            edges = np.zeros(2)
        for label in comparison.alternatives:
            own = chosen.filter(pl.col("alternative") == label)["difference"].to_numpy()
            wide = len(edges) > 2 or edges[1] > edges[0]
            counts = np.histogram(own, bins=edges)[0] if wide else [len(own)]
            rows += [
                (group, label, float(low), float(high), int(count))
                for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
            ]
    return DifferenceHistogram(
        frame=FLOW_HISTOGRAM.frame(rows),
        notes=tuple(notes),
        groups=comparison.groups,
        alternatives=comparison.alternatives,
    )


def _edges(low: float, high: float, bins: int) -> NDArray[np.float64] | None:
    """Edges at whole multiples of a step of 1, 2 or 5 times a power of ten."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high <= low:
        return None
    rough = (high - low) / bins
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step), math.ceil(high / step)
    return np.array([k * step for k in range(first, max(last, first + 1) + 1)])

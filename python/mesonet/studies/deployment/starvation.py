"""Starvation: transfers that get a small part of what is usual among their kind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.measurements import divide
from mesonet.studies.deployment.measure import BINS_PER_OCTAVE

STARVED = 0.1
"""Limit of starvation, as a part of the median goodput of the flow group without newcomers."""


def thresholds(groups: pl.DataFrame) -> dict[tuple[str, str, str], float]:
    """Goodput below which a transfer counts as starved, by flow group, in octaves."""
    found = {}
    for key, part in groups.group_by("path_class", "interface", "file", maintain_order=True):
        octaves, counts = _histogram(part["bins"].to_list())
        path, interface, file = (str(name) for name in key)
        found[path, interface, file] = _median(octaves, counts) + math.log2(STARVED)
    return found


def starvation(
    run: Mapping[str, Any], limits: Mapping[tuple[str, str, str], float], algorithm: str
) -> float:
    """Part of an algorithm's transfers whose goodput lies below the limit of their flow group.

    Transfers of groups that the run without newcomers lacks do not count; NaN without any.
    """
    groups = pl.DataFrame(run["groups"]).filter(pl.col("algorithm") == algorithm)
    starved = total = 0.0
    for row in groups.iter_rows(named=True):
        limit = limits.get((row["path_class"], row["interface"], row["file"]))
        if limit is not None:
            octaves, counts = _histogram([row["bins"]])
            starved += _below(octaves, counts, limit)
            total += float(counts.sum())
    return divide(starved, total)


def _histogram(
    many: Sequence[Sequence[Sequence[int]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower edges of bins in octaves, ascending, and their counts, summed over histograms."""
    pairs = np.array([pair for bins in many for pair in bins], dtype=np.float64).reshape(-1, 2)
    edges, where = np.unique(pairs[:, 0], return_inverse=True)
    return edges / BINS_PER_OCTAVE, np.bincount(where, weights=pairs[:, 1]).astype(np.float64)


def _below(octaves: NDArray[np.float64], counts: NDArray[np.float64], limit: float) -> float:
    """Transfers below a limit; inside its bin they are taken to be spread evenly."""
    part = np.clip((limit - octaves) * BINS_PER_OCTAVE, 0.0, 1.0)
    return float((part * counts).sum())


def _median(octaves: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    upto = np.cumsum(counts)
    half = upto[-1] / 2
    place = int(np.searchsorted(upto, half))
    inside = (half - (upto[place] - counts[place])) / counts[place]
    return float(octaves[place] + inside / BINS_PER_OCTAVE)

"""Results of Experiment 1 by algorithm, condition and response.

A condition's congestion is the mean retransmission rate (y6) of its algorithms other than FAST and
FAST-AT. Its *congested* half are the sixteen conditions with the most; *few buffers* is the minus
level of buffer sizing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import AlgorithmClusters, algorithm_clusters

RESPONSES = tuple(f"y{number}" for number in range(1, 46))
"""The 45 responses of the experiment."""
FAST_KIND = ("FAST", "FAST-AT")
"""The algorithm that the study found apart, and its variant."""
UNCONGESTED = 1e-3
"""Largest congestion of a condition that we call not congested."""

Array = NDArray[np.float64]


class ExperimentResults:
    """Results of one campaign: one value per algorithm, condition and response."""

    def __init__(self, frame: pl.DataFrame) -> None:
        """`frame` is what `Campaign.results` gives, one replicate or several."""
        self.frame = frame
        self.labels = tuple(frame["alternative"].unique(maintain_order=True))
        conditions = frame["condition"].unique().sort()
        self.conditions = tuple(int(each) for each in conditions)
        numeric = [name for name, kind in frame.schema.items() if kind.is_numeric()]
        means = frame.group_by("alternative", "condition", maintain_order=True).agg(
            pl.col([name for name in numeric if name != "condition"]).mean()
        )
        grid = pl.DataFrame({"condition": conditions})
        self._tables = {
            label: grid.join(
                means.filter(pl.col("alternative") == label), on="condition", how="left"
            )
            for label in self.labels
        }

    def values(self, response: str, label: str) -> Array:
        """A response of an algorithm by condition; NaN where missing, or not measured at all."""
        table = self._tables.get(label)
        if table is None or response not in table.columns:
            return np.full(len(self.conditions), math.nan)
        return table[response].cast(pl.Float64).fill_null(math.nan).to_numpy()

    def mean(self, response: str, labels: Iterable[str]) -> Array:
        """Mean over algorithms, by condition."""
        rows = [self.values(response, label) for label in labels]
        return np.mean(rows, axis=0) if rows else np.full(len(self.conditions), math.nan)

    @property
    def others(self) -> tuple[str, ...]:
        """The algorithms other than FAST and FAST-AT."""
        return tuple(label for label in self.labels if label not in FAST_KIND)

    @property
    def alternates(self) -> tuple[str, ...]:
        """The algorithms other than standard TCP."""
        return tuple(label for label in self.labels if label != "Reno")

    @cached_property
    def congestion(self) -> Array:
        """Congestion of every condition."""
        return self.mean("y6", self.others or self.labels)

    @cached_property
    def ordered(self) -> list[int]:
        """Conditions from the least to the most congested."""
        return [self.conditions[k] for k in np.argsort(self.congestion, kind="stable")]

    def most(self, count: int) -> NDArray[np.bool_]:
        """The `count` most congested conditions."""
        return np.isin(self.conditions, self.ordered[-count:])

    @cached_property
    def few_buffers(self) -> NDArray[np.bool_]:
        """Conditions of the congested half whose buffers are at the minus level."""
        coded = self.frame.unique("condition", keep="first").sort("condition")["buffers"]
        return (coded.to_numpy() < 0) & self.most(len(self.conditions) // 2)

    @cached_property
    def uncongested(self) -> NDArray[np.bool_]:
        """Conditions without congestion to speak of."""
        chosen: NDArray[np.bool_] = self.congestion <= UNCONGESTED
        return chosen

    def without(self, *labels: str) -> pl.DataFrame:
        """The results without some algorithms."""
        return self.frame.filter(~pl.col("alternative").is_in(labels))

    @cached_property
    def clusters(self) -> AlgorithmClusters:
        """All algorithms clustered under every condition over the 45 responses."""
        return algorithm_clusters(self.frame, responses=self.known(RESPONSES))

    def known(self, names: Iterable[str]) -> list[str]:
        """Those of some responses that the campaign kept."""
        return [name for name in names if name in self.frame.columns]

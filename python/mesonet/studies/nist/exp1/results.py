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
from mesonet.studies import RunResults, once

RESPONSES = tuple(f"y{number}" for number in range(1, 46))
"""The 45 responses of the experiment."""
FAST_KIND = ("FAST", "FAST-AT")
"""The algorithm that the study found apart, and its variant."""

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
            label: grid.join(means.filter(alternative=label), on="condition", how="left")
            for label in self.labels
        }
        self.known = [name for name in RESPONSES if name in frame.columns]
        self._clusters: dict[str, AlgorithmClusters] = {}

    def values(self, response: str, label: str) -> Array:
        """A response of an algorithm by condition; NaN where missing, or not measured at all."""
        table = self._tables.get(label)
        if table is None or response not in table.columns:
            return np.full(len(self.conditions), math.nan)
        return table[response].cast(pl.Float64).fill_null(math.nan).to_numpy()

    def rows(self, response: str, labels: Iterable[str] | None = None) -> Array:
        """A response by algorithm and condition; by default of all algorithms."""
        chosen = self.labels if labels is None else tuple(labels)
        return np.array([self.values(response, label) for label in chosen or ("",)])

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
        means: Array = np.mean(self.rows("y6", self.others or self.labels), axis=0)
        return means

    @cached_property
    def ordered(self) -> list[int]:
        """Conditions from the least to the most congested."""
        return [self.conditions[k] for k in np.argsort(self.congestion, kind="stable")]

    def most(self, part: int) -> NDArray[np.bool_]:
        """The most congested conditions, one in `part`."""
        return np.isin(self.conditions, self.ordered[-max(len(self.conditions) // part, 1) :])

    @cached_property
    def minus(self) -> NDArray[np.bool_]:
        """Conditions whose buffers are at the minus level."""
        coded = self.frame.unique("condition", keep="first").sort("condition")["buffers"]
        below: NDArray[np.bool_] = coded.to_numpy() < 0
        return below

    @property
    def few_buffers(self) -> NDArray[np.bool_]:
        """Conditions of the congested half whose buffers are at the minus level."""
        return self.minus & self.most(2)

    def without(self, *labels: str) -> pl.DataFrame:
        """The results without some algorithms."""
        return self.frame.filter(~pl.col("alternative").is_in(labels))

    def clusters(self, without: str = "") -> AlgorithmClusters:
        """Algorithms, perhaps without one, clustered under every condition over the responses."""
        if without not in self._clusters:
            made = algorithm_clusters(self.without(without), responses=self.known)
            self._clusters[without] = made
        return self._clusters[without]


@once
def results_of(run: RunResults) -> ExperimentResults:
    """Results of the first campaign of a run, with the retransmission rate that it asks for."""
    campaign = next(iter(run.campaigns.values()))
    frame = campaign.results()
    if run.options.conditions is not None:
        # A folder of which more is run later can have part of a condition.
        every = len(campaign.plan.alternatives)
        frame = frame.filter(pl.col("alternative").n_unique().over("condition") == every)
    rate = run.options.values.get("retransmission", "y6")
    return ExperimentResults(frame.with_columns(pl.col(rate).alias("y6")))

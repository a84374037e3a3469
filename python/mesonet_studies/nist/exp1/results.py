"""Results of Experiment 1 by algorithm, condition and response.

A condition's congestion is the mean retransmission rate (y6) of its algorithms other than FAST and
FAST-AT. Its *congested* half are the sixteen conditions with the most; *few buffers* is the minus
level of buffer sizing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache, cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import (
    AlgorithmClusters,
    ConditionSummary,
    algorithm_clusters,
    condition_summary,
)
from mesonet.analysis.conditions.estimate import ConditionResponse, condition_response
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
        alternatives = frame["alternative"].unique(maintain_order=True)
        conditions = frame["condition"].unique().sort()
        self.labels = tuple(alternatives)
        self.conditions = tuple(int(number) for number in conditions)
        self.known = [name for name in RESPONSES if name in frame.columns]
        keys = ["alternative", "condition"]
        numeric = [name for name, kind in frame.schema.items() if kind.is_numeric()]
        means = frame.group_by(keys, maintain_order=True).agg(
            pl.col([name for name in numeric if name not in keys]).mean()
        )
        every = alternatives.to_frame().join(conditions.to_frame(), how="cross")
        self._means = every.join(means, on=keys, how="left", maintain_order="left")

    def rows(self, response: str, labels: Iterable[str] | None = None) -> Array:
        """A response by algorithm, by default of all, and condition.

        NaN where it is missing; one such row for no algorithm.
        """
        shape = (len(self.labels), len(self.conditions))
        padded = np.full((shape[0] + 1, shape[1]), math.nan)
        if response in self._means.columns:
            values = self._means[response].cast(pl.Float64).fill_null(math.nan)
            padded[:-1] = values.to_numpy().reshape(shape)
        chosen = self.labels if labels is None else tuple(labels)
        places = [
            self.labels.index(label) if label in self.labels else -1 for label in chosen or ("",)
        ]
        rows: Array = padded[places]
        return rows

    def cube(self, responses: Iterable[str], labels: Iterable[str] | None = None) -> Array:
        """Some responses by response, algorithm and condition."""
        return np.array([self.rows(response, labels) for response in responses])

    def values(self, response: str, label: str) -> Array:
        """A response of an algorithm by condition."""
        values: Array = self.rows(response, [label])[0]
        return values

    def mean(self, response: str, labels: Iterable[str] | None = None) -> Array:
        """Mean of a response over algorithms, by default all, by condition."""
        means: Array = self.rows(response, labels).mean(axis=0)
        return means

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

    def most(self, fraction: int) -> NDArray[np.bool_]:
        """The most congested conditions, one in `fraction`."""
        return np.isin(self.conditions, self.ordered[-max(len(self.conditions) // fraction, 1) :])

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

    @cache  # noqa: B019  # The results of a study are kept as long as its page is made.
    def clusters(self, without: str = "") -> AlgorithmClusters:
        """Algorithms, perhaps without one, clustered under every condition over the responses."""
        return algorithm_clusters(self.without(without), responses=self.known)

    @property
    def critical(self) -> float | None:
        """The source's critical value of Grubbs' test, for seven algorithms besides FAST-AT."""
        return 2.08 if len({*self.labels} - {"FAST-AT"}) == 7 else None

    @cached_property
    def residuals(self) -> ConditionResponse:
        """Retransmission rates around the mean of each condition, without FAST-AT."""
        frame = self.without("FAST-AT")
        return condition_response(frame, response="y6", critical=self.critical)

    @cache  # noqa: B019
    def outliers(self, minimum: float = 0.0) -> ConditionSummary:
        """Outliers of all responses without FAST-AT, of such a relative effect at least."""
        return condition_summary(
            self.without("FAST-AT"),
            responses=self.known,
            critical=self.critical,
            minimum_relative=minimum,
        )


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

"""Measures of the runs of Experiment 2: named figures that its claims rest on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from mesonet.analysis import (
    Components,
    FlowComparison,
    FlowRanks,
    compare_flows,
    condition_order,
    flow_ranks,
    principal_components,
)
from mesonet.responses import FLOW_GROUPS
from mesonet.studies.nist.exp2_published import FILES, Kind, printed_order, printed_ranks

LARGE = (*FILES["movies"], *FILES["service packs"])
SMALL = (*FILES["documents"], *FILES["Web objects"])
UNCONGESTED = (1, 16)
CONGESTED = (17, 32)
SEVERE = (25, 32)
"""Ranges of places in the printed order of congestion, ends included."""
_FEW = 24
"""Least number of cells for a mean rank."""
QUIET = ("y1", "y42", "y3", "y5", "y6", "y7")
"""Macroscopic responses that say what users and operators see."""


@dataclass(frozen=True)
class Mixed:
    """The runs of one campaign.

    Attributes:
        frame: One row per run.
        algorithms: Alternate algorithm by label.
        factors: Names of the nine factors.
        fast: Line rate of a fast interface [segments/s].
        movies: Flow groups that stand for movies on very fast paths with fast interfaces.
        fewest: Transfers of both kinds that every algorithm needs in a group and condition for
            ranks there to count.
        least: Weight that a gain needs; its standard error is about 0.7 over the root of it.
    """

    frame: pl.DataFrame
    algorithms: Mapping[str, str]
    factors: tuple[str, ...]
    fast: float
    movies: tuple[int, ...]
    fewest: int = 1
    least: float = 0.0

    @cached_property
    def comparison(self) -> FlowComparison:
        """Alternate flows beside Reno's in the 24 groups, in the printed order of conditions."""
        found = compare_flows(
            self.frame,
            groups=[f"g{number}" for number in FLOW_GROUPS],
            algorithms=self.algorithms,
            order_by="loss_rate",
        )
        place = {condition: at for at, condition in enumerate(printed_order(), start=1)}
        position = pl.col("condition").replace_strict(place, return_dtype=pl.Int64)
        group = pl.col("group").str.slice(1).cast(pl.Int64)
        frame = found.frame.with_columns(position=position)
        return replace(found, frame=frame.sort(group, "position", maintain_order=True))

    @cached_property
    def complete(self) -> FlowComparison:
        """Groups and conditions of the comparison in which every algorithm has enough transfers."""
        keys = ["group", "condition", "alternative"]
        counted = self._weights.select(*keys, few=pl.min_horizontal("n", "m"))
        frame = self.comparison.frame.join(counted, on=keys, how="left", maintain_order="left")
        together = pl.len().over("group", "condition") == len(self.algorithms)
        enough = pl.col("few").min().over("group", "condition") >= self.fewest
        return replace(self.comparison, frame=frame.filter(together & enough).drop("few"))

    @property
    def complete_cells(self) -> int:
        """Number of the 768 pairs of group and condition that are complete."""
        return self.complete.frame.height // max(len(self.algorithms), 1)

    @cached_property
    def ranks(self) -> FlowRanks:
        """Ranks over the complete cells."""
        return flow_ranks(self.complete)

    def ordered_by(self, response: str) -> list[int]:
        """Conditions by their mean of a response, smallest first."""
        return condition_order(self.frame, response=response)["condition"].to_list()

    def agreement(self, response: str) -> float:
        """Rank correlation of that order with the printed one."""
        place = {condition: float(at) for at, condition in enumerate(printed_order())}
        ours = [place[condition] for condition in self.ordered_by(response)]
        return spearman(list(range(len(ours))), ours)

    @cached_property
    def components(self) -> Components:
        """Principal components of the goodputs that every run has, of both kinds of flows."""
        parts = []
        for label, algorithm in self.algorithms.items():
            mine = self.frame.filter(pl.col("alternative").cast(pl.String) == label)
            parts.append(
                mine.select(
                    "condition",
                    "replicate",
                    pl.lit(label).alias("alternative"),
                    *self.factors,
                    *(pl.col(f"g{k}:{algorithm}").alias(f"g{k}, alternate") for k in FLOW_GROUPS),
                    *(pl.col(f"g{k}:reno").alias(f"g{k}, Reno") for k in FLOW_GROUPS),
                )
            )
        table = pl.concat(parts)
        return principal_components(
            table,
            responses=[name for name in table.columns if name.startswith("g")],
            factors=self.factors,
        )

    def cells(self, groups: Iterable[int], positions: tuple[int, int] = (1, 32)) -> pl.DataFrame:
        """Rows of the comparison with the number of transfers behind them, `weight`.

        The weight of a ratio of two means over n and m transfers is nm/(n + m).
        """
        chosen = self.comparison.frame.filter(
            pl.col("group").is_in([f"g{number}" for number in groups]),
            pl.col("position").is_between(*positions),
        )
        weights = self._weights.select("group", "condition", "alternative", "n", "m")
        return chosen.join(
            weights, on=["group", "condition", "alternative"], how="left"
        ).with_columns(weight=pl.col("n") * pl.col("m") / (pl.col("n") + pl.col("m")))

    @cached_property
    def _weights(self) -> pl.DataFrame:
        parts = []
        for label, algorithm in self.algorithms.items():
            mine = self.frame.filter(pl.col("alternative").cast(pl.String) == label)
            parts += [
                mine.group_by("condition", maintain_order=True).agg(
                    pl.lit(f"g{number}").alias("group"),
                    pl.lit(label).alias("alternative"),
                    pl.col(f"n{number}:{algorithm}").sum().alias("n"),
                    pl.col(f"n{number}:reno").sum().alias("m"),
                )
                for number in FLOW_GROUPS
            ]
        return pl.concat(parts).with_columns(pl.col("condition").cast(pl.Int64))

    def gain(
        self, label: str, groups: Iterable[int], positions: tuple[int, int] = (1, 32)
    ) -> float:
        """Relative gain in goodput of alternate flows over Reno beside them.

        The mean over groups and conditions of the logarithm of the ratio, weighted by transfers.
        """
        mine = self.cells(groups, positions).filter(
            (pl.col("alternative") == label) & (pl.col("alternate") > 0) & (pl.col("standard") > 0)
        )
        total = float(mine["weight"].sum())
        if total <= self.least:
            return math.nan
        logs = np.log((mine["alternate"] / mine["standard"]).to_numpy())
        return math.expm1(float((logs * mine["weight"].to_numpy()).sum()) / total)

    def trend(self, label: str, groups: Iterable[int]) -> float:
        """Rank correlation of the relative difference with the order of congestion."""
        mine = self.cells(groups).filter(pl.col("alternative") == label)
        if float(mine["weight"].sum()) <= self.least:
            return math.nan
        return spearman(mine["position"].to_list(), mine["relative"].to_list())

    def fraction(self, label: str | None, groups: Iterable[int]) -> float:
        """Goodput over the line rate without congestion: of alternate flows, or of Reno's."""
        chosen = self.cells(groups, UNCONGESTED)
        if label is not None:
            chosen = chosen.filter(pl.col("alternative") == label)
        value, count = ("alternate", "n") if label is not None else ("standard", "m")
        total = float(chosen[count].sum())
        if total <= self.least:
            return math.nan
        return (
            float((chosen[value] * chosen[count]).sum()) / total / self.fast if total else math.nan
        )

    def mean(self, response: str, labels: Sequence[str], conditions: Sequence[int]) -> float:
        """Mean of a response over runs of some labels and conditions."""
        chosen = self.frame.filter(
            pl.col("alternative").cast(pl.String).is_in(labels),
            pl.col("condition").is_in(conditions),
        )
        value = chosen[response].mean()
        return math.nan if value is None else float(value)  # type: ignore[arg-type]

    def rank(
        self,
        kind: Kind,
        label: str,
        groups: Iterable[int] = FLOW_GROUPS,
        positions: tuple[int, int] = (1, 32),
    ) -> pl.Series:
        """Ranks of one label over complete cells."""
        matrix = self.ranks.alternate if kind == "alternate" else self.ranks.standard
        return matrix.frame.filter(
            pl.col("alternative") == label,
            pl.col("response").is_in([f"g{number}" for number in groups]),
            pl.col("position").is_between(*positions),
        )["rank"].drop_nulls()


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Rank correlation; NaN for fewer than four pairs or where one of both is constant."""
    if len(a) < 4 or len(set(a)) < 2 or len(set(b)) < 2:
        return math.nan
    return float(spearmanr(a, b).statistic)


def average(ranks: pl.Series) -> float:
    """Mean of ranks; NaN for too few."""
    return math.nan if len(ranks) < _FEW // 3 else float(ranks.mean())  # type: ignore[arg-type]


def rank_figures(mixed: Mixed) -> dict[str, float]:
    """Means and deviations of ranks.

    Figures: `rank.CTCP` and `sd.CTCP` of its flows and Reno's beside them together;
    `alternate.CTCP` and `reno.CTCP` of either, over the four kinds of files alike, as the paper has
    it; `alternate.CTCP.movies` and its like.
    """
    figures: dict[str, float] = {}
    for row in mixed.ranks.frame.iter_rows(named=True):
        if row["n"] >= 2 * _FEW:
            figures |= {f"rank.{row['alternative']}": row["mean"]}
            figures |= {f"sd.{row['alternative']}": row["sd"]}
    for label in mixed.algorithms:
        for kind, name in (("alternate", "alternate"), ("standard", "reno")):
            by_file = [average(mixed.rank(kind, label, groups)) for groups in FILES.values()]  # type: ignore[arg-type]
            figures |= {
                f"{name}.{label}.{file}": value for file, value in zip(FILES, by_file, strict=True)
            }
            known = [value for value in by_file if not math.isnan(value)]
            figures[f"{name}.{label}"] = sum(known) / len(known) if len(known) > 1 else math.nan
            for size, groups in (("large", LARGE), ("small", SMALL)):
                figures[f"{name}.{label}.{size}"] = average(mixed.rank(kind, label, groups))  # type: ignore[arg-type]
            for level, positions in (("uncongested", UNCONGESTED), ("congested", CONGESTED)):
                found = average(mixed.rank(kind, label, positions=positions))  # type: ignore[arg-type]
                figures[f"{name}.{label}.{level}"] = found
    return figures


def matrix_figures(mixed: Mixed) -> dict[str, float]:
    """Agreement with the printed matrices of CTCP and with their order of conditions."""
    figures: dict[str, float] = {}
    for kind, matrix in (("alternate", mixed.ranks.alternate), ("standard", mixed.ranks.standard)):
        printed = printed_ranks(kind).unpivot(  # type: ignore[arg-type]
            index="condition", variable_name="response", value_name="printed"
        )
        both = (
            matrix.frame.filter(pl.col("alternative") == "CTCP")
            .drop_nulls("rank")
            .join(printed, on=["condition", "response"])
        )
        enough = both.height >= _FEW
        figures |= {
            f"matrix.{kind}": spearman(both["printed"].to_list(), both["rank"].to_list())
            if enough
            else math.nan,
            f"matrix.{kind}.mean": float(both["rank"].mean()) if enough else math.nan,  # type: ignore[arg-type]
            f"matrix.{kind}.sd": float(both["rank"].std(ddof=0)) if enough else math.nan,  # type: ignore[arg-type]
        }
    figures["order"] = mixed.agreement("loss_rate")
    return figures

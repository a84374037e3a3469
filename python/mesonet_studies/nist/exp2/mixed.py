"""Runs of Experiment 2: alternate flows and Reno's beside them, by condition and flow group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from mesonet.analysis import (
    Components,
    FlowComparison,
    FlowRanks,
    RankMatrix,
    compare_flows,
    condition_order,
    flow_ranks,
    principal_components,
)
from mesonet.campaign import Campaign
from mesonet.responses import FLOW_GROUPS
from mesonet.studies.rules import spearman

Kind = Literal["alternate", "standard"]
_FEW = 24
"""Least number of cells for a mean rank; a third of them for one of some groups."""
_PAIRS = 4
"""Least number of pairs for a rank correlation."""


def printed_ranks(kind: Kind) -> pl.DataFrame:
    """A printed rank matrix: `condition`, least congested first, and `g1` to `g24` (7 is best)."""
    return pl.read_csv(Path(__file__).parent / f"rank-matrix-ctcp-{kind}.csv")


def printed_order() -> list[int]:
    """The conditions in the order of the printed rank matrices, least congested first."""
    return printed_ranks("alternate")["condition"].to_list()


@dataclass(frozen=True)
class Mixed:
    """The runs of one campaign.

    `fast` is the line rate of a fast interface [segments/s]. Of the constants, `fewest` are the
    transfers of both kinds that every algorithm needs in a group and condition for ranks there to
    count, and `least` the weight that a gain needs, whose standard error is about 0.7 over its
    root.
    """

    frame: pl.DataFrame
    algorithms: Mapping[str, str]
    factors: tuple[str, ...]
    fast: float
    values: Mapping[str, Any]

    @classmethod
    def of(cls, campaign: Campaign, values: Mapping[str, Any]) -> Mixed:
        """The runs of a campaign that succeeded."""
        plan = campaign.plan
        scenario: Any = plan.scenario
        return cls(
            campaign.results().filter(pl.col("loss_rate").is_not_null()),
            {
                alternative.label: alternative.names["alternate"]
                for alternative in plan.alternatives
            },
            tuple(factor.name for factor in plan.factors),
            float(scenario.interface_speeds[1]),
            values,
        )

    def runs_of(self, labels: Sequence[str]) -> pl.DataFrame:
        """Runs of some algorithms."""
        return self.frame.filter(pl.col("alternative").cast(pl.String).is_in(labels))

    def groups(self, *files: str) -> list[int]:
        """Flow groups of some kinds of files."""
        return [number for file in files for number in self.values["files"][file]]

    @cached_property
    def comparison(self) -> FlowComparison:
        """Alternate flows beside Reno's in the 24 groups, in the printed order of conditions."""
        comparison = compare_flows(
            self.frame,
            groups=[f"g{number}" for number in FLOW_GROUPS],
            algorithms=self.algorithms,
            order_by="loss_rate",
        )
        place = {condition: at for at, condition in enumerate(printed_order(), start=1)}
        position = pl.col("condition").replace_strict(place, return_dtype=pl.Int64)
        group = pl.col("group").str.slice(1).cast(pl.Int64)
        frame = comparison.frame.with_columns(position=position)
        return replace(comparison, frame=frame.sort(group, "position", maintain_order=True))

    def complete(self, fewest: int | None = None) -> FlowComparison:
        """Groups and conditions of the comparison in which every algorithm has enough transfers."""
        least = self.values["fewest"] if fewest is None else fewest
        together = pl.len().over("group", "condition") == len(self.algorithms)
        few = pl.min_horizontal("n", "m").min().over("group", "condition")
        frame = self._counted.filter(together & (few >= least))
        return replace(self.comparison, frame=frame.drop("n", "m", "weight"))

    def complete_cells(self, fewest: int | None = None) -> int:
        """Number of the 768 pairs of group and condition that are complete."""
        return self.complete(fewest).frame.height // max(len(self.algorithms), 1)

    @cached_property
    def ranks(self) -> FlowRanks:
        """Ranks over the complete cells."""
        return flow_ranks(self.complete())

    def matrix(self, kind: Kind) -> RankMatrix:
        """Ranks of alternate flows, or of Reno's beside them."""
        return self.ranks.alternate if kind == "alternate" else self.ranks.standard

    def rank(self, kind: Kind, label: str, groups: Iterable[int], place: str = "all") -> float:
        """Mean rank of one label over complete cells; NaN for too few."""
        ranks = self._chosen(self.matrix(kind).frame, "response", groups, place)
        ranked = ranks.filter(alternative=label)["rank"].drop_nulls()
        return math.nan if len(ranked) < _FEW // 3 else float(ranked.mean())  # type: ignore[arg-type]

    def agreement(self, response: str) -> float:
        """Rank correlation of the order of conditions by a response with the printed one."""
        place = {condition: float(at) for at, condition in enumerate(printed_order())}
        ours = condition_order(self.frame, response=response)["condition"].to_list()
        return spearman(range(len(ours)), [place[condition] for condition in ours], least=_PAIRS)

    @cached_property
    def components(self) -> Components:
        """Principal components of the goodputs that every run has, of both kinds of flows."""
        table = pl.concat(
            self.runs_of([label]).select(
                "condition",
                "replicate",
                pl.lit(label).alias("alternative"),
                *self.factors,
                *(pl.col(f"g{k}:{algorithm}").alias(f"g{k}, alternate") for k in FLOW_GROUPS),
                *(pl.col(f"g{k}:reno").alias(f"g{k}, Reno") for k in FLOW_GROUPS),
            )
            for label, algorithm in self.algorithms.items()
        )
        goodputs = [name for name in table.columns if name.startswith("g")]
        return principal_components(table, responses=goodputs, factors=self.factors)

    def cells(self, groups: Iterable[int], place: str = "all") -> pl.DataFrame:
        """Rows of the comparison with the number of transfers behind them, `n`, `m` and `weight`.

        The weight of a ratio of two means over n and m transfers is nm/(n + m).
        """
        return self._chosen(self._counted, "group", groups, place)

    def _chosen(
        self, frame: pl.DataFrame, column: str, groups: Iterable[int], place: str
    ) -> pl.DataFrame:
        return frame.filter(
            pl.col(column).is_in([f"g{number}" for number in groups]),
            pl.col("position").is_between(*self.values["places"][place]),
        )

    @cached_property
    def _counted(self) -> pl.DataFrame:
        """The comparison with transfers of alternate flows, `n`, and of Reno's beside them, `m`."""
        parts = [
            self.runs_of([label])
            .group_by(pl.col("condition").cast(pl.Int64), maintain_order=True)
            .agg(
                pl.lit(f"g{number}").alias("group"),
                pl.lit(label).alias("alternative"),
                pl.col(f"n{number}:{algorithm}").sum().alias("n"),
                pl.col(f"n{number}:reno").sum().alias("m"),
            )
            for label, algorithm in self.algorithms.items()
            for number in FLOW_GROUPS
        ]
        keys = ["group", "condition", "alternative"]
        return self.comparison.frame.join(
            pl.concat(parts), on=keys, how="left", maintain_order="left"
        ).with_columns(weight=pl.col("n") * pl.col("m") / (pl.col("n") + pl.col("m")))

    def gain(self, label: str, groups: Iterable[int], place: str = "all") -> float:
        """Relative gain in goodput of alternate flows over Reno beside them.

        The mean over groups and conditions of the logarithm of the ratio, weighted by transfers.
        """
        rows = self.cells(groups, place).filter(
            pl.col("alternate") > 0, pl.col("standard") > 0, alternative=label
        )
        total = float(rows["weight"].sum())
        if total <= self.values["least"]:
            return math.nan
        logs = np.log((rows["alternate"] / rows["standard"]).to_numpy())
        return math.expm1(float((logs * rows["weight"].to_numpy()).sum()) / total)

    def trend(self, label: str, groups: Iterable[int]) -> float:
        """Rank correlation of the relative difference with the order of congestion."""
        rows = self.cells(groups).filter(alternative=label)
        if float(rows["weight"].sum()) <= self.values["least"]:
            return math.nan
        return spearman(rows["position"].to_list(), rows["relative"].to_list(), least=_PAIRS)

    def fraction(self, label: str | None, groups: Iterable[int]) -> float:
        """Goodput over the line rate without congestion: of alternate flows, or of Reno's."""
        chosen, value, count = self.cells(groups, "uncongested"), "standard", "m"
        if label is not None:
            chosen, value, count = chosen.filter(alternative=label), "alternate", "n"
        total = float(chosen[count].sum())
        if total <= self.values["least"]:
            return math.nan
        return float((chosen[value] * chosen[count]).sum()) / total / self.fast


def average(values: Iterable[float], *, minimum: int = 1) -> float:
    """Mean of the values that are defined; NaN for fewer than the least number of them."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if len(defined) >= minimum else math.nan


def rank_figures(mixed: Mixed) -> dict[str, float]:
    """Means and deviations of ranks, and their agreement with the printed matrices of CTCP.

    `rank.CTCP` and `sd.CTCP` are of its flows and Reno's beside them together; `alternate.CTCP` and
    `reno.CTCP` of either, over the kinds of files alike, as the paper has it.
    """
    figures = agreed_ranks(mixed.ranks)
    sets = {"large": ("movies", "service packs"), "small": ("documents", "Web objects")}
    kinds: dict[Kind, str] = {"alternate": "alternate", "standard": "reno"}
    for kind, name in kinds.items():
        for label in mixed.algorithms:
            prefix = f"{name}.{label}"
            by_file = {
                file: mixed.rank(kind, label, groups)
                for file, groups in mixed.values["files"].items()
            }
            figures |= {f"{prefix}.{file}": value for file, value in by_file.items()}
            figures[prefix] = average(by_file.values(), minimum=2)
            for size, files in sets.items():
                figures[f"{prefix}.{size}"] = mixed.rank(kind, label, mixed.groups(*files))
            for place in ("uncongested", "congested"):
                figures[f"{prefix}.{place}"] = mixed.rank(kind, label, FLOW_GROUPS, place)
    return figures


def agreed_ranks(ranks: FlowRanks) -> dict[str, float]:
    """Means and deviations of all ranks, and the agreement of CTCP's with the printed matrices."""
    figures: dict[str, float] = {}
    for row in ranks.frame.iter_rows(named=True):
        if row["n"] >= 2 * _FEW:
            figures[f"rank.{row['alternative']}"] = row["mean"]
            figures[f"sd.{row['alternative']}"] = row["sd"]
    matrices: dict[Kind, RankMatrix] = {"alternate": ranks.alternate, "standard": ranks.standard}
    for kind, matrix in matrices.items():
        printed = printed_ranks(kind).unpivot(
            index="condition", variable_name="response", value_name="printed"
        )
        ours = matrix.frame.filter(alternative="CTCP").drop_nulls("rank")
        both = ours.join(printed, on=["condition", "response"])
        enough = both.height >= _FEW
        own = np.asarray(both["rank"] if enough else [math.nan], dtype=float)
        figures |= {
            f"matrix.{kind}": spearman(
                both["printed"].to_list(), both["rank"].to_list(), least=_FEW
            ),
            f"matrix.{kind}.mean": float(own.mean()),
            f"matrix.{kind}.sd": float(own.std()),
        }
    return figures

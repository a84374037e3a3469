"""Figures of the sensitivity analysis: effects, influence of factors, clusters of responses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.analysis import (
    Correlations,
    Influence,
    MainEffects,
    ResponseClusters,
    correlations,
    influence,
    main_effects,
    response_clusters,
)
from mesonet.analysis.effects import Method
from mesonet.studies.nist.sensitivity_published import (
    CORRELATED,
    FACTORS,
    LESSER_FACTORS,
    MAIN_FACTORS,
    RESPONSES,
    SAMPLE,
    TABLE_7,
    UNITS,
)

PERIOD = 2
"""The period that Table 7 and figure 10 show."""
PERIODS = (1, 2, 3)
METHOD: Method = "two-sample"
"""The paper tests the difference of two means for each parameter."""
_WEIGHTS = {**{f"period {k}": 1 / 6 for k in PERIODS}, "TCP goodputs": 1 / 4}
NAMES = tuple(name for name, _, _ in FACTORS.values())
"""Factors in the paper's order."""


@dataclass(frozen=True)
class Effects:
    """Effects of the twenty factors.

    Attributes:
        periods: Effects on the 18 macroscopic responses, by period; responses are named Y1 to Y18
            and have the units of `UNITS`.
        influence: Influence over the five sets of responses of Table 8.
        alternate: Name of the set of the alternate algorithm's goodputs.
    """

    periods: Mapping[int, MainEffects]
    influence: Influence
    alternate: str

    def row(self, response: str, factor: int) -> dict[str, Any]:
        """The effect of a factor (by number) on a response (Y1 to Y18) in the second period."""
        frame = self.periods[PERIOD].frame.filter(response=response, factor=FACTORS[factor][0])
        return frame.row(0, named=True)

    def share(self, factor: int) -> float:
        """The weighted influence of a factor; NaN if no response had a value."""
        value = self.influence.overall.filter(factor=FACTORS[factor][0])["influence"].item()
        return math.nan if value is None else float(value)


def effects_of(frame: pl.DataFrame, *, alternate: str, method: Method = METHOD) -> Effects:
    """Effects on the 102 responses.

    Args:
        frame: One row per run, with the factors coded.
        alternate: The algorithm that is mixed with standard TCP.
        method: Method of the tests.
    """
    sets = {
        f"period {period}": main_effects(
            _in_printed_units(frame, period),
            factors=NAMES,
            responses=list(RESPONSES),
            method=method,
        )
        for period in PERIODS
    }
    other = f"{alternate} goodputs"
    for label, algorithm in (("TCP goodputs", "reno"), (other, alternate)):
        groups = [f"g{group}:{algorithm}" for group in range(1, 25)]
        sets[label] = main_effects(frame, factors=NAMES, responses=groups, method=method)
    return Effects(
        {period: sets[f"period {period}"] for period in PERIODS},
        influence(sets, weights={**_WEIGHTS, other: 1 / 4}),
        other,
    )


def _in_printed_units(frame: pl.DataFrame, period: int) -> pl.DataFrame:
    columns = {name: f"{ours}@{period}" for name, (ours, _) in RESPONSES.items()}
    return renamed(frame, columns).with_columns(
        pl.col(name) * factor for name, (_, factor) in UNITS.items()
    )


def renamed(frame: pl.DataFrame, responses: Mapping[str, str]) -> pl.DataFrame:
    """The frame with responses under other names: new name to column."""
    return frame.select(
        "run", "condition", "alternative", "replicate", "seed", *NAMES,
        *(pl.col(column).alias(name) for name, column in responses.items()),
    )  # fmt: skip


@dataclass(frozen=True)
class Clusters:
    """Clusters of the sample of 22 responses by their correlation."""

    correlations: Correlations
    clusters: ResponseClusters

    def members(self, response: str) -> frozenset[str]:
        """The cluster of a response; empty if it did not vary."""
        for names in self.clusters.clusters["responses"]:
            group = frozenset(names.split(", "))
            if response in group:
                return group
        return frozenset()

    def partners(self, response: str) -> float:
        """Number of others that it is correlated with; NaN if it did not vary."""
        found = self.clusters.frame.filter(response=response)["partners"]
        return float(found.item()) if found.len() else math.nan


def clusters_of(frame: pl.DataFrame) -> Clusters:
    """Clusters of the sample, over all conditions and all measured periods together."""
    sample = renamed(frame, {name: ours for name, (ours, _) in SAMPLE.items()})
    found = correlations(sample, responses=list(SAMPLE))
    return Clusters(found, response_clusters(found, threshold=CORRELATED))


def figures_of(effects: Effects, clusters: Clusters, *, scale: float) -> dict[str, float]:
    """The figures that claims rest on.

    Args:
        effects: Effects on all responses.
        clusters: Clusters of the sample.
        scale: Scale of the network, by which numbers of sources are divided.
    """
    return {
        **_table_7(effects),
        **_figure_10(effects, scale),
        **_table_8(effects),
        **_clusters(clusters),
    }


def claim_id(response: str, factor: int) -> str:
    """The id of the claim on an effect, such as table-7-y2-x1."""
    return f"table-7-{response.lower()}-x{factor}"


def _table_7(effects: Effects) -> dict[str, float]:
    figures: dict[str, float] = {}
    for effect in TABLE_7:
        row, name = effects.row(effect.response, effect.factor), claim_id(*effect[:2])
        figures |= {name: row["effect"], f"{name}.relative": row["relative"], f"{name}.p": row["p"]}
    tests = [effects.row(response, 1)["p"] for response in RESPONSES]
    known = all(math.isfinite(p) for p in tests)
    figures["table-7-speed"] = sum(p < 0.05 for p in tests) if known else math.nan
    return figures


def _figure_10(effects: Effects, scale: float) -> dict[str, float]:
    size = {k: abs(effects.row("Y2", k)["effect"]) for k in FACTORS}
    speed = effects.row("Y2", 1)
    return {
        "figure-10-low": speed["low"] / scale,
        "figure-10-high": speed["high"] / scale,
        "figure-10-relative": speed["relative"],
        "least of X7, X12, X13": min(size[k] for k in (7, 12, 13)),
        "most of X4, X5": max(size[k] for k in (4, 5)),
        "figure-10-others": float(
            sum(effects.row("Y2", k)["p"] < 0.05 for k in FACTORS if k not in _of_row("Y2"))
        ),
    }


def _of_row(response: str) -> set[int]:
    return {effect.factor for effect in TABLE_7 if effect.response == response}


def _table_8(effects: Effects) -> dict[str, float]:
    share = {k: effects.share(k) for k in FACTORS}
    rest = [k for k in FACTORS if k not in (*MAIN_FACTORS, *LESSER_FACTORS)]
    return {
        "influence of X1": share[1],
        "most of all others": _most(share, [k for k in FACTORS if k != 1]),
        "least of the main eight": min(share[k] for k in MAIN_FACTORS),
        "most of the other twelve": _most(share, [*LESSER_FACTORS, *rest]),
        "least of X16, X17": min(share[k] for k in LESSER_FACTORS),
        "most of the other ten": _most(share, rest),
    }


def _most(share: Mapping[int, float], factors: Sequence[int]) -> float:
    return max(share[k] for k in factors)


def _clusters(found: Clusters) -> dict[str, float]:
    table = found.clusters.clusters
    sizes = table["size"].to_list()
    largest = [frozenset(names.split(", ")) for names in table["responses"]]
    complete = len(found.correlations.responses) == len(SAMPLE)

    def yes(holds: bool) -> float:
        return float(holds) if complete else math.nan

    return {
        "clusters-pairs": float(found.clusters.pairs.height) if complete else math.nan,
        "clusters-count": float(table.height) if complete else math.nan,
        "clusters-dd-partners": found.partners("y17"),
        "clusters-completions-partners": found.partners("y6"),
        "clusters-packets": yes(found.members("y3") == {"y3", "y4"}),
        "clusters-delay": yes(found.members("y15") == {"y15", "y16"}),
        "clusters-f-class": yes(found.members("y18") == {"y18", "y20"}),
        "clusters-congestion": yes(sizes[0] > 1 and {"y1", "y2"} <= largest[0]),
        "clusters-losses": yes(len(sizes) > 1 and sizes[1] > 1 and {"y5", "y10"} <= largest[1]),
    }

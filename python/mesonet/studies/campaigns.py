"""Figures of campaigns, made without code under documented names."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.plan import Plan

_OF_RUNS = ("mean", "sd")
_OF_PAIRS = ("difference", "lower", "upper", "relative", "p")


class FigureKey(NamedTuple):
    """Parts of the name of a figure; those that it has not are empty."""

    label: str
    baseline: str
    response: str
    statistic: str

    @property
    def name(self) -> str:
        """Name of the figure, without that of a plan."""
        who = f"{self.label} - {self.baseline}" if self.baseline else self.label
        return ".".join(part for part in (who, self.response, self.statistic) if part)


def figure_keys(plan: Plan, prefix: str = "") -> dict[str, FigureKey]:
    """Names of the figures of a plan's campaign, with their parts.

    Args:
        plan: the plan.
        prefix: beginning of every name: the name of the plan and a dot; empty for the only plan.
    """
    labels = [alternative.label for alternative in plan.alternatives]
    keys = [FigureKey(label, "", "", "runs") for label in labels]
    pairs = [(label, "") for label in labels] + list(itertools.permutations(labels, 2))
    keys += [
        FigureKey(label, other, response, each)
        for (label, other), response in itertools.product(pairs, plan.responses)
        for each in (_OF_PAIRS if other else _OF_RUNS)
    ]
    return {f"{prefix}{key.name}": key for key in keys}


class CampaignFigures(Mapping[str, float]):
    """Figures of a campaign by name, each computed when it is first asked for.

    Of an alternative A and a response R: `A.runs`, the number of runs that succeeded; `A.R.mean`
    and `A.R.sd` over these. Of two alternatives A and B: `A - B.R.difference`, its 95 % interval
    `.lower` to `.upper`, `.relative` (over the absolute mean of B) and `.p`, as
    `paired_differences` gives them with B as the baseline; p is not adjusted. A figure without
    data is NaN.
    """

    def __init__(self, campaign: Campaign, prefix: str = "") -> None:
        self._campaign = campaign
        self._keys = figure_keys(campaign.plan, prefix)
        self._known: dict[FigureKey, Mapping[str, Any]] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __getitem__(self, name: str) -> float:
        key = self._keys[name]
        whole = key._replace(statistic="")
        if whole not in self._known:
            self._known[whole] = self._statistics(key)
        value = self._known[whole].get(key.statistic)
        return math.nan if value is None else float(value)

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return self._campaign.results()

    def _statistics(self, key: FigureKey) -> Mapping[str, Any]:
        """All statistics of an alternative, or of a pair, and a response."""
        mine = self._frame.filter(alternative=key.label)
        if not key.response:
            return {"runs": mine.height}
        if not key.baseline:
            values = mine[key.response].drop_nulls().drop_nans()
            return {"mean": values.mean(), "sd": values.std()}
        both = self._frame.filter(pl.col("alternative").is_in([key.label, key.baseline]))
        if both["alternative"].n_unique() < 2:
            return {}
        found = paired_differences(both, response=key.response, baseline=key.baseline)
        return found.frame.row(0, named=True)

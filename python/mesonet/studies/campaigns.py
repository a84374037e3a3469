"""Figures of campaigns, made without code under documented names."""

from __future__ import annotations

import itertools
import math
from collections import ChainMap
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

import polars as pl

from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.plan import Plan
from mesonet.studies.rules import Figures

_OF_RUNS = ("mean", "sd")
_OF_PAIRS = ("difference", "lower", "upper", "relative", "p")
Key = tuple[str, str, str, str]
"""Alternative, baseline, response and statistic of a figure; empty where it has none."""


def figure_keys(plan: Plan, prefix: str = "") -> dict[str, Key]:
    """Names of the figures of a plan's campaign, each behind a prefix, with their parts."""
    labels = [alternative.label for alternative in plan.alternatives]
    keys: dict[str, Key] = {f"{prefix}{label}.runs": (label, "", "", "runs") for label in labels}
    pairs = [(label, "") for label in labels] + list(itertools.permutations(labels, 2))
    for (label, other), response in itertools.product(pairs, plan.responses):
        who = f"{label} - {other}" if other else label
        for statistic in _OF_PAIRS if other else _OF_RUNS:
            keys[f"{prefix}{who}.{response}.{statistic}"] = (label, other, response, statistic)
    return keys


def joined(*places: Figures) -> Figures:
    """Figures of several places; the first that has a name gives it."""
    return ChainMap(*places)  # type: ignore[arg-type]  # nothing is written into the first


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
        self._computed = cache(self._statistics)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __getitem__(self, name: str) -> float:
        *subject, statistic = self._keys[name]
        value = self._computed(*subject).get(statistic)
        return math.nan if value is None else float(value)

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return self._campaign.results()

    def _statistics(self, label: str, baseline: str, response: str) -> Mapping[str, Any]:
        """All statistics of an alternative, or of a pair, and a response."""
        own = self._frame.filter(alternative=label)
        if not response:
            return {"runs": own.height}
        if not baseline:
            values = own[response].drop_nulls().drop_nans()
            return {"mean": values.mean(), "sd": values.std()}
        both = self._frame.filter(pl.col("alternative").is_in([label, baseline]))
        if both["alternative"].n_unique() < 2:
            return {}
        paired = paired_differences(both, response=response, baseline=baseline)
        return paired.frame.row(0, named=True)

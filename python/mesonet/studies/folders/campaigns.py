"""Figures of campaigns, made without code under documented names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property

import polars as pl

from mesonet.analysis import paired_differences
from mesonet.campaign import Campaign
from mesonet.plan import Plan

_OF_RUNS = ("mean", "sd")
_OF_PAIRS = ("difference", "lower", "upper", "relative", "p")


def figure_names(plan: Plan, prefix: str = "") -> Iterator[str]:
    """Names of the figures of a plan's campaign.

    Args:
        plan: the plan.
        prefix: beginning of every name: the name of the plan and a dot; empty for the only plan.
    """
    labels = [alternative.label for alternative in plan.alternatives]
    for label in labels:
        yield f"{prefix}{label}.runs"
        for response in plan.responses:
            yield from (f"{prefix}{label}.{response}.{each}" for each in _OF_RUNS)
    for label in labels:
        for other in labels:
            if other == label:
                continue
            for response in plan.responses:
                pair = f"{prefix}{label} - {other}.{response}"
                yield from (f"{pair}.{each}" for each in _OF_PAIRS)


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
        self._names = dict.fromkeys(figure_names(campaign.plan, prefix))
        self._prefix = prefix
        self._known: dict[str, float] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._known:
            self._compute(name.removeprefix(self._prefix))
        return self._known[name]

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return self._campaign.results()

    def _compute(self, name: str) -> None:
        if name.endswith(".runs"):
            label = name.removesuffix(".runs")
            self._keep(name, float(self._frame.filter(alternative=label).height))
            return
        who, response, statistic = self._parted(name)
        if statistic in _OF_RUNS:
            values = self._frame.filter(alternative=who)[response].drop_nulls().drop_nans()
            self._keep(f"{who}.{response}.mean", values.mean())
            self._keep(f"{who}.{response}.sd", values.std())
            return
        label, baseline = self._pairs[who]
        both = self._frame.filter(pl.col("alternative").is_in([label, baseline]))
        row: Mapping[str, float | None] = {}
        if both["alternative"].n_unique() == 2:
            row = paired_differences(both, response=response, baseline=baseline).frame.row(
                0, named=True
            )
        for each in _OF_PAIRS:
            self._keep(f"{who}.{response}.{each}", row.get(each))

    def _keep(self, name: str, value: object) -> None:
        known = isinstance(value, int | float)
        self._known[self._prefix + name] = float(value) if known else math.nan  # type: ignore[arg-type]

    def _parted(self, name: str) -> tuple[str, str, str]:
        """Alternative or pair, response and statistic; labels may hold dots."""
        rest, _, statistic = name.rpartition(".")
        for response in self._campaign.plan.responses:
            if rest.endswith(f".{response}"):
                who = rest.removesuffix(f".{response}")
                if who in self._pairs or who in self._labels:
                    return who, response, statistic
        raise KeyError(name)

    @cached_property
    def _labels(self) -> list[str]:
        return [alternative.label for alternative in self._campaign.plan.alternatives]

    @cached_property
    def _pairs(self) -> dict[str, tuple[str, str]]:
        return {f"{a} - {b}": (a, b) for a in self._labels for b in self._labels if a != b}

"""Outcomes of every share of a newcomer, with intervals over replicates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis import harm
from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.two_way import mean_interval
from mesonet.responses.measurements import divide
from mesonet.studies.study import Results
from mesonet_studies.deployment.cohorts import COHORT_SCHEMA, FILES, Run, Steps, cohorts, together
from mesonet_studies.deployment.game import ALPHA
from mesonet_studies.deployment.mixes import Mix, run_name

STARVED = 0.1
"""Limit of starvation, as a part of the median goodput of the flow group without newcomers."""
BINS_PER_OCTAVE = 8
"""Resolution of the stored histograms of goodput."""
INTERVALS = ("n", "mean", "lower", "upper")
_CELL = {"newcomer": pl.String, "condition": pl.Int64, "replicate": pl.Int64}


@dataclass(frozen=True)
class Outcomes:
    """Outcomes of the deployment of newcomers.

    All frames have `newcomer`, `condition` and `percent` (share of the newcomer), and `n`
    replicates with `mean`, `lower` and `upper`, a 95 % interval by Student's t, cut off at what the
    measure can be. Where something can be without effect there is `p`, of a t-test that it is.
    Neither is adjusted for their number; `Family` does that.

    `ratios` are those of `cohorts`; `harm` is that to the stayers, up to 1; `starved` the part of
    the transfers that starve; `network` has responses of the whole, and its goodput over that
    without newcomers; `together` goodputs where all have equal shares, over those without
    newcomers.
    """

    ratios: pl.DataFrame
    harm: pl.DataFrame
    starved: pl.DataFrame
    network: pl.DataFrame
    together: pl.DataFrame


def outcomes(
    results: Results, mixes: Sequence[Mix], *, conditions: Iterable[int], replicates: int
) -> Outcomes:
    """Puts the runs of all newcomers together; runs that failed leave their steps out."""
    incumbent, conditions = mixes[0], list(conditions)
    ratios, starved, network, mixed = [], [], [], []
    for condition in conditions:
        for replicate in range(1, replicates + 1):
            runs = {
                mix.label: results[name]
                for mix in mixes
                if (name := run_name(mix.label, condition, replicate)) in results
            }
            alone = runs.get(incumbent.label)
            if alone is None:
                continue
            here = {"condition": condition, "replicate": replicate}
            for newcomer in dict.fromkeys(mix.newcomer for mix in mixes if mix.newcomer):
                labels = {0: incumbent.label}
                labels |= {mix.percent: mix.label for mix in mixes if mix.newcomer == newcomer}
                shares = {p: runs[label] for p, label in labels.items() if label in runs}
                steps = Steps(incumbent.label, newcomer, shares)
                cell = {"newcomer": newcomer, **here}
                ratios.append(_at(cohorts(steps), cell))
                starved.append(_at(_starved(steps), cell))
                network.append(_at(_network(steps), cell))
            mixed += [
                _at(together(alone, runs[mix.label]), here)
                for mix in mixes[1:]
                if mix.newcomer is None and mix.label in runs
            ]
    long = _joined(ratios, COHORT_SCHEMA).unpivot(
        on=["goodput", "duration"],
        index=[*_CELL, "percent", "before", "who", "file"],
        variable_name="measure",
    )
    by = ["newcomer", "condition", "percent"]
    all_mixed = _joined(mixed, COHORT_SCHEMA | {"algorithm": pl.String})
    return Outcomes(
        ratios=over_replicates(
            long, [*by, "before", "who", "file", "measure"], null=1.0, minimum=0.0
        ),
        harm=_harm(long),
        starved=over_replicates(_joined(starved, _WHO), [*by, "who"], minimum=0.0, maximum=1.0),
        network=over_replicates(_joined(network, _MEASURE), [*by, "measure"], minimum=0.0),
        together=over_replicates(
            all_mixed.rename({"goodput": "value"}), ["condition", "algorithm", "file"], minimum=0.0
        ),
    )


_WHO = {"percent": pl.Int64, "who": pl.String, "value": pl.Float64}
_MEASURE = {"percent": pl.Int64, "measure": pl.String, "value": pl.Float64}


def _at(frame: pl.DataFrame, cell: Mapping[str, Any]) -> pl.DataFrame:
    """The frame with columns that say where it belongs."""
    return frame.with_columns(
        pl.lit(value, _CELL[name]).alias(name) for name, value in cell.items()
    )


def _joined(parts: Sequence[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    """All parts as one frame, which has its columns even if there is none."""
    return pl.concat(parts) if parts else pl.DataFrame(schema={**schema, **_CELL})


def _starved(steps: Steps) -> pl.DataFrame:
    limits = thresholds(steps.runs[0])
    rows = [
        (percent, who, starvation(run, limits, name))
        for percent, run in steps.runs.items()
        for who, name in (("incumbent", steps.incumbent), ("newcomer", steps.newcomer))
    ]
    return pl.DataFrame(rows, schema=_WHO, orient="row")


def _network(steps: Steps) -> pl.DataFrame:
    before = steps.runs[0]["network"]["goodput"]
    rows = [
        (percent, measure, value)
        for percent, run in steps.runs.items()
        for measure, value in {
            **run["network"],
            "goodput_ratio": divide(run["network"]["goodput"], before),
        }.items()
    ]
    return pl.DataFrame(rows, schema=_MEASURE, orient="row")


def over_replicates(
    frame: pl.DataFrame,
    by: Sequence[str],
    *,
    null: float | None = None,
    minimum: float = -math.inf,
    maximum: float = math.inf,
) -> pl.DataFrame:
    """Mean and 95 % interval of `value` over the replicates of every cell.

    Undefined values do not count; a cell without any other is left out. Intervals are cut off at
    the least and the largest possible value. With `null`, the value without any effect, there is
    `p`, of a t-test that the mean is no other.
    """
    rows = []
    finite = frame.filter(pl.col("value").is_finite()).sort(*by, "replicate")
    for key, part in finite.group_by(*by, maintain_order=True):
        values = part["value"].to_numpy()
        mean, lower, upper, *_ = mean_interval(values, 0.95)
        rounding = ROUNDING * max(*np.abs(values), abs(null or 0.0))
        *_, p = mean_interval(values - (null or 0.0), 0.95, rounding=rounding)
        ends = np.clip([lower, upper], minimum, maximum)
        rows.append((*key, part.height, mean, *ends.tolist(), p))
    numbers = dict.fromkeys(("mean", "lower", "upper", "p"), pl.Float64)
    schema = {name: frame.schema[name] for name in by} | {"n": pl.Int64} | numbers
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.drop("p") if null is None else table


def _harm(ratios: pl.DataFrame) -> pl.DataFrame:
    """Harm to stayers, against a network without newcomers, where all ratios are 1."""
    stayers = ratios.filter(pl.col("who") == "stayers")
    by = ["newcomer", "condition", "measure"]
    tables = []
    for (newcomer, condition, measure), rows in stayers.group_by(*by, maintain_order=True):
        wide = rows.with_columns(alternative=pl.format("{} %", "percent")).pivot(
            "file", index=["condition", "alternative", "replicate"], values="value"
        )
        better = "higher" if measure == "goodput" else "lower"
        blocks = harm(wide, response=list(FILES), solo="0 %", better=better).blocks
        tables.append(
            blocks.select(
                pl.lit(newcomer).alias("newcomer"),
                pl.lit(condition, pl.Int64).alias("condition"),
                pl.col("alternative").str.strip_suffix(" %").cast(pl.Int64).alias("percent"),
                pl.col("response").alias("file"),
                pl.lit(measure).alias("measure"),
                "replicate",
                pl.col("harm").alias("value"),
            )
        )
    frame = _joined(tables, _MEASURE | {"file": pl.String})
    by = ["newcomer", "condition", "percent", "file", "measure"]
    return over_replicates(frame, by, null=0.0, maximum=1.0)


def at(frame: pl.DataFrame, **where: object) -> Mapping[str, float]:
    """The one row of a frame that matches, or NaN for all its numbers."""
    rows = frame.filter([pl.col(name) == value for name, value in where.items()])
    if rows.height != 1:
        return dict.fromkeys(INTERVALS, math.nan)
    return rows.row(0, named=True)


@dataclass(frozen=True)
class Family:
    """Cells tested together: an effect, zero where there is none, with its interval and p."""

    cells: pl.DataFrame

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The cells with `p_holm`: p adjusted for the number of cells (Holm 1979)."""
        holm = adjusted(self.cells["p"].to_list(), method="holm")
        return self.cells.with_columns(pl.Series("p_holm", holm, dtype=pl.Float64))

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.cells.height

    @property
    def chance(self) -> float:
        """Intervals expected on either side of zero if no cell had any effect."""
        return ALPHA / 2 * int(self.cells["p"].is_finite().sum())

    def above(self, *, certain: bool = False) -> pl.DataFrame:
        """Cells whose interval lies above zero; if asked, those only that are certain."""
        # One replicate has no interval, and polars takes NaN for larger than any number.
        return self._where(pl.col("lower").is_finite() & (pl.col("lower") > 0), certain)

    def below(self, *, certain: bool = False) -> pl.DataFrame:
        """Cells whose interval lies below zero; if asked, those only that are certain."""
        return self._where(pl.col("upper").is_finite() & (pl.col("upper") < 0), certain)

    def thinner_than(self, replicates: int) -> int:
        """Number of cells with fewer replicates."""
        return int((self.cells["n"] < replicates).sum())

    def _where(self, side: pl.Expr, certain: bool) -> pl.DataFrame:
        rows = self.frame.filter(side)
        return rows.filter(pl.col("p_holm") < ALPHA) if certain else rows


_GROUP = ("path_class", "interface", "file")


def _bins(run: Run) -> pl.DataFrame:
    """Bins of the histograms of goodput: flow group, algorithm, `octave` (lower edge), `count`."""
    kinds = {"bins": pl.List(pl.List(pl.Int64))}
    groups = pl.DataFrame(run["groups"], schema_overrides=kinds)
    edge, count = (pl.col("bins").list.get(place).cast(pl.Float64) for place in (0, 1))
    return groups.explode("bins").select(
        *_GROUP, "algorithm", octave=edge / BINS_PER_OCTAVE, count=count
    )


def thresholds(run: Run) -> pl.DataFrame:
    """Goodput below which a transfer of a flow group counts as starved, in octaves: `limit`."""
    by_bin = _bins(run).group_by(*_GROUP, "octave", maintain_order=True)
    bins = by_bin.agg(pl.col("count").sum())
    octave, count = pl.col("octave"), pl.col("count")
    half, upto = count.sum() / 2, count.cum_sum()
    # Inside the bin of the median transfers are taken to be spread evenly.
    median = (octave + (half - (upto - count)) / count / BINS_PER_OCTAVE).filter(upto >= half)
    by_group = bins.sort(*_GROUP, "octave").group_by(*_GROUP, maintain_order=True)
    return by_group.agg(limit=median.first() + math.log2(STARVED))


def starvation(run: Run, limits: pl.DataFrame, algorithm: str) -> float:
    """Part of an algorithm's transfers whose goodput lies below the limit of their flow group.

    Transfers of groups that the run without newcomers lacks do not count; NaN without any.
    """
    bins = _bins(run).filter(algorithm=algorithm).join(limits, on=_GROUP)
    # Inside the bin of the limit they are taken to be spread evenly, too.
    fraction = ((pl.col("limit") - pl.col("octave")) * BINS_PER_OCTAVE).clip(0.0, 1.0)
    return divide(*bins.select((fraction * pl.col("count")).sum(), pl.col("count").sum()).row(0))

"""Paired differences against a baseline, with confidence intervals.

All alternatives meet the same conditions with the same random numbers, so each condition is a
block: the difference inside a block is free of what the condition does to everybody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from mesonet.analysis.equal_replicates import (
    are_equal,
    independent,
    repeated_conditions,
    repeated_notes,
    single_pair_notes,
)
from mesonet.analysis.few_conditions import FEW, LEAST
from mesonet.analysis.frames import (
    ROUNDING,
    alternatives,
    comparisons_named,
    defined,
    listed,
    refuse_unknown,
    replicate_notes,
    require,
)
from mesonet.analysis.multiplicity import Adjustment, adjusted, multiplicity_note
from mesonet.analysis.paired.entry import PAIRED_BLOCKS, PAIRED_DIFFERENCES
from mesonet.analysis.result import Result
from mesonet.analysis.student import t_exceeded
from mesonet.analysis.two_way import (
    MeanError,
    interval,
    mean_interval,
    over_blocks,
    signed_ranks,
    two_way,
)

_ADJUSTED: dict[str, tuple[str, Adjustment]] = {
    "p_holm": ("p", "holm"),
    "p_bh": ("p", "fdr_bh"),
    "wilcoxon_holm": ("wilcoxon_p", "holm"),
    "seed_holm": ("seed_p", "holm"),
}
"""Columns of adjusted p, with what is adjusted."""


class PairedDifferences(
    Result, chart="forest_chart", frame=PAIRED_DIFFERENCES, blocks=PAIRED_BLOCKS
):
    """Alternative minus baseline.

    `frame` has a row for each response and alternative.

    Where the conditions of a replicate share its seed, chance can move them all to one side. With
    two or more replicates interval and tests over conditions count that too, by the two-way error
    of `two_way`. `wilcoxon_p` is then the larger of two: the signed-rank p over the means of
    conditions, exact for few of them, and the t-test of the signed ranks of all pairs with that
    error (W. J. Conover and R. L. Iman, The American Statistician 35(3), 1981). With one replicate
    it is in no interval and in no p. Where every condition has seeds of its own (column `seed`),
    there is no such chance, and intervals and tests over conditions are those of their means.

    The interval above asks about conditions like these. With replicates, another asks about
    exactly these conditions: `seeds` (replicates complete in every condition), `seed_lower`,
    `seed_upper`, `seed_p` and `seed_holm` take as blocks the replicates, each the mean over all
    conditions, since a replicate shares its seed across conditions; NaN with one replicate.

    Equal replicates count as one, and so do conditions of which all runs are the same. Where
    baseline and alternative of a single condition are the same in all replicates, `n` is 1, and
    intervals and tests are NaN.

    `blocks` has a row for each response, alternative and condition.
    """

    blocks: pl.DataFrame
    baseline: str
    responses: tuple[str, ...]
    unit: str
    confidence: float
    shared_seed: bool = True
    """The conditions of a replicate share its seed."""

    def on(self, responses: Sequence[str]) -> PairedDifferences:
        """Rows of some responses only; the tests are still those of all together."""
        kept = tuple(name for name in self.responses if name in responses)
        selected = pl.col("response").is_in(kept)
        return replace(
            self,
            frame=self.frame.filter(selected),
            blocks=self.blocks.filter(selected),
            responses=kept,
        )


def paired_differences(
    frame: pl.DataFrame,
    *,
    response: str | Sequence[str],
    baseline: str,
    confidence: float = 0.95,
) -> PairedDifferences:
    """Compares every alternative with the baseline inside the same conditions.

    Replicates are paired by number, since they share their random numbers. Over several
    conditions the blocks are conditions, each the mean of its replicate pairs, and how much the
    replicates differ as a whole counts as chance too; within a single condition the blocks are
    the replicates.

    Args:
        baseline: The alternative that the others are compared with.
    """
    names = listed(response)
    require(frame, columns=names)
    labels = alternatives(frame)
    refuse_unknown(labels, baseline=baseline)
    shared = _shares_seed(frame)
    opponents = [label for label in labels if label != baseline]
    copies = {label: repeated_conditions(frame, (baseline, label)) for label in opponents}
    distinct = frame["condition"].n_unique() - min(map(len, copies.values()), default=0)
    unit = "condition" if distinct > 1 else "replicate"
    rows, blocks, single, equal = [], [], [], []
    for name in names:
        pairs = _pairs(frame, name, baseline)
        for label in opponents:
            paired = pairs.filter(
                pl.col("alternative") == label, ~pl.col("condition").is_in(copies[label])
            )
            per_condition = _per_condition(paired, confidence)
            blocks.append(
                per_condition.select(
                    pl.lit(name).alias("response"), pl.lit(label).alias("alternative"), pl.all()
                )
            )
            chosen = per_condition if unit == "condition" else independent(paired, _SIDES)
            if unit == "replicate" and chosen.height < paired.height:
                equal.append((name, label))
            crossed = _crossed(paired) if unit == "condition" and shared else None
            if unit == "condition" and shared and crossed is None and per_condition.height > 1:
                single.append(name)
            estimate = _estimate(chosen, crossed, confidence)
            rows.append((name, label, baseline, *estimate, *_over_seeds(paired, confidence)))
    table = PAIRED_DIFFERENCES.frame(rows, *_ADJUSTED)
    return PairedDifferences(
        frame=table.with_columns(
            pl.Series(name, adjusted(table[p].to_list(), method=method), dtype=pl.Float64)
            for name, (p, method) in _ADJUSTED.items()
        ),
        notes=(
            *replicate_notes(frame, responses=names),
            *repeated_notes(copies, frame["condition"].n_unique()),
            *_notes(table, unit, listed(single), equal),
        ),
        blocks=pl.concat(blocks) if blocks else PAIRED_BLOCKS.frame(),
        baseline=baseline,
        responses=names,
        unit=unit,
        confidence=confidence,
        shared_seed=shared,
    )


class PairedMean(NamedTuple):
    """A mean difference within one condition, over its replicates.

    Attributes:
        value: Mean of the alternative.
        reference: Mean of the baseline.
        error: Mean of the differences, and its error.
        rounding: Differences that rounding alone may make.
        pairs: Number of replicates that both have.
    """

    value: float
    reference: float
    error: MeanError
    rounding: float
    pairs: int

    def interval(self, confidence: float) -> tuple[float, float, float, float, float]:
        """Mean difference, its confidence interval, t and p; all but the mean NaN for one pair."""
        return interval(self.error, confidence, rounding=self.rounding)


def paired_mean(
    frame: pl.DataFrame, *, response: str, alternative: str, baseline: str
) -> PairedMean:
    """The estimate of `paired_differences` within a condition, from the runs of one."""
    pairs = _pairs(frame, response, baseline).filter(alternative=alternative)
    if pairs.is_empty():
        nothing = MeanError(math.nan, math.nan, math.nan)
        return PairedMean(math.nan, math.nan, nothing, 0.0, 0)
    value, reference = (float(pairs[name].to_numpy().mean()) for name in ("value", _SIDES[0]))
    chosen = independent(pairs, _SIDES)
    return PairedMean(
        value, reference, over_blocks(_cleaned(chosen)), _rounding(chosen), pairs.height
    )


def _shares_seed(frame: pl.DataFrame) -> bool:
    """Tests whether conditions share their seeds; assumed to be so where no column tells."""
    if "seed" not in frame.columns:
        return True
    return frame["seed"].n_unique() < frame.select("condition", "replicate").n_unique()


# Values of both sides of a pair.
_SIDES = ("baseline_value", "value")


def _pairs(frame: pl.DataFrame, response: str, baseline: str) -> pl.DataFrame:
    values = frame.select(
        pl.col("condition").cast(pl.Int64),
        "replicate",
        "alternative",
        defined(response).alias("value"),
    ).drop_nulls("value")
    base = values.filter(pl.col("alternative") == baseline).select(
        "condition", "replicate", pl.col("value").alias("baseline_value")
    )
    return (
        values.join(base, on=["condition", "replicate"])
        .with_columns((pl.col("value") - pl.col("baseline_value")).alias("difference"))
        .sort("condition", "replicate")
    )


def _per_condition(pairs: pl.DataFrame, confidence: float) -> pl.DataFrame:
    grouped = pairs.group_by("condition", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("replicates"),
        pl.col("baseline_value").mean(),
        pl.col("difference").mean(),
        pl.col("difference").std().alias("sd"),
    )
    equal = {
        condition
        for (condition,), blocks in pairs.group_by("condition", maintain_order=True)
        if are_equal(blocks, _SIDES)
    }
    margins = [
        None
        if n < 2 or condition in equal
        else sd / math.sqrt(n) * float(t_exceeded((1 - confidence) / 2, n - 1))
        for condition, n, sd in grouped.select("condition", "replicates", "sd").iter_rows()
    ]
    margin = pl.Series("margin", margins, dtype=pl.Float64)
    return grouped.with_columns(
        (pl.col("difference") - margin).alias("lower"),
        (pl.col("difference") + margin).alias("upper"),
    ).drop("sd")


def _cleaned(pairs: pl.DataFrame) -> NDArray[np.float64]:
    """The differences; one in the last bits of the values is none."""
    differences, base = pairs["difference"].to_numpy(), pairs["baseline_value"].to_numpy()
    scale = np.maximum(np.abs(base), np.abs(base + differences))
    return np.where(np.abs(differences) <= 1e-12 * scale, 0.0, differences)


def _rounding(pairs: pl.DataFrame) -> float:
    """Differences that rounding alone may make of the values of pairs."""
    base = pairs["baseline_value"].to_numpy()
    sides = (np.abs(base), np.abs(base + pairs["difference"].to_numpy()))
    return ROUNDING * float(np.max(sides, initial=0.0))


def _crossed(pairs: pl.DataFrame) -> tuple[MeanError, MeanError] | None:
    """Errors of differences and of their ranks; None if no condition shows how seeds differ."""
    if pairs["condition"].n_unique() == pairs.height:
        return None
    differences = _cleaned(pairs)
    cross = (pairs["condition"].to_numpy(), pairs["replicate"].to_numpy())
    return two_way(differences, *cross), two_way(signed_ranks(differences), *cross)


def _estimate(
    chosen: pl.DataFrame, crossed: tuple[MeanError, MeanError] | None, confidence: float
) -> tuple[float | int, ...]:
    n = chosen.height
    if n == 0:
        return (0, *([math.nan] * 8), 0, 0, 0, *([math.nan] * 4))
    base_mean = float(chosen["baseline_value"].to_numpy().mean())
    differences = _cleaned(chosen)
    estimate, rank_p = over_blocks(differences), _wilcoxon(differences)
    if crossed is not None:
        of_differences, of_ranks = crossed
        estimate = of_differences._replace(mean=estimate.mean)
        *_, crossed_p = interval(of_ranks, confidence)
        # Ranks of few conditions are far from normal: a t-test alone would reject too often.
        rank_p = max(rank_p, crossed_p)
    *ends, t, p = interval(estimate, confidence, rounding=_rounding(chosen))
    relative = tuple(value / abs(base_mean) if base_mean else math.nan for value in ends)
    counts = (differences > 0, differences == 0, differences < 0)
    return (
        n,
        base_mean,
        *ends,
        *relative,
        float(np.median(differences)),
        *(int(count.sum()) for count in counts),
        t,
        estimate.df,
        p,
        rank_p,
    )


def _over_seeds(pairs: pl.DataFrame, confidence: float) -> tuple[float | int, ...]:
    conditions = pairs["condition"].n_unique()
    complete = pairs.group_by("replicate", maintain_order=True).agg(
        pl.len().alias("n"), pl.col("difference").mean()
    )
    means = complete.filter(pl.col("n") == conditions).sort("replicate")["difference"].to_numpy()
    rounding = _rounding(pairs)
    # Where nothing is random, replicates are the same run again and say nothing of other seeds.
    if len(means) < 2 or np.ptp(means) <= rounding:
        return (len(means), math.nan, math.nan, math.nan)
    _, lower, upper, _, p = mean_interval(means, confidence, rounding=rounding)
    return (len(means), lower, upper, p)


def _wilcoxon(differences: NDArray[np.float64]) -> float:
    nonzero = differences[differences != 0.0]
    if len(nonzero) == 0:
        return 1.0 if len(differences) > 1 else math.nan
    if len(differences) < 2:
        return math.nan
    return float(scipy.stats.wilcoxon(nonzero).pvalue)


def _notes(
    table: pl.DataFrame, unit: str, single: Sequence[str], equal: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    notes = []
    if table.is_empty():
        notes.append("There is only one alternative, so there is nothing to compare.")
    notes += single_pair_notes(table, equal, unit)
    undefined = table.filter(pl.col("n") == 0).select("response", "alternative")
    if undefined.height:
        every = table["alternative"].n_unique()
        names = comparisons_named(undefined.iter_rows(), every=every)
        notes.append(f"No pair of runs has a value of {names}.")
    if single:
        whose = "" if set(single) == set(table["response"]) else f" of {', '.join(single)}"
        notes.append(
            f"One seed for all conditions{whose}: chance that moves all conditions to the same "
            "side is in no interval and in no p. Where there is such chance, intervals are too "
            "narrow and differences are found that do not exist. Two replicates show it, three or "
            "more measure it."
        )
    tested = int(table["p"].is_finite().sum())
    if tested:
        note = multiplicity_note(tested, alpha=0.05, method="holm", what="difference")
        if single:
            note = f"{note.removesuffix('.')}, apart from chance common to all conditions."
        notes.append(f"{note} The intervals are not adjusted.")
    if unit == "condition":
        notes.append(
            "Intervals are over the conditions of the design: they speak of the mean difference "
            "over conditions like these, not of any one condition."
        )
        most, seeds = (max(table[name].to_list(), default=0) for name in ("n", "seeds"))
        if most < FEW and seeds >= LEAST:
            notes.append(
                "With so few conditions a report judges these alone, over replicates: `seed_holm`."
            )
    return tuple(notes)

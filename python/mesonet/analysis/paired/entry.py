"""Entry of `paired_differences`."""

from __future__ import annotations

import polars as pl
from pydantic import Field

from mesonet.analysis import options as kinds
from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import CONFIDENCE, Options


class PairedDifferencesOptions(Options):
    """Options of `paired_differences`."""

    baseline: kinds.Label = Field(
        None,
        description="Alternative that the others are compared with; without it the first whose "
        "label names Reno, NewReno, TCP or CUBIC, in this order, or else the first.",
    )
    confidence: kinds.Share = Field(0.95, description=CONFIDENCE)


PAIRED_DIFFERENCES = columns(
    "response alternative baseline n baseline_mean difference lower upper relative "
    "relative_lower relative_upper median above equal below t df p wilcoxon_p seeds "
    "seed_lower seed_upper seed_p p_holm p_bh wilcoxon_holm seed_holm",
    Column("n", pl.Int64, "", "number of blocks"),
    Column("baseline_mean", pl.Float64, OWN, "mean of the baseline over blocks"),
    Column("lower", pl.Float64, OWN, "lower end of the confidence interval"),
    Column("upper", pl.Float64, OWN, "upper end of the confidence interval"),
    Column(
        "relative_lower",
        pl.Float64,
        "1",
        "lower end of the interval over the absolute baseline mean",
    ),
    Column(
        "relative_upper",
        pl.Float64,
        "1",
        "upper end of the interval over the absolute baseline mean",
    ),
    Column("df", pl.Float64, "", "degrees of freedom; null without a value"),
    Column("wilcoxon_p", pl.Float64, "1", "p value of the signed-rank test"),
    Column("seeds", pl.Int64, "", "number of replicates that are complete in every condition"),
    Column("seed_lower", pl.Float64, OWN, "lower end of the interval over replicates"),
    Column("seed_upper", pl.Float64, OWN, "upper end of the interval over replicates"),
    Column("seed_p", pl.Float64, "1", "p value of the t-test over replicates"),
    Column("p_bh", pl.Float64, "1", "p value adjusted by Benjamini and Hochberg over all rows"),
    Column("wilcoxon_holm", pl.Float64, "1", "p value of the signed-rank test, adjusted by Holm"),
    Column("seed_holm", pl.Float64, "1", "p value of the t-test over replicates, adjusted by Holm"),
)

PAIRED_BLOCKS = columns(
    "response alternative condition replicates baseline_value difference lower upper",
    *PAIRED_DIFFERENCES,
    Column("replicates", pl.Int64, "", "number of pairs of replicates"),
    Column("baseline_value", pl.Float64, OWN, "value of the baseline"),
)

ENTRIES = (
    Analysis(
        folder="paired",
        name="paired_differences",
        summary="differences from a baseline within conditions, with intervals and tests",
        options=PairedDifferencesOptions,
        tables=(
            TableOf("paired_differences", "a response and an alternative", PAIRED_DIFFERENCES),
            TableOf(
                "paired_blocks",
                "a response, an alternative and a condition",
                PAIRED_BLOCKS,
                "blocks",
            ),
        ),
        section="paired",
        page="howto/paired-comparison.md",
        corrected=True,
        charts=(
            ChartOf(
                "forest_chart",
                "Differences from the baseline with their intervals; filled marks are verdicts.",
            ),
        ),
        needs="alternatives",
    ),
)

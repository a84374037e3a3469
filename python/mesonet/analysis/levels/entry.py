"""Entry of `level_means`."""

from __future__ import annotations

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.declaration import Analysis, ChartOf, TableOf
from mesonet.analysis.options import Options

LEVEL_MEANS = columns(
    "response factor code level alternative conditions mean minimum maximum",
    Column("code", pl.Float64, "", "code of the level, from -1 to +1"),
    Column("level", pl.String, "", "level, as in the plan"),
)

VARIANCE_EXPLAINED = columns(
    "response factor alternative levels explained f p",
    Column("levels", pl.Int64, "", "number of levels"),
    Column(
        "explained",
        pl.Float64,
        "1",
        "fraction of the variance between conditions that the factor alone explains",
    ),
    Column("f", pl.Float64, "1", "statistic of the F-test; null where no error is left"),
)

ENTRIES = (
    Analysis(
        folder="levels",
        name="level_means",
        summary="means at every level of factors that have more than two, and what each explains",
        options=Options,
        tables=(
            TableOf("level_means", "a response, a factor, a level and an alternative", LEVEL_MEANS),
            TableOf(
                "variance_explained",
                "a response, a factor and an alternative",
                VARIANCE_EXPLAINED,
                "explained",
            ),
        ),
        section="main-effects",
        page="howto/main-effects.md",
        charts=(
            ChartOf(
                "level_means_chart",
                "Means over all conditions with a level, from the first level to the last. "
                "Where a factor has more than eight levels, marks stand alone.",
            ),
        ),
        reading=(
            "Of each response, the mean over the conditions at each level of a factor. "
            "A factor explains the part of the variance between conditions that the other factors "
            "leave without it: its partial sum of squares over the total, with an F-test. The "
            "tests are not adjusted for their number."
        ),
        needs="levels",
    ),
)

"""Content of the page, and the columns that its tables share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from mesonet.figures import percent
from mesonet.report.tables import Column, counts
from mesonet.studies.deployment.charts import FILE_NAMES
from mesonet.studies.deployment.outcomes import Outcomes

FILE = pl.col("file").replace_strict(FILE_NAMES, return_dtype=pl.String)
"""The kind of file in words, in place of its name."""


@dataclass(frozen=True)
class PageContext:
    """Everything that the page shows.

    Attributes:
        incumbent: Name of the incumbent.
        newcomers: Names of the newcomers, in order.
        conditions: Description of each condition in words, by number.
        replicates: Planned replicates of every run.
        found: Outcomes in the national network.
        together: `algorithm`, `condition`, `file`, and intervals of `goodput` where all algorithms
            have equal shares; empty with one newcomer.
        game: Frame of `bottleneck.play`.
        rivals: Frame of `bottleneck.face`.
    """

    incumbent: str
    newcomers: Sequence[str]
    conditions: Mapping[int, str]
    replicates: int
    found: Outcomes
    together: pl.DataFrame
    game: pl.DataFrame
    rivals: pl.DataFrame


def conditions_of(context: PageContext) -> pl.Expr:
    """The condition in words, as a column `conditions`."""
    number = pl.col("condition").cast(pl.Int64)
    return number.replace_strict(context.conditions, return_dtype=pl.String).alias("conditions")


def interval_columns(form: Callable[[str, str], Column]) -> tuple[Column, ...]:
    """Columns of a mean, its interval and the number of replicates, in a form."""
    ends = (("mean", "Mean"), ("lower", "Lower"), ("upper", "Upper"))
    return (*(form(name, heading) for name, heading in ends), counts("n", "Replicates"))


def parts(name: str, heading: str) -> Column:
    """A column of parts of a whole, which have no sign."""
    return Column(name, heading, lambda value: percent(value, signed=False))

"""Planned runs that are missing, by condition and alternative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from mesonet.analysis.frames import IDENTITY, LEFT_OUT

_NAMED = 8


@dataclass(frozen=True, eq=False, kw_only=True)
class MissingRuns:
    """Planned runs without results.

    `frame` has one row per place that lacks runs: `where` (a level of a factor, a condition, an
    alternative), `whole` (whether nothing of it is there) and `runs` (that are missing). Levels and
    conditions are listed only if they are missing as a whole, conditions only if no level of theirs
    is; alternatives wherever they lack a run.
    """

    frame: pl.DataFrame
    missing: int
    planned: int
    failed: int

    def note(self) -> str:
        """Sentence on the missing runs; empty if none is missing."""
        if not self.missing:
            return ""
        verb = "is" if self.missing == 1 else "are"
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"{self.missing} of {self.planned} runs {verb} missing{failed}: {self.where()}."

    def where(self) -> str:
        """Places that are missing as a whole, and the missing runs of each alternative."""
        rows = self.frame.rows(named=True)
        whole = [f"all {row['runs']} of {row['where']}" for row in rows if row["whole"]]
        named = ", ".join(whole[:_NAMED]) + (" and more" if len(whole) > _NAMED else "")
        parts = ", ".join(f"{row['where']} {row['runs']}" for row in rows if not row["whole"])
        return f"{named}; {parts}" if named else parts


def with_missing(notes: Iterable[str], missing: MissingRuns) -> tuple[str, ...]:
    """Notes of an analysis, with what the plan knows of missing runs in place of the frame."""
    remaining = (note for note in notes if not note.endswith(LEFT_OUT))
    return tuple(note for note in (missing.note(), *remaining) if note)


def missing_runs(frame: pl.DataFrame, *, planned: pl.DataFrame) -> MissingRuns:
    """Compares the runs of a campaign with those of its plan.

    Args:
        planned: One row per planned run: `condition`, `alternative`, `replicate`; `<factor>_level`,
            the level in words, if there are factors; `state`, "failed" if it failed, if known.
    """
    keys = [
        pl.col("condition").cast(pl.Int64),
        pl.col("alternative").cast(pl.String),
        pl.col("replicate").cast(pl.Int64),
    ]
    runs_planned = planned.with_columns(keys)
    absent = runs_planned.join(frame.select(keys), on=IDENTITY, how="anti", maintain_order="left")
    failed = absent.filter(pl.col("state") == "failed").height if "state" in absent.columns else 0
    rows = list(_places(runs_planned, absent))
    return MissingRuns(
        frame=pl.DataFrame(
            rows, schema={"where": pl.String, "whole": pl.Boolean, "runs": pl.Int64}, orient="row"
        ),
        missing=absent.height,
        planned=runs_planned.height,
        failed=failed,
    )


def _places(planned: pl.DataFrame, absent: pl.DataFrame) -> Iterator[tuple[str, bool, int]]:
    explained: set[int] = set()
    if absent.height < planned.height:
        for column in (name for name in planned.columns if name.endswith("_level")):
            for level, runs in _whole(planned, absent, column):
                explained |= set(planned.filter(pl.col(column) == level)["condition"])
                yield f"{column.removesuffix('_level')} = {level}", True, runs
    for condition, runs in _whole(planned, absent, "condition"):
        if condition not in explained:
            yield f"condition {condition}", True, runs
    for label, runs in _counts(absent, "alternative").iter_rows():
        yield str(label), False, runs


def _whole(
    planned: pl.DataFrame, absent: pl.DataFrame, column: str
) -> Iterator[tuple[str | int, int]]:
    """Values of a column all of whose runs are missing, with how many these are."""
    both = _counts(planned, column).join(
        _counts(absent, column), on=[column, "len"], maintain_order="left"
    )
    yield from both.iter_rows()


def _counts(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    return frame.group_by(column, maintain_order=True).agg(pl.len().cast(pl.Int64))

"""Goodput of two kinds of flows in the same network: an alternate algorithm's and the standard's.

With `histogram` and `ranks` these are the biplots, relative bar graphs, histograms of
differences and rank matrices of NIST SP 500-282, Experiment 2 (slides 20 to 26), and the paper's
section 6, figures 25 to 28.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.analysis.columns import columns
from mesonet.analysis.equal_replicates import distinct_conditions
from mesonet.analysis.flows.entry import FLOW_COMPARISON, FLOW_SUMMARY
from mesonet.analysis.frames import alternatives, defined, listed, replicate_notes, require
from mesonet.analysis.ranks.estimate import condition_order
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.errors import InputError, Problem, did_you_mean, unknown

_MEANS = columns(
    "group condition position alternative algorithm alternate standard", *FLOW_COMPARISON
)


class FlowComparison(Result, chart="biplot_chart", frame=FLOW_COMPARISON, summary=FLOW_SUMMARY):
    """Goodput of alternate flows beside that of the standard flows they compete with.

    `frame` has a row for each group, condition and alternative in which both are defined; `summary`
    for each group and alternative. Values are means over replicates.
    """

    summary: pl.DataFrame
    groups: tuple[str, ...]
    alternatives: tuple[str, ...]
    standard: str
    order_by: str | None


def compare_flows(
    frame: pl.DataFrame,
    *,
    groups: str | Sequence[str],
    standard: str = "reno",
    algorithms: Mapping[str, str] | None = None,
    order_by: str | None = None,
) -> FlowComparison:
    """Sets alternate flows beside the standard flows of the same runs.

    Args:
        groups: Responses kept by algorithm, without the algorithm: `g1`, or `flow_goodput`.
        standard: The algorithm of the standard flows.
        algorithms: Alternative to the algorithm of its alternate flows; of the others it is the
            one, other than the standard, that has values.
        order_by: Response whose mean orders the conditions, smallest first (a loss rate puts the
            least congested condition first); `None` keeps their numbers.
    """
    compared = listed(groups)
    columns = {group: _columns(frame, group) for group in compared}
    problems = [
        Problem(
            group,
            "unknown_column",
            f'expected a column "{group}:{standard}"{did_you_mean(standard, kept)}',
        )
        for group, kept in columns.items()
        if standard not in kept
    ]
    labels, named = alternatives(frame), dict(algorithms or {})
    every = list(dict.fromkeys(name for kept in columns.values() for name in kept))
    for label, algorithm in named.items():
        problems += unknown("algorithms", "unknown_name", label, labels)
        problems += unknown("algorithms", "unknown_name", algorithm, every)
    if problems:
        raise InputError(problems)
    names = [f"{group}:{name}" for group, kept in columns.items() for name in kept]
    require(frame, columns=(*names, *([order_by] if order_by else [])))
    frame, repeated = distinct_conditions(frame)
    others = [label for label in labels if label not in named]
    chosen = _alternates(frame, columns, others, standard) | named
    order = condition_order(frame, response=order_by).select("condition", "position")
    parts = [_MEANS.frame()]
    # A frame is wide, and filtering it copies all of it.
    rows = {label: frame.filter(pl.col("alternative").cast(pl.String) == label) for label in labels}
    for group in compared:
        for label in labels:
            name = chosen.get(label)
            if name is None or name not in columns[group]:
                continue
            parts.append(
                rows[label]
                .group_by("condition", maintain_order=True)
                .agg(
                    defined(f"{group}:{name}").mean().alias("alternate"),
                    defined(f"{group}:{standard}").mean().alias("standard"),
                )
                .with_columns(
                    pl.col("condition").cast(pl.Int64),
                    pl.lit(group).alias("group"),
                    pl.lit(label).alias("alternative"),
                    pl.lit(name).alias("algorithm"),
                )
                .join(order, on="condition", maintain_order="left")
                .select(list(_MEANS.schema()))
            )
    cells = pl.concat(parts)
    both = cells.drop_nulls(["alternate", "standard"])
    rank = {group: place for place, group in enumerate(compared)}
    both = both.sort(
        pl.col("group").replace_strict(rank, return_dtype=pl.Int64), "position", maintain_order=True
    )
    result = _measured(both)
    return FlowComparison(
        frame=result,
        notes=(*replicate_notes(frame), *repeated, *_notes(cells, both, labels, chosen, compared)),
        summary=_summary(result),
        groups=compared,
        alternatives=tuple(label for label in labels if label in chosen),
        standard=standard,
        order_by=order_by,
    )


def _columns(frame: pl.DataFrame, group: str) -> list[str]:
    prefix = f"{group}:"
    return [name.removeprefix(prefix) for name in frame.columns if name.startswith(prefix)]


def _alternates(
    frame: pl.DataFrame, columns: Mapping[str, Sequence[str]], labels: Sequence[str], standard: str
) -> dict[str, str]:
    alternates, problems = {}, []
    for label in labels:
        rows = frame.filter(pl.col("alternative").cast(pl.String) == label)
        having = {
            name
            for group, names in columns.items()
            for name in names
            if name != standard and rows.select(defined(f"{group}:{name}").count()).item()
        }
        if len(having) > 1:
            message = (
                f"has flows of several alternate algorithms, {', '.join(sorted(having))}; say "
                f'which one to compare: `algorithms = {{ "{label}" = "{min(having)}" }}` under '
                "[analysis.flow_comparison]"
            )
            problems.append(Problem(label, "ambiguous", message))
        elif having:
            alternates[label] = having.pop()
    if problems:
        raise InputError(problems)
    return alternates


def _measured(both: pl.DataFrame) -> pl.DataFrame:
    """Differences, and fractions of the largest goodput of a group in the same condition."""
    difference = pl.col("alternate") - pl.col("standard")
    largest = pl.max_horizontal("alternate", "standard").max().over("group", "condition")
    return both.with_columns(
        difference.alias("difference"),
        _ratio(difference, pl.col("standard")).alias("relative"),
        largest.alias("maximum"),
    ).with_columns(
        _ratio(pl.col("alternate"), pl.col("maximum")).alias("alternate_fraction"),
        _ratio(pl.col("standard"), pl.col("maximum")).alias("standard_fraction"),
    )


def _ratio(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    return pl.when(denominator != 0).then(numerator / denominator).otherwise(math.nan)


def _summary(frame: pl.DataFrame) -> pl.DataFrame:
    difference = pl.col("difference")
    # Goodputs that agree to twelve digits are equal: their last bits are rounding.
    scale = pl.max_horizontal(pl.col("alternate").abs(), pl.col("standard").abs())
    same = difference.abs() <= 1e-12 * scale
    return frame.group_by("group", "alternative", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        (~same & (difference > 0)).sum().cast(pl.Int64).alias("above"),
        same.sum().cast(pl.Int64).alias("equal"),
        (~same & (difference < 0)).sum().cast(pl.Int64).alias("below"),
        difference.mean().alias("mean"),
        difference.median().alias("median"),
        pl.col("relative").drop_nans().median().alias("relative"),
    )


def _notes(
    cells: pl.DataFrame,
    both: pl.DataFrame,
    labels: Sequence[str],
    chosen: Mapping[str, str],
    groups: Sequence[str],
) -> tuple[str, ...]:
    if not groups:
        return ("No response is kept by algorithm: nothing could be compared.",)
    notes = []
    alone = [label for label in labels if label not in chosen]
    if alone:
        notes.append(
            f"{', '.join(alone)}: no flows of an alternate algorithm, so nothing to compare."
        )
    empty = [group for group in groups if group not in set(both["group"])]
    if empty:
        notes.append(f"Nothing could be compared in {', '.join(empty)}.")
    missing = cells.height - both.height
    if missing:
        notes.append(
            f"In {missing} of {cells.height} cells one of the two kinds completed no transfer."
        )
    return tuple(notes)


def tabled_flow_comparison(subject: Subject, options: dict[str, Any]) -> FlowComparison:
    """Compares flows on all responses that are kept for the standard flows."""
    tail = f":{options.get('standard', 'reno')}"
    kept = [name.removesuffix(tail) for name in subject.responses if name.endswith(tail)]
    return compare_flows(subject.frame, **{"groups": kept, "order_by": subject.order_by} | options)

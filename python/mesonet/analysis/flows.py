"""Goodput of two kinds of flows in the same network: an alternate algorithm's and the standard's.

The biplots, relative bar graphs, histograms of differences and rank matrices of NIST SP 500-282,
Experiment 2 (slides 20 to 26), and the paper's section 6, figures 25 to 28.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.frames import alternatives, defined, listed, replicate_notes, require
from mesonet.analysis.ranks import RankMatrix, condition_order, rank_matrix
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.analysis.tabled import Tabled
from mesonet.errors import InputError, Problem, did_you_mean, show

_SCHEMA = {
    "group": pl.String,
    "condition": pl.Int64,
    "position": pl.Int64,
    "alternative": pl.String,
    "algorithm": pl.String,
    "alternate": pl.Float64,
    "standard": pl.Float64,
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlowComparison(Result):
    """Goodput of alternate flows beside that of the standard flows they compete with.

    `frame` has one row per flow group, condition and alternative in which both are defined:
    `group`, `condition`, `position` (1 = first in `order_by`), `alternative`, `algorithm` (of the
    alternate flows), `alternate` and `standard` (mean over replicates, unit of the group),
    `difference` (alternate less standard), `relative` (difference / standard), `maximum`,
    `alternate_fraction` and `standard_fraction` (of the maximum).

    `summary` has one row per group and alternative: `group`, `alternative`, `n` (conditions),
    `above`, `equal`, `below` (conditions in which alternate flows get more, as much, less), `mean`
    (difference), `median` (difference), `relative` (median of the relative differences).
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
    maximum: Mapping[str, float] | None = None,
) -> FlowComparison:
    """Sets alternate flows beside the standard flows of the same runs.

    Args:
        frame: One row per run with columns such as `g1:ctcp` and `g1:reno`; replicates are
            averaged.
        groups: Responses kept by algorithm, without the algorithm: `g1`, or `flow_goodput`.
        standard: The algorithm of the standard flows.
        algorithms: Alternative to the algorithm of its alternate flows; by default the one, other
            than the standard, that has values.
        order_by: Response whose mean orders the conditions, smallest first (a loss rate puts the
            least congested condition first); `None` keeps their numbers.
        maximum: Largest possible goodput of the flows of a group, by group and in its unit; by
            default the largest goodput of the group in the same condition, of any alternative and
            kind.

    Raises:
        InputError: Columns are missing, `algorithms` is no mapping, or an alternative mixes
            several alternate algorithms.
    """
    wanted = listed(groups)
    columns = {group: _columns(frame, group) for group in wanted}
    problems = [
        Problem(
            group,
            "unknown_column",
            f'expected a column "{group}:{standard}"{did_you_mean(standard, found)}',
        )
        for group, found in columns.items()
        if standard not in found
    ]
    # Callers need not check types, and a list would only fail further on.
    given: object = algorithms
    if not isinstance(given, Mapping | None):
        message = f"expected the algorithm of each alternative, got {show(given)}"
        problems.append(Problem("algorithms", "type", message))
    if problems:
        raise InputError(problems)
    names = [f"{group}:{name}" for group, found in columns.items() for name in found]
    require(frame, columns=(*names, *([order_by] if order_by else [])))
    labels = alternatives(frame)
    chosen = dict(algorithms or _alternates(frame, columns, labels, standard))
    order = condition_order(frame, response=order_by).select("condition", "position")
    parts = [pl.DataFrame(schema=_SCHEMA)]
    # A frame is wide, and filtering it copies all of it.
    rows = {label: frame.filter(pl.col("alternative").cast(pl.String) == label) for label in labels}
    for group in wanted:
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
                .select(list(_SCHEMA))
            )
    cells = pl.concat(parts)
    both = cells.drop_nulls(["alternate", "standard"]).sort("group", "position")
    rank = {group: place for place, group in enumerate(wanted)}
    both = both.sort(
        pl.col("group").replace_strict(rank, return_dtype=pl.Int64), "position", maintain_order=True
    )
    result = _measured(both, maximum or {})
    return FlowComparison(
        frame=result,
        notes=(*replicate_notes(frame), *_notes(cells, both, labels, chosen, wanted)),
        summary=_summary(result),
        groups=wanted,
        alternatives=tuple(label for label in labels if label in chosen),
        standard=standard,
        order_by=order_by,
    )


def _columns(frame: pl.DataFrame, group: str) -> list[str]:
    prefix = f"{group}:"
    return [name.removeprefix(prefix) for name in frame.columns if name.startswith(prefix)]


def _alternates(
    frame: pl.DataFrame,
    columns: Mapping[str, Sequence[str]],
    labels: Sequence[str],
    standard: str,
) -> dict[str, str]:
    found, problems = {}, []
    for label in labels:
        mine = frame.filter(pl.col("alternative").cast(pl.String) == label)
        having = {
            name
            for group, names in columns.items()
            for name in names
            if name != standard and mine.select(defined(f"{group}:{name}").count()).item()
        }
        if len(having) > 1:
            message = (
                f"has flows of several alternate algorithms, {', '.join(sorted(having))}; say "
                f'which one to compare: `algorithms = {{ "{label}" = "{min(having)}" }}` under '
                "[analysis.flow_comparison]"
            )
            problems.append(Problem(label, "ambiguous", message))
        elif having:
            found[label] = having.pop()
    if problems:
        raise InputError(problems)
    return found


def _measured(both: pl.DataFrame, maximum: Mapping[str, float]) -> pl.DataFrame:
    difference = pl.col("alternate") - pl.col("standard")
    largest = pl.max_horizontal("alternate", "standard").max().over("group", "condition")
    given = pl.col("group").replace_strict(maximum, default=None, return_dtype=pl.Float64)
    return both.with_columns(
        difference.alias("difference"),
        _ratio(difference, pl.col("standard")).alias("relative"),
        (pl.coalesce(given, largest) if maximum else largest).alias("maximum"),
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DifferenceHistogram(Result):
    """Histogram of the difference in goodput between alternate and standard flows.

    `frame` has one row per group, alternative and bin: `group`, `alternative`, `low`, `high` (unit
    of the group; a bin holds its low end, the last also its high end), `count` (conditions). All
    alternatives of a group share their bins, and zero is an edge of them.
    """

    groups: tuple[str, ...]
    alternatives: tuple[str, ...]


def difference_histogram(comparison: FlowComparison, *, bins: int = 20) -> DifferenceHistogram:
    """Counts the differences of a comparison of flows.

    Args:
        comparison: Result of `compare_flows`.
        bins: About how many bins, over all alternatives of a group.

    Raises:
        InputError: `bins` is less than 1.
    """
    if bins < 1:
        message = f"expected at least 1, got {bins}"
        raise InputError([Problem("bins", "out_of_range", message)])
    rows: list[tuple[str, str, float, float, int]] = []
    notes = list(comparison.notes)
    for group in comparison.groups:
        mine = comparison.frame.filter(pl.col("group") == group)
        if mine.is_empty():
            continue
        values = mine["difference"].to_numpy()
        edges = _edges(float(values.min()), float(values.max()), bins)
        if edges is None:
            notes.append(f"In {group} all differences are zero: there is one bin without width.")
            edges = np.zeros(2)
        for label in comparison.alternatives:
            own = mine.filter(pl.col("alternative") == label)["difference"].to_numpy()
            wide = len(edges) > 2 or edges[1] > edges[0]
            counts = np.histogram(own, bins=edges)[0] if wide else [len(own)]
            rows += [
                (group, label, float(low), float(high), int(count))
                for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
            ]
    return DifferenceHistogram(
        frame=pl.DataFrame(
            rows,
            schema={
                "group": pl.String,
                "alternative": pl.String,
                "low": pl.Float64,
                "high": pl.Float64,
                "count": pl.Int64,
            },
            orient="row",
        ),
        notes=tuple(notes),
        groups=comparison.groups,
        alternatives=comparison.alternatives,
    )


def _edges(low: float, high: float, bins: int) -> NDArray[np.float64] | None:
    """Edges at whole multiples of a step of 1, 2 or 5 times a power of ten."""
    low, high = min(low, 0.0), max(high, 0.0)
    if high <= low:
        return None
    rough = (high - low) / bins
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step), math.ceil(high / step)
    return np.array([k * step for k in range(first, max(last, first + 1) + 1)])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlowRanks(Result):
    """Ranks of the goodputs of alternate flows, and of the standard flows beside them.

    `frame` has one row per alternative: `alternative`, `n`, `mean`, `sd` over both kinds together
    (the paper's figures 27 and 28), then `alternate_n`, `alternate_mean`, `alternate_sd` and
    `standard_n`, `standard_mean`, `standard_sd` of each. `alternate`, `standard` and `overall` are
    the rank matrices: the first two rank groups; the last has each group twice, as
    `g1, alternate` and `g1, standard`.
    """

    alternate: RankMatrix
    standard: RankMatrix
    overall: RankMatrix


def flow_ranks(comparison: FlowComparison) -> FlowRanks:
    """Ranks alternatives by what their flows get, and by what they leave to standard flows.

    The most goodput has the highest rank; conditions keep the order of the comparison.
    """
    wide = {kind: _wide(comparison, kind) for kind in ("alternate", "standard")}
    both = _wide(comparison, None)
    matrices = {
        kind: rank_matrix(table, response=comparison.groups, order_by="position")
        for kind, table in wide.items()
    }
    doubled = [name for group in comparison.groups for name in (_kind(group, k) for k in wide)]
    overall = rank_matrix(both, response=doubled, order_by="position")
    table = overall.summary
    for kind, matrix in matrices.items():
        renamed = {name: f"{kind}_{name}" for name in ("n", "mean", "sd")}
        table = table.join(matrix.summary.rename(renamed), on="alternative", maintain_order="left")
    # The frames that are ranked hold one row per cell: replicates were averaged before.
    own = tuple(note for note in overall.notes if not note.startswith("n = 1"))
    return FlowRanks(
        frame=table,
        notes=tuple(dict.fromkeys((*comparison.notes, *own))),
        overall=overall,
        **matrices,
    )


def _kind(group: str, kind: str) -> str:
    return f"{group}, {kind}"


def _wide(comparison: FlowComparison, kind: str | None) -> pl.DataFrame:
    """One row per condition and alternative, one column per group."""
    keys = ["condition", "position", "alternative"]
    frame = comparison.frame
    table = frame.select(keys).unique(maintain_order=True)
    for group in comparison.groups:
        mine = frame.filter(pl.col("group") == group)
        names = {kind: group} if kind else {k: _kind(group, k) for k in ("alternate", "standard")}
        table = table.join(
            mine.select(*keys, *(pl.col(k).alias(name) for k, name in names.items())),
            on=keys,
            how="left",
            maintain_order="left",
        )
    place = {label: here for here, label in enumerate(comparison.alternatives)}
    return (
        table.with_columns(pl.lit(1).alias("replicate"))
        .sort(pl.col("alternative").replace_strict(place, return_dtype=pl.Int64))
        .with_columns(pl.col("position").cast(pl.Float64))
    )


def tabled_flow_comparison(subject: Subject, options: dict[str, Any]) -> Tabled:
    """Compares flows on all responses that are kept for the standard flows."""
    tail = f":{options.get('standard', 'reno')}"
    kept = [name.removesuffix(tail) for name in subject.responses if name.endswith(tail)]
    result = compare_flows(
        subject.frame, **{"groups": kept, "order_by": subject.order_by} | options
    )
    frames = {
        "flow_comparison": result.frame,
        "flow_summary": result.summary,
        "flow_histogram": difference_histogram(result).frame,
        "flow_ranks": flow_ranks(result).frame,
    }
    return Tabled(result, frames, result.notes)

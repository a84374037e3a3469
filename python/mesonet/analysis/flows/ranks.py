"""Ranks of alternatives by the goodput of two kinds of flows in the same network."""

from __future__ import annotations

import polars as pl

from mesonet.analysis.flows.entry import FLOW_RANKS
from mesonet.analysis.flows.estimate import FlowComparison
from mesonet.analysis.frames import LEFT_OUT
from mesonet.analysis.ranks.estimate import RankMatrix, rank_matrix
from mesonet.analysis.result import Result


class FlowRanks(Result, frame=FLOW_RANKS):
    """Ranks of the goodputs of alternate flows, and of the standard flows beside them.

    `frame` has a row for each alternative.
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
    # Frames that are ranked hold one row per cell, and none where a kind has no value.
    own = (it for it in overall.notes if not (it.startswith("n = 1") or it.endswith(LEFT_OUT)))
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
        rows = frame.filter(pl.col("group") == group)
        names = {kind: group} if kind else {k: _kind(group, k) for k in ("alternate", "standard")}
        table = table.join(
            rows.select(*keys, *(pl.col(k).alias(name) for k, name in names.items())),
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

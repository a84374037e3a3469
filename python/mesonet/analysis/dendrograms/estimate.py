"""Clusters of algorithms that respond alike under a condition, over all responses at once.

Section 3.2.b of the methodology paper (K. L. Mills et al.), equations (2) and (3), figures 11 and
12: standardised Euclidean distances between the response vectors of the algorithms, average
linkage, and a dendrogram per condition, coloured below 70 % of its largest linkage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
import scipy

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.dendrograms.entry import ALGORITHM_CLUSTERS, STAND_APART
from mesonet.analysis.frames import listed, replicate_notes, require
from mesonet.analysis.matrix import Matrix, cells, constant, mean_over, named
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem

Scale = Literal["condition", "campaign"]

_CONDITIONS = columns(
    "condition alternatives responses largest clusters apart identical",
    Column("alternatives", pl.Int64, "", "number of alternatives with a value"),
    Column("responses", pl.Int64, "", "number of responses that had a value"),
    Column("largest", pl.Float64, "1", "largest linkage"),
    Column("clusters", pl.Int64, "", "number of clusters at the cut"),
    Column("apart", pl.String, "", "true, or how often, it joins the others last"),
    Column("identical", pl.Boolean, "", "true if all alternatives are alike"),
)

_LINKS = columns(
    "condition link height left_x left_y right_x right_y cluster",
    Column("link", pl.Int64, "", "number of the join"),
    Column("height", pl.Float64, "1", "linkage of the join"),
    Column("left_x", pl.Float64, "", "left end of the bracket, in leaves"),
    Column("left_y", pl.Float64, "1", "linkage of the left end"),
    Column("right_x", pl.Float64, "", "right end of the bracket, in leaves"),
    Column("right_y", pl.Float64, "1", "linkage of the right end"),
)


class AlgorithmClusters(
    Result,
    chart="dendrograms_chart",
    frame=ALGORITHM_CLUSTERS,
    conditions=_CONDITIONS,
    summary=STAND_APART,
    links=_LINKS,
):
    """A hierarchy of the alternatives under every condition.

    `frame` has a row for each condition and alternative; `conditions` for each condition; `summary`
    for each alternative; `links` for each join, to draw.

    An alternative is apart if it joins last, when all others are one cluster already: it and only
    it differs from the others. Where all are identical none is alone.
    """

    conditions: pl.DataFrame
    summary: pl.DataFrame
    links: pl.DataFrame
    alternatives: tuple[str, ...]
    responses: tuple[str, ...]


def algorithm_clusters(
    frame: pl.DataFrame,
    *,
    responses: Sequence[str],
    cut: float = 0.7,
    scale: Scale = "condition",
) -> AlgorithmClusters:
    """Clusters the alternatives under every condition.

    Args:
        cut: Fraction of the largest linkage of a condition below which joins make a cluster.
        scale: Measure of differences. "condition": the variance of the response over the
            alternatives under that condition, as in the paper; every condition then has about the
            same distances, however small its differences. "campaign": the mean of these variances
            over all conditions, so that conditions can be compared with each other.
    """
    columns = listed(responses)
    require(frame, columns=columns)
    if not 0.0 < cut <= 1.0:
        message = f"expected more than 0 and at most 1, got {cut}"
        raise InputError([Problem("cut", "out_of_range", message)])
    block = cells(frame, responses=columns)
    pooled = _pooled(block.values) if scale == "campaign" else None
    rows: list[tuple[Any, ...]] = []
    conditions: list[tuple[Any, ...]] = []
    links: list[tuple[Any, ...]] = []
    partial: set[str] = set()
    for number, condition in enumerate(block.conditions):
        values = block.values[:, number, :]
        present = np.flatnonzero(~np.isnan(values).all(axis=1))
        labels = [block.groups[k] for k in present]
        values = values[present]
        whole = ~np.isnan(values).any(axis=0)
        partial |= {columns[k] for k in np.flatnonzero(~whole & ~np.isnan(values).all(axis=0))}
        distances, used = _distances(values[:, whole], None if pooled is None else pooled[whole])
        if len(labels) < 2 or not whole.any():
            conditions.append((condition, len(labels), 0, math.nan, 0, None, False))
            continue
        tree = scipy.cluster.hierarchy.linkage(distances, "average")
        cluster, joins, drawn = _read(tree, cut)
        links += [(condition, *link) for link in drawn]
        largest = float(tree[-1, 2])
        sizes = np.bincount(cluster)
        alone = (sizes[cluster] == 1) & (largest > 0.0)
        lonely = np.flatnonzero(alone & (joins == largest))
        rest = len(labels) > 2 and len(lonely) == 1 and len(sizes) == 2
        apart = int(lonely[0]) if rest else -1
        leaves = list(scipy.cluster.hierarchy.leaves_list(tree))
        rows += [
            (
                condition,
                label,
                leaves.index(k),
                int(cluster[k]) + 1,
                float(joins[k]),
                bool(alone[k]),
                k == apart,
            )
            for k, label in enumerate(labels)
        ]
        name = labels[apart] if rest else None
        identical = largest == 0.0
        conditions.append((condition, len(labels), used, largest, len(sizes), name, identical))
    table = ALGORITHM_CLUSTERS.frame(rows)
    per_condition = _CONDITIONS.frame(conditions)
    notes = list(replicate_notes(frame))
    if len(block.groups) == 1:
        notes.insert(0, "There is one alternative only, so nothing to cluster.")
    elif len(block.groups) == 2:
        notes.insert(0, "Of two alternatives, neither is an outlier.")
    if partial:
        names = ", ".join(name for name in columns if name in partial)
        notes.append(
            f"Left out where an alternative has no value: {names}; conditions differ in how many "
            "responses they compare."
        )
    if names := named(columns, np.isnan(block.values).all(axis=(0, 1))):
        notes.append(f"Never had a value, so left out: {names}.")
    same = per_condition.filter("identical")["condition"].to_list()
    if same:
        notes.append(f"All alternatives are identical under condition {', '.join(map(str, same))}.")
    return AlgorithmClusters(
        frame=table,
        notes=tuple(notes),
        conditions=per_condition,
        summary=_summary(table, block.groups),
        links=_LINKS.frame(links),
        alternatives=block.groups,
        responses=columns,
    )


def _distances(values: Matrix, variance: Matrix | None) -> tuple[Matrix, int]:
    """Standardised Euclidean distances, and the number of responses that make them."""
    if len(values) < 2 or not values.shape[1]:
        return np.empty(0), 0
    # A response that does not differ has no variance to be divided by, and adds no distance.
    own = values.var(axis=0, ddof=1) if variance is None else variance
    kept = ~constant(values) & (own > 0.0)
    if not kept.any():
        return np.zeros(len(values) * (len(values) - 1) // 2), 0
    distances: Matrix = scipy.spatial.distance.pdist(values[:, kept], "seuclidean", V=own[kept])
    return distances, int(kept.sum())


def _pooled(values: Matrix) -> Matrix:
    """The variance over alternatives, averaged over the conditions that have all of them."""
    if len(values) < 2:
        return np.zeros(values.shape[2])
    variance = values.var(axis=0, ddof=1)
    mean: Matrix = mean_over(variance)[0]
    return mean


def _read(
    tree: Matrix, cut: float
) -> tuple[np.ndarray, Matrix, list[tuple[int, float, float, float, float, float, int | None]]]:
    """Cluster and first linkage of every leaf, and the brackets of the dendrogram."""
    n, highest = len(tree) + 1, float(tree[-1, 2])
    # A join is coloured below the limit, not at it; where all are identical, they are one cluster.
    limit = np.nextafter(cut * highest, 0.0)
    labels = scipy.cluster.hierarchy.fcluster(tree, limit, "distance")
    leaves = list(scipy.cluster.hierarchy.leaves_list(tree))
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels[leaves].tolist()))}
    cluster = np.array([numbers[label] for label in labels.tolist()])
    x, y, leaf = [float(leaves.index(k)) for k in range(n)], [0.0] * n, list(range(n))
    joins, brackets = np.zeros(n), []
    for link, (left, right, height, _) in enumerate(tree.tolist()):
        a, b = sorted((int(left), int(right)), key=x.__getitem__)
        joins[[k for k in (a, b) if k < n]] = height
        own = int(cluster[leaf[a]]) + 1 if height <= limit else None
        brackets.append((link, height, x[a], y[a], x[b], y[b], own))
        x.append((x[a] + x[b]) / 2.0)
        y.append(height)
        leaf.append(leaf[a])
    return cluster, joins, brackets


def _summary(table: pl.DataFrame, labels: tuple[str, ...]) -> pl.DataFrame:
    counts = table.group_by("alternative", maintain_order=True).agg(
        pl.len().alias("conditions"), pl.col("apart").sum(), pl.col("alone").sum()
    )
    every = pl.DataFrame({"alternative": list(labels)}, schema={"alternative": pl.String})
    joined = every.join(counts, on="alternative", how="left", maintain_order="left")
    return joined.with_columns(pl.exclude("alternative").fill_null(0).cast(pl.Int64))

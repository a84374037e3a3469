"""Groups of responses that say the same: one of each is enough.

The end of correlation analysis and clustering, section 3.1.b of the methodology paper (K. L. Mills
et al.) and its figure 9.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.correlation.estimate import Correlations
from mesonet.analysis.correlation.estimate import correlations as correlate
from mesonet.analysis.response_groups.entry import RESPONSE_CLUSTER_MEMBERS, RESPONSE_CLUSTERS
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.errors import InputError, Problem

_PAIRS = columns(
    "first second r cluster",
    Column("first", pl.String, "", "first of the pair"),
    Column("second", pl.String, "", "second of the pair"),
)


class ResponseClusters(
    Result,
    chart="index_chart",
    frame=RESPONSE_CLUSTER_MEMBERS,
    clusters=RESPONSE_CLUSTERS,
    pairs=_PAIRS,
):
    """Clusters of mutually correlated responses.

    `frame` has a row for each response; `clusters` for each cluster; `pairs` for each pair above
    the threshold. `suggested` tells whether the threshold is the suggested one; it is NaN if there
    is none.
    """

    clusters: pl.DataFrame
    pairs: pl.DataFrame
    threshold: float
    suggested: bool


def response_clusters(
    correlations: Correlations, *, threshold: float | None = None
) -> ResponseClusters:
    """Parts the responses into clusters.

    As in the paper: the response with the most partners, that is others with `abs(r)` above the
    threshold, starts a self-contained subset; what remains is treated likewise until nothing is
    left. Self-contained is taken to mean that no pair above the threshold leaves the subset, for
    the paper's five subsets hold all 42 of its pairs: so the partners of partners belong to it
    too. Where that makes a long chain, `pairs` is much smaller than `possible`.

    Args:
        threshold: Threshold of `abs(r)`; the suggestion of `correlations` if not given, which a
            note then says.

    Returns:
        The clusters; none, and a note, if no threshold is given and none suggested.
    """
    chosen = correlations.suggestion if threshold is None else threshold
    if chosen is None:
        why = f"No threshold is given, and none is suggested: {correlations.why}"
        return ResponseClusters(
            frame=RESPONSE_CLUSTER_MEMBERS.frame(),
            notes=(why, *correlations.notes),
            clusters=RESPONSE_CLUSTERS.frame(),
            pairs=_PAIRS.frame(),
            threshold=math.nan,
            suggested=False,
        )
    if not 0.0 <= chosen < 1.0:
        message = f"expected a number from 0 to less than 1, got {chosen}"
        raise InputError([Problem("threshold", "out_of_range", message)])
    strong = correlations.frame.filter(pl.col("size").is_not_nan() & (pl.col("size") > chosen))
    size = {
        frozenset((a, b)): value
        for a, b, value in correlations.frame.select("first", "second", "size").iter_rows()
    }
    partners: dict[str, list[str]] = {name: [] for name in correlations.responses}
    for a, b in strong.select("first", "second").iter_rows():
        partners[a].append(b)
        partners[b].append(a)
    groups = _subsets(partners)
    # Largest first; among equals the one with more pairs, then the one found first.
    count = [sum(len(partners[name]) for name in group) // 2 for group in groups]
    order = sorted(range(len(groups)), key=lambda k: (-len(groups[k]), -count[k]))
    rows, clusters = [], []
    cluster_of: dict[str, int] = {}
    for number, k in enumerate(order, start=1):
        group = groups[k]
        mean = {name: _mean(name, group, size) for name in group}
        best = max(group, key=lambda name: mean[name] or 0.0)
        for name in sorted(group, key=lambda name: -len(partners[name])):
            cluster_of[name] = number
            rows.append((name, number, len(partners[name]), mean[name], name == best))
        possible = len(group) * (len(group) - 1) // 2
        clusters.append((number, len(group), count[k], possible, best, ", ".join(group), chosen))
    table = RESPONSE_CLUSTER_MEMBERS.frame(rows, "index")
    # The paper arrays the axes by increasing size of the cluster.
    table = table.select(
        "response",
        (pl.len() - pl.int_range(pl.len())).cast(pl.Int64).alias("index"),
        pl.exclude("response"),
    ).sort("index")
    notes = list(correlations.notes)
    loose = [row[0] for row in clusters if row[1] > 3 and row[2] < 0.5 * row[3]]
    if loose:
        notes.insert(
            0,
            "Fewer than half of the pairs are correlated in cluster "
            f"{', '.join(map(str, loose))}: it is a chain, and its ends differ. Try a higher "
            "threshold.",
        )
    if threshold is None:
        notes.insert(
            0,
            f"The threshold of |r|, {chosen:.2f}, was suggested and not chosen. "
            f"{correlations.why} Look at the distribution, and at what another threshold gives.",
        )
    return ResponseClusters(
        frame=table,
        notes=tuple(notes),
        clusters=RESPONSE_CLUSTERS.frame(clusters),
        pairs=strong.select(
            "first",
            "second",
            "r",
            pl.col("first").replace_strict(cluster_of, return_dtype=pl.Int64).alias("cluster"),
        ),
        threshold=chosen,
        suggested=threshold is None,
    )


def _subsets(partners: dict[str, list[str]]) -> list[list[str]]:
    """Self-contained subsets, from the response with the most partners on."""
    remaining = sorted(partners, key=lambda name: -len(partners[name]))
    taken: set[str] = set()
    groups = []
    for start in remaining:
        if start in taken:
            continue
        group = [start]
        taken.add(start)
        for name in group:
            for partner in partners[name]:
                if partner not in taken:
                    taken.add(partner)
                    group.append(partner)
        groups.append(group)
    return groups


def _mean(name: str, group: list[str], size: dict[frozenset[str], float]) -> float | None:
    sizes = [size[frozenset((name, other_name))] for other_name in group if other_name != name]
    defined = [value for value in sizes if value == value]
    return sum(defined) / len(defined) if defined else None


def tabled_response_clusters(subject: Subject, options: dict[str, Any]) -> ResponseClusters:
    """Groups all responses that say the same."""
    threshold = options.pop("threshold", None)
    related = correlate(subject.frame, responses=subject.responses, **options)
    return response_clusters(related, threshold=threshold)

"""What both sides get at every number of the candidate's flows, and where switching ends.

A number of flows is an equilibrium where no flow gains by switching alone: A. Mishra, W. H. Tiu,
B. Leong, "Are we heading towards a BBR-dominant Internet?", IMC 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from mesonet.design.filling import sobol
from mesonet.evaluation.result import Share
from mesonet.evaluation.statistics import Values

SIDES = ("candidate", "victim")
"""Names of the flows of both sides."""
RESPONSES = tuple(f"flow_goodput:{side}" for side in SIDES)
_RESAMPLES = 1024


def label(count: int, flows: int, baseline: str) -> str:
    """Label of the alternative in which `count` of the flows are the candidate's."""
    return f"{count} of {flows} versus {baseline}"


def mixes(
    flow: Mapping[str, Any], candidate: str, baseline: str
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Labels, and flows for every number of the candidate's; `flow` stands for all of them."""
    flows = flow["count"]
    for count in range(flows + 1):
        parts = zip(SIDES, (candidate, baseline), (count, flows - count), strict=True)
        yield (
            label(count, flows, baseline),
            [{**flow, "name": name, "algorithm": it, "count": n} for name, it, n in parts if n],
        )


def shares(
    results: pl.DataFrame, *, condition: int, levels: dict[str, str], baseline: str, flows: int
) -> Iterator[Share]:
    """The outcome of one condition versus one baseline, from no flow of the candidate to all.

    It is that of the replicates without a run that failed, of which there have to be two.
    """
    wide = results.filter(condition=condition).select("alternative", "replicate", *RESPONSES)
    labels = [label(count, flows, baseline) for count in range(flows + 1)]
    runs = [wide.filter(alternative=it).sort("replicate") for it in labels]
    common = set.intersection(*(set(it["replicate"]) for it in runs))
    if len(common) < 2:
        return
    runs = [it.filter(pl.col("replicate").is_in(common)) for it in runs]
    candidate, reference = (np.array([it[name].to_numpy() for it in runs]) for name in RESPONSES)
    chances = equilibria(candidate, reference)
    for count, chance in enumerate(chances):
        yield Share(
            condition=condition,
            levels=levels,
            baseline=baseline,
            count=count,
            flows=flows,
            candidate=float(candidate[count].mean()) if count else None,
            reference=float(reference[count].mean()) if count < flows else None,
            probability=float(chance),
        )


def equilibria(candidate: Values, reference: Values) -> Values:
    """Part of the resamples of replicates in which each number of flows is an equilibrium.

    Goodput of a flow of either side, a row for each number of the candidate's flows from none to
    all and a column for each replicate.
    """
    n = candidate.shape[1]
    names = [f"x{place}" for place in range(n)]
    points = sobol(names, points=_RESAMPLES, seed=1).matrix.select(names).to_numpy()
    picks = np.minimum(((points + 1) / 2 * n).astype(int), n - 1)
    own, others = (side[:, picks].mean(axis=2) for side in (candidate, reference))
    always = np.ones((1, _RESAMPLES), dtype=bool)
    stays = np.vstack([always, own[1:] >= others[:-1]])
    waits = np.vstack([others[:-1] >= own[1:], always])
    chances: Values = (stays & waits).mean(axis=1)
    return chances

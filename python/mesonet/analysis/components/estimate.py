"""Principal components of many responses.

Sections 3.1.b and 3.2.c of the methodology paper (K. L. Mills et al.): beside correlation analysis,
as the textbook way to fewer dimensions; and the plot of PC1 against PC2 over algorithms and
conditions, its figure 13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from mesonet.analysis.components.entry import (
    COMPONENT_SCORES,
    COMPONENT_SEPARATION,
    COMPONENT_VARIANCES,
    PRINCIPAL_COMPONENTS,
)
from mesonet.analysis.frames import ROUNDING, listed, replicate_notes, require
from mesonet.analysis.matrix import Matrix, cells, constant, levels, named
from mesonet.analysis.result import Result

_KEPT = 10
"""Most components with weights and scores."""


class Components(
    Result,
    chart="components_chart",
    frame=PRINCIPAL_COMPONENTS,
    scree=COMPONENT_VARIANCES,
    scores=COMPONENT_SCORES,
    separation=COMPONENT_SEPARATION,
):
    """Principal components of standardised responses.

    `frame` has a row for each component and response; `scree` for each component; `scores` for each
    observation; `separation` for each component and factor, and one for the group.

    The squares of the weights of a component add up to 1, and its largest weight is positive.
    """

    scree: pl.DataFrame
    scores: pl.DataFrame
    separation: pl.DataFrame
    responses: tuple[str, ...]
    factors: tuple[str, ...]


def principal_components(
    frame: pl.DataFrame,
    *,
    responses: Sequence[str],
    factors: Sequence[str] = (),
    by: str | None = "alternative",
) -> Components:
    """Finds the directions in which responses vary most.

    Each response is standardised, to mean 0 and variance 1 over the observations. A response that
    has not a value in every observation is left out, as is one that does not vary.
    """
    columns, names = listed(responses), tuple(factors)
    require(frame, columns=(*columns, *names), by=() if by is None else (by,))
    table = cells(frame, responses=columns, by=by)
    values = table.values.reshape(-1, len(columns))
    labels = np.repeat(table.groups, len(table.conditions))
    conditions = np.tile(np.asarray(table.conditions, dtype=np.int64), len(table.groups))
    coded = np.tile(levels(frame, names), (len(table.groups), 1))
    # A run that is missing altogether says nothing of any response.
    simulated = ~np.isnan(values).all(axis=1)
    values, labels, coded = values[simulated], labels[simulated], coded[simulated]
    conditions = conditions[simulated]
    partial, still = np.isnan(values).any(axis=0), constant(values)
    kept = np.flatnonzero(~partial & ~still)
    used = tuple(columns[k] for k in kept)
    notes = [*replicate_notes(frame), *table.notes]
    if without := named(columns, partial):
        notes.append(f"Not defined in every observation, so left out: {without}.")
    if same := named(columns, still & ~partial):
        notes.append(f"Did not vary, so left out: {same}.")
    if len(used) < 2 or len(values) < 3:
        notes.insert(
            0,
            f"{len(used)} responses that vary and {len(values)} observations: principal components "
            "need two responses and three observations.",
        )
        weights, variance, scores = (
            np.empty((0, len(used))),
            np.empty(0),
            np.empty((len(values), 0)),
        )
    else:
        weights, variance, scores = _decompose(values[:, kept])
        if len(values) <= len(used):
            notes.append(
                f"{len(values)} observations of {len(used)} responses: at most "
                f"{len(values) - 1} components have any variance."
            )
    count = min(_KEPT, len(variance))
    fraction = variance / max(len(used), 1)
    return Components(
        frame=pl.DataFrame(
            {
                "component": np.repeat(np.arange(1, count + 1), len(used)),
                "response": list(used) * count,
                "weight": weights[:count].ravel(),
                "loading": (weights[:count] * np.sqrt(variance[:count, np.newaxis])).ravel(),
            },
            schema_overrides={"response": pl.String, "component": pl.Int64},
        ),
        notes=tuple(notes),
        scree=pl.DataFrame(
            {
                "component": np.arange(1, len(variance) + 1),
                "variance": variance,
                "fraction": fraction,
                "cumulative": np.cumsum(fraction),
            }
        ),
        scores=pl.DataFrame(
            {
                "condition": conditions,
                "group": labels,
                **{name: coded[:, k].astype(np.int64) for k, name in enumerate(names)},
                **{f"pc{k + 1}": scores[:, k] for k in range(count)},
            },
            schema_overrides={"group": pl.String},
        ),
        separation=_separation(scores[:, :count], names, coded, labels),
        responses=used,
        factors=names,
    )


def _decompose(values: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Weights [component, response], variances and scores [observation, component]."""
    centred = values - values.mean(axis=0)
    z = centred / values.std(axis=0, ddof=1)
    left, sizes, weights = np.linalg.svd(z, full_matrices=False)
    rank = int((sizes > ROUNDING * sizes[0] * max(z.shape)).sum())
    left, sizes, weights = left[:, :rank], sizes[:rank], weights[:rank]
    largest = np.abs(weights).argmax(axis=1)
    signs = np.sign(weights[np.arange(rank), largest])
    return (weights * signs[:, np.newaxis], sizes**2 / (len(values) - 1), left * sizes * signs)


def _separation(
    scores: Matrix, names: tuple[str, ...], coded: Matrix, labels: np.ndarray
) -> pl.DataFrame:
    by = {name: coded[:, k] for k, name in enumerate(names)} | {"group": labels}
    parts = {name: np.unique(key, return_inverse=True)[1].reshape(-1) for name, key in by.items()}
    rows = []
    for k in range(scores.shape[1]):
        column = scores[:, k] - scores[:, k].mean()
        total = float((column**2).sum())
        for name, part in parts.items():
            sums = np.bincount(part, weights=column)
            rows.append((k + 1, name, float((sums**2 / np.bincount(part)).sum()) / total))
    return COMPONENT_SEPARATION.frame(rows)

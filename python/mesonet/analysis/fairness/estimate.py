"""Harm that flows do to others, with intervals, and relative changes of published means.

R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, "Beyond Jain's Fairness Index: Setting the Bar For
the Deployment of Congestion Control Algorithms", HotNets 2019. Changes: Y.-T. Li, "Testing TCP in
the WAN", 2007 (SLAC and Microsoft), pages on friendliness and impact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.equal_replicates import distinct_conditions, independent
from mesonet.analysis.fairness.entry import HARM, HARM_BLOCKS
from mesonet.analysis.fairness.notes import harm_notes, undefined_notes
from mesonet.analysis.frames import (
    ROUNDING,
    alternatives,
    defined,
    listed,
    refuse_unknown,
    replicate_notes,
    require,
)
from mesonet.analysis.multiplicity import adjusted
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject
from mesonet.analysis.two_way import mean_interval

FloatArray = NDArray[np.float64]


class Harm(Result, chart="harm_chart", frame=HARM, blocks=HARM_BLOCKS):
    """Harm to the flows that a response describes.

    `frame` has a row for each response and alternative but the solo one; `blocks` for each
    response, alternative and block.

    Harm is a mean over blocks. Without `own` there is no excess and no test: they are NaN. Equal
    replicates of a single condition count as one block, and intervals and tests are NaN.
    """

    blocks: pl.DataFrame
    solo: str
    own: str | None
    unit: str
    confidence: float


def harm(
    frame: pl.DataFrame,
    *,
    response: str | Sequence[str],
    solo: str,
    own: str | None = None,
    better: str | Mapping[str, str] = "higher",
    confidence: float = 0.95,
) -> Harm:
    """Computes the harm that flows take in the company of an algorithm, from what they get alone.

    With x what they get alone and y what they get in company, harm is (x - y) / x where more is
    better, (y - x) / y where less is better.

    Args:
        solo: The alternative in which the flows are by themselves.
        own: The alternative in which they meet their own kind. Its harm is what a newcomer may do
            without doing more harm than is done already: the excess over it counts.
        better: Better end, "higher" or "lower": one word for all responses, or one for each;
            "higher" for those without.
    """
    names = listed(response)
    require(frame, columns=names)
    frame, repeated = distinct_conditions(frame)
    labels = alternatives(frame)
    refuse_unknown(labels, solo=solo, own=own)
    unit = "condition" if frame["condition"].n_unique() > 1 else "replicate"
    sides = dict.fromkeys(names, better) if isinstance(better, str) else better
    own_blocks = [_blocks(frame, name, solo, sides.get(name, "higher"), unit) for name in names]
    blocks = pl.concat([HARM_BLOCKS.frame(), *own_blocks])
    rows, equal = [], []
    for name in names:
        for label in (label for label in labels if label != solo):
            defined = _defined_harm(blocks, name, label)
            among = _defined_harm(blocks, name, own) if own not in (None, label) else None
            estimates = _estimates(defined, among, unit, confidence)
            rows.append((name, label, solo, *estimates))
            if estimates[0] < defined.height:
                equal.append((name, label))
    table = HARM.frame(rows, "p_holm")
    holm = pl.Series("p_holm", adjusted(table["p"].to_list(), method="holm"), dtype=pl.Float64)
    return Harm(
        frame=table.with_columns(holm),
        notes=(
            *replicate_notes(frame),
            *repeated,
            *harm_notes(table, own, equal),
            *undefined_notes(blocks, table, unit),
        ),
        blocks=blocks,
        solo=solo,
        own=own,
        unit=unit,
        confidence=confidence,
    )


def part_lost(
    alone: FloatArray, beside: FloatArray, *, better: str, bounded: bool = False
) -> FloatArray:
    """Harm of single values: (x - y) / x where more is better, (y - x) / y where less is better.

    NaN where it divides by zero. `bounded` divides by the larger of both values, so that a gain is
    the harm with the sides exchanged, and has zero where both are zero.
    """
    lost = alone - beside if better == "higher" else beside - alone
    base = np.maximum(np.abs(alone), np.abs(beside))
    if not bounded:
        base = alone if better == "higher" else beside
    empty = np.full(lost.shape, 0.0 if bounded else np.nan)
    parts: FloatArray = np.divide(lost, base, out=empty, where=base != 0.0)
    return parts


def harm_sides(
    responses: Sequence[str],
    *,
    registered: Mapping[str, str],
    better: str | Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Better end of each response that harm can be done to.

    Args:
        registered: "higher", "lower" or "neither" per response; "higher" for those without.
        better: Overrides of `registered`: one word for all responses, or one for some.

    Returns:
        "higher" or "lower" per response, without those of which neither end is better.
    """
    if isinstance(better, str):
        return dict.fromkeys(responses, better)
    chosen = {**registered, **(better or {})}
    sides = {name: chosen.get(name, "higher") for name in responses}
    return {name: side for name, side in sides.items() if side in ("higher", "lower")}


def undirected_note(responses: Sequence[str], sides: Mapping[str, str]) -> tuple[str, ...]:
    """Says which responses are left out because neither end of them is better."""
    undirected = [name for name in responses if name not in sides]
    if not undirected:
        return ()
    note = f"Of {', '.join(undirected)} neither end is better, so no harm can be done to them; "
    return (note + "the option `better` can say which is.",)


def _blocks(frame: pl.DataFrame, response: str, solo: str, better: str, unit: str) -> pl.DataFrame:
    values = frame.select(
        pl.col("condition").cast(pl.Int64),
        pl.col("alternative").cast(pl.String),
        pl.col("replicate").cast(pl.Int64),
        defined(response).alias("value"),
    ).drop_nulls("value")
    # Replicates share their random numbers: only those that both have are compared.
    keys = ["condition", "replicate"]
    alone = values.filter(pl.col("alternative") == solo).select(*keys, solo_value="value")
    pairs = values.filter(pl.col("alternative") != solo).join(alone, on=keys)
    if unit == "condition":
        pairs = (
            pairs.group_by("condition", "alternative", maintain_order=True)
            .agg(pl.col("value").mean(), pl.col("solo_value").mean())
            .with_columns(pl.lit(None, dtype=pl.Int64).alias("replicate"))
        )
    lost = part_lost(pairs["solo_value"].to_numpy(), pairs["value"].to_numpy(), better=better)
    return (
        pairs.with_columns(pl.Series("harm", lost), pl.lit(response).alias("response"))
        .select("response", "alternative", "condition", "replicate", "solo_value", "value", "harm")
        .sort("condition", "replicate", maintain_order=True)
    )


def _estimates(
    blocks: pl.DataFrame, among: pl.DataFrame | None, unit: str, confidence: float
) -> tuple[Any, ...]:
    if blocks.is_empty():
        return (0, *([math.nan] * 4), None, *([math.nan] * 4))
    whole = blocks
    if unit == "replicate":
        blocks = independent(whole, ("solo_value", "value"))
    mean, lower, upper, _, _ = mean_interval(blocks["harm"].to_numpy(), confidence)
    worst = blocks.sort("harm", descending=True, maintain_order=True).row(0, named=True)
    excess = (math.nan,) * 4
    if among is not None:
        keys = ["condition", "replicate"]
        own = among.select(*keys, own_value="value", own_harm="harm")
        both = whole.join(own, on=keys, nulls_equal=True)
        if unit == "replicate":
            both = independent(both, ("solo_value", "value", "own_value"))
        if both.height:
            more = (both["harm"] - both["own_harm"]).to_numpy()
            middle, low, high, _, p = mean_interval(more, confidence, rounding=ROUNDING)
            excess = (middle, low, high, p)
    return (blocks.height, mean, lower, upper, worst["harm"], worst["condition"], *excess)


def _defined_harm(blocks: pl.DataFrame, response: str, label: str) -> pl.DataFrame:
    return blocks.filter(
        (pl.col("response") == response)
        & (pl.col("alternative") == label)
        & pl.col("harm").is_finite()
    )


class Change(NamedTuple):
    """A relative change and its error."""

    change: float
    error: float


def relative_change(without: tuple[float, float], among: tuple[float, float]) -> Change:
    """The relative change between two independent measurements, as the WAN tests print it.

    Args:
        without: Mean and error without the alternate flow.
        among: Mean and error with it.

    Returns:
        with / without - 1, and its error to first order: the root of the sum of the squared
        relative errors, times with / without. NaN where the mean without is zero.
    """
    (base, base_error), (value, value_error) = without, among
    if base == 0.0:
        return Change(math.nan, math.nan)
    error = math.hypot(value_error, value / base * base_error) / abs(base)
    return Change(value / base - 1.0, error)


def tabled_harm(subject: Subject, options: dict[str, Any]) -> Harm:
    """Computes harm on those of the responses asked for that have a better end."""
    sides = harm_sides(
        subject.family, registered=subject.better, better=options.pop("better", None)
    )
    left_out = undirected_note(subject.family, sides)
    result = harm(
        subject.frame, response=list(sides), better=sides, **{"solo": subject.first} | options
    )
    return replace(result, notes=(*(result.notes if sides else ()), *left_out))

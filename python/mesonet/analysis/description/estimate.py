"""The plain description of responses: centre, spread and range per alternative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from mesonet.analysis.columns import columns
from mesonet.analysis.description.entry import CONGESTION, DESCRIBE
from mesonet.analysis.frames import cell_means, listed, partial_notes, replicate_notes, require
from mesonet.analysis.ranks.estimate import condition_order
from mesonet.analysis.result import Result
from mesonet.analysis.subject import Subject


class Description(Result, chart="describe_chart", frame=DESCRIBE):
    """Responses over conditions.

    `frame` has a row for each response and alternative.
    """


def describe(frame: pl.DataFrame, *, responses: str | Sequence[str]) -> Description:
    """Describes each response per alternative, over condition means."""
    columns = listed(responses)
    require(frame, columns=columns)
    value = pl.col("value")
    table = (
        cell_means(frame, responses=columns)
        .group_by("response", "alternative", maintain_order=True)
        .agg(
            value.count().alias("conditions"),
            value.mean().alias("mean"),
            value.std().alias("sd"),
            value.min().alias("minimum"),
            value.median().alias("median"),
            value.max().alias("maximum"),
        )
    )
    return Description(frame=table, notes=replicate_notes(frame, responses=columns))


_CONDITIONS = columns("condition value position")


class Congestion(Result, chart="congestion_chart", frame=CONGESTION, conditions=_CONDITIONS):
    """Congestion of each condition, least congested first.

    `frame` has a row for each condition and alternative.
    """

    conditions: pl.DataFrame
    response: str


def congestion(frame: pl.DataFrame, *, response: str) -> Congestion:
    """Orders the conditions by a response that measures congestion, such as a loss rate."""
    require(frame, columns=(response,))
    order = condition_order(frame, response=response)
    cells = (
        cell_means(frame, responses=(response,))
        .with_columns(pl.col("condition").cast(pl.Int64))
        .join(order.select("condition", "position"), on="condition", maintain_order="left")
        .sort("position", maintain_order=True)
        .select("condition", "position", "alternative", "value")
    )
    measured = cells.drop_nulls("value")["condition"].implode()
    lost = order.filter(pl.col("value").is_null() & pl.col("condition").is_in(measured))
    left_out = partial_notes((response, number) for number in lost["condition"].sort())
    return Congestion(
        frame=cells,
        notes=(*replicate_notes(frame, responses=(response,)), *left_out),
        conditions=order,
        response=response,
    )


def tabled_congestion(subject: Subject, options: dict[str, Any]) -> Congestion:
    """Orders the conditions by the response that measures congestion, or the first asked for."""
    response = subject.order_by or subject.family[0]
    return congestion(subject.frame, **{"response": response} | options)

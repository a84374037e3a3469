"""The raw data of a designed experiment: ordered, and against each factor.

Steps 1 and 2 of NIST's ten-step analysis (NIST/SEMATECH e-Handbook of Statistical Methods,
sections 5.5.9.1 and 5.5.9.2). Nothing is estimated: look before you estimate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.matrix import observations
from mesonet.analysis.result import Result

_ORDERED_DATA = columns("position condition value")


class OrderedData(Result, chart="ordered_data_chart", frame=_ORDERED_DATA):
    """A response in increasing order, with the settings that gave it.

    `frame` has a row for each condition.
    """

    response: str
    factors: tuple[str, ...]


def ordered_data(frame: pl.DataFrame, *, factors: Sequence[str], response: str) -> OrderedData:
    """Orders the conditions by a response."""
    seen = observations(frame, factors=factors, response=response)
    order = np.argsort(seen.values, kind="stable")
    table = pl.DataFrame(
        {
            "position": np.arange(1, len(order) + 1),
            "condition": seen.conditions[order],
            "value": seen.values[order],
            **{name: seen.coded[order, k].astype(np.int64) for k, name in enumerate(seen.factors)},
        }
    )
    return OrderedData(frame=table, notes=seen.notes, response=response, factors=seen.factors)


_FACTOR_SCATTER = columns(
    "factor level condition value",
    Column("level", pl.Int64, "", "coded level of the factor, -1 or +1"),
)

_FACTORSCATTER_SPREAD = columns("factor level n mean sd minimum maximum", *_FACTOR_SCATTER)


class FactorScatter(
    Result, chart="factor_scatter_chart", frame=_FACTOR_SCATTER, spread=_FACTORSCATTER_SPREAD
):
    """A response against the levels of each factor.

    `frame` has a row for each factor and condition; `spread` for each factor and level.
    """

    spread: pl.DataFrame
    response: str
    factors: tuple[str, ...]


def factor_scatter(frame: pl.DataFrame, *, factors: Sequence[str], response: str) -> FactorScatter:
    """Lays a response out against the levels of every factor."""
    seen = observations(frame, factors=factors, response=response)
    count = len(seen.values)
    table = pl.DataFrame(
        {
            "factor": np.repeat(seen.factors, count),
            "level": seen.coded.T.ravel().astype(np.int64),
            "condition": np.tile(seen.conditions, len(seen.factors)),
            "value": np.tile(seen.values, len(seen.factors)),
        },
        schema_overrides={"factor": pl.String},
    )
    value = pl.col("value")
    spread = table.group_by("factor", "level", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        value.mean().alias("mean"),
        value.std().alias("sd"),
        value.min().alias("minimum"),
        value.max().alias("maximum"),
    )
    place = {name: index for index, name in enumerate(seen.factors)}
    number = pl.col("factor").replace_strict(place, return_dtype=pl.Int64)
    return FactorScatter(
        frame=table,
        notes=seen.notes,
        spread=spread.sort(number, "level"),
        response=response,
        factors=seen.factors,
    )

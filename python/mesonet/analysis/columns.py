"""Columns of tables: what each holds, in which unit, declared once for each table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import polars as pl

from mesonet.errors import InputError
from mesonet.responses import lookup
from mesonet.tables.datasets import About

OWN = "own"
"""Stands for the unit of the response or measure that a row names."""

_SCORES = re.compile(r"pc[0-9]+")


class Column(NamedTuple):
    """Column of a table; the unit is empty for text and pure numbers, the type one of polars."""

    name: str
    dtype: Any
    unit: str
    meaning: str


class Columns(tuple[Column, ...]):
    """Columns of a table in their order; those of factors and of responses come on top."""

    def schema(self, *but: str) -> dict[str, Any]:
        """Types of the columns by name, without some."""
        return {column.name: column.dtype for column in self if column.name not in but}

    def frame(self, rows: Iterable[Any] = (), *but: str) -> pl.DataFrame:
        """A frame of rows that have the columns in their order, without some."""
        return pl.DataFrame(list(rows), schema=self.schema(*but), orient="row")

    def about(self, frame: pl.DataFrame, *, response: str | None = None) -> dict[str, About]:
        """Units and meanings of the columns of a frame.

        Args:
            frame: The table; columns that are responses have what is known of these.
            response: The only response of the table, where no column names it.
        """
        units = units_of(frame) or ({response: described(response)["unit"]} if response else {})
        own = next(iter(units.values())) if len(set(units.values())) == 1 else None
        meanings = {column.name: About(column.unit, column.meaning) for column in self}
        abouts = {}
        for name in frame.columns:
            about = meanings.get(name) or _of_response(name)
            if about is not None and about.unit == OWN:
                whose = "" if own else ", in the unit of its response or measure"
                about = About(own or "", f"{about.meaning}{whose}")
            if about is not None:
                abouts[name] = about
        return abouts


def columns(names: str, *own: Column) -> Columns:
    """Columns of a table.

    Args:
        names: Their names in order, with spaces between.
        own: Those that no other table has, or with another meaning.
    """
    declared = {column.name: column for column in (*_COMMON, *own)}
    return Columns(declared[name] for name in names.split())


def described(identifier: str) -> dict[str, Any]:
    """Name, unit, definition, source, symbols and better end of a response.

    One that is not registered is called by its identifier, and neither end of it is better.
    """
    try:
        variant = lookup(identifier)
    except InputError:
        return {"name": identifier, "unit": "", "definition": "", "better": "neither"}
    response = variant.response
    symbols = ", ".join(f"{study}: {symbol}" for study, symbol in response.symbols.items())
    return {
        "name": variant.name,
        "unit": "" if response.unit == "1" else response.unit,
        "definition": response.definition,
        "source": response.source,
        "symbol": symbols,
        "better": response.better,
    }


def units_of(frame: pl.DataFrame) -> dict[str, str]:
    """Units of the responses that rows of a table name."""
    if frame.schema.get("response") != pl.String:
        return {}
    names = frame["response"].drop_nulls().unique(maintain_order=True)
    return {name: described(name)["unit"] for name in names}


def _of_response(name: str) -> About | None:
    """The meaning of a column that is called as a response or a component."""
    if _SCORES.fullmatch(name):
        return About("1", f"score of the condition on component {name[2:]}")
    facts = described(name)
    return (
        About(facts["unit"], f"{facts['name']}: {facts['definition']}")
        if facts["definition"]
        else None
    )


_COMMON = (
    Column("run", pl.String, "", "identifier of the run"),
    Column("response", pl.String, "", "identifier of the response"),
    Column("condition", pl.Int64, "", "condition of the design, from 1"),
    Column("alternative", pl.String, "", "label of the alternative"),
    Column("baseline", pl.String, "", "alternative that the others are compared with"),
    Column("algorithm", pl.String, "", "algorithm of the flows"),
    Column("replicate", pl.Int64, "", "replicate, from 1; null where the row is of a condition"),
    Column("factor", pl.String, "", "factor of the design"),
    Column("group", pl.String, "", "alternative, or all together"),
    Column("cluster", pl.Int64, "", "cluster, from 1; null where there is none"),
    Column("station", pl.String, "", "name of the station"),
    Column("position", pl.Int64, "", "place in the order of the analysis, from 1"),
    Column("n", pl.Int64, "", "number of values"),
    Column("conditions", pl.Int64, "", "number of conditions with a value"),
    Column("responses", pl.UInt32, "", "number of responses that had a value"),
    Column("above", pl.Int64, "", "number of blocks with a positive difference"),
    Column("equal", pl.Int64, "", "number of blocks without a difference"),
    Column("below", pl.Int64, "", "number of blocks with a negative difference"),
    Column("count", pl.Int64, "", "number of values in the bin"),
    Column("value", pl.Float64, OWN, "value"),
    Column("mean", pl.Float64, OWN, "mean"),
    Column("sd", pl.Float64, OWN, "standard deviation"),
    Column("minimum", pl.Float64, OWN, "smallest value"),
    Column("median", pl.Float64, OWN, "median"),
    Column("maximum", pl.Float64, OWN, "largest value"),
    Column("low", pl.Float64, OWN, "mean at the low level"),
    Column("high", pl.Float64, OWN, "mean at the high level"),
    Column("effect", pl.Float64, OWN, "mean at the high level less mean at the low level"),
    Column("stars", pl.String, "", "two asterisks for p < 0.01, one for p < 0.05"),
    Column(
        "sign", pl.String, "", "+ or -, the level with the larger mean; empty without a difference"
    ),
    Column("aliases", pl.String, "", "effects that the design cannot tell from this one"),
    Column("at_1_percent", pl.UInt32, "", "number of responses with p < 0.01"),
    Column("at_5_percent", pl.UInt32, "", "number of responses with 0.01 <= p < 0.05"),
    Column("influence", pl.Float64, "1", "fraction of the responses that the factor influences"),
    Column("difference", pl.Float64, OWN, "difference of the two sides"),
    Column("relative", pl.Float64, "1", "difference, effect or residual over the absolute mean"),
    Column("error", pl.Float64, "1", "standard error of the estimate"),
    Column("t", pl.Float64, "1", "Student's t; infinite where no error is left"),
    Column("df", pl.Int64, "", "degrees of freedom; null without a value"),
    Column("p", pl.Float64, "1", "p value"),
    Column("p_adjusted", pl.Float64, "1", "p value adjusted over the family of tests"),
    Column("p_holm", pl.Float64, "1", "p value adjusted by Holm over all rows"),
    Column("g", pl.Float64, "1", "statistic of Grubbs' test"),
    Column("outlier", pl.Boolean, "", "true if Grubbs' test finds an outlier"),
    Column(
        "direction", pl.String, "", "side of the residual: high, low, or same where all are alike"
    ),
    Column("r", pl.Float64, "1", "coefficient of correlation"),
    Column("mean_size", pl.Float64, "1", "mean absolute correlation with the others"),
    Column("weight", pl.Float64, "1", "weight in the component, or of the set"),
    Column("fraction", pl.Float64, "1", "fraction of the variance, or of the length of the series"),
    Column("time", pl.Float64, "s", "simulated time"),
    Column("packets", pl.Float64, "packets", "mean number of packets waiting or in service"),
    Column("capacity", pl.Float64, "packets", "capacity of the queue; null without a limit"),
    Column("loss_rate", pl.Float64, "1", "packets dropped over packets injected"),
    Column("sojourn_mean", pl.Float64, "ms", "mean sojourn time"),
    Column("sojourn_max", pl.Float64, "ms", "largest sojourn time"),
    Column("control", pl.Float64, "", "mean of the control variable of the queue discipline"),
    Column("signal", pl.String, "", "mark or drop"),
    Column("cause", pl.String, "", "cause of the signal"),
    Column("from", pl.Float64, "ms", "least sojourn time of the class"),
    Column("share", pl.Float64, "1", "share of what is carried, or of the packets"),
    Column("p50", pl.Float64, "ms", "sojourn time that 50 % of the packets do not exceed"),
    Column("p95", pl.Float64, "ms", "sojourn time that 95 % of the packets do not exceed"),
    Column("p99", pl.Float64, "ms", "sojourn time that 99 % of the packets do not exceed"),
    Column("rate", pl.Float64, "packets/s", "signals per time"),
)
"""Columns that several tables have, with one meaning."""

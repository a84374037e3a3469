"""Frames of polars from the engine's columns: numbers become names, matrices long tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
import polars as pl

from mesonet.controller import short
from mesonet.tables.names import (
    CAUSES,
    CODEPOINTS,
    FATES,
    FILES,
    HOSTS,
    INTERFACES,
    PACKET_CAUSES,
    PACKETS,
    PAIRS,
    PATH_CLASSES,
    RECOVERIES,
)

Column = npt.NDArray[Any]
"""Values of one kind, as the engine gives them."""


def frame(
    table: str, columns: Mapping[str, Column] | None, spec: Mapping[str, Any], time: Column
) -> pl.DataFrame:
    """A table of a run; without columns if it was not recorded.

    Args:
        table: Name of the table.
        columns: Columns that the engine returned for it; `None` if it was not recorded.
        spec: Resolved scenario.
        time: Ends of the measurement intervals [s].
    """
    if columns is None:
        return pl.DataFrame()
    stations = [station["name"] for station in spec["stations"]]
    watched = [stations[here] for here in spec["measure"]["stations"]]
    flows = [flow["name"] for flow in spec["flows"]]
    match table:
        case "classes":
            return _long(time, "pair", PAIRS, columns)
        case "queues":
            return _long(time, "station", watched, columns)
        case "queue_states":
            return _queue_states(_long(time, "station", watched, columns))
        case "flows":
            return _long(time, "flow", flows, columns)
        case "groups":
            return pl.DataFrame(_named(columns, spec))
        case "transfers":
            return _transfers(columns, spec, stations, flows)
        case "requests":
            applications = [application["name"] for application in spec["applications"]]
            # Requests that got no connection have none, which is after the last.
            return _with_words(columns, {"application": applications, "flow": [*flows, None]})
        case "stations":
            return pl.DataFrame({"station": stations, **columns})
        case "segments":
            return _with_words(columns, {"flow": flows, "fate": FATES})
        case "signals":
            return _with_words(columns, {"station": stations, "cause": CAUSES})
        case "sojourns":
            kept = {name: columns[name] for name in ("from", "below", "packets")}
            return pl.DataFrame({"station": _words(columns["column"], watched), **kept})
        case "packets":
            return _with_words(columns, {**_PACKETS, "flow": flows})
        case "senders":
            return _with_words(columns, {"flow": flows, "recovery": RECOVERIES})
    return pl.DataFrame(columns)


_PACKETS = {"host": HOSTS, "kind": PACKETS, "cause": PACKET_CAUSES, "codepoint": CODEPOINTS}


def _queue_states(states: pl.DataFrame) -> pl.DataFrame:
    mean = (pl.col("sojourn_sum") / pl.col("sojourns")).alias("sojourn_mean")
    first = ["time", "station", "control", "sojourn_mean"]
    others = pl.all().exclude(*first, "sojourns", "sojourn_sum")
    return states.with_columns(mean).select(*first, others)


def _transfers(
    columns: Mapping[str, Column], spec: Mapping[str, Any], stations: list[str], flows: list[str]
) -> pl.DataFrame:
    sites = [stations[site["station"]] for site in spec["sites"]]
    site = _words(columns["receiver_site"], sites)
    frame = pl.DataFrame(_named(columns, spec) | {"receiver_site": site})
    # Sources of a laboratory are its named flows; those of a population have no names.
    if spec["population"] is not None:
        return frame.with_columns(flow=pl.lit(None, pl.String))
    return frame.with_columns(flow=_words(columns["source"], flows))


def _with_words(
    columns: Mapping[str, Column], words: Mapping[str, Sequence[str | None]]
) -> pl.DataFrame:
    """Columns as they are, but for numbers that stand for names."""
    named = {column: _words(columns[column], names) for column, names in words.items()}
    return pl.DataFrame(dict(columns) | named)


def _long(
    time: Column, key: str, names: Sequence[str], columns: Mapping[str, Column]
) -> pl.DataFrame:
    """Matrices (interval, name) as rows of time, name and one value each."""
    return pl.DataFrame(
        {
            "time": pl.Series(time.repeat(len(names)), dtype=pl.Float64),
            key: pl.Series(list(names) * len(time), dtype=pl.String),
            **{name: matrix.reshape(-1) for name, matrix in columns.items()},
        }
    )


def _words(numbers: Column, words: Sequence[str | None]) -> pl.Series:
    """Names in place of their numbers."""
    # An expression would do, but takes a millisecond to be planned; `gather` is one inside.
    return pl.Series(words, dtype=pl.String)[numbers]


def _named(columns: Mapping[str, Column], spec: Mapping[str, Any]) -> dict[str, Any]:
    """Names in place of the numbers of algorithm, pair, interface and file, and the path class."""
    algorithms = [short(algorithm["name"]) for algorithm in spec["algorithms"]]
    labels = {"algorithm": algorithms, "pair": PAIRS, "interface": INTERFACES, "file": FILES}
    names = {key: _words(columns[key], words) for key, words in labels.items()}
    path_class = _words(columns["pair"], [PATH_CLASSES[pair] for pair in PAIRS])
    return {**columns, **names, "path_class": path_class}

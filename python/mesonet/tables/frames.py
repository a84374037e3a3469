"""Frames of polars from the engine's columns: numbers become names, matrices long tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class _Context:
    """Names of what one scenario numbers, and the ends of its measurement intervals."""

    def __init__(self, spec: Mapping[str, Any], time: Column) -> None:
        self.spec = spec
        self.time = time
        self.stations = [station["name"] for station in spec["stations"]]
        self.watched = [self.stations[here] for here in spec["measure"]["stations"]]
        self.flows = [flow["name"] for flow in spec["flows"]]
        self.algorithms = [short(algorithm["name"]) for algorithm in spec["algorithms"]]


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
    return _FRAMES[table](columns, _Context(spec, time))


def _series(columns: Mapping[str, Column], _: _Context) -> pl.DataFrame:
    return pl.DataFrame(columns)


def _classes(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _long(names.time, "pair", PAIRS, columns)


def _queues(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _long(names.time, "station", names.watched, columns)


def _flows(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _long(names.time, "flow", names.flows, columns)


def _groups(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return pl.DataFrame(_named(columns, names.algorithms))


def _transfers(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    sites = [names.stations[site["station"]] for site in names.spec["sites"]]
    site = _words(columns["receiver_site"], sites)
    frame = pl.DataFrame(_named(columns, names.algorithms) | {"receiver_site": site})
    # Sources of a laboratory are its named flows; those of a population have no names.
    if names.spec["population"] is not None:
        return frame.with_columns(flow=pl.lit(None, pl.String))
    return frame.with_columns(flow=_words(columns["source"], names.flows))


def _requests(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    applications = [application["name"] for application in names.spec["applications"]]
    # Requests that got no connection have none, which is after the last.
    flow = _words(columns["flow"], [*names.flows, None])
    application = _words(columns["application"], applications)
    return pl.DataFrame({**columns, "application": application, "flow": flow})


def _stations(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return pl.DataFrame({"station": names.stations, **columns})


def _segments(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _with_words(columns, {"flow": names.flows, "fate": FATES})


def _signals(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _with_words(columns, {"station": names.stations, "cause": CAUSES})


def _queue_states(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    mean = (pl.col("sojourn_sum") / pl.col("sojourns")).alias("sojourn_mean")
    states = _long(names.time, "station", names.watched, columns).with_columns(mean)
    first = ["time", "station", "control", "sojourn_mean"]
    return states.select(*first, pl.all().exclude(*first, "sojourns", "sojourn_sum"))


def _sojourns(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    kept = {name: columns[name] for name in ("from", "below", "packets")}
    return pl.DataFrame({"station": _words(columns["column"], names.watched), **kept})


def _packets(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    words = {"host": HOSTS, "kind": PACKETS, "cause": PACKET_CAUSES, "codepoint": CODEPOINTS}
    return _with_words(columns, {**words, "flow": names.flows})


def _senders(columns: Mapping[str, Column], names: _Context) -> pl.DataFrame:
    return _with_words(columns, {"flow": names.flows, "recovery": RECOVERIES})


_FRAMES: Mapping[str, Callable[[Mapping[str, Column], _Context], pl.DataFrame]] = {
    "series": _series,
    "classes": _classes,
    "queues": _queues,
    "flows": _flows,
    "groups": _groups,
    "transfers": _transfers,
    "requests": _requests,
    "segments": _segments,
    "stations": _stations,
    "signals": _signals,
    "queue_states": _queue_states,
    "sojourns": _sojourns,
    "packets": _packets,
    "senders": _senders,
}


def _with_words(columns: Mapping[str, Column], words: Mapping[str, Sequence[str]]) -> pl.DataFrame:
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


def _named(columns: Mapping[str, Column], algorithms: list[str]) -> dict[str, Any]:
    """Names in place of the numbers of algorithm, pair, interface and file, and the path class."""
    labels = {"algorithm": algorithms, "pair": PAIRS, "interface": INTERFACES, "file": FILES}
    names = {key: _words(columns[key], words) for key, words in labels.items()}
    path_class = _words(columns["pair"], [PATH_CLASSES[pair] for pair in PAIRS])
    return {**columns, **names, "path_class": path_class}

"""Tables of a run, from the columns of numbers that the engine returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt
import polars as pl

from mesonet import _core
from mesonet.responses import PAIRS, PATH_CLASSES

Column = npt.NDArray[Any]
"""Values of one kind, as the engine gives them."""

FILES = ("web_object", "document", "service_pack", "movie")
"""Kinds of file in the order of the engine's numbers."""
FATES = ("sent", "sent again", "dropped", "received", "acknowledged")
"""Events of a segment, in the order of the engine's numbers."""
HOSTS = ("sender", "receiver")
"""Hosts of a flow, in the order of the engine's numbers."""
PACKETS = ("syn", "syn-ack", "data", "ack", "fin")
"""Kinds of packet, in the order of the engine's numbers."""
PACKET_CAUSES = ("ordinary", "retransmission", "probe", "duplicate")
"""Causes of sending a packet, in the order of the engine's numbers."""
CODEPOINTS = ("not-ect", "ect1", "ect0", "ce")
"""ECN codepoints, in the order of the two bits of the IP header."""
RECOVERIES = ("none", "fast", "timeout")
"""Phases of loss recovery, in the order of the engine's numbers."""
CAUSES = tuple(_core.causes())
"""Causes of drops and marks in the order of the engine's numbers."""
INTERFACES = ("normal", "fast", *(f"class {number}" for number in range(3, 257)))
"""Kinds of host interface in the order of the engine's numbers. Networks have two; a dumbbell has a
class for every round-trip time."""


TABLES = (
    "series",
    "classes",
    "queues",
    "flows",
    "groups",
    "transfers",
    "segments",
    "stations",
    "signals",
    "queue_states",
    "sojourns",
    "packets",
    "senders",
)
"""Tables of a run, by name."""


def result_version() -> str:
    """Version of the engine's results; it changes whenever they may."""
    return str(_core.RESULT_VERSION)


def tables(spec: Mapping[str, Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of a run by name, and its totals: numbers become names, matrices long tables.

    Args:
        spec: Resolved scenario.
        raw: Columns that the engine returned for it.
    """
    time = raw["series"]["time"]
    stations = [station["name"] for station in spec["stations"]]
    watched = [stations[here] for here in spec["measure"]["stations"]]
    flows = [flow["name"] for flow in spec["flows"]]
    algorithms = [algorithm["name"] for algorithm in spec["algorithms"]]
    queues = _long(time, "station", watched, {"packets": raw["queues"]["packets"]})
    capacity = pl.DataFrame(
        {"station": watched, "capacity": raw["queues"]["capacity"]},
        schema_overrides={"station": pl.String},
    )
    return {
        "series": pl.DataFrame(raw["series"]),
        "classes": _long(time, "pair", PAIRS, raw["classes"]),
        # A join, though the order is known: polars sums its columns in another order than filled
        # ones, and means of queues are to stay what they were to the last bit.
        "queues": queues.join(capacity, on="station", how="left", maintain_order="left"),
        "flows": _long(time, "flow", flows, raw["flows"]),
        "groups": pl.DataFrame(_named(raw["groups"], algorithms)),
        "transfers": _transfers(raw.get("transfers"), spec, stations, algorithms),
        "stations": pl.DataFrame({"station": stations, **raw["stations"]}),
        "totals": {name: int(value) for name, value in raw["totals"].items()},
        "segments": _segments(raw.get("segments"), flows),
        "signals": _signals(raw["signals"], stations),
        "queue_states": _queue_states(raw.get("queue_states"), time, watched),
        "sojourns": _sojourns(raw.get("sojourns"), watched),
        "packets": _packets(raw.get("packets"), flows),
        "senders": _senders(raw.get("senders"), flows),
    }


def _signals(raw: dict[str, Any], stations: list[str]) -> pl.DataFrame:
    names = {"station": _words(raw["station"], stations), "cause": _words(raw["cause"], CAUSES)}
    return pl.DataFrame(raw | names)


def _queue_states(raw: dict[str, Any] | None, time: Column, watched: list[str]) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    mean = (pl.col("sojourn_sum") / pl.col("sojourns")).alias("sojourn_mean")
    states = _long(time, "station", watched, raw).with_columns(mean)
    first = ["time", "station", "control", "sojourn_mean"]
    return states.select(*first, pl.all().exclude(*first, "sojourns", "sojourn_sum"))


def _sojourns(raw: dict[str, Any] | None, watched: list[str]) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    columns = {name: raw[name] for name in ("from", "below", "packets")}
    return pl.DataFrame({"station": _words(raw["column"], watched), **columns})


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


def _words(numbers: Column, words: Sequence[str]) -> pl.Series:
    """Names in place of their numbers."""
    # An expression would do, but takes a millisecond to be planned; `gather` is one inside.
    return pl.Series(words, dtype=pl.String)[numbers]


def _named(columns: Mapping[str, Column], algorithms: list[str]) -> dict[str, Any]:
    """Names in place of the numbers of algorithm, pair, interface and file, and the path class."""
    labels = {"algorithm": algorithms, "pair": PAIRS, "interface": INTERFACES, "file": FILES}
    names = {key: _words(columns[key], words) for key, words in labels.items()}
    path_class = _words(columns["pair"], [PATH_CLASSES[pair] for pair in PAIRS])
    return {**columns, **names, "path_class": path_class}


def _transfers(
    raw: dict[str, Any] | None,
    spec: Mapping[str, Any],
    stations: list[str],
    algorithms: list[str],
) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    sites = [stations[site["station"]] for site in spec["sites"]]
    site = _words(raw["receiver_site"], sites)
    return pl.DataFrame(_named(raw, algorithms) | {"receiver_site": site})


def _segments(raw: dict[str, Any] | None, flows: list[str]) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    names = {"flow": _words(raw["flow"], flows), "fate": _words(raw["fate"], FATES)}
    return pl.DataFrame(raw | names)


def _packets(raw: dict[str, Any] | None, flows: list[str]) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    words = {"host": HOSTS, "kind": PACKETS, "cause": PACKET_CAUSES, "codepoint": CODEPOINTS}
    names = {column: _words(raw[column], names) for column, names in words.items()}
    return pl.DataFrame(raw | names | {"flow": _words(raw["flow"], flows)})


def _senders(raw: dict[str, Any] | None, flows: list[str]) -> pl.DataFrame:
    if raw is None:
        return pl.DataFrame()
    names = {
        "flow": _words(raw["flow"], flows),
        "recovery": _words(raw["recovery"], RECOVERIES),
    }
    return pl.DataFrame(raw | names)

"""Responses of queues: sojourn times and signals of congestion."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from mesonet.responses.flows import PERCENTILES, percentile_of
from mesonet.responses.measurements import Window, divide
from mesonet.responses.registry import registry

_NAN = float("nan")


def define_queue_management() -> None:
    """Registers delays and sojourn times at the bottleneck, and marks."""
    for percent in PERCENTILES:
        registry.define(
            f"bottleneck_delay_p{percent}",
            f"queueing delay at the bottleneck, percentile {percent}",
            "s",
            f"Percentile {percent} over intervals of the packets waiting or in service at a "
            "laboratory's bottleneck in its forward direction, at the end of the interval, over "
            "its capacity, as it changes from then on. That is the line's: behind a slower token "
            f"bucket, packets wait longer, as sojourn_p{percent} says. ACKs of flows in the other "
            "direction count as full segments, so beside them it is too long; "
            f"sojourn_p{percent} has the time itself.",
            partial(_bottleneck_delay, percent=percent),
            source="RFC 5166",
            better="lower",
            needs="bottleneck",
        )
    for percent in PERCENTILES:
        registry.define(
            f"sojourn_p{percent}",
            f"sojourn time at the bottleneck, percentile {percent}",
            "s",
            f"Percentile {percent} over packets, after the warm-up, of the time from arrival at "
            "the first recorded queue to the beginning of service, to 3 %; undefined unless the "
            "scenario has `record_queues`.",
            partial(_sojourn, percent=percent),
            source="RFC 8289 section 3.1",
            better="lower",
            periods=False,
        )
    registry.define(
        "mark_rate",
        "mark rate",
        "1",
        "Packets marked by routers over data and SYN packets injected, over the whole run; a "
        "packet that several routers mark counts at each. Marked ACKs count above, too, though "
        "ACKs do not count below: with DCTCP's echo and AccECN they are ECN-capable.",
        _mark_rate,
        source="RFC 3168",
        periods=False,
    )


def _bottleneck_delay(window: Window, percent: float) -> float:
    if not window.run.bottleneck or not window.run.has("queues"):
        return _NAN
    # The forward direction is the first station that a laboratory watches.
    packets = window.column_of(window.run.names("queues")[0], "packets", "queues")
    if window.run.varying is None:
        return percentile_of(packets / window.run.bottleneck, percent)
    ends = window.column_of(window.run.names("queues")[0], "time", "queues")
    varying = window.run.varying
    # An empty queue in an outage waits for nothing.
    waits = np.where(packets > 0, varying.drained(varying.carried(ends) + packets) - ends, 0.0)
    return percentile_of(waits, percent)


def _sojourn(window: Window, percent: float) -> float:
    if not window.run.has("sojourns"):
        return _NAN
    sojourns = window.run.sojourns
    # The forward direction is the first station that a laboratory watches.
    first = sojourns.filter(pl.col("station") == window.run.names("queues")[0]).sort("below")
    total = int(first["packets"].sum())
    if not total:
        return _NAN
    beyond = first.filter(pl.col("packets").cum_sum() >= percent / 100 * total)
    return float(beyond["below"][0])


def _mark_rate(window: Window) -> float:
    marked = window.run.numbers("signals", "marked").sum()
    return divide(float(marked), float(window.run.totals.get("injected", 0)))

"""Measures of a network as a whole: sources, counters per interval, queues and the bottleneck."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from mesonet.responses.measurements import FloatArray, Window, divide, percentile_of

_NAN = float("nan")


def per_second(window: Window, counter: str) -> float:
    """Events per second."""
    return divide(window.total(counter), window.seconds)


def whole(window: Window, counter: str) -> float:
    """Count over the whole run, warm-up included."""
    return float(window.run.totals.get(counter, _NAN))


def beside_active(window: Window, counter: str) -> float:
    """Events per second over the sum of these and the mean number of active flows."""
    rate = per_second(window, counter)
    # Named flows of a laboratory are among the completed, but never among the active.
    return divide(rate, rate + window.mean_of_sources("sending"))


def standard_sources(window: Window) -> float:
    """Mean number of sources under the standard rules."""
    return (
        window.mean_of_sources("standard")
        + window.mean_of_sources("slow_start")
        - window.mean_of_sources("initial_slow_start")
    )


def standard_share(window: Window) -> float:
    """Flows under the standard rules over all active ones."""
    standard = window.total("standard") + window.total("slow_start")
    return divide(standard - window.total("initial_slow_start"), window.total("sending"))


def sending_share(window: Window) -> float:
    """Sources that send over all sources."""
    sources = [window.total(state) for state in ("thinking", "connecting", "sending")]
    return divide(sources[-1], sum(sources))


def loss_episodes(window: Window) -> float:
    """Fast recoveries and timeouts over data segments sent."""
    episodes = window.total("recoveries") + window.total("timeouts")
    return divide(episodes, window.total("data_sent"))


def class_throughput(window: Window, pairs: str) -> float:
    """Segments acknowledged per second and active flow of pair classes; NaN without any."""
    if not window.run.has("classes"):
        return _NAN
    sums = [sums for pair, sums in window.pairs.items() if pair in pairs.split(", ")]
    acked, sending = (sum(pair[at] for pair in sums) for at in (0, 1))
    return divide(acked, sending * window.run.interval)


def saturation(window: Window, station: str) -> float:
    """Mean queue over buffer size at a station; NaN if not watched or without a limit."""
    packets, capacity = (
        window.column_of(station, name, "queues") for name in ("packets", "capacity")
    )
    return divide(float(packets.mean()), float(capacity.mean())) if packets.size else _NAN


def mean_queue(window: Window) -> float:
    """Mean queue of watched stations [packets]."""
    return mean(window.column("packets", "queues"))


def queue_occupancy(window: Window) -> float:
    """Mean queue over buffer size of watched stations with a limit."""
    packets, capacity = (window.column(name, "queues") for name in ("packets", "capacity"))
    limited = capacity > 0
    return mean(packets[limited] / capacity[limited])


def mean(values: FloatArray) -> float:
    """Mean of the values that are known."""
    finite = values[~np.isnan(values)]
    # In the order in which polars sums, to the last bit.
    return float(pl.Series(finite).mean()) if finite.size else _NAN  # type: ignore[arg-type]


def network_delay(window: Window, percent: str) -> float:
    """Percentile over intervals of the mean queueing delay of active flows [s]."""
    total, count = window.column("queueing_sum"), window.column("srtt_count")
    if total.size == 0 or count.size == 0:
        return _NAN
    return percentile_of(total[count > 0] / count[count > 0], float(percent))


# The forward direction of a bottleneck is the first station that a laboratory watches.


def utilization(window: Window) -> float:
    """Work of the bottleneck over its capacity in the same time."""
    stations = window.run.names("queues")[:1]
    if not window.run.bottleneck or not stations:
        return _NAN
    used = window.column_of(stations[0], "used", "queues")
    if window.run.varying is None:
        return divide(float(used.sum()), used.size)
    ends = window.column_of(stations[0], "time", "queues")
    capacity = window.run.varying.within(ends, window.run.interval)
    return divide(float((used * capacity).sum()), float(capacity.sum()))


def bottleneck_delay(window: Window, percent: str) -> float:
    """Percentile over intervals of the time that the bottleneck's queue takes to leave [s]."""
    if not window.run.bottleneck or not window.run.has("queues"):
        return _NAN
    station = window.run.names("queues")[0]
    packets = window.column_of(station, "packets", "queues")
    varying = window.run.varying
    if varying is None:
        return percentile_of(packets / window.run.bottleneck, float(percent))
    ends = window.column_of(station, "time", "queues")
    # An empty queue in an outage waits for nothing.
    waits = np.where(packets > 0, varying.drained(varying.carried(ends) + packets) - ends, 0.0)
    return percentile_of(waits, float(percent))


def sojourn(window: Window, percent: str) -> float:
    """Percentile over packets of the sojourn time at the bottleneck [s]."""
    if not window.run.has("sojourns"):
        return _NAN
    station = window.run.names("queues")[0]
    first = window.run.sojourns.filter(pl.col("station") == station).sort("below")
    total = int(first["packets"].sum())
    if not total:
        return _NAN
    beyond = first.filter(pl.col("packets").cum_sum() >= float(percent) / 100 * total)
    return float(beyond["below"][0])


def mark_rate(window: Window) -> float:
    """Packets marked over packets injected, in the whole run."""
    marked = window.run.numbers("signals", "marked").sum()
    return divide(float(marked), float(window.run.totals.get("injected", 0)))


_OF_SOURCES = (per_second, whole, beside_active, standard_sources, standard_share, sending_share)
_OF_FLOWS = (loss_episodes, class_throughput, network_delay)
_OF_QUEUES = (saturation, mean_queue, queue_occupancy, utilization, bottleneck_delay)
_OF_PACKETS = (sojourn, mark_rate)
MEASURES: dict[str, Callable[..., float]] = {
    "mean": Window.mean,
    "total": Window.total,
    "ratio": Window.ratio,
    "sources": Window.mean_of_sources,
    "retransmitted_part": lambda window: 1.0 - window.ratio("completed_size", "completed_sent"),
    "syns_per_connection": lambda window: divide(
        whole(window, "syns"), whole(window, "connections")
    ),
    **{it.__name__: it for it in (*_OF_SOURCES, *_OF_FLOWS, *_OF_QUEUES, *_OF_PACKETS)},
}

"""Responses beyond Experiment 1: loss, throughput by class, and what small labs ask for."""

from __future__ import annotations

from functools import partial

import numpy as np
import polars as pl

from mesonet.responses.measurements import FloatArray, Window, divide
from mesonet.responses.registry import SENSITIVITY, registry
from mesonet.responses.sensitivity import class_throughput
from mesonet.tables.names import PAIRS, PATH_CLASSES


def define_network() -> None:
    """Registers loss, failures and totals of the whole network."""
    registry.define(
        "loss_rate",
        "loss rate",
        "1",
        "Data and SYN packets dropped over those injected: the measure of congestion that "
        "conditions are ordered by.",
        lambda window: window.ratio("dropped", "injected"),
        better="lower",
    )
    registry.define(
        "goodput",
        "total goodput",
        "segments/s",
        "Segments newly acknowledged per second, over all flows.",
        lambda window: divide(window.total("acked"), window.seconds),
        better="higher",
    )
    registry.define(
        "connection_failures",
        "connection failures per second",
        "1/s",
        "Connections given up after the last SYN went unanswered, per second.",
        lambda window: divide(window.total("connection_failures"), window.seconds),
        better="lower",
        source="NIST SP 500-282, sensitivity analysis (there in all, here per second)",
        symbols={SENSITIVITY: "Y8"},
    )
    registry.define(
        "timeouts",
        "retransmission timeouts per second",
        "1/s",
        "Retransmission timeouts per second, over all flows.",
        lambda window: divide(window.total("timeouts"), window.seconds),
        better="lower",
    )
    registry.define(
        "data_sent",
        "data segments sent",
        "segments",
        "Data segments sent, retransmissions among them; in all measured periods, without SYNs.",
        lambda window: window.total("data_sent"),
        source="NIST SP 500-282, slides on Experiment 1 (data packets sent)",
    )
    registry.define(
        "loss_episodes",
        "loss episodes per segment",
        "1",
        "Fast recoveries begun and retransmission timeouts, over data segments sent: however many "
        "segments an episode loses, it counts once.",
        lambda window: divide(
            window.total("recoveries") + window.total("timeouts"), window.total("data_sent")
        ),
        better="lower",
    )


def define_class_throughput() -> None:
    """Registers the instantaneous throughput of path classes."""
    names = {"VF": "very fast", "F": "fast", "T": "typical"}
    for symbol, (path, name) in zip(("Y16", "Y17", "Y18"), names.items(), strict=True):
        pairs = [pair for pair in PAIRS if PATH_CLASSES[pair] == path]
        registry.define(
            f"throughput_{path}",
            f"throughput per flow on {name} paths",
            "segments/s",
            f"Segments acknowledged per second on {', '.join(pairs)} paths over active flows "
            f"there, both summed over "
            "intervals.",
            partial(class_throughput, pairs=pairs),
            better="higher",
            source="NIST SP 500-282, sensitivity analysis",
            symbols={SENSITIVITY: symbol},
        )


def define_lab() -> None:
    """Registers the responses of small labs; NaN without flows, queues or bottleneck."""
    registry.define(
        "utilization",
        "utilization of the bottleneck",
        "1",
        "Work of the bottleneck in its forward direction over its capacity in the same time: the "
        "part of the time in which it sent, or of what it could have sent where its rate changes. "
        "All packets count, those sent again and control packets too, and one that is under way at "
        "an end of the window counts in part.",
        _utilization,
        better="higher",
        needs="bottleneck",
    )
    registry.define(
        "jain_index",
        "Jain's fairness index",
        "1",
        "(sum x)^2 / (n sum x^2) over the goodputs x of the n named flows: 1 is equal, 1/n is "
        "one flow alone.",
        _jain_index,
        better="higher",
        needs="flows",
        source="Jain, Chiu, Hawe 1984; RFC 5166",
    )
    registry.define(
        "mean_queue",
        "mean queue",
        "packets",
        "Packets waiting or in service at a watched station, mean over intervals and watched "
        "stations.",
        lambda window: _mean(window.column("packets", "queues")),
        better="lower",
    )
    registry.define(
        "queue_occupancy",
        "queue occupancy",
        "1",
        "Packets waiting or in service over buffer size, mean over intervals and watched "
        "stations with a limit. The packet in service needs no room, so a full queue is slightly "
        "above 1. A limit in bytes is counted in full packets.",
        _occupancy,
        better="lower",
    )
    registry.define(
        "flow_rtt",
        "smoothed round-trip time of named flows",
        "s",
        "Mean over intervals and named flows of the smoothed round-trip time, while sending.",
        lambda window: _mean_while_sending(window, "srtt"),
        better="lower",
        needs="flows",
    )
    registry.define(
        "flow_cwnd",
        "congestion window of named flows",
        "segments",
        "Mean over intervals and named flows of the congestion window, while sending.",
        lambda window: _mean_while_sending(window, "cwnd"),
        needs="flows",
    )


def _mean_while_sending(window: Window, name: str) -> float:
    values, phase = (window.column(column, "flows") for column in (name, "phase"))
    return _mean(values[phase >= 0])


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    # In the order in which polars sums, to the last bit.
    return float(pl.Series(known).mean()) if known.size else float("nan")  # type: ignore[arg-type]


def _occupancy(window: Window) -> float:
    packets, capacity = (window.column(name, "queues") for name in ("packets", "capacity"))
    limited = capacity > 0
    return _mean(packets[limited] / capacity[limited])


def _utilization(window: Window) -> float:
    # The bottleneck's forward direction is the first station that is watched.
    watched = window.run.names("queues")[:1]
    if not window.run.bottleneck or not watched:
        return float("nan")
    used = window.column_of(watched[0], "used", "queues")
    if window.run.varying is None:
        return divide(float(used.sum()), used.size)
    ends = window.column_of(watched[0], "time", "queues")
    capacity = window.run.varying.within(ends, window.run.interval)
    return divide(float((used * capacity).sum()), float(capacity.sum()))


def _jain_index(window: Window) -> float:
    goodputs = _goodputs(window)
    return divide(sum(goodputs) ** 2, len(goodputs) * sum(x * x for x in goodputs))


def _goodputs(window: Window) -> list[float]:
    """Goodputs of the named flows [segments/s], in the order of their rows."""
    series = window.flow_series
    if series is not None:
        # Segments, not goodputs: sums of whole numbers do not depend on their order.
        sums = series.acked.sum(axis=0)
        return [float(total) / len(series.ends) / window.run.interval for total in sums]
    if window.flows.is_empty():
        return []
    # One pass over the rows: with a pass for each flow, time grows with the square of their number.
    counted = window.flows.group_by("flow", maintain_order=True).agg(
        pl.col("acked").cast(pl.Float64).sum(), rows=pl.len()
    )
    return [float(acked / rows) / window.run.interval for _, acked, rows in counted.iter_rows()]

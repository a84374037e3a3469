"""Experiment 1 from the time series: y1 to y8, y33 to y45 and the aggregates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mesonet.responses.measurements import Window, divide
from mesonet.responses.registry import (
    EXPERIMENT_1,
    EXPERIMENT_2,
    SENSITIVITY,
    Better,
    registry,
)

_SOURCE = "NIST SP 500-282, Experiment 1"

ROUTERS = ("B0a", "C0a", "E0a", "F0a", "I0a", "K0a")
"""The six D-class access routers, in the order of y36 to y41."""
LONG_FLOWS = {"L1": "long", "L2": "medium", "L3": "short"}
"""The three long-lived flows, in the order of y33 to y35."""


def _define(
    symbol: str,
    name: str,
    unit: str,
    definition: str,
    compute: Callable[[Window], float],
    *,
    better: Better = "neither",
    periods: bool = True,
    also: dict[str, str] | None = None,
) -> None:
    symbols = {EXPERIMENT_1: symbol, **(also or {})}
    registry.define(
        symbol,
        name,
        unit,
        definition,
        compute,
        source=_SOURCE,
        symbols=symbols,
        better=better,
        periods=periods,
    )


def define_macroscopic() -> None:
    """Registers y1 to y8."""
    _define(
        "y1",
        "active flows",
        "flows",
        "Mean over intervals of the number of connected flows (sending sources of the population).",
        lambda window: window.mean_of_sources("sending"),
        also={EXPERIMENT_2: "y1", SENSITIVITY: "Y2"},
    )
    _define(
        "y2",
        "congestion-window increases per active flow",
        "1/interval",
        "Congestion-window increases over active flows, both summed over intervals: increases "
        "of one active flow "
        "in one measurement interval.",
        lambda window: window.ratio("cwnd_increases", "sending"),
        also={EXPERIMENT_2: "y9"},
    )
    _define(
        "y3",
        "packets output per measurement interval",
        "packets/interval",
        "Mean over intervals of the data and SYN packets that reached their receivers.",
        lambda window: window.mean("delivered"),
        better="higher",
        also={EXPERIMENT_2: "y6"},
    )
    _define(
        "y4",
        "congestion window per active flow",
        "segments",
        "Sum of congestion windows over active flows, both summed over intervals.",
        lambda window: window.ratio("cwnd_sum", "sending"),
        also={EXPERIMENT_2: "y8", SENSITIVITY: "Y7"},
    )
    _define(
        "y5",
        "flows completed per measurement interval",
        "flows/interval",
        "Mean over intervals of the number of transfers completed.",
        lambda window: window.mean("completed"),
        better="higher",
        also={EXPERIMENT_2: "y7"},
    )
    _define(
        "y6",
        "retransmission rate",
        "1",
        "1 - file size / data segments sent, over all transfers completed in the window.",
        lambda window: 1.0 - window.ratio("completed_size", "completed_sent"),
        better="lower",
        also={EXPERIMENT_2: "y10", SENSITIVITY: "Y6"},
    )
    _define(
        "y7",
        "smoothed round-trip time",
        "s",
        "Mean smoothed round-trip time over active flows that have one, and intervals.",
        lambda window: window.ratio("srtt_sum", "srtt_count"),
        better="lower",
        also={EXPERIMENT_2: "y11", SENSITIVITY: "Y9"},
    )
    _define(
        "y8",
        "queuing delay",
        "s",
        "Mean of smoothed round-trip time less propagation delay, over the same flows and "
        "intervals. Serialisation and the wait of a delayed ACK count.",
        lambda window: window.ratio("queueing_sum", "srtt_count"),
        better="lower",
        also={SENSITIVITY: "Y10"},
    )


def define_long_flows() -> None:
    """Registers y33 to y35."""
    for number, (flow, distance) in enumerate(LONG_FLOWS.items(), start=33):
        _define(
            f"y{number}",
            f"goodput of the {distance}-distance flow ({flow})",
            "segments/s",
            f"Segments newly acknowledged per second on the long-lived flow {flow}.",
            partial(flow_goodput, flow=flow),
            better="higher",
            also={SENSITIVITY: f"Y{number - 20}"},
        )


def flow_goodput(window: Window, flow: str) -> float:
    """Segments newly acknowledged per second on a named flow; NaN if there is no such flow."""
    acked = window.column_of(flow, "acked", "flows")
    return float(acked.mean()) / window.run.interval if acked.size else float("nan")


def define_saturation() -> None:
    """Registers y36 to y41."""
    for number, router in enumerate(ROUTERS, start=36):
        _define(
            f"y{number}",
            f"buffer saturation at {router}",
            "1",
            f"Mean over intervals of the packets waiting or in service at router {router}, over "
            f"its buffer size.",
            partial(saturation, station=router),
            better="lower",
        )


def saturation(window: Window, station: str) -> float:
    """Mean queue over buffer size at a station; NaN if not watched or without a limit."""
    packets, capacity = (
        window.column_of(station, name, "queues") for name in ("packets", "capacity")
    )
    return divide(float(packets.mean()), float(capacity.mean())) if packets.size else float("nan")


def define_states() -> None:
    """Registers y42 to y45."""
    _define(
        "y42",
        "connecting flows",
        "flows",
        "Mean over intervals of the number of sources waiting for their connection.",
        lambda window: window.mean_of_sources("connecting"),
        better="lower",
        also={EXPERIMENT_2: "y5", SENSITIVITY: "Y1"},
    )
    _define(
        "y43",
        "active flows in initial slow start",
        "flows",
        "Mean over intervals of the number of active flows in slow start that have not yet lost"
        " a segment.",
        lambda window: window.mean_of_sources("initial_slow_start"),
        also={EXPERIMENT_2: "y2"},
    )
    _define(
        "y44",
        "active flows in normal congestion-control mode",
        "flows",
        "Mean over intervals of the number of active flows under the standard rules: standard "
        "congestion "
        "avoidance, and slow start after a loss. y43 + y44 + y45 = y1.",
        lambda window: (
            window.mean_of_sources("standard")
            + window.mean_of_sources("slow_start")
            - window.mean_of_sources("initial_slow_start")
        ),
        also={EXPERIMENT_2: "y3"},
    )
    _define(
        "y45",
        "active flows in alternate congestion-control mode",
        "flows",
        "Mean over intervals of the number of active flows under their algorithm's own rules.",
        lambda window: window.mean_of_sources("alternate"),
        also={EXPERIMENT_2: "y4"},
    )


def define_aggregates() -> None:
    """Registers T.y1 to T.y5."""
    totals: list[tuple[str, str, str, str, Better]] = [
        (
            "T.y1",
            "packets input",
            "injected",
            "Data and SYN packets that sources put on the network",
            "neither",
        ),
        (
            "T.y2",
            "packets output",
            "delivered",
            "Data and SYN packets that reached their receivers",
            "higher",
        ),
        ("T.y3", "flows connected", "connections", "Connections established", "higher"),
        ("T.y4", "flows completed", "completed", "Transfers completed", "higher"),
    ]
    for symbol, name, total, definition, better in totals:
        _define(
            symbol,
            name,
            "flows" if "flows" in name else "packets",
            f"{definition}, in the whole run, warm-up included.",
            partial(_total, name=total),
            better=better,
            periods=False,
        )
    _define(
        "T.y5",
        "SYNs sent per flow",
        "1",
        "SYNs sent in the whole run over connections established, so it grows with failures.",
        lambda window: divide(_total(window, "syns"), _total(window, "connections")),
        better="lower",
        periods=False,
    )


def _total(window: Window, name: str) -> float:
    return float(window.run.totals.get(name, float("nan")))

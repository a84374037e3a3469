"""Responses of NIST's sensitivity analysis of MesoNet: shares of flows by rule, work per second.

Counts per measurement interval cannot be compared where a factor is the interval; these are per
second.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mesonet.responses.measurements import Window, divide
from mesonet.responses.registry import SENSITIVITY, registry
from mesonet.tables.names import PAIRS

_ANALYSIS = "NIST SP 500-282, sensitivity analysis"
_SAMPLE = "methodology paper of NIST SP 500-282, table"


def define_sensitivity() -> None:
    """Registers Y3 to Y5, Y11 and Y12 of the analysis, and the rest of the paper's sample."""
    _define_rules()
    _define_work()
    _define_sample()


def _define_rules() -> None:
    shares: list[tuple[str, str, str, str, Callable[[Window], float]]] = [
        (
            "initial_slow_start_share",
            "Y3",
            "share of active flows in initial slow start",
            "in slow start that have not yet lost a segment",
            lambda window: window.total("initial_slow_start"),
        ),
        (
            "standard_share",
            "Y4",
            "share of active flows in normal congestion-control mode",
            "under the standard rules: standard congestion avoidance, and slow start after a loss",
            lambda window: (
                window.total("standard")
                + window.total("slow_start")
                - window.total("initial_slow_start")
            ),
        ),
        (
            "alternate_share",
            "Y5",
            "share of active flows in alternate congestion-control mode",
            "under their algorithm's own rules",
            lambda window: window.total("alternate"),
        ),
    ]
    for response_id, symbol, name, words, count in shares:
        registry.define(
            response_id,
            name,
            "1",
            f"Active flows {words}, over all active flows, both summed over intervals.",
            lambda window, count=count: divide(count(window), window.total("sending")),
            source=_ANALYSIS,
            symbols={SENSITIVITY: symbol},
        )


def _define_work() -> None:
    registry.define(
        "completions",
        "flows completed per second",
        "flows/s",
        "Transfers completed per second.",
        lambda window: divide(window.total("completed"), window.seconds),
        source=_ANALYSIS,
        symbols={SENSITIVITY: "Y11"},
        better="higher",
    )
    registry.define(
        "output_rate",
        "packets output per second",
        "packets/s",
        "Data and SYN packets that reached their receivers, per second.",
        lambda window: divide(window.total("delivered"), window.seconds),
        source=_ANALYSIS,
        symbols={SENSITIVITY: "Y12"},
        better="higher",
    )


def _define_sample() -> None:
    registry.define(
        "sending_share",
        "share of sources that send",
        "1",
        "Sending sources over all sources, both summed over intervals.",
        lambda window: divide(
            window.total("sending"),
            window.total("thinking") + window.total("connecting") + window.total("sending"),
        ),
        source=f"{_SAMPLE} 3 (y2)",
    )
    registry.define(
        "input_rate",
        "packets input per second",
        "packets/s",
        "Data and SYN packets that sources put on the network, per second.",
        lambda window: divide(window.total("injected"), window.seconds),
        source=f"{_SAMPLE} 3 (y3)",
    )
    for response_id, name, column, symbol, better in (
        ("completion_ratio", "flow-completion rate", "completed", "y7 = y6/(y6 + y1)", "higher"),
        (
            "failure_ratio",
            "connection-failure rate",
            "connection_failures",
            "y9 = y8/(y8 + y1)",
            "lower",
        ),
    ):
        registry.define(
            response_id,
            name,
            "1",
            f"{name.split('-')[0].capitalize()}s per second ({column}) over the sum of these and "
            "the mean number of active flows; undefined in a scenario without a population.",
            partial(_ratio, column=column),
            source=f"{_SAMPLE} 3 ({symbol}; there per interval)",
            better=better,  # type: ignore[arg-type]
        )
    for column, name, symbol in (
        ("cwnd_increases", "congestion-window increases per second", "y12"),
        ("duplicate_acks", "duplicate ACKs per second", "y13"),
    ):
        registry.define(
            column,
            name,
            "1/s",
            f"{name[0].upper()}{name[1:]}, over all flows.",
            partial(_rate, column=column),
            source=f"{_SAMPLE} 3 ({symbol}; there per interval)",
        )
    for number, pair in enumerate(PAIRS, start=17):
        registry.define(
            f"throughput_{pair}",
            f"throughput per {pair} flow",
            "segments/s",
            f"Segments acknowledged per second on {pair} paths over active flows there, both "
            "summed over intervals.",
            partial(class_throughput, pairs=[pair]),
            source=f"{_SAMPLE} 4 (y{number})",
            better="higher",
        )


def class_throughput(window: Window, pairs: list[str]) -> float:
    """Segments acknowledged per second and active flow of pair classes; NaN without any."""
    if not window.run.has("classes"):
        return float("nan")
    chosen = [sums for pair, sums in window.pairs.items() if pair in pairs]
    acked, sending = (sum(sums[at] for sums in chosen) for at in (0, 1))
    return divide(acked, sending * window.run.interval)


def _rate(window: Window, column: str) -> float:
    return divide(window.total(column), window.seconds)


def _ratio(window: Window, column: str) -> float:
    rate = _rate(window, column)
    # Named flows of a laboratory are among the completed, but never among the active.
    return divide(rate, rate + window.mean_of_sources("sending"))

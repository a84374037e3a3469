"""Responses of queues: sojourn times and signals of congestion."""

from __future__ import annotations

import polars as pl

from mesonet.responses.flows import PERCENTILES
from mesonet.responses.measurements import Window, divide
from mesonet.responses.registry import Response, registry

_NAN = float("nan")


def define_queue_management() -> None:
    """Registers sojourn times at the bottleneck, and marks."""
    for percent in PERCENTILES:
        registry.add(
            Response(
                id=f"sojourn_p{percent}",
                symbols={},
                name=f"sojourn time at the bottleneck, percentile {percent}",
                unit="s",
                definition=f"Percentile {percent} over packets, after the warm-up, of the time "
                "from arrival at the first recorded queue to the beginning of service, to 3 %; "
                "undefined unless the scenario has `record_queues`.",
                source="RFC 8289 section 3.1",
                compute=lambda window, _, percent=percent: _sojourn(window, percent),  # type: ignore[misc]
                better="lower",
                periods=False,
            )
        )
    registry.add(
        Response(
            id="mark_rate",
            symbols={},
            name="mark rate",
            unit="1",
            definition="Packets marked by routers over data and SYN packets injected, over the "
            "whole run; a packet that several routers mark counts at each.",
            source="RFC 3168",
            compute=lambda window, _: _mark_rate(window),
            periods=False,
        )
    )


def _sojourn(window: Window, percent: float) -> float:
    sojourns = window.run.sojourns
    if sojourns.is_empty():
        return _NAN
    # The forward direction is the first station that a laboratory watches.
    first = sojourns.filter(pl.col("station") == window.run.queues["station"][0]).sort("below")
    total = int(first["packets"].sum())
    if not total:
        return _NAN
    beyond = first.filter(pl.col("packets").cum_sum() >= percent / 100 * total)
    return float(beyond["below"][0])


def _mark_rate(window: Window) -> float:
    signals = window.run.signals
    marked = 0 if signals.is_empty() else int(signals["marked"].sum())
    return divide(float(marked), float(window.run.totals.get("injected", 0)))

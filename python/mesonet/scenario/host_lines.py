"""Lines of sending hosts that queue: a station of its own before the bottleneck for each flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.scenario.ports import HERE, NOWHERE


def with_host_lines(
    spec: Mapping[str, Any], *, rate: Mapping[str, float], room: Mapping[str, int]
) -> dict[str, Any]:
    """A resolved dumbbell of two directions in which every sending host has a line with a buffer.

    Segments wait there once they are sent, so their delay is part of the round trip, and they are
    dropped where the buffer is full, as in ns-2, whose hosts are nodes with ordinary links.

    Args:
        spec: the resolved scenario, with its stations forward and reverse.
        rate: rate of every line, as in the spec.
        room: room for waiting packets at every line, as in the spec.
    """
    flows = [dict(flow) for flow in spec["flows"]]
    # The side on which a flow sends: 0 enters forward, 1 enters reverse.
    sides = [int(flow["source"]) for flow in flows]
    count = len(flows)
    lines = [
        {
            "name": f"host of {flow['name']}",
            "region": 0,
            "rate": dict(rate),
            "buffer": dict(room),
            "loss": 0.0,
            "discipline": {"name": "droptail"},
        }
        for flow in flows
    ]
    for here, flow in enumerate(flows):
        # Sending hosts are sites of their own; receiving ones share a site on either side.
        flow |= {"source": here, "receiver": count + 1 - sides[here]}
    sites = [*sides, 0, 1]
    stations = [0, 1]
    hops = [[NOWHERE if side == station else HERE for side in sites] for station in stations]
    hops += [[NOWHERE if side == own else here for side in sites] for here, own in enumerate(sides)]
    entries = [*range(2, 2 + count), *stations]
    return {
        **spec,
        "stations": [*spec["stations"], *lines],
        "links": [{"from": 2 + here, "to": side, "delay": 0.0} for here, side in enumerate(sides)],
        "next_link": hops,
        "sites": [
            {"station": station, "class": 0, "sources": 0, "receivers": 0} for station in entries
        ],
        "interfaces": [{**interface, "rate": None} for interface in spec["interfaces"]],
        "flows": flows,
    }

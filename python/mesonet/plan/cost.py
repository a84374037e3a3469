"""Cost of runs before any is made: an estimate for ordering runs and for planning time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mesonet.plan.network import Network, Numbers, packet_rate
from mesonet.plan.population import Population
from mesonet.plan.transfers import SIZES, Growth, sent_within

SECONDS_PER_EVENT = 55e-9
"""Processor time that a packet takes for a hop, itself, as an ACK or at a host [s].

`docs/performance.md` has its measurement: 34 to 45 ns on a quiet machine, 56 to 97 on a busy
one."""
SECONDS_PER_STEP = 0.36e-6
"""Processor time that a region of a network takes to advance by the shortest delay between two [s].

Measured with delays of 300 ns, where hardly a step has an event."""
SECONDS_PER_RUN = 0.005
"""Processor time that a run takes at all: setting up, computing all responses, storing them [s].

A dumbbell takes 4 to 5 ms, half of it with a few responses, and a network of 172 routers 8 ms."""


class Expected(NamedTuple):
    """Expected work of a run.

    Attributes:
        packets: Packets put on the network.
        events: Events that the kernel handles.
        steps: Steps by the shortest delay between regions, of all regions.
    """

    packets: float
    events: float
    steps: float = 0.0


def expected(spec: Mapping[str, Any]) -> Expected:
    """Expected work of a run of a resolved scenario.

    An estimate for ordering runs and for the time they take, nothing else. It knows sources,
    files, distances, speeds and buffers, but no algorithm: windows grow like Reno's.
    """
    network = Network.of(spec)
    packets = hops = at_hosts = 0.0
    if spec.get("population"):
        offered = Population(spec, network).offered
        packets, hops = offered.packets + offered.transfers, offered.hops
        at_hosts = packets * _events_of_interface(spec["interfaces"][0])
    if spec.get("flows"):
        sent, passed = _named_flows(spec, network)
        packets, hops = packets + float(sent.sum()), hops + float(sent @ passed)
        at_hosts += sum(
            each * _events_of_interface(spec["interfaces"][flow["interface"]])
            for each, flow in zip(sent.tolist(), spec["flows"], strict=True)
        )
    transport = spec["transport"]
    acks = 1 / transport["ack_every"]
    # An ACK that pays has an event at every station, and one that does not has one in all.
    of_acks = acks * (hops if transport["ack_cost"] else packets)
    return Expected(max(packets, 1.0), max(hops + of_acks + at_hosts, 1.0), _steps(spec))


def cpu_seconds(runs: Iterable[Expected], *, seconds_per_event: float = SECONDS_PER_EVENT) -> float:
    """Processor seconds of runs, on a core that takes so long for an event."""
    return sum(
        run.events * seconds_per_event + run.steps * SECONDS_PER_STEP + SECONDS_PER_RUN
        for run in runs
    )


def _steps(spec: Mapping[str, Any]) -> float:
    delays = [link["delay"] for link in spec["links"] if link["delay"] > 0]
    regions = {station["region"] for station in spec["stations"]}
    return len(regions) * float(spec["duration"]) / min(delays) if delays else 0.0


def _events_of_interface(interface: Mapping[str, Any]) -> int:
    """Events of a data packet at its hosts: line rates at both ends."""
    return 2 if interface["rate"] else 0


def _offered(flow: Mapping[str, Any], time: float) -> float:
    """Segments that an application which pauses offers within a time [s], at most."""
    if (bursts := flow.get("bursts")) is None:
        return np.inf
    (gap,) = bursts["next"].values()
    return float(bursts["size"] * (1 + time // gap)) if gap else np.inf


def _named_flows(spec: Mapping[str, Any], network: Network) -> tuple[Numbers, Numbers]:
    """Packets that named flows send, and stations that each of these passes."""
    flows, duration = spec["flows"], float(spec["duration"])
    packet = float(spec["packet"]["smss"] + spec["packet"]["header"])
    sources, receivers = (
        np.array([flow[end] for flow in flows], dtype=np.int64) for end in ("source", "receiver")
    )
    interfaces = [spec["interfaces"][flow["interface"]] for flow in flows]
    rate = np.array([packet_rate(each["rate"], packet) for each in interfaces])
    delay = 2 * np.array([each["delay"] for each in interfaces])
    hops, lost = np.zeros(len(flows)), np.zeros(len(flows))
    passed: list[tuple[Any, Any]] = []
    for which, stations, delays in network.walk(sources, receivers):
        delay[which] += delays
        hops[which] += 1
        lost[which] += network.losses[stations]
        rate[which] = np.minimum(rate[which], network.speeds[stations])
        passed.append((which, stations))
    begin = np.array([flow["start"] for flow in flows])
    end = np.array([duration if flow["stop"] is None else flow["stop"] for flow in flows])
    alone = Growth.of(spec).seconds(
        SIZES, rate[:, None], np.maximum(2 * delay, 1e-6)[:, None], lost[:, None]
    )
    times = np.maximum(np.minimum(end, duration) - begin, 0.0)
    sent = np.array([float(sent_within(times[[i]], alone[i])[0]) for i in range(len(flows))])
    sent = np.minimum(sent, [np.inf if f["size"] is None else f["size"] for f in flows])
    sent = np.minimum(sent, [_offered(f, time) for f, time in zip(flows, times, strict=True)])
    # No station serves more in the time in which flows use it than it can.
    total, fits = np.zeros_like(network.speeds), np.full_like(network.speeds, np.inf)
    first, last = np.full_like(fits, np.inf), np.zeros_like(fits)
    for which, stations in passed:
        np.add.at(total, stations, sent[which])
        np.minimum.at(first, stations, begin[which])
        np.maximum.at(last, stations, np.minimum(end, duration)[which])
    used = total > 0
    fits[used] = (network.speeds * np.maximum(last - first, 0.0))[used] / total[used]
    scale = np.ones(len(flows))
    for which, stations in passed:
        scale[which] = np.minimum(scale[which], fits[stations])
    return sent * scale, hops

"""Worlds that a kernel and mesonet run alike, and the figures that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mesonet import dumbbell, flow, simulate

PAYLOAD, HEADER = 1448, 52
"""Bytes of a full segment, and of its headers with a time stamp."""
PACKET = 8 * (PAYLOAD + HEADER)
STEP = 0.01
BIN = 10
"""Steps over which queues are averaged for their percentiles."""
LEAST = 4
"""Segments in flight while BBR probes for the round trip."""
MARKS = (100_000, 1_000_000, 10_000_000)
NAMES = {"reno": "reno", "cubic": "cubic:linux", "bbr": "bbr1:linux"}
"""Algorithms of the kernel and what they are called here."""


class World(NamedTuple):
    """A bottleneck [bit/s], its base round trip [s], room [packets], loss, and times [s]."""

    rate: float
    rtt: float
    room: int
    loss: float
    starts: tuple[float, ...]
    duration: float
    since: float

    def shorter(self, duration: float) -> World:
        """A world over so many seconds, measured over an equal share of them."""
        share = duration / self.duration
        starts = tuple(start * share for start in self.starts)
        return self._replace(starts=starts, duration=duration, since=self.since * share)


WORLDS = {
    "short": World(10e6, 0.02, 100, 0.0, (0.0,), 100.0, 20.0),
    "long": World(20e6, 0.1, 167, 0.0, (0.0,), 180.0, 30.0),
    "short-two": World(10e6, 0.02, 100, 0.0, (0.0, 20.37), 120.0, 50.37),
    "long-two": World(20e6, 0.1, 167, 0.0, (0.0, 30.37), 180.0, 90.37),
    "loss": World(50e6, 0.04, 167, 0.001, (0.0,), 120.0, 10.0),
}
FIGURES = {
    "goodput": "throughput of data, Mbit/s",
    "share": "share of the first flow",
    "queue": "packets that wait, mean",
    "cwnd": "window, mean, packets",
    "wmax": "window before losses, packets",
    "wmin": "window after losses, packets",
    "period": "time between losses, s",
    "retransmitted": "retransmissions",
    "probe_period": "time between probes for the round trip, s",
    "start_time": "end of slow start, s",
    "start_threshold": "threshold then, packets",
    "first_loss_time": "first loss, s",
    "first_losses": "packets lost there",
    "time_100kB": "time to 0.1 MB, s",
    "time_1MB": "time to 1 MB, s",
    "time_10MB": "time to 10 MB, s",
}
"""Figures and what they are, in the order of tables."""


class Flow(NamedTuple):
    """One flow over time, from its own start on: samples, and times at which data had arrived."""

    time: np.ndarray[Any, Any]
    cwnd: np.ndarray[Any, Any]
    ssthresh: np.ndarray[Any, Any]
    retransmitted: np.ndarray[Any, Any]
    acked: np.ndarray[Any, Any]
    start: float
    marks: Mapping[int, float]


def figures(
    world: World, flows: Sequence[Flow], drops: np.ndarray[Any, Any], queue: float
) -> dict[str, float]:
    """Figures of a run.

    Args:
        world: World of the run.
        flows: Its flows, bytes acknowledged and segments retransmitted counted from the start.
        drops: Times of packets that found no room [s].
        queue: Packets that wait, mean.
    """
    rates = [_rate(each, world) for each in flows]
    first = flows[0]
    late = first.time + first.start >= world.since
    values = {
        "goodput": sum(rates) / 1e6,
        "queue": queue,
        "cwnd": float(first.cwnd[late].mean()),
        "retransmitted": float(sum(each.retransmitted[-1] for each in flows)),
    }
    probes = _probes(first, world)
    if len(probes) > 1:
        values["probe_period"] = float(np.diff(probes).mean())
    if len(flows) > 1:
        values["share"] = rates[0] / sum(rates)
        return values
    left = np.flatnonzero((first.ssthresh > 0) & (first.ssthresh < 2**30))
    if len(left):
        values["start_time"] = float(first.time[left[0]])
        values["start_threshold"] = float(first.ssthresh[left[0]])
    for size, name in zip(MARKS, ("time_100kB", "time_1MB", "time_10MB"), strict=True):
        if size in first.marks:
            values[name] = first.marks[size]
    return values | _epochs(world, first, drops)


def _rate(flow: Flow, world: World) -> float:
    """Payload that a flow delivers after the beginning [bit/s]."""
    time = flow.time + flow.start
    first = int(np.searchsorted(time, world.since))
    return float((flow.acked[-1] - flow.acked[first]) * 8 / (time[-1] - time[first]))


def _probes(flow: Flow, world: World) -> np.ndarray[Any, Any]:
    """Times at which the window goes down to the four segments of ProbeRTT."""
    low = flow.cwnd <= LEAST + 0.5
    begins = flow.time[1:][low[1:] & ~low[:-1]] + flow.start
    begins = begins[begins >= world.since]
    return begins[np.diff(begins, prepend=-np.inf) > 1.0]


def _epochs(world: World, flow: Flow, drops: np.ndarray[Any, Any]) -> dict[str, float]:
    """The saw-tooth: losses up to a round trip with a full queue apart are one."""
    if not len(drops):
        return {}
    full = world.rtt + world.room * PACKET / world.rate
    begins = drops[np.flatnonzero(np.diff(drops, prepend=-np.inf) > 1.5 * full)]
    values = {
        "first_loss_time": float(begins[0]),
        "first_losses": float(np.sum(drops <= drops[0] + full)),
    }
    inside = begins[begins >= world.since]
    inside = inside[inside < world.duration - 3 * full]
    if len(inside) > 1:
        values["period"] = float(np.diff(inside).mean())
    if len(inside):
        before = [flow.cwnd[np.searchsorted(flow.time, at) - 1] for at in inside]
        after = [_least(flow, at, 3 * full) for at in inside]
        values |= {"wmax": float(np.mean(before)), "wmin": float(np.mean(after))}
    return values


def _least(flow: Flow, at: float, length: float) -> float:
    """The threshold that a loss leads to: the window may be lower while it is repaired."""
    end = int(np.searchsorted(flow.time, at + length))
    return float(flow.ssthresh[end - 1])


def ours(
    world: World,
    algorithm: str,
    profile: str = "linux-6.18",
    seed: int = 1,
    more: Mapping[str, Any] | None = None,
) -> dict[str, float]:
    """Figures of mesonet.

    Args:
        world: World to run.
        algorithm: Name of an algorithm of mesonet.
        profile: Profile of the transport.
        seed: Seed of random losses.
        more: Further keywords of the scenario.
    """
    keywords: dict[str, Any] = {
        "rate": f"{world.rate:.0f} bit/s",
        "rtt": f"{world.rtt} s",
        "buffer": f"{world.room} packets",
        "loss": world.loss,
        "packet": {"smss": PAYLOAD, "header": HEADER, "control": HEADER},
        "profile": profile,
        "flows": [flow(algorithm, start=f"{start} s") for start in world.starts],
        **(more or {}),
    }
    run = simulate(
        dumbbell(**keywords, interval=f"{STEP} s", duration=f"{world.duration} s"), seed=seed
    )
    names = run.flows["flow"].unique(maintain_order=True).to_list()
    flows = []
    states = _states(keywords, world, seed)
    for name, start in zip(names, world.starts, strict=True):
        rows = run.flows.filter((run.flows["flow"] == name) & (run.flows["time"] > start))
        time = rows["time"].to_numpy() - start
        acked = np.cumsum(rows["acked"].to_numpy()) * PAYLOAD
        # An ACK comes half a round trip after what it acknowledges.
        marks = {
            size: float(time[np.searchsorted(acked, size)]) - world.rtt / 2
            for size in MARKS
            if acked[-1] >= size
        }
        thresholds = np.zeros(len(time))
        if states is not None:
            last = np.searchsorted(states[0] - start, time, side="right") - 1
            thresholds = np.where(last >= 0, states[1][last], 0.0)
        flows.append(
            Flow(
                time,
                rows["cwnd"].to_numpy(),
                thresholds,
                np.cumsum(rows["retransmitted"].to_numpy()),
                acked,
                start,
                marks,
            )
        )
    rows = run.queues.filter(run.queues["station"] == run.queues["station"][0])
    rows = rows.filter(rows["time"] >= world.since)
    waiting = np.clip(rows["packets"].to_numpy().astype(int) - 1, 0, None)
    dropped = run.series["dropped"].to_numpy().astype(int)
    drops = np.repeat(run.series["time"].to_numpy(), dropped) if world.loss == 0 else np.array([])
    values = figures(world, flows, drops, float(waiting.mean()))
    bins = waiting[: len(waiting) // BIN * BIN].reshape(-1, BIN).mean(axis=1)
    low, high = np.percentile(bins, [5, 95])
    return values | {"queue_low": float(low), "queue_high": float(high)}


def _states(
    keywords: Mapping[str, Any], world: World, seed: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
    """Times of a lone flow's states and its threshold then; 0 before there is one."""
    if len(world.starts) > 1:
        return None
    scenario = dumbbell(
        **keywords, interval="0.1 s", duration=f"{world.duration} s", record_packets=True
    )
    senders = simulate(scenario, seed=seed).senders
    threshold = senders["ssthresh"].to_numpy()
    threshold = np.where(np.isfinite(threshold) & (threshold < 2**30), threshold, 0.0)
    return senders["time"].to_numpy(), threshold

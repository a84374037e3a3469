"""Cost of runs before any is made: packets times hops times a constant.

The model knows sources, files, distances, speeds and losses, but no algorithm and no queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mesonet.scenario.rate_changes import VaryingRate

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Spec = Mapping[str, Any]

SECONDS_PER_EVENT = 40e-9
"""Processor time of a packet's hop, of an ACK, or of a packet at a host [s]."""
EVENTS_PER_PACKET = 5
"""Work of sender and receiver for a packet, in events, beside those of the network."""
SECONDS_PER_RUN = 0.005
"""Processor time that a run takes at all: setting up, computing responses, storing them [s]."""
_SIZES = np.concatenate([[0.5], np.geomspace(1.0, 1e10, 111)])
"""Grid of sizes of transfers [packets]."""
_WAYS = 30_000
"""Ways between sites that are followed, about; of a larger network, those from some sites."""
_STARTS = (np.arange(16) + 0.5) / 16
"""Moments at which transfers of a period begin, as shares of it."""


class Expected(NamedTuple):
    """Expected work of a run: packets put on the network, and events of the kernel."""

    packets: float
    events: float


def expected(spec: Spec) -> Expected:
    """Expected work of a run of a resolved scenario."""
    loads = list(_named_flows(spec)) if spec.get("flows") else []
    if spec.get("population"):
        loads.append((*_population(spec), spec["interfaces"][0]))
    packets, hops = sum(load[0] for load in loads), sum(load[1] for load in loads)
    # A line rate is an event at both ends, a random delay one at the sender.
    at_hosts = sum(2 * sent for sent, _, interface in loads if interface["rate"])
    at_hosts += packets if spec["transport"].get("host_jitter") else 0.0
    # An ACK that pays has an event at every station, and one that does not has one in all.
    transport = spec["transport"]
    acks = (hops if transport["ack_cost"] else packets) / transport["ack_every"]
    return Expected(max(packets, 1.0), max(hops + acks + at_hosts, 1.0))


def cpu_seconds(runs: Iterable[Expected], *, seconds_per_event: float = SECONDS_PER_EVENT) -> float:
    """Processor seconds of runs, on a core that takes so long for an event."""
    return sum(
        (run.events + EVENTS_PER_PACKET * run.packets) * seconds_per_event + SECONDS_PER_RUN
        for run in runs
    )


def _population(spec: Spec) -> tuple[float, float]:
    """Packets that sources send, which think, connect, send a file and think again; their hops.

    What begins in a period of the run has its sizes. No access router passes more than it can.
    """
    about, sites, duration = spec["population"], spec["sites"], float(spec["duration"])
    stations, sources, receivers, kinds = (
        np.array([site[key] for site in sites])
        for key in ("station", "sources", "receivers", "class")
    )
    speeds = _speeds(spec)[stations]
    chosen = np.tile(receivers.astype(float), (len(sites), 1))
    if about["receivers_in_other_regions"]:
        regions = np.array([spec["stations"][station]["region"] for station in stations])
        chosen *= regions[:, None] != regions
    chosen *= (sources / sources.sum() / np.maximum(chosen.sum(1), 1.0))[:, None]
    rtt, hops = _ways(spec, chosen)
    think = about["think_mean"]
    slower, direct = np.minimum(speeds[:, None], speeds), (kinds[:, None] == 0) & (kinds == 0)
    if (about["jumbo"] or {}).get("any_receiver"):
        direct = np.repeat((kinds == 0)[:, None], len(sites), axis=1)
    # The slower end of a transfer is fast only if both are.
    fast = about["fast_probability"] ** 2
    lines = [_rate(interface["rate"], spec) for interface in spec["interfaces"][:2]]
    jumbo = about["jumbo"] or {"start": duration, "end": duration, "factor": 1.0}
    edges = [0.0, jumbo["start"], jumbo["end"], duration]
    total = 0.0
    for begin, end, larger in zip(edges, edges[1:], (1.0, jumbo["factor"], 1.0), strict=False):
        if (length := end - begin) <= 0:
            continue
        left = duration - begin - length * _STARTS[:, None]
        sent, sending = np.zeros_like(chosen), 0.0
        for pairs, factor in ((direct, larger), (~direct, 1.0)):
            weight = chosen * pairs
            routers = float((weight * slower).sum()) / max(weight.sum(), 1e-300)
            chances = _chances(about["files"], factor)
            for share, line in zip((1 - fast, fast), lines, strict=False):
                seconds = _seconds(spec, min(line, routers), rtt)
                finished = np.interp(left, seconds, _SIZES)
                sent += pairs * float(share * np.minimum(_SIZES, finished).mean(0) @ chances)
                busy = share * np.minimum(seconds, left).mean(0) @ chances
                sending += float(weight.sum() * busy)
        if begin == 0:
            # Some begin by connecting, or think for a part of the time.
            startup = about["startup"]
            early = startup["connecting"] + sum(
                fraction * (1 - of) for fraction, of in startup["early"]
            )
            length += think * early + sending**2 / (2 * (think + sending))
        packets = sources.sum() * length / (think + sending) * chosen * (sent + 1)
        load = (packets.sum(0) + packets.sum(1)) / (end - begin) / speeds
        total += float((packets / np.maximum(np.maximum(load[:, None], load), 1.0)).sum())
    return total, total * hops


def _ways(spec: Spec, chosen: Numbers) -> tuple[float, float]:
    """Mean round-trip time [s] and stations of ways, by the chance of each pair of sites."""
    origins = np.flatnonzero(chosen.sum(1))[:: 1 + chosen.size // _WAYS]
    weights = (chosen[origins] / max(chosen[origins].sum(), 1e-300)).ravel()
    goals = np.tile(np.arange(len(chosen)), origins.size)
    rtt = hops = 0.0
    for under_way, _, delays in _walk(spec, np.repeat(origins, len(chosen)), goals):
        rtt += 2 * float((weights[under_way] * delays).sum())
        hops += float(weights[under_way].sum())
    return rtt, hops


def _chances(files: Mapping[str, Any], larger: float) -> Numbers:
    """Probabilities of the sizes of the grid: Pareto, with some files larger by a factor."""
    probabilities = np.array([1 - sum(files["probability"]), *files["probability"]])
    shape = files["shape"]
    smallest = files["mean"] * larger * np.array([1.0, *files["factor"]]) * (shape - 1) / shape
    edges = np.sqrt(_SIZES[1:] * _SIZES[:-1])
    above = probabilities @ np.minimum(1.0, (smallest[:, None] / edges) ** shape)
    return np.asarray(-np.diff(above, prepend=1.0, append=0.0))


def _named_flows(spec: Spec) -> Iterator[tuple[float, float, Mapping[str, Any]]]:
    """Packets that each named flow sends, hops of these, and its interface."""
    flows, speeds = spec["flows"], _speeds(spec)
    interfaces = [spec["interfaces"][flow["interface"]] for flow in flows]
    ends = [np.array([flow[end] for flow in flows]) for end in ("source", "receiver")]
    delay = np.array([2 * interface["delay"] for interface in interfaces])
    passes = np.zeros((len(flows), speeds.size), dtype=bool)
    for under_way, stations, delays in _walk(spec, *ends):
        delay[under_way] += delays
        passes[under_way, stations] = True
    losses = passes @ np.array([station.get("loss", 0.0) for station in spec["stations"]])
    slowest = np.where(passes, speeds, np.inf).min(1)
    begin = np.array([flow["start"] for flow in flows])
    stops = [np.inf if flow["stop"] is None else flow["stop"] for flow in flows]
    times = np.maximum(np.minimum(stops, spec["duration"]) - begin, 0.0)
    sent, members = np.zeros(len(flows)), Counter(flow.get("application") for flow in flows)
    for at, (flow, time) in enumerate(zip(flows, times, strict=True)):
        rate = min(_rate(interfaces[at]["rate"], spec), slowest[at])
        finished = np.interp(
            time, _seconds(spec, rate, 2 * delay[at], losses[at]), _SIZES, left=0.0
        )
        size = np.inf if flow["size"] is None else flow["size"]
        sent[at] = min(float(finished), size, _offered(spec, flow, time, members))
    # No station serves more in the time in which flows use it than it can.
    scale = np.ones(len(flows))
    for station in np.flatnonzero(passes.any(0)):
        on = passes[:, station]
        fits = speeds[station] * ((begin + times)[on].max() - begin[on].min())
        scale[on] = np.minimum(scale[on], fits / max(sent[on].sum(), 1e-300))
    sent *= scale
    yield from zip(sent.tolist(), (sent * passes.sum(1)).tolist(), interfaces, strict=True)


def _offered(
    spec: Spec, flow: Mapping[str, Any], time: float, members: Mapping[int | None, int]
) -> float:
    """Segments that an application which pauses offers within a time [s], at most."""
    if (place := flow.get("application")) is not None:
        return _asked(spec["applications"][place]["behaviour"], time) / members[place]
    if (bursts := flow.get("bursts")) is None:
        return np.inf
    (gap,) = bursts["next"].values()
    return float(bursts["size"] * (1 + time // gap)) if gap else np.inf


def _asked(behaviour: Mapping[str, Any], time: float) -> float:
    """Segments that an application asks for within a time [s], on average and at most."""
    ((kind, parts),) = behaviour.items()
    if kind == "listed":
        return float(sum(parts["sizes"]))
    if kind == "call":
        return float(parts["most"] * time)
    if kind == "video":
        return float(parts["sizes"][-1] * (time + parts["buffer"]) / parts["segment"])
    means = {name: float(np.ravel(*law.values())[0]) for name, law in parts.items()}
    gap = means["gap"] if kind == "open" else means["pause"]
    each = means["size"] * means.get("requests", 1.0)
    return each * (1 + time / gap) if gap else np.inf


def _seconds(spec: Spec, rate: float, rtt: float, loss: float = 0.0) -> Numbers:
    """Time of transfers of all sizes that no queue delays, connecting included [s].

    The window doubles, grows by a packet in each round trip, and fills the path; with losses it is,
    on average, at most as large as Reno's: sqrt(1.5 / loss).
    """
    options, rtt, rate = spec["transport"], max(rtt, 1e-6), max(rate, 1e-9)
    initial, threshold = options["initial_window"], options["initial_ssthresh"] or np.inf
    reno = np.sqrt(1.5 / loss) if loss else np.inf
    full = max(min(rate * rtt, options["receive_window"] or np.inf, reno), initial)
    grown = min(max(threshold, initial), full)
    doubling = np.minimum(_SIZES, grown - initial)
    slowly = np.minimum(_SIZES - doubling, (full**2 - grown**2) / 2)
    rounds = 1 + np.log2(doubling / initial + 1) + np.sqrt(grown**2 + 2 * slowly) - grown
    return np.asarray(rounds * rtt + (_SIZES - doubling - slowly) * max(1 / rate, rtt / full))


def _walk(
    spec: Spec, sources: Indices, goals: Indices
) -> Iterator[tuple[Indices, Indices, Numbers]]:
    """Follows packets from sites to sites, hop by hop.

    Yields, for those that are still under way: their indices, the stations where they are, and the
    delays of the links that took them there [s].
    """
    links, after = spec["links"], np.array(spec["next_link"])
    to, delay = (np.array([link[key] for link in links] or [0]) for key in ("to", "delay"))
    here = np.array([site["station"] for site in spec["sites"]])[sources]
    under_way, delays = np.arange(sources.size), np.zeros(sources.size)
    while under_way.size:
        yield under_way, here, delays
        link = after[here, goals]
        on = link >= 0
        under_way, link, goals = under_way[on], link[on], goals[on]
        here, delays = to[link], delay[link]


def _speeds(spec: Spec) -> Numbers:
    """Mean speeds of the stations over a run [packets/s]."""
    speeds, duration = [], float(spec["duration"])

    def share(own: float, changes: Mapping[str, Any], values: str) -> float:
        varying = VaryingRate.of(own, changes["times"], changes[values], changes["period"])
        return float(varying.carried(np.array([duration]))[0]) / duration / own

    for station in spec["stations"]:
        speed = _rate(station["rate"], spec)
        if (changes := station.get("rate_changes")) is not None:
            (own,) = station["rate"].values()
            speed *= share(float(own), changes, "rates")
        if (switches := station.get("path", {}).get("on")) is not None:
            speed *= share(1.0, switches, "values")
        speeds.append(speed)
    return np.array(speeds)


def _rate(rate: Mapping[str, float] | None, spec: Spec) -> float:
    """A rate [packets/s]; infinite for None."""
    if rate is None:
        return np.inf
    bits = 8.0 * (spec["packet"]["smss"] + spec["packet"]["header"])
    return float(rate.get("packets_per_second") or rate["bits_per_second"] / bits)

"""A fluid companion of the engine: mean windows of equal flows, by delay differential equations.

Windows and the queue are continuous, and losses thin a stream instead of hitting a packet. One
solution takes the place of many runs where its error is small; the manual's page of this model
says where that is, measured beside the engine.

Sources: V. Misra, W.-B. Gong, D. Towsley, *Fluid-based Analysis of a Network of AQM Routers
Supporting TCP Flows with an Application to RED*, SIGCOMM 2000, for Reno; G. Vardoyan, C. Hollot,
D. Towsley, *Towards Stability Analysis of Data Transport Mechanisms: a Fluid Model and an
Application*, INFOCOM 2018, for CUBIC; S. Scherrer, M. Legner, A. Perrig, S. Schmid, *Model-Based
Insights on the Performance, Fairness, and Stability of BBR*, IMC 2022, for BBR.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mesonet.errors import Problem, ScenarioError, show
from mesonet.fluid.rules import RULES, Path, Rule
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow
from mesonet.scenario.parking_lot import ParkingLot

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

STEPS_PER_RTT = 20
"""Fewest steps of the solver in a base round-trip time."""
_MODELLED = {
    *("kind", "rate", "rtt", "buffer", "loss", "flows", "packet", "queue", "parameters"),
    *("profile", "transport", "initial_window", "initial_ssthresh", "duration", "interval"),
    *("warm_up", "periods", "record_transfers", "record_queues", "record_packets"),
    *("record_segments", "hops", "cross"),
}
"""Fields of a scenario that the equations contain, or that change nothing in them."""
_FREE = ("name", "count", "algorithm")
"""Fields in which flows may differ."""


def solve(scenario: Scenario) -> pl.DataFrame:
    """Solves the equations of equal flows of an algorithm over drop-tail queues.

    Over a dumbbell or a parking lot: Reno, CUBIC or BBR 1, or BBR 1 beside one of the others. The
    flows begin as a loss at a full buffer leaves them, BBR with a fair share; there is no slow
    start. The method of steps with Euler's rule on a fixed grid, at least `STEPS_PER_RTT` a round
    trip.

    Returns:
        A row per algorithm, way and interval, whose end is `time` [s]. `hops` are the first and the
        last hop of the way, from 1. The rest are means over the interval: `window` of a flow
        [segments], `queue` [packets] of all hops on the way, `rate` of a flow behind the last
        [segments/s], and `loss`, the part of the packets that is lost.
    """
    problems = list(unsupported(scenario))
    if problems or not isinstance(scenario, Dumbbell | ParkingLot):
        raise ScenarioError(problems)
    path = path_of(scenario)
    per_row = math.ceil(scenario.interval * STEPS_PER_RTT / path.rtt)
    rows = max(round(scenario.duration / scenario.interval), 1)
    groups = _groups(scenario, path)
    trace = _trace(path, groups, rows * per_row, scenario.interval / per_row)
    means = trace.reshape(rows, per_row, len(groups), len(_COLUMNS)).mean(axis=1)
    means[..., 3] /= means[..., 0]  # Losses of a window over it: the part of packets, not of time.
    time = np.arange(1, rows + 1) * scenario.interval
    return pl.concat(
        pl.DataFrame(
            {
                "algorithm": [group.algorithm] * rows,
                "hops": [f"{group.hops[0] + 1} to {group.hops[-1] + 1}"] * rows,
                "time": time,
                **dict(zip(_COLUMNS, means[:, place].T, strict=True)),
            }
        )
        for place, group in enumerate(groups)
    )


_COLUMNS = ("window", "queue", "rate", "loss")


class _Group:
    """Flows of an algorithm on a way, and what the queues did to what each sent, by step."""

    def __init__(self, algorithm: str, rule: Rule, flows: int, hops: range) -> None:
        self.algorithm, self.rule, self.flows, self.hops = algorithm, rule, flows, hops
        self.shares = {hop: array("d") for hop in hops}
        """Share of a flow in what arrives at a hop."""
        self.lost, self.probed = array("d"), array("d")
        """Rates of its losses [1/s], and at which its probes leave the last queue [segments/s]."""
        self.way = slice(hops.start, hops.stop)
        self.rtt = self.sent = self.rate = self.probe = self.losing = 0.0
        """Of the step: round-trip time, what is sent, what of it and of probes comes to a hop, and
        losses on the way."""

    def send(self, limit: float) -> None:
        """Begins a step with what a flow sends at its round-trip time."""
        rule = self.rule
        rule.window = min(max(rule.window, 1.0), limit)
        self.sent = self.rate = rule.rate(self.rtt)
        self.probe, self.losing = rule.probe(self.rtt), 0.0


def _trace(path: Path, groups: Sequence[_Group], steps: int, dt: float) -> Any:
    """A row per step and group: window, queue, rate, and packets of the window that are lost."""
    trace = array("d")
    base, capacity, room, loss = path.rtt, path.rate, path.room, path.loss
    hops = [[group for group in groups if hop in group.hops] for hop in range(path.hops)]
    queues, served, kept = [0.0] * len(hops), capacity * dt, 1 - loss
    for now in range(steps):
        delays = [(queue + 1) / capacity for queue in queues]
        for group in groups:
            group.rtt = base + sum(delays[group.way])
            group.send(path.limit)
        for hop, crossing in enumerate(hops):
            arriving = 0.0
            for group in crossing:
                arriving += group.flows * group.rate * kept
            arrived = arriving * dt
            before, queue = queues[hop], max(queues[hop] + arrived - served, 0.0)
            over = max(queue - room, 0.0)
            queues[hop] = queue = queue - over
            part = loss + kept * over / arrived
            left = (before + arrived - over - queue) / dt
            # The queue is first in, first out: what leaves has the mixture of what came then.
            came = max(now - int(before / served), 0)
            for group in crossing:
                rate, probe, shares = group.rate * kept, group.probe * kept, group.shares[hop]
                group.losing += part * group.rate
                shares.append(rate / arriving)
                group.rate = left * shares[came]
                group.probe = probe * min(1.0, capacity / (arriving - rate + probe))
        for group in groups:
            rule, rtt, losing = group.rule, group.rtt, group.losing
            group.lost.append(losing)
            group.probed.append(group.probe)
            lost = losing / group.sent * rule.window
            trace.extend((rule.window, sum(queues[group.way]), group.rate, lost))
            # Losses and rates of delivery are noticed a round trip after the packets were sent.
            ago = now - int(rtt / dt)
            if ago >= 0:
                rule.losses, rule.delivered = group.lost[ago], group.probed[ago]
            rule.step(dt, rtt)
    return np.frombuffer(trace).reshape(steps, len(groups), len(_COLUMNS))


def path_of(scenario: Dumbbell | ParkingLot) -> Path:
    """What the equations know of a dumbbell or a parking lot."""
    spec = scenario.resolve()
    ((unit, room),) = spec["stations"][0]["buffer"].items()
    first = scenario.flows[0]
    limit = spec["transport"]["receive_window"]
    flows: Counter[str] = Counter()
    for _, flow in _ways(scenario, hops=1):
        flows[flow.algorithm] += flow.count
    return Path(
        rtt=scenario.rtt if first.rtt is None else first.rtt,
        rate=scenario.bottleneck(),
        room=room if unit == "packets" else 8 * room / scenario.packet.bits,
        loss=scenario.loss,
        flows=dict(flows),
        limit=math.inf if limit is None else limit,
        hops=scenario.hops if isinstance(scenario, ParkingLot) else 1,
    )


def _ways(scenario: Dumbbell | ParkingLot, *, hops: int) -> Iterator[tuple[range, Flow]]:
    """Flows over all hops, and those over one each, with the hops that they cross."""
    yield from ((range(hops), flow) for flow in scenario.flows)
    if isinstance(scenario, ParkingLot):
        across = scenario.flows if scenario.cross is None else scenario.cross
        yield from ((range(hop, hop + 1), flow) for hop in range(hops) for flow in across)


def _groups(scenario: Dumbbell | ParkingLot, path: Path) -> list[_Group]:
    """The flows by way and algorithm, as they begin."""
    params = {it["name"]: it["params"] for it in scenario.resolve()["algorithms"]}
    counts: Counter[tuple[range, str]] = Counter()
    for hops, flow in _ways(scenario, hops=path.hops):
        counts[hops, flow.algorithm] += flow.count
    return [
        _Group(name, RULES[name](path, params[name]), count, hops)
        for (hops, name), count in counts.items()
    ]


def unsupported(scenario: Scenario) -> Iterator[Problem]:
    """Everything in a scenario that the equations do not contain."""
    if not isinstance(scenario, Dumbbell | ParkingLot):
        yield Problem("kind", "unsupported", "expected a dumbbell or a parking lot")
        return
    for name, field in type(scenario).model_fields.items():
        plain = field.get_default(call_default_factory=True)
        if name not in _MODELLED and getattr(scenario, name) != plain:
            yield Problem(name, "unsupported", "expected its default: no equation contains it")
    spec = scenario.resolve()
    if spec["stations"][0]["discipline"] != {"name": "droptail", "mark_above": None}:
        yield Problem("queue", "unsupported", "expected droptail, without marks")
    if scenario.is_shared and spec["transport"]["ack_cost"]:
        message = "expected false where both directions share a station: no ACKs are modelled"
        yield Problem("transport.ack_cost", "unsupported", message)
    first = scenario.flows[0]
    equal = Flow(algorithm=first.algorithm, rtt=first.rtt)
    beside: str | None = None
    for table, flows in scenario.tables().items():
        for here, flow in enumerate(flows):
            if flow.algorithm not in RULES:
                message = f"expected {', '.join(RULES)}, got {show(flow.algorithm)}"
                yield Problem(f"{table}[{here}].algorithm", "unsupported", message)
            elif flow.algorithm != "bbr1" and flow.algorithm != (
                beside := beside or flow.algorithm
            ):
                message = f"expected bbr1 or {beside}, got {show(flow.algorithm)}"
                yield Problem(f"{table}[{here}].algorithm", "unsupported", message)
            for name in Flow.model_fields:
                if name not in _FREE and getattr(flow, name) != getattr(equal, name):
                    message = "expected equal flows from time 0 on, without end or pauses"
                    yield Problem(f"{table}[{here}].{name}", "unsupported", message)

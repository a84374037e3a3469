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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from mesonet.errors import Problem, ScenarioError, show
from mesonet.fluid.rules import RULES, Path, Rule
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.flows import Flow

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

STEPS_PER_RTT = 20
"""Fewest steps of the solver in a base round-trip time."""
_MODELLED = {
    *("kind", "rate", "rtt", "buffer", "loss", "flows", "packet", "queue", "parameters"),
    *("profile", "transport", "initial_window", "initial_ssthresh", "duration", "interval"),
    *("warm_up", "periods", "record_transfers", "record_queues", "record_packets"),
    "record_segments",
}
"""Fields of a dumbbell that the equations contain, or that change nothing in them."""
_FREE = ("name", "count", "algorithm")
"""Fields in which flows may differ."""


def solve(scenario: Scenario) -> pl.DataFrame:
    """Solves the equations of equal flows of an algorithm over a drop-tail dumbbell.

    Reno, CUBIC or BBR 1, or BBR 1 beside one of the others. The flows begin as a loss at a full
    buffer leaves them, BBR with a fair share; there is no slow start. The method of steps with
    Euler's rule on a fixed grid, at least `STEPS_PER_RTT` a round trip.

    Returns:
        A row per algorithm and interval, whose end is `time` [s], with means over it: `window` of
        a flow [segments], `queue` [packets], `rate` of a flow behind the queue [segments/s], and
        `loss`, the part of the packets that is lost.
    """
    problems = list(unsupported(scenario))
    if problems or not isinstance(scenario, Dumbbell):
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
                "algorithm": [name] * rows,
                "time": time,
                **dict(zip(_COLUMNS, means[:, place].T, strict=True)),
            }
        )
        for place, name in enumerate(path.flows)
    )


_COLUMNS = ("window", "queue", "rate", "loss")


class _Group(NamedTuple):
    """Flows of an algorithm, and what the queue did to what each sent, by step."""

    rule: Rule
    flows: int
    share: array[float]
    """Share of a flow in what arrives."""
    lost: array[float]
    """Rate of its losses [1/s]."""
    probed: array[float]
    """Rate at which its probes leave the queue [segments/s]."""


def _trace(path: Path, groups: Sequence[_Group], steps: int, dt: float) -> Any:
    """A row per step and group: window, queue, rate, and packets of the window that are lost."""
    trace = array("d")
    base, capacity, room, limit, loss = path.rtt, path.rate, path.room, path.limit, path.loss
    queue, served, kept = 0.0, capacity * dt, 1 - loss
    for now in range(steps):
        rtt = base + (queue + 1) / capacity
        arriving = 0.0
        for rule, count, *_ in groups:
            rule.window = min(max(rule.window, 1.0), limit)
            arriving += count * rule.rate(rtt) * kept
        arrived = arriving * dt
        before, queue = queue, max(queue + arrived - served, 0.0)
        over = max(queue - room, 0.0)
        queue -= over
        part = loss + kept * over / arrived
        left = (before + arrived - over - queue) / dt
        # The queue is first in, first out: what leaves has the mixture of what came then.
        came = max(now - int(before / served), 0)
        # Losses and rates of delivery are noticed a round trip after the packets were sent.
        sent = now - int(rtt / dt)
        for rule, _, share, lost, probed in groups:
            rate = rule.rate(rtt) * kept
            probe = rule.probe(rtt) * kept
            share.append(rate / arriving)
            lost.append(part * rule.rate(rtt))
            probed.append(probe * min(1.0, capacity / (arriving - rate + probe)))
            trace.extend((rule.window, queue, left * share[came], part * rule.window))
            if sent >= 0:
                rule.losses, rule.delivered = lost[sent], probed[sent]
            rule.step(dt, rtt)
    return np.frombuffer(trace).reshape(steps, len(groups), len(_COLUMNS))


def path_of(scenario: Dumbbell) -> Path:
    """What the equations know of a dumbbell."""
    spec = scenario.resolve()
    ((unit, room),) = spec["stations"][0]["buffer"].items()
    first = scenario.flows[0]
    limit = spec["transport"]["receive_window"]
    flows: Counter[str] = Counter()
    for flow in scenario.flows:
        flows[flow.algorithm] += flow.count
    return Path(
        rtt=scenario.rtt if first.rtt is None else first.rtt,
        rate=scenario.bottleneck(),
        room=room if unit == "packets" else 8 * room / scenario.packet.bits,
        loss=scenario.loss,
        flows=dict(flows),
        limit=math.inf if limit is None else limit,
    )


def _groups(scenario: Dumbbell, path: Path) -> list[_Group]:
    """The flows by algorithm, as they begin."""
    params = {it["name"]: it["params"] for it in scenario.resolve()["algorithms"]}
    return [
        _Group(RULES[name](path, params[name]), count, array("d"), array("d"), array("d"))
        for name, count in path.flows.items()
    ]


def unsupported(scenario: Scenario) -> Iterator[Problem]:
    """Everything in a scenario that the equations do not contain."""
    if not isinstance(scenario, Dumbbell):
        yield Problem("kind", "unsupported", "expected a dumbbell")
        return
    for name, field in Dumbbell.model_fields.items():
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
    for here, flow in enumerate(scenario.flows):
        if flow.algorithm not in RULES:
            message = f"expected {', '.join(RULES)}, got {show(flow.algorithm)}"
            yield Problem(f"flows[{here}].algorithm", "unsupported", message)
        elif flow.algorithm != "bbr1" and flow.algorithm != (beside := beside or flow.algorithm):
            message = f"expected bbr1 or {beside}, got {show(flow.algorithm)}"
            yield Problem(f"flows[{here}].algorithm", "unsupported", message)
        for name in Flow.model_fields:
            if name not in _FREE and getattr(flow, name) != getattr(equal, name):
                message = "expected equal flows from time 0 on, without end or pauses"
                yield Problem(f"flows[{here}].{name}", "unsupported", message)

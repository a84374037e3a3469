"""Failures of links, and the routes that lead around them meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from mesonet.errors import Problem, did_you_mean, show
from mesonet.scenario.ports import HERE, NOWHERE, Port, Routes, Ways
from mesonet.scenario.types import Duration, FlowName, Frozen, Given, NonNegativeDuration, Written
from mesonet.units import format_time

MAX_FAILURES = 100
"""Most failures of a run."""


class Failure(Frozen):
    """A link that carries nothing for a time, in either direction."""

    link: Annotated[tuple[FlowName, FlowName], Written("list of two names")]
    """Names of the nodes at its ends."""
    at: NonNegativeDuration
    """Time from which on it loses what is sent, and what is in the air."""
    until: Duration | None = None
    """Time from which on it works again; when not given, it does not."""
    rerouted_after: NonNegativeDuration | None = None
    """Time from the failure until routes lead around it, which they do until it works again; when
    not given, they stay."""


Failures = Given[
    Annotated[
        tuple[Failure, ...], Field(max_length=MAX_FAILURES), Written("list of failures of links")
    ]
]


class Outage(NamedTuple):
    """A failure of a link by its number, in times of the run [s]."""

    link: int
    at: float
    until: float
    rerouted: float
    """Time from which on routes lead around it."""

    def is_dead(self, time: float, lag: float) -> bool:
        """True if what leaves then is lost within a lag [s], or at once."""
        return self.at - lag <= time < self.until

    def is_rerouted(self, time: float, lag: float = 0.0) -> bool:
        """True if what leaves then meets routes around it after a lag [s]."""
        return self.rerouted - lag <= time < self.until - lag


def outages(failures: Iterable[Failure], ends: Sequence[tuple[str, str]]) -> list[Outage]:
    """Failures of links that are there."""
    numbers = {frozenset(pair): here for here, pair in enumerate(ends)}
    return [
        Outage(
            numbers[frozenset(failure.link)],
            failure.at,
            math.inf if failure.until is None else failure.until,
            math.inf if failure.rerouted_after is None else failure.at + failure.rerouted_after,
        )
        for failure in failures
    ]


def rerouted_sets(every: Sequence[Outage]) -> set[frozenset[int]]:
    """Links that routes lead around at a time, for all times."""
    times = [time for outage in every for time in (outage.rerouted, outage.until)]
    return {frozenset(it.link for it in every if it.is_rerouted(time)) for time in times}


def rows_over_time(
    every: Sequence[Outage], lags: Iterable[float], row: Callable[[float], list[int]]
) -> list[dict[str, Any]]:
    """Routes of a station as the engine reads them, whose row at a time [s] is `row`.

    `lags` are the times from there to where outages are met [s].
    """
    moments = {time for outage in every for time in outage[1:] if time < math.inf}
    times = {max(time - lag, 0.0) for time in moments for lag in (0.0, *lags)}
    changes, before = list[dict[str, Any]](), row(-math.inf)
    for time in sorted(times):
        if (now := row(time)) != before:
            changes.append({"at": time, "next_link": now})
            before = now
    return changes


def failing(ways: Ways, routes: Routes, every: Sequence[Outage]) -> Routes:
    """Routes of stations of links that fail, where each way out of a node is a station."""
    # Packets may be anywhere when routes change, so every station has routes to every site.
    at: dict[int, list[tuple[int, Port]]] = {}
    for here, port in enumerate(ways.ports):
        at.setdefault(port.station, []).append((here // 2, port))
    links = {tuple(link.values()): here for here, link in enumerate(routes.links)}

    def next_link(station: int, left: Ways, node: str) -> int:
        # Of the directions that share the station: the one that leads to the site.
        ports = (port for _, port in at[station])
        port = min(ports, key=lambda it: (left.next_port(it.source, node) != it, it.target != node))
        if port.target == node:
            return HERE
        following = left.next_port(port.target, node)
        if following is None:
            return NOWHERE
        return links.setdefault((station, following.station, port.delay), len(links))

    @cache
    def table(rerouted: frozenset[int]) -> list[list[int]]:
        left = ways.without(rerouted)
        return [[next_link(station, left, node) for node in routes.nodes] for station in sorted(at)]

    def row(station: int, lag: float, time: float) -> list[int]:
        own = {link for link, _ in at[station]}
        if any(it.link in own and it.is_dead(time, lag) for it in every):
            return [NOWHERE] * len(routes.nodes)
        return table(frozenset(it.link for it in every if it.is_rerouted(time, lag)))[station]

    changes = {}
    for station, ports in at.items():
        # Routers decide where a link ends, and stations for them where it begins.
        lag = min(port.delay for _, port in ports)
        if rows := rows_over_time(every, [lag], partial(row, station, lag)):
            changes[station] = rows
    return replace(
        routes,
        next_link=table(frozenset()),
        links=[dict(zip(("from", "to", "delay"), link, strict=True)) for link in links],
        changes=changes,
    )


def failure_problems(
    failures: Sequence[Failure], ends: Sequence[tuple[str, str]], duration: float
) -> Iterator[Problem]:
    """Everything that is wrong with failures of links between these ends."""
    for here, failure in enumerate(failures):
        loc = f"failures[{here}]"
        yield from end_problems(failure.link, ends, f"{loc}.link")
        if failure.at >= duration:
            end, at = format_time(duration), format_time(failure.at)
            message = f"expected a time before the end ({end}), got {at}"
            yield Problem(f"{loc}.at", "too_large", message)
        if failure.until is not None and failure.until <= failure.at:
            at, until = format_time(failure.at), format_time(failure.until)
            yield Problem(f"{loc}.until", "too_small", f"expected a time after {at}, got {until}")


def end_problems(
    pair: tuple[str, str], ends: Sequence[tuple[str, str]], loc: str
) -> Iterator[Problem]:
    """A pair of names that is not that of the ends of a link."""
    names = dict.fromkeys(name for other in ends for name in other)
    if unknown := [name for name in pair if name not in names]:
        message = f"expected the ends of a link, got {show(unknown[0])}"
        yield Problem(loc, "unknown", message + did_you_mean(unknown[0], names))
    elif frozenset(pair) not in map(frozenset, ends):
        yield Problem(loc, "unknown", f"no link joins {' and '.join(pair)}")

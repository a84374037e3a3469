"""Applications of a part of the population of a national network."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from mesonet.errors import Problem
from mesonet.scenario.applications import ApplicationField, Call, Video
from mesonet.scenario.flows import Flow, connections
from mesonet.scenario.queues import placed
from mesonet.scenario.topology import AccessClass, Topology
from mesonet.scenario.types import FlowName, Frozen, Given, Probability, Written

if TYPE_CHECKING:
    from mesonet.scenario.internet import Internet


class ApplicationShare(Frozen):
    """Sources that have an application in the place of think times and files."""

    share: Annotated[Probability, Field(gt=0, lt=1)]
    """Their share of all sources."""
    application: ApplicationField
    """What each of them asks for."""
    name: FlowName | None = None
    """Name in the results, with a number behind it; when not given, the kind of the application."""

    @property
    def label(self) -> str:
        """Name in the results, without a number."""
        return self.name or self.application.kind


ApplicationShares = Given[
    Annotated[
        tuple[ApplicationShare, ...],
        Field(max_length=20),
        Written("list of shares of the sources, each with an application"),
    ]
]


class Client(NamedTuple):
    """A source with an application, and the receiver that it serves."""

    flow: Flow
    source: int
    """Site of the source."""
    receiver: int
    """Site of the receiver."""
    fast: bool
    """Both have fast interfaces."""


def clients(
    scenario: Internet,
    topology: Topology,
    sources: Mapping[AccessClass, int],
    receivers: Mapping[AccessClass, int],
) -> list[Client]:
    """Sources that have applications, where routers of a class have so many hosts.

    Places, interfaces and algorithms are drawn as those of the population are, but for every seed
    alike: they belong to the scenario, as long-lived flows do.
    """
    if not scenario.application_shares:
        return []
    draws = Random(282)
    homes = list(accumulate(sources[router.kind] for router in topology.access))
    shops = list(accumulate(receivers[router.kind] for router in topology.access))
    shares = list(accumulate(scenario.algorithms.values()))
    algorithms = list(scenario.algorithms)
    drawn = []
    for own in scenario.application_shares:
        for number in range(max(1, round(own.share * homes[-1]))):
            source = receiver = bisect(homes, draws.random() * homes[-1])
            while topology.access[receiver].backbone == topology.access[source].backbone:
                receiver = bisect(shops, draws.random() * shops[-1])
            fast = max(draws.random(), draws.random()) < scenario.fast_interface_probability
            turn = min(bisect(shares, draws.random()), len(shares) - 1)
            flow = Flow.model_construct(
                algorithm=algorithms[turn],
                name=f"{own.label}-{number + 1}",
                start=draws.random() * scenario.think_time,
                application=own.application,
            )
            drawn.append(Client(flow, source, receiver, fast))
    return drawn


def client_connections(drawn: Sequence[Client]) -> Iterator[tuple[str, Client]]:
    """Every connection by its name, and its client."""
    for client in drawn:
        for name, _ in connections([client.flow]):
            yield name, client


def share_problems(scenario: Internet, segment: int) -> Iterator[Problem]:
    """Everything that is wrong with the shares, but for their number of connections."""
    labels = [own.label for own in scenario.application_shares]
    for here, own in enumerate(scenario.application_shares):
        if isinstance(own.application, Video | Call):
            loc = f"application_shares[{here}].application"
            yield from placed(own.application.problems(segment), loc)
        if own.label in labels[:here]:
            message = f"expected a name used once, {own.label} is taken"
            yield Problem(f"application_shares[{here}].name", "duplicate", message)
    if sum(own.share for own in scenario.application_shares) >= 1:
        message = "expected shares of less than all sources together"
        yield Problem("application_shares", "too_large", message)

"""Builds the resolved scenario of an `Internet`: stations, links, routes, sites, population.

A router is one station with one buffer, shared by all its links. Hosts are counts, never lists, so
that a network of half a million of them resolves in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from mesonet.errors import Problem, ScenarioError, did_you_mean, join, show
from mesonet.numbers import exact
from mesonet.scenario.backbone_links import add_backbone_links, backbone_link_problems
from mesonet.scenario.base import algorithm_table
from mesonet.scenario.failures import failure_problems, outages
from mesonet.scenario.flows import with_applications
from mesonet.scenario.internet_applications import client_connections, clients
from mesonet.scenario.internet_sources import client_flow, long_flow, population
from mesonet.scenario.queues import Queue, placed
from mesonet.scenario.routes import routes_around, routes_of
from mesonet.scenario.tiers import (
    RECEIVERS_PER_TARGET,
    SOURCES_PER_TARGET,
    Tier,
    buffer_packets,
    hosts_below,
    hosts_per_router,
    router_speeds,
)
from mesonet.scenario.topology import AccessClass, Topology
from mesonet.units import format_time

if TYPE_CHECKING:
    from mesonet.scenario.internet import Internet

MAX_SOURCES = 10_000_000
"""Most sources of one scenario."""
MAX_RECEIVERS = 100_000_000
"""Most receivers of one scenario; a receiver holds state only while a flow uses it."""
SEGMENT = 8 * 1460
"""Payload of a segment [bit]."""
MIN_DELAY = Fraction(1, 1_000_000_000)
"""Shortest delay of a backbone link [s], as in a file; regions advance in steps of it."""
MAX_STEPS = 1_000_000_000
"""Most of these steps in a run; so many take an hour, whatever happens in them."""
MAX_DELAY = 3600
"""Longest delay of a link that the engine takes [s]."""
CLASS_INDEX: dict[AccessClass, int] = {"D": 0, "F": 1, "N": 2}
"""Classes of access routers as the simulator numbers them."""


def build(scenario: Internet, topology: Topology) -> dict[str, Any]:
    """The resolved scenario; `ScenarioError` with every reason why there is none."""
    _refuse_delays(scenario, topology)
    hosts = Hosts(scenario, topology)
    stations = _stations(scenario, topology, hosts)
    names = [station["name"] for station in stations]
    algorithms = list(scenario.algorithms)
    problems = [*hosts.problems, *_buffer_problems(stations)]
    problems += _set_queues(scenario, topology, stations)
    edges = [(topology.nodes[edge.a].name, topology.nodes[edge.b].name) for edge in topology.edges]
    problems += failure_problems(scenario.failures, edges, scenario.duration)
    problems += backbone_link_problems(scenario, topology, edges)
    names += [name for link in scenario.links for name in link.names()]
    watched = _watched(scenario.watch, topology, names, problems)
    flows = [
        long_flow(scenario, topology, here, problems) for here in range(len(scenario.long_flows))
    ]
    if problems:
        raise ScenarioError(problems)
    own = clients(scenario, topology, hosts.sources, hosts.receivers)
    sites = _sites(topology, hosts)
    for client in own:
        # What has an application does not think.
        sites[client.source]["sources"] = max(sites[client.source]["sources"] - 1, 0)
    flows += [client_flow(name, client, algorithms) for name, client in client_connections(own)]
    failed = outages(scenario.failures, edges)
    for here, changes in routes_around(topology, failed, scenario.delay_multiplier):
        stations[here]["routes"] = changes
    spec = {
        "version": 1,
        "duration": scenario.duration,
        "packet": {"smss": SEGMENT // 8, "header": 40, "control": 40},
        "transport": scenario.transport_options(),
        "regions": len(topology.nodes),
        "stations": stations,
        "links": _links(scenario, topology),
        "next_link": routes_of(topology).next_link,
        "sites": sites,
        "interfaces": [
            {"rate": {"packets_per_second": rate}, "delay": 0.0}
            for rate in scenario.interface_speeds
        ],
        "algorithms": algorithm_table(algorithms, scenario),
        "population": population(scenario),
        "flows": flows,
        "measure": scenario.measured(watched),
    }
    add_backbone_links(spec, scenario, topology, failed)
    return with_applications(spec, scenario.applications())


def _refuse_delays(scenario: Internet, topology: Topology) -> None:
    """Refuses delays out of range at once: buffers, which follow from them, would be so too."""
    delays = [Fraction(edge.delay_ns, 1_000_000_000) for edge in topology.edges]
    minimum, maximum = MIN_DELAY / min(delays), MAX_DELAY / max(delays)
    if not minimum <= exact(scenario.delay_multiplier) <= maximum:
        message = (
            f"expected {float(minimum):.3g} to {float(maximum):.3g}, which make backbone links of "
            f"1 ns to 1 h, got {show(scenario.delay_multiplier)}"
        )
        raise ScenarioError([Problem("delay_multiplier", "range", message)])
    shortest = min(delays) * exact(scenario.delay_multiplier)
    if exact(scenario.duration) / shortest > MAX_STEPS:
        enough = float(exact(scenario.duration) / MAX_STEPS / min(delays))
        message = (
            f"expected at least {enough:.3g} for {format_time(scenario.duration)}: a network "
            f"advances in steps of its shortest delay, here {format_time(float(shortest))}, and "
            f"more than a billion of them take hours; got {show(scenario.delay_multiplier)}"
        )
        raise ScenarioError([Problem("delay_multiplier", "too_small", message)])


class Hosts:
    """Sources and receivers of one router of each class, and the problems with their numbers."""

    def __init__(self, scenario: Internet, topology: Topology) -> None:
        scale = exact(scenario.scale)
        target = Fraction(scenario.base_sources) * exact(scenario.source_multiplier) * scale
        self.sources = hosts_per_router(SOURCES_PER_TARGET, scenario.source_distribution, target)
        self.receivers = hosts_per_router(
            RECEIVERS_PER_TARGET, scenario.receiver_distribution, target
        )
        self.problems = [
            *_count_problems(topology, self.sources, "sources", MAX_SOURCES),
            *_count_problems(topology, self.receivers, "receivers", MAX_RECEIVERS),
        ]

    def together(self) -> dict[AccessClass, int]:
        """Sources and receivers."""
        return {kind: self.sources[kind] + self.receivers[kind] for kind in self.sources}


def _count_problems(
    topology: Topology, per_router: dict[AccessClass, int], what: str, limit: int
) -> Iterable[Problem]:
    backbone, _, access = hosts_below(topology, per_router)
    total = sum(access)
    if total > limit:
        message = f"would make {total} {what}; the limit is {limit}"
        yield Problem("base_sources", "too_large", message)
    enough = 1 if what == "sources" else 2
    if sum(count > 0 for count in backbone) < enough:
        need = "sources" if enough == 1 else "receivers under at least two backbone routers"
        yield Problem("base_sources", "too_small", f"would make {total} {what}; expected {need}")


def _stations(scenario: Internet, topology: Topology, hosts: Hosts) -> list[dict[str, Any]]:
    """Backbone routers, PoPs, access routers; each in the region of its backbone router."""
    speeds = router_speeds(exact(scenario.speed) * exact(scenario.scale))
    rtt = topology.mean_rtt_ms() * exact(scenario.delay_multiplier) / 1000
    below = hosts_below(topology, hosts.together())

    # Hundreds of routers have a handful of buffers between them.
    @cache
    def room(tier: Tier, attached: int) -> int:
        return buffer_packets(scenario.buffers, rtt * speeds[tier], attached)

    rates = {tier: float(speed) for tier, speed in speeds.items()}

    def station(name: str, region: int, tier: Tier, attached: int) -> dict[str, Any]:
        return {
            "name": name,
            "region": region,
            "rate": {"packets_per_second": rates[tier]},
            "buffer": {"packets": room(tier, attached)},
            "loss": 0.0,
        }

    return [
        *(
            station(node.name, here, "backbone", below[0][here])
            for here, node in enumerate(topology.nodes)
        ),
        *(
            station(name, region, "pop", below[1][here])
            for here, (name, region) in enumerate(topology.pops)
        ),
        *(
            station(router.name, router.backbone, router.kind, below[2][here])
            for here, router in enumerate(topology.access)
        ),
    ]


def _set_queues(
    scenario: Internet, topology: Topology, stations: list[dict[str, Any]]
) -> list[Problem]:
    """Adds disciplines and changes of ECN; problems with buffers, each once for a parameter."""
    names = [station["name"] for station in stations]
    routers = list(zip(names, station_tiers(topology), strict=True))
    for station, (_, impairment) in zip(
        stations, scenario.ecn_impairment.of_routers(routers), strict=True
    ):
        if impairment.kind != "none":
            station["ecn_impairment"] = impairment.kind
    queues = scenario.queue.of_routers(routers)
    refused: dict[str, tuple[Problem, list[str]]] = {}
    # Hundreds of routers have a handful of disciplines and buffers between them.
    kinds = {id(queue): queue for _, queue in queues}
    resolved = {key: _discipline(queue) for key, queue in kinds.items()}
    seen: dict[tuple[str, int, int], list[Problem]] = {}
    for station, (place, queue) in zip(stations, queues, strict=True):
        station["discipline"] = dict(resolved[id(queue)])
        alike = (place, id(queue), station["buffer"]["packets"])
        if alike not in seen:
            seen[alike] = placed(queue.problems(station["buffer"]), join("queue", place))
        for problem in seen[alike]:
            refused.setdefault(problem.loc, (problem, []))[1].append(station["name"])
    return [_at_routers(problem, routers) for problem, routers in refused.values()]


def _discipline(queue: Queue) -> dict[str, Any]:
    # A limit is left out unless asked for, as in the worlds of the engine.
    return {key: it for key, it in queue.resolved().items() if (key, it) != ("mark_above", None)}


def _at_routers(problem: Problem, routers: list[str]) -> Problem:
    elsewhere = f" and {len(routers) - 1} other routers" if len(routers) > 1 else ""
    return problem._replace(message=f"{problem.message}, at {routers[0]}{elsewhere}")


def station_tiers(topology: Topology) -> list[Tier]:
    """The tier of every station, in the order of the resolved scenario."""
    tiers: list[Tier] = ["backbone"] * len(topology.nodes)
    tiers += ["pop"] * len(topology.pops)
    return tiers + [router.kind for router in topology.access]


def _buffer_problems(stations: list[dict[str, Any]]) -> list[Problem]:
    empty = [s["name"] for s in stations if s["buffer"]["packets"] < 1]
    if not empty:
        return []
    message = f"leaves {len(empty)} routers without a buffer, the first is {empty[0]}"
    return [Problem("buffers", "too_small", f"{message}; expected room for at least one packet")]


def _links(scenario: Internet, topology: Topology) -> list[dict[str, Any]]:
    """Directed links with their delays [s]; those below the backbone have none."""
    multiplier = exact(scenario.delay_multiplier) / 1_000_000_000
    delays = [float(edge.delay_ns * multiplier) for edge in topology.edges for _ in range(2)]
    return [
        {"from": here, "to": there, "delay": delay}
        for (here, there), delay in zip(
            routes_of(topology).ends, chain(delays, repeat(0.0)), strict=False
        )
    ]


def _sites(topology: Topology, hosts: Hosts) -> list[dict[str, Any]]:
    first_access = len(topology.nodes) + len(topology.pops)
    return [
        {
            "station": first_access + here,
            "class": CLASS_INDEX[router.kind],
            "sources": hosts.sources[router.kind],
            "receivers": hosts.receivers[router.kind],
        }
        for here, router in enumerate(topology.access)
    ]


def _watched(
    watch: tuple[str, ...], topology: Topology, names: list[str], problems: list[Problem]
) -> list[int]:
    tiers = station_tiers(topology)
    stations: set[int] = set()
    for here, name in enumerate(watch):
        # A tier's name wins over a router's: "D" is the class although a router may be called so.
        matches = [s for s, tier in enumerate(tiers) if tier == name]
        if not matches and name not in {"backbone", "pop", "N", "F", "D"}:
            matches = [s for s, station in enumerate(names) if station == name]
            if not matches:
                hint = did_you_mean(name, names)
                message = f"expected a tier (backbone, pop, N, F, D) or a router, got {show(name)}"
                problems.append(Problem(f"watch[{here}]", "unknown", message + hint))
        stations.update(matches)
    return sorted(stations)

"""The network of twenty parameters: a three-tier network with hosts as its fourth tier.

Names are ours; the numbers X1 to X20 in the descriptions are those of NIST SP 500-282, and
`docs/reference/parameters.md` has both published numberings, levels and sources.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    Field,
    PlainValidator,
    model_validator,
)

from mesonet.controller import short
from mesonet.errors import Problem, ScenarioError, did_you_mean, refused, show
from mesonet.numbers import exact
from mesonet.scenario.backbone_links import BackboneLinks
from mesonet.scenario.base import NamedFlow, ScenarioBase
from mesonet.scenario.failures import Failures
from mesonet.scenario.flows import Flow, NamedApplication, named_applications
from mesonet.scenario.internet_applications import (
    ApplicationShares,
    client_connections,
    clients,
    share_problems,
)
from mesonet.scenario.internet_parts import (
    JUMBO,
    LONG_FLOWS,
    STARTUP,
    Distribution,
    ImpairmentByTier,
    Jumbo,
    LargerFiles,
    LongFlow,
    Mix,
    QueueByTier,
    Startup,
    named,
    read_buffers,
    read_impairments,
    read_queues,
)
from mesonet.scenario.internet_sources import long_flow
from mesonet.scenario.internet_spec import SEGMENT, Hosts, build
from mesonet.scenario.queues import DEFAULT
from mesonet.scenario.tiers import INTERFACE_RATES, BufferRule
from mesonet.scenario.topology import Layout, Topology, load_topology
from mesonet.scenario.transport import Profile
from mesonet.scenario.types import (
    Duration,
    Given,
    Number,
    PacketRate,
    PositiveInt,
    PositiveNumber,
    Probability,
    SegmentsOrInf,
)

MAX_SPEED = 1e9
"""Highest network speed, scale included [packets/s]."""
MAX_TARGET = 1_000_000
"""Most hosts aimed at per unit of probability: base sources, multiplier and scale together."""


class Internet(ScenarioBase):
    """A national network with the twenty parameters of MesoNet; defaults are its experiment 1b."""

    resolved_places: ClassVar = {
        **ScenarioBase.resolved_places,
        r"stations\[\d+\]\.rate": "speed",
        r"stations\[\d+\]\.buffer": "buffers",
        r"interfaces\[\d+\]\.rate": "interface_speeds",
        r"links\[\d+\]\.delay": "delay_multiplier",
        r"links|regions": "topology",
        r"population\.think_mean": "think_time",
        r"population\.files\.mean": "web_object_mean",
        r"population\.files\.shape": "pareto_shape",
        r"population\.files\.(probability|factor).*": "larger_files",
        r"population\.algorithm_shares": "algorithms",
        r"population\.fast_probability": "fast_interface_probability",
        r"population\.(jumbo|patience|startup)(\..*)?": r"\1",
        r"sites": "base_sources",
    }
    kind: Literal["internet"] = "internet"
    """Kind of scenario."""
    topology: str = "abilene"
    """X1: "abilene", "isp" or the path of a GraphML, GML or SNDlib file."""
    layout: Given[Layout] | None = None
    """Choices that such a file leaves open: the access tier, and delays of links without a place;
    built-in topologies bring their own."""
    delay_multiplier: PositiveNumber = 1.0
    """X2: factor on the propagation delays of the backbone."""
    speed: PacketRate = 1_200_000.0
    """X3: network speed, from which the speeds of all routers follow."""
    buffers: Given[Annotated[BufferRule, PlainValidator(read_buffers)]] = "rtt*c"
    """X4: "rtt*c", "rtt*c/sqrt(n)" or a factor on rtt*c."""
    base_sources: Annotated[PositiveInt, Field(le=MAX_TARGET)] = 100
    """X5: base number of sources per access router ..."""
    source_multiplier: PositiveNumber = 2.0
    """X5: ... and its multiplier, the factor that experiments vary."""
    source_distribution: Distribution = (0.1, 0.6, 0.3)
    """X6: probabilities of sources under N, F and D access routers, or "uniform"."""
    receiver_distribution: Distribution = (0.6, 0.2, 0.2)
    """X7: probabilities of receivers under N, F and D access routers, or "uniform"."""
    fast_interface_probability: Probability = 0.4
    """X8: probability that a host's interface is fast."""
    interface_speeds: Given[tuple[PacketRate, PacketRate]] = (
        INTERFACE_RATES["normal"],
        INTERFACE_RATES["fast"],
    )
    """Line rates of normal and of fast interfaces."""
    think_time: Duration = 5.0
    """X9: mean of the exponential think time."""
    patience: Probability = 0.0
    """X10: probability that a source has finite patience."""
    web_object_mean: PositiveNumber = 100.0
    """X11: mean size of a Web object [segments]."""
    larger_files: Given[LargerFiles] = LargerFiles()
    """X12: probabilities and factors of documents, service packs and movies."""
    jumbo: Given[Annotated[Jumbo, named(JUMBO, "a table")]] = JUMBO["on"]
    """X13: spatiotemporal congestion: "on", "none" or a table."""
    long_flows: Given[Annotated[tuple[LongFlow, ...], named(LONG_FLOWS, "a list of tables")]] = (
        LONG_FLOWS["three"]
    )
    """X14: long-lived flows: "three", "none" or a list of tables."""
    algorithms: Mix = Field(default_factory=lambda: {"reno": 1.0})
    """X15: congestion control of all sources, or shares by name."""
    initial_window: PositiveNumber | None = None
    """X16: initial window [segments]; when not given, the profile's: 2 in `mesonet`."""
    initial_ssthresh: SegmentsOrInf = 100.0
    """X17: initial slow-start threshold [segments]."""
    interval: Duration = 0.2
    """X18: measurement interval."""
    duration: Duration = 1500.0
    """X19: simulated time."""
    startup: Given[Annotated[Startup, named(STARTUP, "a table")]] = STARTUP["early"]
    """X20: "early", "exponential" or a table."""
    application_shares: ApplicationShares = ()
    """Shares of the sources that have applications, in the place of think times and files."""
    profile: Profile = "mesonet"
    """Set of TCP options."""
    scale: PositiveNumber = 1.0
    """Factor on speed and base sources together."""
    pareto_shape: Annotated[Number, Field(gt=1)] = 1.5
    """Shape of the Pareto distribution of file sizes."""
    warm_up: Annotated[Number, Field(ge=0, lt=1)] = 0.4
    """Fraction of the duration that is left out of what responses measure."""
    periods: Annotated[PositiveInt, Field(le=100)] = 3
    """Equal measured periods after the warm-up; fewer by default where 3 are too many for the
    measurement intervals."""
    queue: QueueByTier = read_queues(DEFAULT)
    """Queue disciplines of routers: drop-tail unless given, one for all, or by tier (backbone, pop,
    access; D, F, N), there or everywhere for a `share` of the routers; `xcp` and `vcp` flows need
    the one of their name."""
    ecn_impairment: ImpairmentByTier = read_impairments("none")
    """Routers that change the ECN field: "bleach" (to Not-ECT), "strip" (CE to ECT(0)) or
    "ect1_to_ect0", for all, by tier, and for a `share`, as with `queue`."""
    failures: Failures = ()
    """Links of the backbone that fail for a time, each by the names of its routers."""
    links: BackboneLinks = ()
    """Links of the backbone that have rates and queues of their own, and may have conditions that
    change; `scale` leaves their rates."""
    watch: Given[tuple[str, ...]] = ("D", "backbone")
    """Routers whose queues are recorded: tiers (backbone, pop, N, F, D) or names, also of `links`,
    such as "STTL to DNVR"."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._settle_periods()
        return refused(
            self,
            [
                *self._clock_problems(),
                *self._parameter_problems(list(self.algorithms)),
                *self._long_flow_problems(),
                *self._size_problems(),
                *share_problems(self, SEGMENT),
            ],
        )

    def _long_flow_problems(self) -> list[Problem]:
        problems, seen = [], set()
        for here, flow in enumerate(self.long_flows):
            loc = f"long_flows[{here}]"
            if flow.name in seen:
                problems.append(Problem(f"{loc}.name", "duplicate", f"{show(flow.name)} is taken"))
            seen.add(flow.name)
            if (flow.path is None) == (flow.source is None or flow.receiver is None):
                message = "expected either path, or both source and receiver"
                problems.append(Problem(loc, "conflict", message))
            if flow.algorithm is not None and flow.algorithm not in self.algorithms:
                hint = did_you_mean(flow.algorithm, self.algorithms)
                message = f"expected one of the scenario's algorithms, got {show(flow.algorithm)}"
                problems.append(Problem(f"{loc}.algorithm", "unknown", message + hint))
        return problems

    def _size_problems(self) -> list[Problem]:
        problems = []
        normal, fast = self.interface_speeds
        if normal > fast:
            message = (
                "expected the rate of normal interfaces, then that of fast ones, which is at least "
                f"as high; got {normal / 1000:g} and {fast / 1000:g} p/ms"
            )
            problems.append(Problem("interface_speeds", "order", message))
        if self.speed * self.scale > MAX_SPEED:
            message = (
                f"expected at most {MAX_SPEED / 1000:.0f} p/ms, scale included, "
                f"got {self.speed * self.scale / 1000:g} p/ms"
            )
            problems.append(Problem("speed", "too_large", message))
        target = self.base_sources * self.source_multiplier * self.scale
        if target > MAX_TARGET:
            message = (
                "expected base_sources x source_multiplier x scale of at most "
                f"{MAX_TARGET}, got {target:g}"
            )
            problems.append(Problem("base_sources", "too_large", message))
        return problems

    def place_of(self, resolved: str) -> str:
        """The key that a place in the resolved scenario follows from; that of a link at most."""
        if self.links and (match := re.match(r"stations\[(\d+)\]", resolved)):
            topology = self.load_topology()
            routers = (topology.nodes, topology.pops, topology.access)
            if (station := int(match[1]) - sum(map(len, routers))) >= 0:
                return f"links[{station // 2}]"
        return super().place_of(resolved)

    def algorithm_places(self) -> dict[str, list[str]]:
        """Places in the scenario that name each algorithm."""
        return {name: [f"algorithms.{name}"] for name in self.algorithms}

    def congestion(self) -> tuple[float, float] | None:
        """Begin and end of the larger files between D-class access routers [s]; `None` if never."""
        jumbo = self.jumbo
        if jumbo.factor == 1 or jumbo.end <= jumbo.start:
            return None
        return jumbo.start * self.duration, jumbo.end * self.duration

    def named_flows(self) -> dict[str, NamedFlow]:
        """Algorithm and base round-trip time of named flows: long-lived, or of applications."""
        return {
            name: NamedFlow(short(flow.algorithm), base_rtt, flow.start)
            for name, flow, base_rtt in self._members()
        }

    def applications(self) -> dict[str, NamedApplication]:
        """Applications by name, in the order of the results."""
        return named_applications(self._members(), SEGMENT) if self.application_shares else {}

    def _members(self) -> Iterator[tuple[str, Flow, float]]:
        """Named flows in the order of the engine, each with its base round-trip time [s].

        `ScenarioError` where the topology has no place for them.
        """
        topology = self.load_topology()
        hosts = Hosts(self, topology)
        problems = [*hosts.problems]
        specs = [long_flow(self, topology, here, problems) for here in range(len(self.long_flows))]
        if problems:
            raise ScenarioError(problems)
        delay = exact(self.delay_multiplier) / 1_000_000_000

        def base_rtt(*sites: int) -> float:
            a, b = (topology.access[site].backbone for site in sites)
            return float((topology.distance_ns[a][b] + topology.distance_ns[b][a]) * delay)

        for long in specs:
            name, algorithm = long["name"], list(self.algorithms)[long["algorithm"]]
            flow = Flow.model_construct(algorithm=algorithm, name=name, start=long["start"])
            yield name, flow, base_rtt(long["source"], long["receiver"])
        for name, it in client_connections(clients(self, topology, hosts.sources, hosts.receivers)):
            yield name, it.flow, base_rtt(it.source, it.receiver)

    def load_topology(self) -> Topology:
        """The topology with its shortest paths; `ScenarioError` if it cannot be read."""
        return load_topology(self.topology, self.layout)

    def resolve(self) -> dict[str, Any]:
        """The resolved scenario in SI units; `ScenarioError` if it cannot be built."""
        return build(self, self.load_topology())

    def geometry(self) -> dict[str, list[dict[str, Any]]]:
        """Backbone routers and links for the network map, delays with the multiplier [ms]."""
        topology = self.load_topology()
        return {
            "nodes": [
                {
                    "name": node.name,
                    "label": node.label,
                    "place": node.place,
                    "lat": node.lat,
                    "lon": node.lon,
                }
                for node in topology.nodes
                if not math.isnan(node.lat + node.lon)
            ],
            "links": [
                {
                    "a": topology.nodes[edge.a].name,
                    "b": topology.nodes[edge.b].name,
                    "delay_ms": float(edge.delay_ns * exact(self.delay_multiplier) / 1_000_000),
                }
                for edge in topology.edges
            ],
        }

    def notes(self) -> tuple[str, ...]:
        """Notes on what was filled in for the topology's file, or left out, a sentence each."""
        return self.load_topology().notes

    def station_places(self) -> dict[str, str]:
        """The backbone router of each router: itself, or that above its PoP or access router."""
        topology = self.load_topology()
        names = [node.name for node in topology.nodes]
        below = [*topology.pops, *((router.name, router.backbone) for router in topology.access)]
        places = {name: names[at] for name, at in below}
        places |= {
            name: end
            for link in self.links
            for name, end in zip(link.names(), link.ends, strict=True)
        }
        return {**{name: name for name in names}, **places}

"""A parking lot: bottlenecks in a row, flows over all of them, and others over one each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.bottleneck import Bottleneck
from mesonet.scenario.flows import Flow, FlowList, connections
from mesonet.scenario.laboratory import Member
from mesonet.scenario.ports import Port
from mesonet.scenario.types import Given, PositiveInt, RoundTripTime

MAX_HOPS = 100
"""Most bottlenecks in a row."""


class ParkingLot(Bottleneck):
    """Flows over several bottlenecks in a row, all alike, and flows over each of them.

    Responses of the bottleneck are those of the first hop. The "Common TCP evaluation suite"
    (draft-irtf-iccrg-tcpeval-01) has one of three hops.
    """

    resolved_places: ClassVar = {
        **ScenarioBase.resolved_places,
        r"stations\[\d+\]\.(\w+).*": r"\1",
        r"interfaces\[\d+\]\.delay": "rtt",
    }
    kind: Literal["parking_lot"] = "parking_lot"
    """Kind of scenario."""
    hops: Annotated[PositiveInt, Field(ge=2, le=MAX_HOPS)] = 3
    """Number of bottlenecks in a row."""
    rtt: RoundTripTime
    """Base round-trip time of every flow, however many hops it crosses."""
    flows: Given[FlowList]
    """Flows over all hops."""
    cross: Given[FlowList] | None = None
    """Flows over each hop, anew at every one; when not given, as `flows`."""

    def members(self) -> Iterator[Member]:
        """Every flow: those over all hops, then those over the first, the second and so on."""
        yield from self._over(0, self.hops, "", self.flows)
        for hop in range(self.hops):
            yield from self._over(hop, hop + 1, f"hop {hop + 1} ", self._crossing())

    def tables(self) -> dict[str, tuple[Flow, ...]]:
        """Flows as they stand in the scenario, by their key."""
        return {"flows": self.flows} | ({} if self.cross is None else {"cross": self.cross})

    def flow_count(self) -> int:
        """Number of flows."""
        there, across = (
            sum(it.connections for it in flows) for flows in (self.flows, self._crossing())
        )
        return there + self.hops * across

    def ports(self) -> list[Port]:
        """Directions of all hops: forward ones first."""
        pairs = [(_router(hop), _router(hop + 1), hop) for hop in range(self.hops)]
        back = 0 if self.is_shared else self.hops
        return [
            *(Port(*pair) for pair in pairs),
            *(Port(after, before, hop + back) for before, after, hop in pairs),
        ]

    def stations(self) -> list[dict[str, Any]]:
        """Stations of all hops: forward ones first."""
        names = [(f"hop {hop + 1}", f"hop {hop + 1} reverse") for hop in range(self.hops)]
        pairs = [self.link_stations(pair, self.packet, self.rtt) for pair in names]
        return [station for direction in zip(*pairs, strict=True) for station in direction]

    def _crossing(self) -> tuple[Flow, ...]:
        return self.flows if self.cross is None else self.cross

    def _over(
        self, first: int, last: int, prefix: str, flows: tuple[Flow, ...]
    ) -> Iterator[Member]:
        ends = (_router(first), _router(last))
        for name, flow in connections(flows):
            rtt = self.rtt if flow.rtt is None else flow.rtt
            yield Member(prefix + name, flow, ends[::-1] if flow.reverse else ends, rtt)


def _router(number: int) -> str:
    return f"router {number + 1}"

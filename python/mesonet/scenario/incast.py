"""Incast: many servers answer one client at once, through one port of a switch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from mesonet.errors import refused
from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.bottleneck import Bottleneck
from mesonet.scenario.flows import MAX_FLOWS, Algorithm, Flow, burst_problems, not_empty
from mesonet.scenario.laboratory import Member
from mesonet.scenario.ports import Port
from mesonet.scenario.types import (
    BufferSize,
    DataSize,
    Duration,
    PositiveInt,
    RoundTripTime,
    ServiceRate,
    TrueOrFalse,
)
from mesonet.units import Rate, Size

_ENDS = ("servers", "client")


class Incast(Bottleneck):
    """Servers that answer one request at the same time, each over a line as fast as the client's.

    Defaults are those of synchronized reads from storage, of Phanishayee et al., "Measurement and
    analysis of TCP throughput collapse in cluster-based storage systems" (FAST 2008).
    """

    resolved_places: ClassVar = {
        **ScenarioBase.resolved_places,
        r"stations\[\d+\]\.(\w+).*": r"\1",
        r"interfaces\[\d+\]\.delay": "rtt",
    }
    kind: Literal["incast"] = "incast"
    """Kind of scenario."""
    servers: Annotated[PositiveInt, Field(le=MAX_FLOWS)]
    """Number of servers."""
    algorithm: Algorithm
    """Congestion control of all servers by name, or a class of Python's."""
    size: Annotated[DataSize, AfterValidator(not_empty)] = Size(256e3, "bytes")
    """Data that each server sends in answer to a request."""
    every: Duration | None = None
    """Time from one request to the next, over the same connections, answered or not; when not
    given, there is one request."""
    rate: ServiceRate = Rate(1e9, "bits")
    """Capacity of the client's port, and of each server's line."""
    rtt: RoundTripTime = 100e-6
    """Base round-trip time."""
    buffer: Annotated[BufferSize, AfterValidator(not_empty)] = Size(64e3, "bytes")
    """Room for waiting packets at the port: packets, bytes, or bandwidth-delay products."""
    record_transfers: TrueOrFalse = True
    """Record one row for every completed transfer."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*self._clock_problems(), *self._parameter_problems([self.algorithm])]
        gaps = {problem._replace(loc="every") for problem in burst_problems(self._flow())}
        return refused(self, [*problems, *gaps, *self._path_problems()])

    def members(self) -> Iterator[Member]:
        """Every server."""
        flow = self._flow()
        for number in range(1, self.servers + 1):
            yield Member(f"server {number}", flow, _ENDS, self.rtt)

    def tables(self) -> dict[str, tuple[Flow, ...]]:
        """Nothing: servers are no entries of the scenario."""
        return {}

    def algorithm_places(self) -> dict[str, list[str]]:
        """Places in the scenario that name each algorithm."""
        return {self.algorithm: ["algorithm"]}

    def ports(self) -> list[Port]:
        """The client's port, and the way of requests and acknowledgements."""
        return [Port(*_ENDS, 0), Port(*_ENDS[::-1], 0 if self.is_shared else 1)]

    def stations(self) -> list[dict[str, Any]]:
        """The client's port, and the way of requests and acknowledgements."""
        return self.link_stations(("port", "reverse"), self.packet, self.rtt)

    def line(self) -> Rate:
        """Line rate of servers."""
        return self.rate

    def _flow(self) -> Flow:
        single, answers = self.every is None, Flow.model_construct(algorithm=self.algorithm)
        data = {"size": self.size} if single else {"burst": self.size, "every": self.every}
        return answers.model_copy(update=data)

"""The smallest laboratory: some flows, one bottleneck.

A rate in bits makes an ordinary link with a port and a buffer in each direction; acknowledgements
cross the reverse one. A rate in packets makes one MesoNet router, which both directions share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, field_validator, model_validator

from mesonet.errors import Problem
from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.bottleneck import Bottleneck
from mesonet.scenario.flows import Flow, FlowList, connections, not_empty
from mesonet.scenario.host_lines import with_host_lines
from mesonet.scenario.laboratory import Member
from mesonet.scenario.link import spec_rate
from mesonet.scenario.named_paths import named_paths, refuse_name, with_named_path
from mesonet.scenario.path import PATH_PLACES
from mesonet.scenario.ports import Port
from mesonet.scenario.rate_changes import range_problems
from mesonet.scenario.types import DataSize, Given, ServiceRate
from mesonet.units import Rate

MAX_LINES = 1000
"""Most flows whose hosts have lines with buffers; each is a station of the engine."""
_ENDS = ("left", "right")


class Dumbbell(Bottleneck):
    """Flows over one bottleneck."""

    resolved_places: ClassVar = {
        **ScenarioBase.resolved_places,
        **PATH_PLACES,
        r"stations\[0\]\.rate_changes\.rates\[(\d+)\]": r"rate_changes[\1].rate",
        r"stations\[0\]\.rate_changes\.times\[(\d+)\]": r"rate_changes[\1].at",
        r"stations\[0\]\.rate_changes\.period": "rate_period",
        r"stations\[0\]\.rate_changes.*": "rate_changes",
        r"stations\[1\]\.rate_changes.*": "reverse_rate_changes",
        r"stations\[[01]\]\.(rate|buffer|loss)": r"\1",
        r"stations\[\d+\]\.rate|interfaces\[\d+\]\.rate": "access_rate",
        r"stations\[\d+\]\.buffer": "access_buffer",
        r"interfaces\[\d+\]\.delay": "rtt",
    }
    kind: Literal["dumbbell"] = "dumbbell"
    """Kind of scenario."""
    access_rate: ServiceRate | None = None
    """Line rate of hosts; when not given, infinitely fast."""
    access_buffer: Annotated[DataSize, AfterValidator(not_empty)] | None = None
    """Room for waiting packets at the line of each sending host, in packets or bytes; when not
    given, hosts hold segments back while their line is busy, and none waits."""
    flows: Given[FlowList]
    """The flows; an algorithm alone is short for a flow with it."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return with_named_path(data) if isinstance(data, Mapping) else data

    _unknown_names = field_validator("path", mode="before")(refuse_name)

    def replace(self, changes: Mapping[str, Any] | None = None, **values: Any) -> Self:
        """As of every scenario; with the name of a path, all keys that names set are set anew."""
        changed = {**(changes or {}), **values}
        if isinstance(changed.get("path"), str):
            unset = dict.fromkeys(key for it in named_paths().values() for key in it.keys)
            changed = {**unset, **with_named_path(changed)}
        return super().replace(changed)

    def members(self) -> Iterator[Member]:
        """Every flow, in the order of the results."""
        for name, flow in connections(self.flows):
            ends = _ENDS[::-1] if flow.reverse else _ENDS
            yield Member(name, flow, ends, self.rtt if flow.rtt is None else flow.rtt)

    def tables(self) -> dict[str, tuple[Flow, ...]]:
        """Flows as they stand in the scenario, by their key."""
        return {"flows": self.flows}

    def ports(self) -> list[Port]:
        """The two directions."""
        return [Port(*_ENDS, 0), Port(*_ENDS[::-1], 0 if self.is_shared else 1)]

    def stations(self) -> list[dict[str, Any]]:
        """Stations of the two directions, or the one of both."""
        return self.link_stations(("forward", "reverse"), self.packet, self.rtt)

    def line(self) -> Rate | None:
        """Line rate of hosts."""
        return self.access_rate

    def resolve(self) -> dict[str, Any]:
        """The resolved scenario in SI units."""
        spec, line, room = super().resolve(), spec_rate(self.access_rate), self.access_buffer
        if line is None or room is None:
            return spec
        return with_host_lines(spec, rate=line, room={room.of: int(room.value)})

    def _path_problems(self) -> list[Problem]:
        problems = [*super()._path_problems(), *self._host_line_problems()]
        if self.access_rate is not None:
            problems += range_problems("access_rate", self.access_rate)
        return problems

    def _host_line_problems(self) -> list[Problem]:
        room, loc = self.access_buffer, "access_buffer"
        if room is None:
            return []
        if self.access_rate is None or self.access_rate.of == "packets":
            return [Problem(loc, "conflict", "a line with a buffer needs access_rate in bits")]
        if self.is_shared:
            return [Problem(loc, "conflict", "hosts of one station have no lines with buffers")]
        if room.of == "bytes" and room.value * 8 < self.packet.bits:
            return [Problem(loc, "too_small", f"expected room for a packet, got {room}")]
        count = self.flow_count()
        if count > MAX_LINES:
            message = f"expected at most {MAX_LINES} flows with lines of their own, got {count}"
            return [Problem(loc, "too_large", message)]
        return []

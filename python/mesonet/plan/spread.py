"""Differences between replicates beside their seeds: round-trip times, and starts of flows."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from mesonet.scenario.types import NonNegativeDuration, Number

if TYPE_CHECKING:
    from mesonet.scenario.dumbbell import Dumbbell


class Spread(BaseModel):
    """What every replicate draws anew, the same for all conditions and alternatives.

    Without it a flow alone does the same in every replicate, and an accident of phases between
    round trips and packets looks like a property of the algorithm (Floyd and Kohler, 2003).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    rtt: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    """Largest part of a round-trip time by which it is longer or shorter."""
    start: NonNegativeDuration = 0.0
    """Longest time by which a flow starts later."""

    def drawn(self, scenario: Dumbbell, *, seed: int, replicate: int) -> Dumbbell:
        """The scenario of a replicate of a plan with a first seed."""
        stretch = 1 + self.rtt * (2 * _draw(seed, replicate, 0) - 1)
        flows = [flow for flow in scenario.flows for _ in range(flow.count)]
        tables = []
        for place, (name, flow) in enumerate(zip(scenario.named_flows(), flows, strict=True), 1):
            later = round(_draw(seed, replicate, place) * self.start * 1e6) / 1e6
            table = flow.model_copy(
                update={
                    "name": name,
                    "count": 1,
                    "start": flow.start + later,
                    "rtt": None if flow.rtt is None else _stretched(flow.rtt, stretch),
                }
            )
            tables.append(table.model_dump(mode="json", exclude_none=True))
        rtt = f"{round(scenario.rtt * stretch * 1e9)} ns"
        return scenario.replace({"rtt": rtt, "flows": tables})


def _stretched(rtt: float, factor: float) -> float:
    return round(rtt * factor * 1e9) / 1e9


def _draw(seed: int, replicate: int, place: int) -> float:
    """Uniform number from 0 to below 1 that depends on nothing but its arguments."""
    text = f"{seed} {replicate} {place}".encode()
    return int.from_bytes(blake2b(text, digest_size=6).digest()) / 2**48

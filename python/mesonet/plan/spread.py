"""Differences between replicates beside their seeds: round-trip times, and starts of flows."""

from __future__ import annotations

from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from mesonet.scenario.flows import Flow, numbered
from mesonet.scenario.types import NonNegativeDuration, Number

if TYPE_CHECKING:
    from mesonet.scenario.laboratory import Laboratory

    LaboratoryT = TypeVar("LaboratoryT", bound=Laboratory)


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

    def drawn(self, scenario: LaboratoryT, *, seed: int, replicate: int) -> LaboratoryT:
        """The scenario of a replicate of a plan with a first seed."""
        stretch = 1 + self.rtt * (2 * _draw(seed, replicate, 0) - 1)
        places = count(1)
        changes: dict[str, Any] = {
            key: tuple(
                self._later(name, flow, stretch, _draw(seed, replicate, next(places)))
                for name, flow in numbered(flows)
            )
            for key, flows in scenario.tables().items()
        }
        for path, delay in scenario.delays().items():
            changes[path] = f"{round(delay * stretch * 1e9)} ns"
        return scenario.replace(changes)

    def _later(self, name: str, flow: Flow, stretch: float, draw: float) -> Flow:
        return flow.model_copy(
            update={
                "name": name,
                "count": 1,
                "start": flow.start + round(draw * self.start * 1e6) / 1e6,
                "rtt": None if flow.rtt is None else round(flow.rtt * stretch * 1e9) / 1e9,
            }
        )


def _draw(seed: int, replicate: int, place: int) -> float:
    """Uniform number from 0 to below 1 that depends on nothing but its arguments."""
    text = f"{seed} {replicate} {place}".encode()
    return int.from_bytes(blake2b(text, digest_size=6).digest()) / 2**48

"""Common part of laboratories of one link, or of several that are alike."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from mesonet.errors import Problem, refused
from mesonet.scenario.flows import rtt_problems
from mesonet.scenario.laboratory import Laboratory
from mesonet.scenario.link import Link
from mesonet.scenario.rate_changes import VaryingRate
from mesonet.scenario.types import RoundTripTime


class Bottleneck(Link, Laboratory):
    """A laboratory whose links are all as its own fields say."""

    rtt: RoundTripTime
    """Base round-trip time."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = [*self._clock_problems(), *self._flow_problems(), *self._path_problems()]
        return refused(self, problems)

    def counts_packets(self) -> bool:
        """Tests for a rate in packets."""
        return self.rate.of == "packets"

    def delays(self) -> dict[str, float]:
        """The round-trip time, by its key [s]."""
        return {"rtt": self.rtt}

    def bottleneck(self) -> float:
        """Capacity of the bottleneck, or of each [segments/s]."""
        return float(self.packet_rate(self.packet))

    def varying_rate(self) -> VaryingRate | None:
        """Capacity of the bottleneck over time; `None` where it does not change."""
        return self.varying(self.packet)

    def _path_problems(self) -> list[Problem]:
        wrong = rtt_problems("rtt", self.rtt)
        return [*wrong, *self.link_problems(self.packet, None if wrong else self.rtt)]

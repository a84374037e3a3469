"""What the knobs of the laboratory say, and the scenario that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from mesonet.controller import built_in
from mesonet.errors import Problem, ProblemsError, did_you_mean
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.types import Frozen
from mesonet.units import PACKET_BITS

OWN, NONE = "own", "none"
"""Names for the algorithm in the editor, and for no second group of flows."""
MOST_PACKETS = 1_500_000
"""Largest world: so many packets as the bottleneck could send."""
_OTHERS = ("xcp", "vcp")
"""Algorithms that need routers of their own."""
_UNMARKED = ("red", "codel", "pie")
"""Disciplines that mark only where they are told to."""


def _knob(default: float, unit: str, *steps: float) -> Any:
    """A field that a slider sets, from its first step to its last."""
    extra: dict[str, Any] = {"unit": unit, "steps": list(steps)}
    return Field(default, ge=steps[0], le=steps[-1], json_schema_extra=extra)


class Setting(Frozen):
    """Knobs of one side of the laboratory."""

    rate: float = _knob(50, "Mbit/s", 1, 2, 5, 10, 20, 50, 100, 200, 500)
    """Capacity of the bottleneck [Mbit/s]."""
    rtt: float = _knob(40, "ms", 1, 2, 5, 10, 20, 40, 80, 160, 320, 640)
    """Base round-trip time [ms]."""
    buffer: float = _knob(1, "BDP", 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16)
    """Room for waiting packets, in products of rate and round trip."""
    queue: Literal["droptail", "red", "codel", "pie", "fq_codel", "cake", "dualpi2"] = "droptail"
    """Queue discipline."""
    loss: float = _knob(0, "%", 0, 0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)
    """Part of packets that is lost at random [%]."""
    ecn: Literal["off", "on"] = "off"
    """ECN at the hosts; algorithms such as Prague ask for it anyway."""
    first: str = "cubic"
    """Algorithm of the first group of flows."""
    first_flows: int = _knob(1, "", 1, 2, 3, 4, 5, 6, 8, 10)
    """Number of them."""
    second: str = "bbr3"
    """Algorithm of the second group."""
    second_flows: int = _knob(1, "", 1, 2, 3, 4, 5, 6, 8, 10)
    """Number of them."""
    second_rtt: float = _knob(0, "ms", 0, 1, 2, 5, 10, 20, 40, 80, 160, 320, 640)
    """Base round-trip time of the second group [ms]; 0 is that of the first."""
    second_start: float = _knob(0, "s", 0, 1, 2, 5, 10, 15, 20)
    """Time at which the second group connects [s]."""
    duration: float = _knob(30, "s", 2, 5, 10, 20, 30, 60, 120)
    """Simulated time [s]."""
    seed: int = _knob(1, "", *range(1, 11))
    """Seed of random losses and of the jitter of hosts."""

    @field_validator("first", "second")
    @classmethod
    def _known(cls, name: str) -> str:
        names = algorithms()
        if name not in names:
            raise ValueError(f'expected an algorithm, got "{name}"{did_you_mean(name, names)}')
        return name

    @model_validator(mode="after")
    def _small_enough(self) -> Self:
        packets = self.rate * 1e6 * self.duration / PACKET_BITS
        if packets > MOST_PACKETS:
            longest = MOST_PACKETS * PACKET_BITS / self.rate / 1e6
            message = f"expected at most {longest:g} s at this rate, got {self.duration:g} s"
            raise ProblemsError([Problem("duration", "too_large", message)])
        if self.first == NONE:
            raise ProblemsError([Problem("first", "empty", "expected an algorithm, got none")])
        return self

    @classmethod
    def read(cls, pairs: Iterable[tuple[str, str]] | Mapping[str, Any]) -> Self:
        """The setting in the query of an address; what it does not name has its default."""
        return cls.from_dict(dict(pairs))

    @property
    def is_own(self) -> bool:
        """True where the algorithm of the editor takes part."""
        return OWN in (self.first, self.second)

    @property
    def is_told_to_mark(self) -> bool:
        """True where ECN is on and the discipline has it off."""
        return self.ecn == "on" and self.queue in _UNMARKED

    def keywords(self, own: str) -> dict[str, Any]:
        """Keywords of `mesonet.dumbbell`, with the name of the algorithm in the editor."""
        groups: list[dict[str, Any]] = [{"algorithm": self.first, "count": self.first_flows}]
        if self.second != NONE:
            groups.append({"algorithm": self.second, "count": self.second_flows})
            if self.second_rtt:
                groups[1]["rtt"] = f"{self.second_rtt:g} ms"
            if self.second_start:
                groups[1]["start"] = f"{self.second_start:g} s"
        for group in groups:
            if group["algorithm"] == OWN:
                group |= {"algorithm": own, "name": OWN if group is groups[0] else f"{OWN}-2"}
        # No phase between flows decides whose packets are dropped, as in `mesonet compare`.
        transport = {"host_jitter": f"{PACKET_BITS / self.rate:.6g} us"}
        return {
            "rate": f"{self.rate:g} Mbit/s",
            "rtt": f"{self.rtt:g} ms",
            "buffer": f"{self.buffer:g} bdp",
            "queue": {"kind": self.queue, "ecn": True} if self.is_told_to_mark else self.queue,
            "loss": self.loss / 100,
            "flows": groups,
            "duration": f"{self.duration:g} s",
            "interval": "100 ms" if self.duration > 5 else "10 ms",
            "warm_up": self._warm_up(),
            "transport": transport | ({"ecn": True} if self.ecn == "on" else {}),
        }

    def _warm_up(self) -> float:
        """A quarter of the run, or until 5 s after the second flows have begun."""
        late = self.second != NONE and self.second_start > 0
        return min(max(0.25, (self.second_start + 5) / self.duration * late), 0.75)

    def scenario(self, own: str = "") -> Dumbbell:
        """The scenario of the setting; `InputError` where it cannot be simulated."""
        return Dumbbell.from_dict(self.keywords(own))


def algorithms() -> list[str]:
    """Names that a group may have."""
    return [NONE, OWN, *(it.name for it in built_in() if it.name not in _OTHERS)]

"""Models of links, which make conditions from the seed of the run: their parameters.

The laws are the engine's; `docs/models/paths.md` has them with their sources.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from mesonet.errors import Problem, refused
from mesonet.scenario.types import (
    Duration,
    Frozen,
    Given,
    NonNegativeDuration,
    NonNegativeInt,
    Number,
    Probability,
    Written,
)
from mesonet.units import format_time

Variation = Annotated[Number, Field(ge=0, le=5)]
Interval = Given[
    Annotated[
        tuple[NonNegativeDuration, NonNegativeDuration],
        Written('pair of times, such as ["10 ms", "40 ms"]'),
    ]
]
"""Shortest and longest of times that are uniform in between [s]."""


class Model(Frozen):
    """A model of a link by its name."""

    kind: str

    def resolved(self) -> dict[str, Any]:
        """The model of a path of the engine, in SI units."""
        return dict(self)


class GilbertElliott(Model):
    """Loss in bursts: good and bad times of exponential length, with loss in the bad ones."""

    kind: Literal["gilbert_elliott"]
    """Name of the model."""
    burst: Duration = 0.0167
    """Mean time in the bad state."""
    gap: Duration = 0.6357
    """Mean time in the good state."""
    loss: Probability = 1.0
    """Probability that a packet is lost in the bad state."""


class Cellular(Model):
    """A cellular link: a log-normal rate that varies, whose mean is `rate`, and outages."""

    kind: Literal["cellular"]
    """Name of the model."""
    variation: Variation = 0.65
    """Coefficient of variation of the rate between outages."""
    memory: Duration = 2.6
    """Time in which the autocorrelation of the rate's logarithm falls to 1/e."""
    outage: Duration = 0.133
    """Mean time of an outage, in which packets wait."""
    gap: Duration = 3.0
    """Mean time between two outages."""


class Leo(Model):
    """Satellites in low orbit: each has a delay and a rate of its own, and comes after a break."""

    kind: Literal["leo"]
    """Name of the model."""
    period: Duration = 15.0
    """Time from one satellite to the next."""
    delay: Interval = (0.010, 0.040)
    """Shortest and longest delay of a satellite, beside that of `rtt`."""
    interruption: Interval = (0.020, 0.100)
    """Shortest and longest break between two satellites, in which packets wait."""
    variation: Variation = 0.3
    """Coefficient of variation of the rate, which is log-normal with the mean `rate`."""
    loss: Probability = 0.01
    """Probability that a packet is lost at random."""
    handover_loss: Probability = 0.5
    """Probability that a packet is lost which is in the air when a break begins."""
    jitter: NonNegativeDuration = 0.020
    """Longest jitter, uniform from zero on; packets keep their order."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        intervals = {"delay": self.delay, "interruption": self.interruption}
        message = "expected the shorter time first, got {} and {}"
        problems = [
            Problem(name, "range", message.format(*map(format_time, pair)))
            for name, pair in intervals.items()
            if pair[0] > pair[1]
        ]
        return refused(self, problems)


class DelayWalk(Model):
    """A delay that walks at random between zero and a bound."""

    kind: Literal["delay_walk"]
    """Name of the model."""
    every: Duration = 0.1
    """Time from one step to the next."""
    step: Duration = 0.002
    """Longest step, up or down; shorter ones are as likely."""
    most: Duration = 0.020
    """Longest delay, beside that of `rtt`."""


class Wifi(Model):
    """Wi-Fi: jitter as measured for picoquic and C4, suspensions, frames that go out together."""

    kind: Literal["wifi"]
    """Name of the model."""
    jitter: Duration = 0.0125
    """Mean of the jitter; packets keep their order."""
    active: Duration = 1.8
    """Time from the end of a suspension to the next one."""
    suspended: Duration | None = None
    """Time of a suspension, in which packets wait; when not given, there are none."""
    contenders: Annotated[NonNegativeInt, Field(le=100)] = 0
    """Other stations, between whose turns frames go out together; 0 is no aggregation."""
    airtime: Annotated[Duration, Field(ge=1e-4, le=5.484e-3)] = 0.004
    """Air time of frames that go out together, where there are contenders."""

    def path_changes(self, jitter: dict[str, Any] | None) -> dict[str, Any]:
        """Changes of the jitter and switches, where changes of the jitter may come on top."""
        changes = jitter or {"times": [], "values": [], "period": None}
        if not changes["times"] or changes["times"][0] > 0:
            values = [self.jitter, *changes["values"]]
            changes = {**changes, "times": [0.0, *changes["times"]], "values": values}
        path: dict[str, Any] = {"jitter": changes}
        if self.suspended is not None:
            period = self.active + self.suspended
            path["on"] = {"times": [self.active], "values": [0.0], "period": period}
        if self.contenders:
            turns = {"airtime": self.airtime, "contenders": self.contenders}
            path["model"] = {"kind": "aggregation", **turns}
        return path


PathModel = GilbertElliott | Cellular | Leo | DelayWalk | Wifi
"""Models of a link."""

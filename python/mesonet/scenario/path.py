"""Conditions of a link that change: delay, jitter, loss, on and off, and the order of packets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from mesonet.errors import Problem, refused
from mesonet.scenario.path_models import PathModel, Wifi
from mesonet.scenario.rate_changes import MAX_CHANGES, listed, time_problems
from mesonet.scenario.types import (
    Duration,
    Frozen,
    Given,
    NonNegativeDuration,
    PositiveInt,
    Probability,
    TrueOrFalse,
    Written,
)

T = TypeVar("T")


class Change(Frozen):
    """Another value from a time on."""

    value_of: ClassVar[str]
    at: NonNegativeDuration
    """Time of the change; within the period, where the changes repeat."""

    def steps_from(self, before: float) -> Iterator[tuple[float, float]]:
        """Times [s] and values of the steps, from the value before."""
        to = float(getattr(self, self.value_of))
        over = getattr(self, "over", 0.0)
        steps = getattr(self, "steps", 1) if over else 1
        for step in range(1, steps):
            yield self.at + over * step / steps, before + (to - before) * step / steps
        yield self.at + over, to


class Ramp(Change):
    """Another value from a time on, at once or step by step."""

    over: NonNegativeDuration = 0.0
    """Time in which the value is reached, from the one before, in equal steps; 0 s is at once."""
    steps: Annotated[PositiveInt, Field(le=10_000)] = 20
    """Number of these steps."""


class DelayChange(Ramp):
    """Another propagation delay from a time on."""

    value_of = "delay"
    delay: NonNegativeDuration
    """Delay in this direction from then on, beside that of `rtt`."""


class JitterChange(Ramp):
    """Another jitter of Wi-Fi from a time on."""

    value_of = "jitter"
    jitter: NonNegativeDuration
    """Mean of the jitter from then on; 0 s is none, and else 0.7 ms the least."""


class LossChange(Ramp):
    """Another probability of loss from a time on."""

    value_of = "loss"
    loss: Probability
    """Probability that a packet is lost from then on."""


class Switch(Change):
    """The link goes on or off."""

    value_of = "on"
    on: TrueOrFalse
    """Whether it sends from then on."""


class Reordering(Frozen):
    """Packets that others overtake, by a delay or by a depth."""

    probability: Probability
    """Probability that a packet is held."""
    delay: Duration | None = None
    """Longest time for which it is held; shorter ones are as likely."""
    depth: PositiveInt | None = None
    """Later packets that pass before it goes on."""

    @model_validator(mode="after")
    def _either(self) -> Self:
        fits = (self.delay is None) != (self.depth is None)
        message = "expected either delay or depth"
        return refused(self, [] if fits else [Problem("", "conflict", message)])

    def resolved(self) -> dict[str, Any]:
        """The reordering of a path of the engine."""
        by = {"delay": self.delay} if self.depth is None else {"depth": self.depth}
        return {"probability": self.probability, "by": by}


def _model(value: object) -> object:
    """A model by its name."""
    return {"kind": value} if isinstance(value, str) else value


_HOW = "list of changes, or of pairs of a time and a value"
_Changes = Annotated[tuple[T, ...], Field(max_length=MAX_CHANGES), Written(_HOW)]


class Path(Frozen):
    """Conditions of one direction of a link over time; each is constant until its next change."""

    delay_changes: Given[_Changes[Annotated[DelayChange, BeforeValidator(listed("delay"))]]] = ()
    """Changes of the propagation delay, beside that of `rtt`; 0 s at first."""
    jitter_changes: Given[_Changes[Annotated[JitterChange, BeforeValidator(listed("jitter"))]]] = ()
    """Changes of the mean jitter of Wi-Fi; at first the model's, or none. No packet overtakes."""
    loss_changes: Given[_Changes[Annotated[LossChange, BeforeValidator(listed("loss"))]]] = ()
    """Changes of the probability of loss, which at first is that of `loss`."""
    on_changes: Given[_Changes[Annotated[Switch, BeforeValidator(listed("on"))]]] = ()
    """Times at which the link goes off and on; it is on at first."""
    period: Duration | None = None
    """Time after which these changes begin anew; when not given, the last values stay."""
    while_off: Literal["wait", "lose"] = "wait"
    """While off by `on_changes`, packets wait, or those sent and those in the air are lost."""
    model: (
        Given[
            Annotated[
                PathModel,
                Field(discriminator="kind"),
                BeforeValidator(_model),
                Written('name such as "leo", or table such as { kind = "leo", period = "10 s" }'),
            ]
        ]
        | None
    ) = None
    """Model that makes conditions from the seed of the run, on top of the changes."""
    reordering: Reordering | None = None
    """Packets that others overtake; when not given, all keep their order."""
    thin_acks: Annotated[PositiveInt, Field(le=1000)] = 1
    """Of so many ACKs in a row of a flow only the last enters the queue, and the first after 10 ms
    without any."""

    @model_serializer(mode="wrap")
    def _brief(self, full: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = type(self).model_fields
        set_here = {name for name in fields if getattr(self, name) != fields[name].default}
        return {name: value for name, value in full(self).items() if name in set_here}

    def problems(self, loc: str) -> Iterator[Problem]:
        """Everything that is wrong with the path at a place."""
        names = ("delay_changes", "jitter_changes", "loss_changes", "on_changes")
        for name in names:
            yield from time_problems(f"{loc}.{name}", getattr(self, name), self.period)
        if self.period is not None and not any(getattr(self, name) for name in names):
            yield Problem(f"{loc}.period", "conflict", "a period needs changes that it repeats")
        switches = self.on_changes
        if self.while_off == "lose" and not switches:
            message = "only with on_changes; in breaks of a model packets wait"
            yield Problem(f"{loc}.while_off", "conflict", message)
        if switches and self.while_off == "wait":
            always_off = switches[0].at == 0 and not any(it.on for it in switches)
            if always_off if self.period is not None else not switches[-1].on:
                message = 'expected the link to go on again, or while_off = "lose"'
                yield Problem(f"{loc}.on_changes", "outage", message)
        if switches and isinstance(self.model, Wifi) and self.model.suspended is not None:
            message = "the model has switches of its own; keep one of them"
            yield Problem(f"{loc}.on_changes", "conflict", message)

    def resolved(self, loss: float) -> dict[str, Any]:
        """The path of a station of the engine, whose own loss is given, in SI units."""
        jitter = self.model.jitter if isinstance(self.model, Wifi) else 0.0
        path: dict[str, Any] = {
            "delay": self._changes(self.delay_changes, 0.0),
            "jitter": self._changes(self.jitter_changes, jitter),
            "loss": self._changes(self.loss_changes, loss),
            "on": self._changes(self.on_changes, 1.0),
        }
        if isinstance(self.model, Wifi):
            path |= self.model.path_changes(path["jitter"])
        elif self.model is not None:
            path["model"] = self.model.resolved()
        if self.reordering is not None:
            path["reordering"] = self.reordering.resolved()
        if self.thin_acks > 1:
            path["thin_acks"] = self.thin_acks
        if self.while_off != "wait":
            path["while_off"] = self.while_off
        return {name: value for name, value in path.items() if value is not None}

    def _changes(self, changes: Sequence[Change], before: float) -> dict[str, Any] | None:
        if not changes:
            return None
        steps = [(0.0, before)]
        for change in changes:
            steps += change.steps_from(steps[-1][1])
        times, values = map(list, zip(*steps[1:], strict=True))
        return {"times": times, "values": values, "period": self.period}


PATH_PLACES = {
    rf"stations\[{number}\]\.path\.{pattern}": rf"{name}.{place}"
    for number, name in enumerate(("path", "reverse_path"))
    for pattern, place in (
        (r"(delay|jitter|loss|on)(?:\..*)?", r"\1_changes"),
        (r"model\.(.*)", r"model.\1"),
        (r"reordering\.(?:by\.)?(.*)", r"reordering.\1"),
    )
}
"""Keys of the scenario by pattern of the places in what a path resolves to."""

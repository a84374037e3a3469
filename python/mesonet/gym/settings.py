"""Settings of a policy: what it sees, when it decides, and what its answers mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import (
    ConfigDict,
    PlainValidator,
    Strict,
    ValidationInfo,
    field_validator,
    model_validator,
)

from mesonet import _core
from mesonet.errors import Problem, refused, show, unknown
from mesonet.scenario.types import Frozen, Given
from mesonet.units import parse_rate, parse_time

LEAST = {"window": 1.0, "rate": 1e5}
"""Least window [segments] and rate [bit/s] that a policy may set, unless told otherwise."""
MOST = {"window": 10_000.0, "rate": 1e10}
"""Largest window [segments] and rate [bit/s] that a policy may set, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that an observation may contain, from `low` to `high` in its `unit`."""

    name: str
    unit: str
    low: float
    high: float
    doc: str
    source: str


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of the record of the time between two decisions, which `info` has."""

    name: str
    unit: str
    doc: str


@cache
def features() -> tuple[Feature, ...]:
    """Features that an observation may contain."""
    return tuple(Feature(**row) for row in _core.features())


@cache
def quantities() -> tuple[Quantity, ...]:
    """Quantities of the record of the time between two decisions."""
    return tuple(Quantity(**row) for row in _core.quantities())


class _Settings(Frozen):
    model_config = ConfigDict(strict=True)


class Action(_Settings):
    """Meaning of the numbers that a policy answers with."""

    target: Literal["window", "rate"] = "rate"
    """Quantity that is set: "window" [segments], or "rate", the pacing rate [bit/s], with a window
    that does not bind: twice what the rate fills in a smoothed round trip."""
    rule: Literal["absolute", "level", "multiply", "choose"] = "multiply"
    """"absolute": the number is the value. "level": a number from -1 to 1 is the place of the value
    between `least` and `most`, on a scale of logarithms. "multiply": a number from -1 to 1 changes
    the value by at most `step`: times `1 + step a`, or divided by `1 - step a` where `a` is
    negative, as in Aurora, whose `a` has no bounds. "choose": an index of `choices`."""
    step: float = 0.025
    """Largest relative change of "multiply"."""
    choices: Annotated[
        tuple[Annotated[tuple[float, float], Strict(False)], ...], Strict(False)
    ] = ()
    """Pairs of "choose": the value is multiplied by the first and increased by the second number
    [segments or bit/s]."""
    least: Given[float] | None = None
    """Least value: segments, or a rate such as "100 kbit/s"; 1 segment or 100 kbit/s."""
    most: Given[float] | None = None
    """Largest value; 10,000 segments or 10 Gbit/s."""

    @field_validator("least", "most", mode="before")
    @classmethod
    def _in_unit_of_target(cls, value: object, info: ValidationInfo) -> object:
        if value is None or info.data.get("target") == "window":
            return value
        rate = parse_rate(value)
        if rate.of != "bits":
            message = f'expected a rate in bits such as "100 kbit/s", got {show(value)}'
            raise ValueError(message)
        return rate.value

    @model_validator(mode="after")
    def _heeded(self) -> Self:
        heeded = {"multiply": "step", "choose": "choices"}.get(self.rule)
        unheeded = self.model_fields_set & {"step", "choices"} - {heeded}
        message = f'expected none, for the rule "{self.rule}" does not heed it'
        return refused(self, [Problem(key, "conflict", message) for key in sorted(unheeded)])

    @property
    def discrete(self) -> bool:
        """True if the answer is an index."""
        return self.rule == "choose"

    def resolved(self) -> dict[str, Any]:
        """The action as the engine has it."""
        rule: Any = self.rule
        if rule == "multiply":
            rule = {"multiply": {"step": self.step}}
        elif rule == "choose":
            rule = {"choose": {"choices": self.choices}}
        return {
            "target": self.target,
            "rule": rule,
            "least": LEAST[self.target] if self.least is None else self.least,
            "most": MOST[self.target] if self.most is None else self.most,
        }


_Time = Given[Annotated[float, PlainValidator(lambda value: parse_time(value, unit="ms"))]]


class PolicySettings(_Settings):
    """Observation, times of decisions and meaning of the answers; they go into a policy's file."""

    observation: Annotated[tuple[str, ...], Strict(False)] = (
        "rtt_gradient",
        "rtt_ratio",
        "send_ratio",
    )
    """Names of features, see `features`."""
    history: int = 10
    """Records that an observation holds, the oldest first; zeros before there are any."""
    action: Action = Action()
    """Meaning of the answers."""
    every: _Time | None = None
    """Decide at all multiples of an interval of simulated time, such as "30 ms", from the flow's
    first ACK on."""
    round_trips: float | None = None
    """Decide so many smoothed round trips after the decision before; 1 if `every` is not given
    either."""
    at_least: _Time = 0.001
    """Least time between two such decisions, such as "1 ms"."""
    ecn: Literal["none", "classic", "dctcp", "l4s"] = "classic"
    """Explicit congestion notification that the flow asks for, as for `mesonet.Controller`; less
    where the hosts have no more."""

    @model_validator(mode="after")
    def _accepted(self) -> Self:
        beside = () if self.every is None else ("round_trips", "at_least")
        problems = [
            Problem(key, "conflict", "is given beside every; keep one of them")
            for key in beside
            if key in self.model_fields_set and getattr(self, key) is not None
        ]
        known = [feature.name for feature in features()]
        for name in self.observation:
            problems += unknown("observation", "unknown_feature", name, known)
        said = {problem.loc for problem in problems}
        try:
            _ = self.maker
        except _core.PolicyProblem as error:
            faults = [(loc.removeprefix("decide."), it) for loc, it in error.args[0]]
            problems += [Problem(loc, "range", it) for loc, it in faults if loc not in said]
        return refused(self, problems)

    @property
    def width(self) -> int:
        """Numbers of an observation."""
        return len(self.observation) * self.history

    @property
    def maker(self) -> _core.Policy:
        """Settings as the engine has them."""
        return _core.Policy(self.to_json())

    @property
    def chosen(self) -> tuple[Feature, ...]:
        """The features of one record."""
        by_name = {feature.name: feature for feature in features()}
        return tuple(by_name[name] for name in self.observation)

    def to_json(self) -> str:
        """The settings in SI units, as the engine and files of policies have them."""
        if self.every is not None:
            decide: Any = {"every": {"seconds": self.every}}
        else:
            number = 1.0 if self.round_trips is None else self.round_trips
            decide = {"round_trips": {"number": number, "at_least": self.at_least}}
        return json.dumps(
            {
                "observation": self.observation,
                "history": self.history,
                "action": self.action.resolved(),
                "decide": decide,
                "ecn": self.ecn,
            }
        )


def settings_from(table: Mapping[str, Any]) -> PolicySettings:
    """The settings that `PolicySettings.to_json` wrote."""
    action, decide, rule = table["action"], table["decide"], table["action"]["rule"]
    name, details = (rule, {}) if isinstance(rule, str) else next(iter(rule.items()))
    bounds: dict[str, Any] = {end: action[end] for end in ("least", "most")}
    if action["target"] == "rate":
        bounds = {end: f"{value} bit/s" for end, value in bounds.items()}
    times: dict[str, Any]
    if "every" in decide:
        times = {"every": f"{decide['every']['seconds']} s"}
    else:
        after = decide["round_trips"]
        times = {"round_trips": after["number"], "at_least": f"{after['at_least']} s"}
    return PolicySettings(
        observation=table["observation"],
        history=table["history"],
        action=Action(target=action["target"], rule=name, **details, **bounds),
        ecn=table["ecn"],
        **times,
    )


AURORA = PolicySettings()
"""Settings after Jay et al., ICML 2019 (Aurora): ten records of the RTT's gradient and ratio and
the sending ratio; the rate is changed by at most 2.5 % per round trip, there without a bound."""

MVFST_RL = PolicySettings(
    observation=(
        "rate",
        "srtt",
        "least_rtt",
        "queueing_delay",
        "window",
        "loss_ratio",
        "elapsed",
    ),
    history=1,
    action=Action(
        target="window",
        rule="choose",
        choices=((1.0, 0.0), (0.5, 0.0), (1.0, -10.0), (1.0, 10.0), (2.0, 0.0)),
        least=2,
        most=2000,
    ),
    every="100 ms",
)
"""Settings after Sivakumar et al., 2019 (MVFST-RL): every 100 ms the window is kept, halved, made
ten segments smaller or larger, or doubled. Its observation has more numbers than this one."""

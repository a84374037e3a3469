"""Settings of a policy: what it sees, when it decides, and what its answers mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal

from mesonet import _core
from mesonet.errors import InputError, Problem, did_you_mean, show
from mesonet.units import UnitError, parse_rate, parse_time

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


@dataclass(frozen=True)
class Action:
    """Meaning of the numbers that a policy answers with.

    Attributes:
        target: Quantity that is set: "window" [segments], or "rate", the pacing rate [bit/s], with
            a window that does not bind: twice what the rate fills in a smoothed round trip.
        rule: "absolute": the number is the value. "level": a number from -1 to 1 is the place of
            the value between `least` and `most`, on a scale of logarithms. "multiply": a number
            from -1 to 1 changes the value by at most `step`, as in Aurora: times `1 + step a`, or
            divided by `1 - step a` where `a` is negative. "choose": the number is the index of one
            of `choices`.
        step: Largest relative change of "multiply".
        choices: Pairs of "choose": the value is multiplied by the first and increased by the
            second number [segments or bit/s].
        least: Least value: segments, or a rate such as "100 kbit/s"; 1 segment or 100 kbit/s.
        most: Largest value; 10,000 segments or 10 Gbit/s.
    """

    target: Literal["window", "rate"] = "rate"
    rule: Literal["absolute", "level", "multiply", "choose"] = "multiply"
    step: float = 0.025
    choices: tuple[tuple[float, float], ...] = ()
    least: float | str | None = None
    most: float | str | None = None

    @property
    def discrete(self) -> bool:
        """True if the answer is an index."""
        return self.rule == "choose"


@dataclass(frozen=True)
class PolicySettings:
    """Observation, times of decisions and meaning of the answers; they go into a policy's file.

    Attributes:
        observation: Names of features, see `features`.
        history: Records that an observation holds, the oldest first; zeros before there are any.
        action: Meaning of the answers.
        every: Decide at all multiples of an interval of simulated time, such as "30 ms", from the
            flow's first ACK on.
        round_trips: Decide so many smoothed round trips after the decision before; 1 if `every`
            is not given either.
        at_least: Least time between two such decisions.
        ecn: Explicit congestion notification that the flow asks for: "none", "classic", "dctcp" or
            "l4s", as for `mesonet.Controller`; less where the hosts have no more.

    Raises:
        InputError: every problem with its place.
    """

    observation: tuple[str, ...] = ("rtt_gradient", "rtt_ratio", "send_ratio")
    history: int = 10
    action: Action = field(default_factory=Action)
    every: str | None = None
    round_trips: float | None = None
    at_least: str = "1 ms"
    ecn: Literal["none", "classic", "dctcp", "l4s"] = "classic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "observation", tuple(self.observation))
        _ = self.maker

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
        known = {feature.name: feature for feature in features()}
        return tuple(known[name] for name in self.observation)

    def to_json(self) -> str:
        """The settings in SI units, as the engine and files of policies have them."""
        problems = list(_shape_problems(self))
        known = [feature.name for feature in features()]
        problems += [
            Problem("observation", "unknown", f"no feature {show(name)}{_hint(name, known)}")
            for name in self.observation
            if name not in known
        ]
        least, most = (
            _bound(self.action, name, defaults, problems)
            for name, defaults in (("least", LEAST), ("most", MOST))
        )
        decide = _cadence(self, problems)
        if problems:
            raise InputError(problems)
        rule: Any = self.action.rule
        if rule == "multiply":
            rule = {"multiply": {"step": float(self.action.step)}}
        elif rule == "choose":
            pairs = [[float(number) for number in pair] for pair in self.action.choices]
            rule = {"choose": {"choices": pairs}}
        text = json.dumps(
            {
                "observation": list(self.observation),
                "history": self.history,
                "action": {
                    "target": self.action.target,
                    "rule": rule,
                    "least": least,
                    "most": most,
                },
                "decide": decide,
                "ecn": self.ecn,
            }
        )
        try:
            _core.Policy(text)
        except _core.PolicyProblem as error:
            raise InputError(Problem(loc, "range", said) for loc, said in error.args[0]) from None
        return text


def settings_from(table: Mapping[str, Any]) -> PolicySettings:
    """The settings that `PolicySettings.to_json` wrote."""
    action, decide, rule = table["action"], table["decide"], table["action"]["rule"]
    name, details = (rule, {}) if isinstance(rule, str) else next(iter(rule.items()))
    unit = (
        (lambda value: value) if action["target"] == "window" else (lambda value: f"{value} bit/s")
    )
    cadence: dict[str, Any]
    if "every" in decide:
        cadence = {"every": f"{decide['every']['seconds']} s"}
    else:
        given = decide["round_trips"]
        cadence = {"round_trips": given["number"], "at_least": f"{given['at_least']} s"}
    return PolicySettings(
        observation=tuple(table["observation"]),
        history=table["history"],
        action=Action(
            target=action["target"],
            rule=name,
            step=details.get("step", Action.step),
            choices=tuple((pair[0], pair[1]) for pair in details.get("choices", ())),
            least=unit(action["least"]),
            most=unit(action["most"]),
        ),
        ecn=table["ecn"],
        **cadence,
    )


def _hint(name: object, known: list[str]) -> str:
    return did_you_mean(name, known) or f"; known are {', '.join(known)}"


def _shape_problems(settings: PolicySettings) -> list[Problem]:
    """Problems that only Python can have: values of the wrong type."""
    found = []
    action: Any = settings.action
    if not isinstance(action, Action):
        return [Problem("action", "type", f"expected an Action, got {show(action)}")]
    for loc, value, choices in (
        ("action.target", action.target, ("window", "rate")),
        ("action.rule", action.rule, ("absolute", "level", "multiply", "choose")),
        ("ecn", settings.ecn, ("none", "classic", "dctcp", "l4s")),
    ):
        if value not in choices:
            message = f"expected one of {', '.join(choices)}, got {show(value)}"
            found.append(Problem(loc, "unknown", message + did_you_mean(value, choices)))
    if isinstance(settings.history, bool) or not isinstance(settings.history, int):
        message = f"expected a whole number, got {show(settings.history)}"
        found.append(Problem("history", "type", message))
    return found


def _bound(
    action: Action, name: str, defaults: Mapping[str, float], problems: list[Problem]
) -> float:
    value = getattr(action, name)
    if value is None:
        return defaults.get(action.target, 1.0)
    if action.target == "window":
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"expected a number of segments, got {show(value)}"
            problems.append(Problem(f"action.{name}", "type", message))
            return 1.0
        return float(value)
    try:
        rate = parse_rate(value)
    except UnitError as error:
        problems.append(Problem(f"action.{name}", "unit", str(error)))
        return 1.0
    if rate.of != "bits":
        message = f'expected a rate in bits such as "100 kbit/s", got {show(value)}'
        problems.append(Problem(f"action.{name}", "unit", message))
    return rate.value


def _cadence(settings: PolicySettings, problems: list[Problem]) -> dict[str, Any]:
    if settings.every is not None:
        if settings.round_trips is not None:
            message = "is given beside every; keep one of them"
            problems.append(Problem("round_trips", "conflict", message))
        return {"every": {"seconds": _time("every", settings.every, problems)}}
    number = 1.0 if settings.round_trips is None else settings.round_trips
    if isinstance(number, bool) or not isinstance(number, int | float):
        message = f"expected a number of round trips, got {show(number)}"
        problems.append(Problem("round_trips", "type", message))
    least = _time("at_least", settings.at_least, problems)
    return {"round_trips": {"number": number, "at_least": least}}


def _time(loc: str, value: object, problems: list[Problem]) -> float:
    try:
        return parse_time(value, unit="ms")
    except UnitError as error:
        problems.append(Problem(loc, "unit", str(error)))
        return 1.0


def replaced(settings: PolicySettings, **changes: Any) -> PolicySettings:
    """A copy of settings with some of them changed."""
    given = {it.name: getattr(settings, it.name) for it in fields(settings)}
    return PolicySettings(**(given | changes))


AURORA = PolicySettings()
"""Settings after Jay et al., ICML 2019 (Aurora): ten records of the RTT's gradient and ratio and
the sending ratio; the rate is changed by at most 2.5 % per round trip."""

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

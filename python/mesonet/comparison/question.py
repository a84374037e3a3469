"""The question of a comparison, and the plan that answers it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from mesonet.controller import unknown_names
from mesonet.errors import InputError, Problem, gathered
from mesonet.plan import Plan, plan_from_dict
from mesonet.scenario.transport import Profile
from mesonet.units import UnitError, format_time, parse_rate, parse_size, parse_time

INTERVAL = 0.1
"""Longest measurement interval [s]; in runs below a second a tenth of them."""
LATEST_START = 1.0
"""Latest start of a flow [s]; in short runs a twentieth of them."""
WARM_UP = 0.25
"""Part of a run that is not measured, unless another is asked for."""
RTT_SPREAD = 0.05
"""Part of the round-trip time by which it differs from repeat to repeat."""
SHARED = ("utilization", "sojourn_p50", "sojourn_p95", "flow_sent_again", "jain_index")
"""Responses of all flows of a run."""
BY_ALGORITHM = ("flow_goodput", "flow_sent_again")
"""Responses of the flows of each algorithm."""
_PACKET = 12_000
"""Size of a full packet [bit]."""


class Condition(NamedTuple):
    """One bottleneck: capacity, base round-trip time, room, probability of loss and discipline."""

    rate: str
    rtt: str
    buffer: str
    loss: float
    queue: str

    def value(self, name: str) -> str:
        """One of the values in words."""
        if name != "loss":
            return str(getattr(self, name))
        return f"random loss {self.loss:g}" if self.loss else "no random loss"

    def words(self) -> str:
        """The condition in words."""
        lost = f", {self.value('loss')}" if self.loss else ""
        return f"{self.rate}, {self.rtt}, {self.buffer}, {self.queue}{lost}"


class Match(NamedTuple):
    """Algorithms that share the bottleneck, with as many flows each; `other` is empty for one."""

    algorithm: str
    other: str = ""

    def words(self) -> str:
        """The match in words: the label of its alternative."""
        return f"{self.algorithm} beside {self.other}" if self.other else f"{self.algorithm} alone"

    def sides(self) -> Iterator[tuple[str, str]]:
        """Each algorithm of the match, and the one beside it."""
        yield self.algorithm, self.other
        if self.other not in ("", self.algorithm):
            yield self.other, self.algorithm


@dataclass(frozen=True)
class Question:
    """What was asked.

    Attributes:
        plan: The plan that answers it: a condition for each bottleneck, an alternative for each
            match. Replicates have other starts and slightly other round-trip times.
        algorithms: Names of the algorithms; the first is the one that others are compared with.
        beside: Algorithms that each of them shares the bottleneck with.
        conditions: Conditions of the plan, in order.
        flows: Flows of each algorithm in a match.
        host_jitter: Longest random delay of a packet at its host; `None` for the time that the
            bottleneck takes for a packet. Floyd and Jacobson (1992) give hosts as much, so that no
            phase between flows decides which of them loses.
    """

    plan: Plan
    algorithms: tuple[str, ...]
    beside: tuple[str, ...]
    conditions: tuple[Condition, ...]
    flows: int
    host_jitter: str | None

    @property
    def total(self) -> int:
        """Number of runs."""
        return self.plan.conditions * len(self.plan.alternatives) * self.plan.replicates

    @property
    def duration(self) -> str:
        """Simulated time of a run."""
        return format_time(self.plan.scenario.duration)

    def matches(self) -> tuple[Match, ...]:
        """Every algorithm alone, then every two that meet, and those beside their own kind."""
        return _matches(self.algorithms, self.beside)

    def words(self, condition: Condition) -> str:
        """Values of a condition that differ between conditions, in words; all if there is one."""
        if len(self.conditions) == 1:
            return condition.words()
        varied = [name for name in Condition._fields if len(self.values(name)) > 1]
        return ", ".join(condition.value(name) for name in varied)

    def values(self, name: str) -> list[str]:
        """Values of a part of the conditions, as text."""
        return list(dict.fromkeys(str(getattr(each, name)) for each in self.conditions))

    def transport(self) -> str:
        """TCP profiles and ECN of the hosts, in words."""
        scenario = self.plan.scenario
        profiles = dict.fromkeys(
            scenario.replace({"rate": rate}).effective_profile() for rate in self.values("rate")
        )
        ecn = "on" if scenario.transport.ecn else "off, but for algorithms that ask for it"
        jitter = self.host_jitter or "the time that the bottleneck takes for a packet"
        delays = f"random delay of packets at hosts up to {jitter}"
        return f"profile {', '.join(profiles)}; ECN {ecn}; {delays}"


def question(
    algorithms: Sequence[str],
    *,
    rate: str | Sequence[str] = "50 Mbit/s",
    rtt: str | Sequence[str] = "40 ms",
    buffer: str | Sequence[str] = "1 bdp",
    loss: float | Sequence[float] = 0.0,
    queue: str | Sequence[str] = "droptail",
    beside: Sequence[str] = (),
    flows: int = 1,
    repeats: int = 5,
    duration: str = "60 s",
    seed: int = 1,
    warm_up: float = WARM_UP,
    profile: Profile | None = None,
    ecn: bool = False,
    host_jitter: str | None = None,
) -> Question:
    """Makes a plan of what `mesonet.compare` is asked.

    Raises:
        InputError: Something cannot be simulated: every problem at once.
    """
    names = tuple(algorithms)
    others = tuple(dict.fromkeys(beside)) or names
    values = [
        _several(value, form)
        for value, form in zip((rate, rtt, buffer, loss, queue), _FORMS, strict=True)
    ]
    length = _seconds(duration)
    base = {
        "kind": "dumbbell",
        **{name: value[0] for name, value in zip(Condition._fields, values, strict=True) if value},
        "flows": [{"algorithm": name, "count": flows} for name in names[:1]],
        "duration": duration,
        "interval": format_time(min(INTERVAL, length / 10)),
        "warm_up": warm_up,
        "record_queues": True,
        "transport": {
            **({"ecn": True} if ecn else {}),
            **_jitter(host_jitter, (values[0] or [rate])[0]),
        },
    }
    tables = {
        "name": "comparison",
        "title": ", ".join(map(str, names)),
        "question": "What does each do alone, and to the others, over one bottleneck?",
        "scenario": base if profile is None else base | {"profile": profile},
        "factors": dict(_factors(values, host_jitter)),
        "alternatives": [
            {"label": match.words(), "set": {"flows": _flows(match, flows)}}
            for match in _matches(names, others)
        ],
        "replicates": repeats,
        "spread": {
            "rtt": RTT_SPREAD,
            "start": format_time(min(LATEST_START, length / 20)),
        },
        "seed": seed,
        "responses": [
            *SHARED,
            *(f"{name}:{who}" for name in BY_ALGORITHM for who in dict.fromkeys(names + others)),
        ],
    }
    problems = list[Problem]()
    with gathered(problems):
        plan = plan_from_dict(tables)
    problems = [_placed(problem) for problem in problems]
    texts = [name for name in (*names, *others) if isinstance(name, str)]
    problems += unknown_names({name: ["algorithms"] for name in texts})
    if host_jitter is None:
        # A delay that follows from the rate is too long where the rate is refused itself.
        problems = [problem for problem in problems if problem.loc != "host_jitter"]
    if problems:
        raise InputError(dict.fromkeys(problems))
    conditions = tuple(Condition(*each) for each in product(*values))
    return Question(plan, names, others, conditions, flows, host_jitter)


_FORMS: tuple[Callable[[Any], Any] | None, ...] = (
    parse_rate,
    lambda text: format_time(parse_time(text)),
    partial(parse_size, bdp=True),
    None,
    None,
)
"""How values of a condition are written, by place."""


def _several(value: object, form: Callable[[Any], Any] | None) -> list[Any]:
    """One or several values, each once, units as they are always written."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    written: list[Any] = []
    for each in values:
        try:
            text = each if form is None else str(form(each))
        except UnitError:
            text = each  # The scenario says what is wrong with it.
        if text not in written:
            written.append(text)
    return written


def _seconds(duration: object) -> float:
    try:
        return parse_time(duration) or 60.0
    except UnitError:
        return 60.0  # The scenario says what is wrong with it.


def _jitter(host_jitter: str | None, rate: str) -> dict[str, str]:
    """The longest delay at hosts: unless it is given, what the bottleneck takes for a packet."""
    if host_jitter is not None:
        return {"host_jitter": host_jitter}
    try:
        speed = parse_rate(rate)
        packets = speed.value / (_PACKET if speed.of == "bits" else 1)
        return {"host_jitter": format_time(round(1 / packets, 12))}
    except (UnitError, ZeroDivisionError):
        return {}  # The scenario says what is wrong with it.


def _factors(values: Sequence[list[Any]], host_jitter: str | None) -> Iterator[tuple[str, Any]]:
    """Factors of the parts of the conditions that vary; the first of a plan is the fastest."""
    for name, levels in reversed(list(zip(Condition._fields, values, strict=True))):
        jitters = [_jitter(host_jitter, level) for level in levels] if name == "rate" else []
        if len(levels) != 1:
            moved = all(jitters) and jitters and host_jitter is None
            yield (
                name,
                {
                    "path": [name, "transport.host_jitter"] if moved else name,
                    "levels": [
                        [level, jitter["host_jitter"]]
                        for level, jitter in zip(levels, jitters, strict=True)
                    ]
                    if moved
                    else levels,
                },
            )


def _matches(algorithms: Sequence[str], beside: Sequence[str]) -> tuple[Match, ...]:
    pairs: dict[frozenset[str], Match] = {}
    for pair in (*product(algorithms, beside), *zip(beside, beside, strict=True)):
        pairs.setdefault(frozenset(pair), Match(*pair))
    return (*map(Match, algorithms), *pairs.values())


def _flows(match: Match, count: int) -> list[dict[str, Any]]:
    """Flows of a match; of a kind beside itself there are twice as many."""
    sides = [match.algorithm, *([match.other] if match.other else [])]
    return [{"algorithm": name, "count": count} for name in sides]


_PLACES = {
    r"scenario\.flows\[\d+\]\.count|scenario\.flows": "flows",
    r"(scenario\.flows|alternatives|responses).*": "algorithms",
    r"replicates": "repeats",
    r"spread.*|scenario\.interval": "duration",
    r"(?:scenario\.transport|scenario|factors)\.(\w+).*": r"\1",
}
"""Keywords of a question by the places of its plan that they set."""


def _placed(problem: Problem) -> Problem:
    for pattern, keyword in _PLACES.items():
        if match := re.fullmatch(pattern, problem.loc):
            place = match.expand(keyword)
            return problem._replace(loc=place, message=problem.message.removeprefix(f"{place}: "))
    return problem

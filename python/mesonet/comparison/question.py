"""The question of a comparison, and the plan that answers it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from mesonet.comparison.links import DEFAULTS, DURATION, QUEUE, link_of, link_words, own_link
from mesonet.controller import Controller, name_of, name_problems, short
from mesonet.design import level_text
from mesonet.errors import InputError, PlanError, Problem, show
from mesonet.plan import Plan, plan_from_dict
from mesonet.scenario.named_paths import named_paths
from mesonet.scenario.transport import Profile
from mesonet.units import UnitError, format_time, parse_rate, parse_size, parse_time

if TYPE_CHECKING:
    from mesonet.scenario import Scenario

INTERVAL = 0.1
"""Longest measurement interval [s]; in runs below a second a tenth of them."""
LATEST_START = 1.0
"""Latest start of a flow [s]; in short runs a twentieth of them."""
WARM_UP = 0.25
"""Part of a run that is not measured, unless another is asked for."""
RTT_SPREAD = 0.05
"""Part of the round-trip time by which it differs from replicate to replicate."""
SHARED = (
    "utilization",
    "sojourn_p50",
    "sojourn_p95",
    "flow_retransmitted",
    "mark_rate",
    "jain_index",
)
"""Responses of all flows of a run."""
BY_ALGORITHM = ("flow_goodput", "flow_retransmitted")
"""Responses of the flows of each algorithm."""


class Condition(NamedTuple):
    """One bottleneck: capacity, base round-trip time, room, probability of loss and discipline.

    `path` is the name of the path that the first four are of, or empty.
    """

    path: str
    rate: str
    rtt: str
    buffer: str
    loss: float
    queue: str

    def columns(self) -> dict[str, Any]:
        """The values by the columns of a frame."""
        return {f"condition_{name}": value for name, value in self._asdict().items()}

    @property
    def in_bits(self) -> bool:
        """True if the capacity is in bits; data in packets have no bits."""
        return parse_rate(self.rate).of == "bits"

    def value(self, name: str) -> str:
        """One of the values in words."""
        if name == "path":
            return f"path {self.path}"
        if name != "loss":
            return level_text(getattr(self, name))
        return f"random loss {self.loss:g}" if self.loss else "no random loss"

    def words(self) -> str:
        """The condition in words."""
        lost = f", {self.value('loss')}" if self.loss else ""
        named = f"{self.path}: " if self.path else ""
        return f"{named}{level_text(self.rate)}, {self.rtt}, {self.buffer}, {self.queue}{lost}"


class Match(NamedTuple):
    """Algorithms that share the bottleneck, with as many flows each; `other` is empty for one."""

    algorithm: str
    other: str = ""

    def words(self) -> str:
        """The match in words: the label of its alternative."""
        return f"{self.algorithm} versus {self.other}" if self.other else f"{self.algorithm} alone"

    def sides(self) -> Iterator[tuple[str, str]]:
        """Each algorithm of the match, and its opponent."""
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
        versus: Opponents, which each of them shares the bottleneck with.
        conditions: Conditions of the plan, in order.
        matches: What its alternatives stand for, in order.
        flows: Flows of each algorithm in a match.
        host_jitter: Longest random delay of a packet at its host; `None` for the time that the
            bottleneck takes for a packet. Floyd and Jacobson (1992) give hosts as much, so that no
            phase between flows decides which of them loses.
    """

    plan: Plan
    algorithms: tuple[str, ...]
    versus: tuple[str, ...]
    conditions: tuple[Condition, ...]
    matches: tuple[Match, ...]
    flows: int
    host_jitter: str | None
    link: str = ""
    """Files of the link, in words."""

    @property
    def total(self) -> int:
        """Number of runs."""
        return self.plan.conditions * len(self.plan.alternatives) * self.plan.replicates

    @property
    def duration(self) -> str:
        """Simulated time of a run."""
        return format_time(self.plan.scenario.duration)

    @property
    def where(self) -> str:
        """The condition in words; of several, their number and the values that all have."""
        first = self.conditions[0]
        if len(self.conditions) == 1:
            return self.words(first)
        alike = [name for name in Condition._fields if len(self.values(name)) == 1]
        fixed = ", ".join(first.value(name) for name in alike if getattr(first, name))
        return f"{self.link}{len(self.conditions)} conditions{' with ' if fixed else ''}{fixed}"

    def words(self, condition: Condition) -> str:
        """Values of a condition that differ between conditions, in words; all if there is one."""
        if len(self.conditions) == 1:
            return f"{self.link}{condition.words()}"
        alike = [it for it in self.conditions if it.path == condition.path]
        varied = [
            name
            for name in Condition._fields
            if len({getattr(it, name) for it in alike}) > 1
            or (name == "path" and len(self.values(name)) > 1)
        ]
        return ", ".join(condition.value(name) for name in varied)

    def values(self, name: str) -> list[str]:
        """Values of a part of the conditions, as text."""
        return list(dict.fromkeys(str(getattr(condition, name)) for condition in self.conditions))

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
    algorithms: Iterable[str | type[Controller]],
    *,
    path: str | Sequence[str] = (),
    rate: str | Sequence[str] | None,
    rtt: str | Sequence[str] | None,
    buffer: str | Sequence[str] | None,
    loss: float | Sequence[float] | None,
    queue: str | Sequence[str] | None,
    versus: str | type[Controller] | Iterable[str | type[Controller]],
    flows: int,
    replicates: int,
    duration: str | None,
    seed: int,
    scenario: Scenario | str | os.PathLike[str] | None = None,
    trace: str | Sequence[str] = (),
    warm_up: float = WARM_UP,
    profile: Profile | None = None,
    ecn: bool = False,
    host_jitter: str | None = None,
) -> Question:
    """Makes a plan of what `mesonet.compare` is asked; `InputError` has all that is wrong."""
    names = tuple(map(name_of, algorithms))
    both = (versus,) if isinstance(versus, str | type) else versus
    opponents = tuple(map(name_of, both)) or names
    if wrong := [name for name in names + opponents if not isinstance(name, str)]:
        message = f'expected a name such as "cubic", got {show(wrong[0])}; names stand one by one'
        raise InputError([Problem("algorithms", "type", message)])
    problems = [
        Problem("algorithms", "duplicate", f"{show(short(name))} is named {count} times")
        for name, count in Counter(names).items()
        if count > 1
    ]
    names = tuple(dict.fromkeys(names))
    codes = {short(name): name for name in dict.fromkeys(names + opponents)}
    both_sides = {name: ["algorithms"] for name in names + opponents}
    names, opponents = tuple(map(short, names)), tuple(dict.fromkeys(map(short, opponents)))
    asked = {"rate": rate, "rtt": rtt, "buffer": buffer, "loss": loss, "queue": queue}
    if trace and rate is not None:
        raise InputError([Problem("rate", "conflict", "is that of the trace; keep one of them")])
    own = link_of(scenario, trace)
    duration = duration or str(own.get("duration", DURATION))
    default: dict[str, Any] = {"path": path} if path else DEFAULTS | own_link(own)
    default["queue"] = own.get("queue", QUEUE)
    asked = default | {name: value for name, value in asked.items() if value is not None}
    values = {name: _several(name, value) for name, value in asked.items()}
    capacities = values.get("rate") or [_keys(name).get("rate") for name in values["path"]]
    rates = [(rate, host_jitter or _service_time(rate)) for rate in capacities]
    length = _read(parse_time, duration) or 60.0
    transport = {**own.get("transport", {}), "host_jitter": rates[0][1] if rates else "0 s"}
    base = {
        "kind": "dumbbell",
        **own,
        **{name: levels[0] for name, levels in values.items() if levels},
        "flows": [{"algorithm": codes[name], "count": flows} for name in names[:1]],
        "duration": duration,
        "interval": format_time(min(INTERVAL, length / 10)),
        "warm_up": warm_up,
        "record_queues": True,
        "profile": profile or own.get("profile"),
        "transport": transport | ({"ecn": True} if ecn else {}),
    }
    matches = _matches(names, opponents)
    table = {
        "name": "comparison",
        "title": ", ".join(names),
        "question": "What does each do alone, and to the others, over one bottleneck?",
        "scenario": {name: value for name, value in base.items() if value is not None},
        # The first factor of a plan is the fastest.
        "factors": {
            name: _factor(name, values, [jitter for _, jitter in rates])
            for name, levels in reversed(values.items())
            if len(levels) != 1
        },
        "alternatives": [
            {
                "label": match.words(),
                "set": {
                    "flows": [{"algorithm": codes[who], "count": flows} for who in match if who]
                },
            }
            for match in matches
        ],
        "replicates": replicates,
        "spread": {"rtt": RTT_SPREAD, "start": format_time(min(LATEST_START, length / 20))},
        "seed": seed,
        "responses": [
            *SHARED,
            *(f"{name}:{who}" for name in BY_ALGORITHM for who in dict.fromkeys(names + opponents)),
        ],
    }
    problems += name_problems(both_sides, {})
    try:
        plan = plan_from_dict(table)
    except PlanError as error:
        problems = [*map(_placed, error.problems), *problems]
    if host_jitter is None:
        # A delay that follows from the rate is too long where the rate is refused itself.
        problems = [problem for problem in problems if problem.loc != "host_jitter"]
    if problems:
        raise InputError(dict.fromkeys(problems))
    cells = (dict(zip(values, levels, strict=True)) for levels in product(*values.values()))
    conditions = tuple(map(_condition, cells))
    link = link_words(scenario, trace)
    return Question(plan, names, opponents, conditions, matches, flows, host_jitter, link)


def _keys(path: str) -> dict[str, Any]:
    """What the name of a path sets; nothing, if there is none."""
    return named_paths()[path].keys if path in named_paths() else {}


def _factor(name: str, values: Mapping[str, list[Any]], jitters: Sequence[str]) -> dict[str, Any]:
    """The factor of a part of the conditions, with what follows from it."""
    places, levels = [name], [[level] for level in values[name]]
    if name == "path":
        # Values for all paths have to be set anew, after each path's own.
        fixed = {it: its[0] for it, its in values.items() if it not in _OUTSIDE and len(its) == 1}
        places += fixed
        levels = [[*level, *fixed.values()] for level in levels]
    if name == ("rate" if "rate" in values else "path"):
        places.append("transport.host_jitter")
        levels = [[*level, jitter] for level, jitter in zip(levels, jitters, strict=True)]
    if len(places) == 1:
        return {"path": name, "levels": values[name]}
    return {"path": places, "levels": levels}


_OUTSIDE = ("path", "queue")
"""Parts of a condition that the name of a path does not set."""


def _condition(cell: Mapping[str, Any]) -> Condition:
    name = cell.get("path", "")
    keys = {"loss": 0.0, **_keys(name), **cell, "path": name, "queue": level_text(cell["queue"])}
    return Condition(*(keys[name] for name in Condition._fields))


_FORMS: dict[str, Callable[[Any], Any]] = {
    "rate": lambda value: str(parse_rate(value)),
    "rtt": lambda value: format_time(parse_time(value)),
    "buffer": lambda value: str(parse_size(value, bdp=True)),
}
"""How values of a condition are always written."""


def _read(parse: Callable[[Any], Any], value: object) -> Any:
    """What a text stands for; `None` if it is wrong, as the scenario says."""
    try:
        return parse(value)
    except UnitError:
        return None


def _several(name: str, value: object) -> list[Any]:
    """One or several values of a part of the conditions, each once."""
    values = value if isinstance(value, list | tuple) else [value]
    if name in _FORMS:
        values = [_read(_FORMS[name], value) or value for value in values]
    return [value for place, value in enumerate(values) if value not in values[:place]]


def _service_time(rate: object) -> str:
    """Time that the bottleneck takes for a packet."""
    capacity = _read(parse_rate, rate)
    if capacity is None or not capacity.value:
        return "0 s"
    return format_time(round(capacity.packet_time, 12))


def _matches(algorithms: Sequence[str], versus: Sequence[str]) -> tuple[Match, ...]:
    """Every algorithm alone, then every two that meet, and those versus their own kind."""
    pairs: dict[frozenset[str], Match] = {}
    for pair in (*product(algorithms, versus), *zip(versus, versus, strict=True)):
        pairs.setdefault(frozenset(pair), Match(*pair))
    return (*map(Match, algorithms), *pairs.values())


_PLACES = {
    r"scenario\.flows\[\d+\]\.count": "flows",
    r"(scenario\.flows|alternatives|responses).*": "algorithms",
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

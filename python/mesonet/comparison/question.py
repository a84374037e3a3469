"""The question of a comparison: algorithms, conditions and matches, and the scenarios of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from hashlib import blake2b
from itertools import product
from typing import Any

from mesonet.controller import name_problems
from mesonet.errors import InputError, Problem, ScenarioError, show
from mesonet.numbers import whole
from mesonet.scenario.dumbbell import MAX_FLOWS, Dumbbell
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.scenario.transport import Profile
from mesonet.simulation import MAX_SEED, check
from mesonet.units import UnitError, format_time, parse_rate, parse_size, parse_time

MAX_RUNS = 100_000
"""Most runs of one comparison; larger questions are campaigns."""
INTERVAL = 0.1
"""Longest measurement interval [s]; in runs below a second a tenth of them."""
_INTERVALS = 10
LATEST_START = 1.0
"""Latest start of a flow [s]; in short runs a twentieth of them."""
_STARTS_WITHIN = 0.05
WARM_UP = 0.25
"""Part of a run that is not measured, unless another is asked for."""
_DURATION = "60 s"
"""Duration with which everything else is looked at where it is wrong itself."""
RTT_SPREAD = 0.05
"""Part of the round-trip time by which it differs from repeat to repeat.

Without it a flow alone would do the same in every repeat, and an accident of phases between round
trips and packets would look like a property of the algorithm (Floyd and Kohler, 2003).
"""


@dataclass(frozen=True)
class Condition:
    """One bottleneck, as it was asked for.

    Attributes:
        rate: Capacity, such as "50 Mbit/s".
        rtt: Base round-trip time, such as "40 ms".
        buffer: Room for waiting packets, such as "1 bdp".
        loss: Probability of random loss.
        queue: Name of the queue discipline.
    """

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


@dataclass(frozen=True)
class Match:
    """Flows that share the bottleneck: those of one algorithm, or as many of two.

    Attributes:
        algorithm: Algorithm of the first flows.
        other: Algorithm of the others; empty if there are none.
    """

    algorithm: str
    other: str = ""

    def __iter__(self) -> Iterator[str]:
        return iter((self.algorithm, self.other) if self.other else (self.algorithm,))

    def words(self) -> str:
        """The match in words."""
        return f"{self.algorithm} beside {self.other}" if self.other else f"{self.algorithm} alone"


@dataclass(frozen=True)
class Question:
    """Everything that a comparison depends on.

    Attributes:
        algorithms: Names of the algorithms; the first is the one that others are compared with.
        beside: Algorithms that each of them shares the bottleneck with.
        conditions: Conditions, in order.
        flows: Flows of each algorithm in a match.
        repeats: Repeats of every match, with other start times and slightly other round-trip times.
        duration: Simulated time, such as "60 s".
        warm_up: Part of it that is not measured.
        seed: Seed of start times, round-trip times, delays at hosts and random losses.
        profile: TCP options of all hosts; `None` for those that go with the unit of the rate.
        ecn: True if hosts have ECN switched on for every algorithm that can answer marks.
        host_jitter: Longest random delay of a packet at its sending host, such as "1 ms"; `None`
            for the time that the bottleneck takes for a packet. Floyd and Jacobson (1992) give
            hosts as much, so that no phase between flows decides which of them loses.
    """

    algorithms: tuple[str, ...]
    beside: tuple[str, ...]
    conditions: tuple[Condition, ...]
    flows: int
    repeats: int
    duration: str
    warm_up: float
    seed: int
    profile: Profile | None
    ecn: bool
    host_jitter: str | None

    @property
    def baseline(self) -> str:
        """Algorithm that the others are compared with."""
        return self.algorithms[0]

    def matches(self) -> tuple[Match, ...]:
        """Every algorithm alone, then every two that meet, and those beside their own kind."""
        alone = [Match(name) for name in self.algorithms]
        pairs: dict[frozenset[str], tuple[str, str]] = {}
        own = ((name, name) for name in self.beside)
        for pair in (*product(self.algorithms, self.beside), *own):
            pairs.setdefault(frozenset(pair), pair)
        return (*alone, *(Match(*pair) for pair in pairs.values()))

    def words(self, condition: Condition) -> str:
        """Values of a condition that differ between conditions, in words; all if there is one."""
        if len(self.conditions) == 1:
            return condition.words()
        varied = [
            each.name
            for each in fields(Condition)
            if len({getattr(one, each.name) for one in self.conditions}) > 1
        ]
        return ", ".join(condition.value(name) for name in varied)

    def total(self) -> int:
        """Number of runs."""
        return len(self.conditions) * len(self.matches()) * self.repeats

    def runs(self) -> Iterator[tuple[Condition, Match, int]]:
        """All runs: the first repeat of everything, then the second, and so on."""
        for repeat in range(1, self.repeats + 1):
            for condition, match in product(self.conditions, self.matches()):
                yield condition, match, repeat

    def scenario(self, condition: Condition, match: Match, repeat: int) -> Dumbbell:
        """The scenario of a run.

        In a repeat all matches have the same start times and the same round-trip time.
        """
        length = parse_time(self.duration)
        latest = min(LATEST_START, length * _STARTS_WITHIN)
        stretch = 1 + RTT_SPREAD * (2 * self._draw(repeat, 0) - 1)
        starts = (
            f"{round(self._draw(repeat, place) * latest * 1e6)} us"
            for place in range(1, 2 * self.flows + 1)
        )
        transport: dict[str, Any] = {"ecn": True} if self.ecn else {}
        if self.host_jitter is not None:
            transport["host_jitter"] = self.host_jitter
        scenario = dumbbell(
            rate=condition.rate,
            rtt=_stretched(condition.rtt, stretch),
            buffer=condition.buffer,
            loss=condition.loss,
            queue=condition.queue,
            flows=[
                flow(algorithm, name=name, start=next(starts))
                for algorithm, names in zip(match, self.flow_names(match), strict=False)
                for name in names
            ],
            duration=self.duration,
            interval=format_time(min(INTERVAL, length / _INTERVALS)),
            warm_up=self.warm_up,
            record_queues=True,
            profile=self.profile,
            transport=transport,
        )
        if self.host_jitter is not None:
            return scenario
        jitter = format_time(round(1 / scenario.bottleneck(), 12))
        return scenario.replace({"transport.host_jitter": jitter})

    def transport(self) -> str:
        """TCP profiles and ECN of the hosts, in words."""
        first = (self.scenario(each, self.matches()[0], 1) for each in self.conditions)
        profiles = ", ".join(dict.fromkeys(each.effective_profile() for each in first))
        ecn = "on" if self.ecn else "off, but for algorithms that ask for it"
        jitter = self.host_jitter or "the time that the bottleneck takes for a packet"
        return f"profile {profiles}; ECN {ecn}; random delay of packets at hosts up to {jitter}"

    def flow_names(self, match: Match) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the flows of the first algorithm of a match, and of the other."""
        numbers = range(1, self.flows + 1)
        first = tuple(f"{match.algorithm}-{number}" for number in numbers)
        if not match.other:
            return first, ()
        # Two groups of one kind count on.
        before = self.flows if match.other == match.algorithm else 0
        return first, tuple(f"{match.other}-{before + number}" for number in numbers)

    def run_seed(self, repeat: int) -> int:
        """Seed of the random losses of a repeat."""
        return self.seed + repeat - 1

    def _draw(self, repeat: int, place: int) -> float:
        """Uniform number from 0 to below 1 that depends on nothing but the seed and its place."""
        text = f"{self.seed} {repeat} {place}".encode()
        return int.from_bytes(blake2b(text, digest_size=6).digest()) / 2**48


def question(
    algorithms: Sequence[str],
    *,
    rate: str | Sequence[str],
    rtt: str | Sequence[str],
    buffer: str | Sequence[str],
    loss: float | Sequence[float],
    queue: str | Sequence[str],
    beside: Sequence[str],
    flows: int,
    repeats: int,
    duration: str,
    seed: int,
    warm_up: float = WARM_UP,
    profile: Profile | None = None,
    ecn: bool = False,
    host_jitter: str | None = None,
) -> Question:
    """A question whose every scenario can be simulated.

    Raises:
        InputError: Something cannot be simulated: every problem at once.
    """
    odd = [
        Problem(name, "type", _no_text(each, name))
        for name, given in {"rate": rate, "rtt": rtt, "buffer": buffer, "queue": queue}.items()
        for each in (given if isinstance(given, list | tuple) else [given])
        if not isinstance(each, str)
    ]
    odd += [
        Problem("loss", "type", f"expected a number or several, got {show(each)}")
        for each in (loss if isinstance(loss, list | tuple) else [loss])
        if isinstance(each, list | tuple | set | dict)
    ]
    if odd:
        raise InputError(odd)
    names = tuple(dict.fromkeys(_named(algorithms, "algorithms")))
    twice = [*_twice(algorithms, "algorithms"), *_twice(beside, "beside")]
    forms = (parse_rate, _time, partial(parse_size, bdp=True), None, None)
    given = (rate, rtt, buffer, loss, queue)
    conditions = product(*(_several(each, form) for each, form in zip(given, forms, strict=True)))
    asked = Question(
        algorithms=names,
        beside=tuple(dict.fromkeys(_named(beside, "beside"))) or names,
        conditions=tuple(Condition(*each) for each in dict.fromkeys(conditions)),
        flows=whole(flows),
        repeats=whole(repeats),
        duration=duration,
        warm_up=warm_up,
        seed=whole(seed),
        profile=profile,
        ecn=ecn,
        host_jitter=host_jitter,
    )
    late = list(_length(duration))
    problems = [*twice, *_counts(asked), *late]
    # What is wrong with counts and duration hides nothing else.
    if problems:
        length = _DURATION if late else duration
        asked = replace(asked, flows=1, repeats=1, seed=0, duration=length)
    problems += _refused(asked)
    # A scenario that cannot be read hides what its algorithms are called.
    named = [name for name in (*names, *asked.beside) if isinstance(name, str)]
    problems += name_problems({name: ["algorithms"] for name in named}, {}, loaded=False)
    if problems:
        # Some scenarios say it with everything else, and some do not get so far.
        problems.sort(key=lambda problem: problem.kind == "unknown_algorithm")
        raise InputError(list(dict.fromkeys(problems)))
    return asked


_PARSERS: dict[str, Callable[[object], object]] = {
    "rate": parse_rate,
    "rtt": partial(parse_time, unit="ms"),
    "buffer": partial(parse_size, bdp=True),
}


def _no_text(value: object, name: str) -> str:
    """Message on a value that is no text, such as a number without its unit."""
    try:
        if name in _PARSERS:
            _PARSERS[name](value)
    except UnitError as error:
        return str(error)
    return f"expected a text or several, got {show(value)}"


def _named(given: Sequence[object], name: str) -> Sequence[str]:
    """Names of algorithms; a list in place of one is a mistake that Python would word badly."""
    for each in given:
        if isinstance(each, list | tuple | set | dict):
            message = f'expected a name such as "cubic", got {show(each)}; names stand one by one'
            raise InputError([Problem(name, "type", message)])
    return given  # type: ignore[return-value]


def _twice(given: Sequence[object], name: str) -> Iterator[Problem]:
    for each, times in Counter(given).items():
        if times > 1:
            message = (
                f"{show(each)} is named {times} times; two settings of one algorithm are compared "
                "by a plan whose alternatives set its parameters"
            )
            yield Problem(name, "duplicate", message)


def _stretched(rtt: str, factor: float) -> str:
    try:
        return f"{round(parse_time(rtt) * factor * 1e9)} ns"
    except UnitError:
        return rtt  # The scenario says what is wrong with it.


def _time(text: object) -> str:
    return format_time(parse_time(text))


def _several(given: object, form: Callable[[object], object] | None) -> list[Any]:
    """One or several values, units as they are always written."""
    values = list(given) if isinstance(given, list | tuple) else [given]
    return [_written(value, form) for value in values]


def _written(value: object, form: Callable[[object], object] | None) -> object:
    try:
        return value if form is None else str(form(value))
    except UnitError:
        return value  # The scenario says what is wrong with it.


def _counts(asked: Question) -> Iterator[Problem]:
    if not asked.algorithms:
        message = 'expected at least one algorithm, such as "cubic"; got none'
        yield Problem("algorithms", "missing", message)
    if not asked.conditions:
        yield Problem("conditions", "missing", "expected at least one value of everything")
    found = False
    wholes = {"flows": (asked.flows, 1), "repeats": (asked.repeats, 1), "seed": (asked.seed, 0)}
    for name, (value, least) in wholes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            message = f"expected a whole number of at least {least}, got {value!r}"
            yield Problem(name, "range", message)
            found = True
    if not found and asked.run_seed(asked.repeats) > MAX_SEED:
        message = (
            f"expected at most {MAX_SEED + 1 - asked.repeats}, for every repeat has a seed of its "
            f"own, got {asked.seed}"
        )
        yield Problem("seed", "range", message)
    # Before a name is made for each of them, which would take all memory.
    if not found and 2 * asked.flows > MAX_FLOWS:
        message = f"expected at most {MAX_FLOWS // 2} flows of each algorithm, got {asked.flows}"
        yield Problem("flows", "too_large", message)
    if not found and asked.total() > MAX_RUNS:
        message = f"expected at most {MAX_RUNS} runs, got {asked.total()}; a plan can have more"
        yield Problem("repeats", "too_large", message)


def _length(duration: str) -> Iterator[Problem]:
    try:
        if not parse_time(duration):
            yield Problem("duration", "value", f"expected a time above zero, got {show(duration)}")
    except UnitError as error:
        yield Problem("duration", "value", str(error))


def _refused(asked: Question) -> Iterator[Problem]:
    """Problems of the scenarios of the first repeat, in the words of the question."""
    for condition, match in product(asked.conditions, asked.matches()):
        try:
            check(asked.scenario(condition, match, 1))
        except ScenarioError as error:
            for problem in error.problems:
                inside = problem.loc.startswith("flows[") or problem.loc.startswith("algorithms[")
                place = "algorithms" if inside else problem.loc.removeprefix("transport.")
                # A delay that follows from the rate is too long where the rate is refused itself.
                if place != "host_jitter" or asked.host_jitter is not None:
                    yield problem._replace(loc=place)

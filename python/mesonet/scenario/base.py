"""Common part of all scenarios: transport, clock, reading by path, and writing as TOML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, Self

import tomli_w
from pydantic import Field

from mesonet.controller import short
from mesonet.errors import Problem, ScenarioError, did_you_mean, show
from mesonet.scenario.queues import NAMED_TABLES
from mesonet.scenario.rate_changes import VaryingRate
from mesonet.scenario.transport import PARAMETERS, Profile, Transport, resolve_transport
from mesonet.scenario.types import (
    Duration,
    Frozen,
    Given,
    Number,
    PositiveInt,
    PositiveNumber,
    SegmentsOrInf,
    TrueOrFalse,
    Written,
)
from mesonet.units import format_time

if TYPE_CHECKING:
    from mesonet.scenario.flows import NamedApplication

MAX_DURATION = 1_000_000.0
"""Longest run [s]; the kernel counts picoseconds in 64 bits."""
MAX_INTERVALS = 1_000_000
"""Most measurement intervals of one run."""

_RECORDED = ("segments", "queues", "packets")
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_OUTSIDE = re.compile(r"parameters\.((?:python|library):.+)")
"""The parameters of a controller that is not built in, whose name has dots."""


class NamedFlow(NamedTuple):
    """Properties of a named flow that are known before the run."""

    algorithm: str
    """Its congestion control."""
    base_rtt: float
    """Its round-trip propagation delay [s]: without queues, serialisation or processing."""
    start: float
    """Time at which it connects [s]."""
    is_file: bool = False
    """Whether it is over with its last segment."""


class ScenarioBase(Frozen):
    """Everything of a run but the seed. Immutable; `replace` makes a changed copy."""

    kind: str
    """Kind of scenario."""
    profile: Profile | None = None
    """Set of options: `mesonet`, `rfc`, `linux`, an edition of it like `linux-6.18`, or `quic`."""
    transport: Given[Transport] = Field(default_factory=Transport)
    """TCP options that differ from the profile."""
    initial_window: PositiveNumber | None = None
    """Initial window [segments]; when not given, the profile's."""
    initial_ssthresh: SegmentsOrInf = float("inf")
    """Initial slow-start threshold [segments]."""
    interval: Duration
    """Measurement interval; every series has one entry for each."""
    duration: Duration
    """Simulated time."""
    warm_up: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    """Fraction of the duration that is left out of what responses measure."""
    periods: Annotated[PositiveInt, Field(le=100)] = 1
    """Equal measured periods after the warm-up."""
    record_transfers: TrueOrFalse = False
    """Record one row for every completed transfer."""
    record_queues: TrueOrFalse = False
    """Record sojourn times, drops and marks by cause, and the control variable of the queues whose
    length is recorded."""
    record_packets: TrueOrFalse = False
    """Record every packet of the named flows at both hosts, and the state of their senders, for
    `run.to_pcapng` and `run.to_qlog`: about 200 bytes for each segment that is sent."""
    parameters: Annotated[
        dict[str, dict[str, Number]],
        Written("tables such as { ctcp = { gamma = 20 } }"),
    ] = Field(default_factory=dict)
    """Parameters of algorithms by name."""

    def resolve(self) -> dict[str, Any]:
        """The resolved scenario in SI units, ready for the simulator."""
        raise NotImplementedError

    resolved_places: ClassVar[Mapping[str, str]] = {"measure.interval": "interval"}
    """Keys of the scenario by pattern of the places in what it resolves to."""

    def place_of(self, resolved: str) -> str:
        """The key that a place in the resolved scenario follows from; the place where none does."""
        for pattern, key in self.resolved_places.items():
            if match := re.fullmatch(pattern, resolved):
                return match.expand(key)
        return resolved

    def geometry(self) -> dict[str, list[dict[str, Any]]]:
        """Nodes (name, label, lat, lon) and links (a, b, delay_ms) of the network map.

        Both lists are empty for a scenario without places.
        """
        return {"nodes": [], "links": []}

    def notes(self) -> tuple[str, ...]:
        """Notes on what was filled in for files, or left out of them, a sentence each."""
        return ()

    def station_places(self) -> dict[str, str]:
        """The node of the network map at which each station stands; empty without places."""
        return {}

    def timeline(self) -> dict[str, tuple[float, float]]:
        """The measured periods after the warm-up, in order: name to (start, end) [s]."""
        bounds = self._equal_periods(self.periods)
        return {f"period {number}": bound for number, bound in enumerate(bounds, start=1)}

    def _equal_periods(self, count: int) -> list[tuple[float, float]]:
        start = self.warm_up * self.duration
        length = (self.duration - start) / count
        return [(start + at * length, start + (at + 1) * length) for at in range(count)]

    def bottleneck(self) -> float | None:
        """Capacity of a laboratory's bottleneck [segments/s]; `None` in a scenario without one."""
        return None

    def varying_rate(self) -> VaryingRate | None:
        """Capacity of the bottleneck over time; `None` where it does not change."""
        return None

    def payload(self) -> int | None:
        """Payload of a full segment [bit]; `None` in a scenario whose rates are in packets."""
        return None

    def congestion(self) -> tuple[float, float] | None:
        """Begin and end of a population's larger files [s]; `None` if they never are."""
        return None

    def forward_flows(self) -> tuple[str, ...]:
        """Named flows that cross the bottleneck in its forward direction."""
        return ()

    def named_flows(self) -> dict[str, NamedFlow]:
        """The named flows of the scenario, in the order of the results."""
        return {}

    def applications(self) -> dict[str, NamedApplication]:
        """Applications of named flows by name, in the order of the results."""
        return {}

    def algorithm_places(self) -> dict[str, list[str]]:
        """Places in the scenario that name each algorithm."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Plain data as it would stand in a file; `scenario_from_dict` reads it back."""
        return self._plain()

    def _plain(self, exclude: Iterable[str] = ()) -> dict[str, Any]:
        data = self.model_dump(mode="json", exclude_none=True, exclude=set(exclude))
        return {name: value for name, value in data.items() if value != {}}

    def to_toml(self) -> str:
        """The scenario as the text of a TOML file; `load_scenario` reads it back."""
        return tomli_w.dumps(self.to_dict())

    def replace(self, changes: Mapping[str, Any] | None = None, **values: Any) -> Self:
        """A copy with values changed by path: `{"think_time": "5 s", "flows[0].rtt": "9 ms"}`.

        Values of the scenario itself may be keywords, too: `scenario.replace(rtt="9 ms")`.
        """
        paths, refused = {**(changes or {}), **values}, dict[str, Problem]()
        # Flows and rates may be many, and are right already; nobody changes them in place.
        touched = {re.split(r"[.\[]", path)[0] for path in paths}
        parts = {
            name: part
            for name in type(self).model_fields
            if name not in touched and _is_read(part := getattr(self, name))
        }
        data = self._plain(exclude={*parts, *paths}) | parts
        for path, value in paths.items():
            if problem := _set(data, path, value, type(self).model_fields):
                refused[path] = problem
        if len(refused) == len(paths) > 0:
            raise ScenarioError(refused.values())
        # As unknown keys they are refused again, so that nothing is concluded from their absence.
        data |= dict.fromkeys(refused)
        try:
            return self.from_dict(data)
        except ScenarioError as error:
            remaining = [it for it in error.problems if it.loc not in refused]
            raise ScenarioError([*refused.values(), *remaining]) from None

    def effective_profile(self) -> Profile:
        """The profile, also where the scenario leaves it to its default."""
        return self.profile or "rfc"

    def transport_options(self) -> dict[str, Any]:
        """Every TCP option in SI units, the profile and the overrides combined."""
        return resolve_transport(
            self.effective_profile(), self.transport, self.initial_window, self.initial_ssthresh
        )

    def measured(self, stations: list[int]) -> dict[str, Any]:
        """The `measure` of the resolved scenario; what is not recorded is left out."""
        recorded = {name: True for name in _RECORDED if getattr(self, f"record_{name}", False)}
        return {
            **recorded,
            "interval": self.interval,
            "stations": stations,
            "transfers": self.record_transfers,
            "groups_from": self.warm_up * self.duration,
        }

    def _clock_problems(self) -> list[Problem]:
        problems = []
        if self.duration > MAX_DURATION:
            message = f"expected at most {MAX_DURATION:.0f} s, got {format_time(self.duration)}"
            problems.append(Problem("duration", "too_large", message))
        if self.interval > self.duration:
            limit, interval = format_time(self.duration), format_time(self.interval)
            message = f"expected at most the duration ({limit}), got {interval}"
            problems.append(Problem("interval", "too_large", message))
        elif self.duration / self.interval > MAX_INTERVALS:
            count = f"{self.duration / self.interval:.0f}"
            message = f"expected at most {MAX_INTERVALS} intervals in the duration, got {count}"
            problems.append(Problem("interval", "too_small", message))
        elif problem := self._warm_up_problem() or self._periods_problem():
            problems.append(problem)
        options = self.transport_options()
        if options["rto_min"] > options["rto_max"]:
            message = (
                f"expected at most rto_max ({options['rto_max']} s), got {options['rto_min']} s"
            )
            problems.append(Problem("transport.rto_min", "too_large", message))
        return problems

    def _warm_up_problem(self) -> Problem | None:
        """Problem of a warm-up after which no interval is whole: nothing would be measured."""
        start = self.warm_up * self.duration
        # An interval counts where its middle lies, and a shorter one at the end does not.
        last = (int(self.duration / self.interval + 1e-6) - 0.5) * self.interval
        if last >= start * (1 - 1e-9):
            return None
        maximum = math.floor(1000 * last / self.duration) / 1000
        message = (
            f"expected at most {maximum:g}, so that a whole interval is measured "
            f"({format_time(self.interval)}, duration {format_time(self.duration)}), "
            f"got {self.warm_up:g}"
        )
        return Problem("warm_up", "too_large", message)

    def _periods_problem(self) -> Problem | None:
        """Problem of periods in which no interval is whole: their responses would be undefined."""
        maximum = self._most_periods()
        if self.periods == maximum:
            return None
        after = f" after the warm-up ({self.warm_up:g})" if self.warm_up else ""
        message = (
            f"expected at most {maximum}, so that a whole interval is measured in each "
            f"({format_time(self.interval)}, duration {format_time(self.duration)}){after}, "
            f"got {self.periods}"
        )
        return Problem("periods", "too_large", message)

    def _settle_periods(self) -> None:
        """Takes fewer periods where their number is left to its default and too large."""
        if "periods" not in self.model_fields_set:
            self.__dict__["periods"] = self._most_periods()

    def _most_periods(self) -> int:
        """Number of periods, or the largest below it of which each has a whole interval."""
        fewer = range(self.periods, 1, -1)
        return next((count for count in fewer if self._all_measure(count)), 1)

    def _all_measure(self, periods: int) -> bool:
        """Tests whether so many periods have the middle of a whole interval each."""
        whole = int(self.duration / self.interval + 1e-6)
        for start, end in self._equal_periods(periods):
            first = math.ceil(start / self.interval - 0.5 - 1e-9)
            if first >= whole or first + 0.5 >= end / self.interval - 1e-9:
                return False
        return True

    def _parameter_problems(self, algorithms: list[str]) -> list[Problem]:
        algorithms = list(map(short, algorithms))
        return [
            Problem(
                f"parameters.{name}",
                "unknown_key",
                f"not an algorithm of this scenario{did_you_mean(name, algorithms)}; "
                f"its algorithms are {', '.join(algorithms)}",
            )
            for name in self.parameters
            if name not in algorithms
        ]


def algorithm_table(names: list[str], scenario: ScenarioBase) -> list[dict[str, Any]]:
    """The `algorithms` of a resolved scenario: parameters of its profile, and those it gives."""
    defaults = PARAMETERS.get(scenario.effective_profile(), {})
    overrides = scenario.parameters
    return [
        {"name": name, "params": defaults.get(name, {}) | overrides.get(short(name), {})}
        for name in names
    ]


def _is_read(part: object) -> bool:
    """Tests for a table that was read, or some of them."""
    return isinstance(part, Frozen) or (
        isinstance(part, tuple) and bool(part) and isinstance(part[0], Frozen)
    )


def _parts(path: str, *, is_table: bool) -> list[str | int]:
    """Keys and indices of a path; of one that sets a table the last is its name."""
    if outside := _OUTSIDE.fullmatch(path):
        name, _, parameter = (outside[1], "", "") if is_table else outside[1].rpartition(".")
        return ["parameters", name, *([parameter] if parameter else [])]
    return [name if name else int(index) for name, index in _PART.findall(path)]


def _set(data: dict[str, Any], path: str, value: Any, keys: Iterable[str]) -> Problem | None:
    """Puts `value` at `path`. Unknown last keys pass: validation names them, with a suggestion."""
    parts = _parts(path, is_table=isinstance(value, Mapping))
    if not parts or isinstance(parts[0], int):
        return Problem(path, "path", 'expected a path such as "think_time" or "flows[0].algorithm"')
    if "*" in path:
        return Problem(path, "path", "there are no wildcards: expected a path for each place")
    if parts[0] not in keys:
        return Problem(path, "unknown_key", f"unknown key{did_you_mean(parts[0], keys)}")
    target: Any = data
    for here, part in enumerate(parts):
        if isinstance(part, int):
            fits, what = isinstance(target, list) and part < len(target), f"a list with [{part}]"
        else:
            fits, what = isinstance(target, dict), f'a table with the key "{part}"'
        if not fits:
            return Problem(path, "path", f"expected {what}, found {show(target)}")
        if here == len(parts) - 1:
            target[part] = value
        else:
            inner = target[part] if isinstance(part, int) else target.setdefault(part, {})
            if isinstance(inner, str) and not {*parts[: here + 1]}.isdisjoint(NAMED_TABLES):
                inner = target[part] = {"kind": inner}
            target = inner
    return None

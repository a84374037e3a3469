"""Queue disciplines in scenarios: a name, or a table of parameters with units.

The engine's catalogue says which there are; no default and no range has a second copy here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, NamedTuple

from pydantic import PlainSerializer, PlainValidator

from mesonet.errors import Problem, ProblemsError, did_you_mean, join, show
from mesonet.scenario.mechanisms import QueueInfo, QueueParameter, QueueValue, queue_faults, queues
from mesonet.scenario.types import MAX_WHOLE, Given, Written
from mesonet.units import (
    Rate,
    Size,
    UnitError,
    format_rate,
    format_size,
    format_time,
    parse_rate,
    parse_size,
    parse_time,
)

WRITTEN = 'name such as "fq_codel", or table such as { kind = "codel", target = "5 ms" }'
"""Notation of a queue in a file."""
NAMED_TABLES = ("queue", "reverse_queue", "ecn_impairment")
"""Fields of scenarios in which a name is short for a table with that `kind`."""
DEFAULT = "droptail"
"""Discipline of a queue of which nothing is said."""


@dataclass(frozen=True)
class Queue:
    """A queue discipline and the parameters that a scenario sets."""

    kind: str
    """Name of the discipline."""
    settings: Mapping[str, QueueValue] = field(default_factory=dict)
    """Parameters that are set, in SI units; the others have their defaults."""

    @classmethod
    def of(cls, value: object) -> Queue:
        """Reads a name or a table; `ProblemsError` with everything that is wrong."""
        if isinstance(value, Queue):
            return value
        problems: list[Problem] = []
        queue = read_queue(value, problems)
        if queue is None or problems:
            raise ProblemsError(problems)
        return queue

    @property
    def parameters(self) -> dict[str, QueueValue]:
        """Every parameter with its value in SI units."""
        defaults = {it.name: it.default for it in queue_info(self.kind).parameters}
        return defaults | dict(self.settings)

    def resolved(self) -> dict[str, Any]:
        """The discipline of a station of a resolved scenario."""
        return {"name": self.kind, **self.parameters}

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        parameters = {it.name: it for it in queue_info(self.kind).parameters}
        return {
            "kind": self.kind,
            **{name: written(parameters[name], value) for name, value in self.settings.items()},
        }

    def problems(self, buffer: Mapping[str, int] | None = None) -> list[Problem]:
        """Values that do not go together, or not with the buffer of the station."""
        faults = queue_faults(self.resolved(), buffer)
        return [Problem(name, "parameter", message) for name, message in faults]


QueueField = Given[
    Annotated[Queue, PlainValidator(Queue.of), PlainSerializer(Queue.to_table), Written(WRITTEN)]
]
"""A queue; `"codel"` or a table outside."""


@cache
def queue_info(kind: str) -> QueueInfo:
    """The discipline of that name, of which there is one."""
    return next(info for info in queues() if info.name == kind)


def read_queue(value: object, problems: list[Problem], beside: Iterable[str] = ()) -> Queue | None:
    """A queue from a name or a table; what is wrong is added to `problems`.

    `beside` are keys that the caller reads from the same table; an error about a key names them.
    """
    if isinstance(value, str):
        return Queue(value) if _known_kind(value, "", problems) else None
    if not isinstance(value, Mapping):
        message = f"expected the name of a queue discipline or a table, got {show(value)}"
        problems.append(Problem("", "type", message))
        return None
    kind = value.get("kind")
    settings = {str(name): setting for name, setting in value.items() if name != "kind"}
    if "kind" not in value:
        problems.append(Problem("kind", "missing", f"missing; {_names()}"))
        anywhere = {it.name: it for info in queues() for it in info.parameters}
        unknown_keys(settings, ("kind", *anywhere, *beside), problems)
        return None
    if not _known_kind(kind, "kind", problems):
        return None
    parameters = {it.name: it for it in queue_info(str(kind)).parameters}
    unknown_keys(settings, ("kind", *parameters, *beside), problems)
    return _checked(str(kind), parameters, settings, problems)


def _checked(
    kind: str,
    parameters: Mapping[str, QueueParameter],
    settings: Mapping[str, object],
    problems: list[Problem],
) -> Queue:
    values: dict[str, QueueValue] = {}
    out_of_range: set[str] = set()
    for name, setting in settings.items():
        if name not in parameters:
            continue
        try:
            values[name] = read_value(parameters[name], setting)
        except ValueError as error:
            problems.append(Problem(name, "value", str(error)))
            continue
        if message := _out_of_range(parameters[name], values[name], setting):
            problems.append(Problem(name, "range", message))
            out_of_range.add(name)
    queue = Queue(kind, values)
    # A value that could not be read may be the one that another depends on.
    complete = values.keys() == parameters.keys() & settings.keys()
    if complete and all(it is None or 0 <= it <= MAX_WHOLE for it in values.values()):
        problems += [problem for problem in queue.problems() if problem.loc not in out_of_range]
    return queue


def _known_kind(kind: object, loc: str, problems: list[Problem]) -> bool:
    names = [info.name for info in queues()]
    if kind in names:
        return True
    hint = did_you_mean(kind, names) if isinstance(kind, str) else ""
    message = f"expected a queue discipline, got {show(kind)}{hint}; {_names()}"
    problems.append(Problem(loc, "unknown", message))
    return False


def _names() -> str:
    return f"there are {', '.join(info.name for info in queues())}"


def unknown_keys(table: Iterable[object], keys: Sequence[str], problems: list[Problem]) -> None:
    """Adds a problem for each key that is not known, with the nearest that is."""
    for key in table:
        if key not in keys:
            hint = did_you_mean(key, keys) or f"; known keys are {', '.join(keys)}"
            problems.append(Problem(str(key), "unknown_key", f"unknown key{hint}"))


class _Notation(NamedTuple):
    """Quantities of a unit as they stand in files."""

    read: Callable[[object], float]
    write: Callable[[float], Any]
    example: str
    plain: bool = False


def _size(value: object, of: str) -> float:
    size = parse_size(value, unit="B" if of == "bytes" else "packets")
    if size.of != of:
        raise UnitError(f"expected a size in {of}, got {show(value)}")
    return size.value


def _number(value: object) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -math.inf < value < math.inf:  # type: ignore[operator]
        raise UnitError(f"expected a finite number, got {show(value)}")
    return value  # type: ignore[return-value]


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() and abs(value) <= MAX_WHOLE else value


def _written_bytes(value: float) -> str:
    return format_size(Size(value, "bytes")) if value % 1000 == 0 else f"{_plain(value)} B"


_PLAIN = _Notation(_number, _plain, "number", plain=True)
_NOTATIONS = {
    "s": _Notation(lambda value: parse_time(value, unit="ms"), format_time, 'time, such as "5 ms"'),
    "bit/s": _Notation(
        lambda value: parse_rate(value, of="bits").value,
        lambda value: format_rate(Rate(value, "bits")),
        'rate, such as "10 Mbit/s"',
    ),
    "bytes": _Notation(
        lambda value: _size(value, "bytes"), _written_bytes, 'size, such as "1514 B" or "64 kB"'
    ),
    "packets": _Notation(
        lambda value: _size(value, "packets") if isinstance(value, str) else _number(value),
        _plain,
        "number of packets",
        plain=True,
    ),
}


def read_value(parameter: QueueParameter, value: object) -> QueueValue:
    """The value that stands in a file, in SI units; `ValueError` if it is none."""
    none = value is None or value == "none"
    if parameter.optional and none:
        return None
    if parameter.kind == "switch":
        if isinstance(value, bool):
            return value
        raise ValueError(f"expected true or false, got {show(value)}")
    try:
        number = _NOTATIONS.get(parameter.unit, _PLAIN).read(value)
    except UnitError as error:
        hint = '; "none" is for none' if parameter.optional else ""
        raise ValueError(f"{error}{hint}") from None
    if parameter.kind == "number":
        return float(number)
    if isinstance(number, float) and not number.is_integer():
        raise ValueError(f"expected a whole number, got {show(value)}")
    return int(number)


def _out_of_range(parameter: QueueParameter, value: QueueValue, setting: object) -> str | None:
    if value is None or parameter.kind == "switch" or parameter.min <= value <= parameter.max:
        return None
    low = value < parameter.min
    limit = written(parameter, parameter.min if low else parameter.max)
    return f"expected at {'least' if low else 'most'} {limit}, got {show(setting)}"


def written(parameter: QueueParameter, value: QueueValue) -> Any:
    """A value in SI units as it stands in a file."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return value
    return _NOTATIONS.get(parameter.unit, _PLAIN).write(value)


def values_of(parameter: QueueParameter) -> str:
    """Values of a parameter in words, for lists and pages."""
    if parameter.kind == "switch":
        return "true or false"
    notation = _NOTATIONS.get(parameter.unit, _PLAIN)
    whole = "whole " if notation.plain and parameter.kind == "whole" else ""
    unit = f" [{parameter.unit}]" if notation is _PLAIN and parameter.unit != "1" else ""
    none = ', or "none"' if parameter.optional else ""
    return f"{whole}{notation.example}{unit}{none}"


def range_of(parameter: QueueParameter) -> str:
    """Range of a parameter as it stands in files; empty for a switch."""
    if parameter.kind == "switch":
        return ""
    return f"{written(parameter, parameter.min)} to {written(parameter, parameter.max)}"


def placed(problems: Iterable[Problem], loc: str) -> list[Problem]:
    """Problems of a part, at its place."""
    return [problem._replace(loc=join(loc, problem.loc)) for problem in problems]

"""Congestion controllers: what can be named in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mesonet import _core
from mesonet.errors import Problem, did_you_mean, show


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that an algorithm can be tuned with; `unit` is "1" for a pure number."""

    name: str
    default: float
    unit: str
    doc: str


@dataclass(frozen=True, slots=True)
class ControllerInfo:
    """A congestion controller by name, where its rules are published, and its parameters."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]


def controllers() -> tuple[ControllerInfo, ...]:
    """All congestion controllers that a scenario can name."""
    return tuple(
        ControllerInfo(
            entry["name"],
            entry["summary"],
            entry["source"],
            tuple(
                Parameter(param["name"], param["default"], param["unit"], param["doc"])
                for param in entry["params"]
            ),
        )
        for entry in _core.algorithms()
    )


def name_problems(
    places: Mapping[str, Sequence[str]], parameters: Mapping[str, Mapping[str, float]]
) -> Iterator[Problem]:
    """What is wrong with algorithms by name.

    `places` says where each name stands in the scenario; `parameters` are theirs by name.
    """
    known = {info.name: info for info in controllers()}
    for name, locs in places.items():
        if name in known:
            continue
        hint = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
        for loc in locs:
            message = f"expected a congestion controller, got {show(name)}{hint}"
            yield Problem(loc, "unknown_algorithm", message)
    for name, values in parameters.items():
        choices = [param.name for param in known[name].parameters] if name in known else None
        if choices is None:
            continue
        for key in values:
            if key not in choices:
                hint = did_you_mean(key, choices) or f"; it has {', '.join(choices) or 'none'}"
                message = f'"{name}" has no such parameter{hint}'
                yield Problem(f"parameters.{name}.{key}", "unknown_key", message)

"""Mechanisms of the engine that scenarios name, with the catalogue of queue disciplines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from mesonet import _core
from mesonet.text import Listing

TRANSPORT_OPTIONS: tuple[dict[str, Any], ...] = tuple(_core.transport_options())
"""Options of the transport: `name`, `kind` with `words`, `min`, `max`, `unit`, and `doc`.

`default` is what is off, and `None` of options that each profile has."""

QueueValue = float | int | bool | None
"""Value of a parameter in SI units; `None` is "none"."""


@dataclass(frozen=True, slots=True)
class QueueParameter:
    """A parameter of a queue discipline; numbers in SI units, `unit` "1" for a pure number."""

    name: str
    default: QueueValue
    kind: Literal["number", "whole", "switch"]
    optional: bool
    """True if "none" may be given."""
    min: float
    max: float
    unit: str
    doc: str


@dataclass(frozen=True, slots=True)
class QueueInfo:
    """A queue discipline by name, where its rules are published, and its parameters."""

    name: str
    summary: str
    source: str
    control: str
    """Meaning of its control variable in records, with the unit; empty if it has none."""
    parameters: tuple[QueueParameter, ...]


@cache
def queues() -> Listing[QueueInfo]:
    """All queue disciplines that a scenario can name.

    Examples:
        >>> queues()[0].name
        'droptail'
    """
    return Listing(
        QueueInfo(
            entry["name"],
            entry["summary"],
            entry["source"],
            entry["control"],
            tuple(QueueParameter(**parameter) for parameter in entry["params"]),
        )
        for entry in _core.disciplines()
    )


def queue_faults(
    resolved: Mapping[str, Any], buffer: Mapping[str, int] | None = None
) -> list[tuple[str, str]]:
    """Parameters of a resolved discipline that the engine refuses, with what is wrong with each.

    `buffer` is that of the station in packets or bytes, where it is known.
    """
    return _faults(json.dumps(resolved, allow_nan=False), *sorted((buffer or {}).items()))


# The routers of a tier have the same discipline and, mostly, the same buffer.
@lru_cache(maxsize=4096)
def _faults(text: str, *buffer: tuple[str, int]) -> list[tuple[str, str]]:
    return _core.discipline_faults(text, **dict(buffer))

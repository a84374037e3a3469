"""Routers that change the ECN field of packets, against RFC 3168, as some on the Internet do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mesonet.errors import Problem, did_you_mean, show
from mesonet.scenario.queues import unknown_keys

Kind = Literal["none", "bleach", "strip", "ect1_to_ect0"]
"""No change; every codepoint to Not-ECT; CE to ECT(0); ECT(1) to ECT(0)."""
KINDS: tuple[str, ...] = get_args(Kind)
"""Names of the changes."""


@dataclass(frozen=True)
class EcnImpairment:
    """A change of the ECN field on arrival at a router."""

    kind: str = "none"
    """Name of the change."""

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        return {"kind": self.kind}


def read_impairment(
    value: object, problems: list[Problem], beside: Iterable[str]
) -> EcnImpairment | None:
    """An impairment from a name or a table; what is wrong is added to `problems`."""
    loc = "kind" if isinstance(value, Mapping) else ""
    kind = value.get("kind") if isinstance(value, Mapping) else value
    if isinstance(value, Mapping):
        unknown_keys(value, ("kind", *beside), problems)
    if kind in KINDS:
        return EcnImpairment(str(kind))
    hint = did_you_mean(kind, KINDS) if isinstance(kind, str) else ""
    expected = ", ".join(f'"{name}"' for name in KINDS)
    message = f"expected one of {expected}, got {show(kind)}{hint}"
    problems.append(Problem(loc, "unknown", message))
    return None

"""Settings of a national network's routers: one for all, others by tier, and by a share of a tier.

A router takes the setting of its class (D, F, N), else that of `access`, else that of all; PoPs and
backbone routers take that of their tier, else that of all. A setting with a share goes to the
routers drawn for it alone, and the others take what they would have without it.

Draws are nested: routers stand in the order of a hash of the seed and their name, and a share takes
the first of them. So the routers of 40 % are among those of 60 %, whatever else is deployed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field

from mesonet.errors import Problem, ProblemsError, gathered
from mesonet.numbers import exact
from mesonet.scenario.ecn_impairment import EcnImpairment
from mesonet.scenario.queues import Queue, placed, unknown_keys
from mesonet.scenario.tiers import Tier
from mesonet.scenario.types import MAX_WHOLE, Frozen, NonNegativeInt, Probability

TIERS = ("backbone", "pop", "access", "D", "F", "N")
"""Keys of a table by tier; `access` stands for its three classes."""
SHARE_KEYS = ("share", "share_seed")
"""Keys of a setting that goes to a part of the routers."""


S = TypeVar("S", bound=Queue | EcnImpairment)
Read = Callable[[object, list[Problem], Iterable[str]], S | None]
"""Reads a name or a table, adds what is wrong, and takes keys that others read as known."""


@dataclass(frozen=True)
class Deployment(Generic[S]):
    """A setting, and the part of a tier's routers that have it."""

    setting: S
    share: float | None = None
    """Share of the routers; None for all."""
    share_seed: int | None = None
    """Seed of the draw; None for 1."""

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        share = {"share": self.share, "share_seed": self.share_seed}
        return self.setting.to_table() | {key: it for key, it in share.items() if it is not None}

    def routers(self, names: Sequence[str]) -> frozenset[str]:
        """The routers that have the setting."""
        if self.share is None:
            return frozenset(names)
        return drawn(names, self.share, 1 if self.share_seed is None else self.share_seed)


def drawn(names: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """A share of routers: the nearest whole number of them, those of a smaller share included."""
    count = math.floor(exact(float(share)) * len(names) + Fraction(1, 2))

    def turn(name: str) -> bytes:
        return hashlib.sha256(f"{seed}:{name}".encode()).digest()

    return frozenset(sorted(names, key=turn)[:count])


@dataclass(frozen=True)
class ByTier(Generic[S]):
    """The settings of a network's routers."""

    default: S
    """Setting of routers that no other applies to, those outside of every share."""
    everywhere: Deployment[S]
    """Setting of the routers that no tier's applies to."""
    by_tier: Mapping[str, Deployment[S]] = field(default_factory=dict)
    """Settings by tier or class."""

    @classmethod
    def of(cls, value: object, read: Read[S], default: S) -> ByTier[S]:
        """Reads a name or a table; `ProblemsError` with everything that is wrong."""
        if isinstance(value, ByTier):
            return value
        if isinstance(value, type(default)):
            return cls(default, Deployment(value))
        problems: list[Problem] = []
        table = value if isinstance(value, Mapping) else {}
        tiers = {str(key): entry for key, entry in table.items() if key in TIERS}
        rest = {key: entry for key, entry in table.items() if key not in TIERS}
        everywhere: Deployment[S] | None = Deployment(default)
        if tiers and "kind" not in rest:
            unknown_keys(rest, ("kind", *TIERS), problems)
        else:
            whole = rest if isinstance(value, Mapping) else value
            everywhere = _deployment(whole, read, (*SHARE_KEYS, *TIERS), problems)
        by_tier: dict[str, Deployment[S]] = {}
        for tier, entry in tiers.items():
            tier_problems: list[Problem] = []
            if (deployment := _deployment(entry, read, SHARE_KEYS, tier_problems)) is not None:
                by_tier[tier] = deployment
            problems += placed(tier_problems, tier)
        if problems or everywhere is None:
            raise ProblemsError(problems)
        return cls(default, everywhere, by_tier)

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        tiers = {tier: self.by_tier[tier].to_table() for tier in TIERS if tier in self.by_tier}
        return self.everywhere.to_table() | tiers

    def of_routers(self, routers: Sequence[tuple[str, Tier]]) -> list[tuple[str, S]]:
        """The setting of each router, given by name and tier, after its place in the table."""
        if not self.by_tier and self.everywhere.share is None:
            return [("", self.everywhere.setting)] * len(routers)
        chosen = {
            key: deployment.routers([name for name, tier in routers if key in _keys(tier)])
            for key, deployment in [*self.by_tier.items(), ("", self.everywhere)]
        }
        return [self._of(name, tier, chosen) for name, tier in routers]

    def _of(self, name: str, tier: Tier, chosen: Mapping[str, frozenset[str]]) -> tuple[str, S]:
        for key in _keys(tier):
            if name in chosen.get(key, ()):
                return key, self.by_tier.get(key, self.everywhere).setting
        return "", self.default


def _keys(tier: Tier) -> tuple[str, ...]:
    """Keys that apply to a tier, the one that wins first; "" is that of all routers."""
    return (tier, "") if tier in ("backbone", "pop") else (tier, "access", "")


class _Share(Frozen):
    share: Probability | None = None
    share_seed: Annotated[NonNegativeInt, Field(le=MAX_WHOLE)] | None = None


def _deployment(
    value: object, read: Read[S], beside: Iterable[str], problems: list[Problem]
) -> Deployment[S] | None:
    table = value if isinstance(value, Mapping) else {}
    rest = {key: entry for key, entry in table.items() if key not in SHARE_KEYS}
    setting = read(rest if isinstance(value, Mapping) else value, problems, beside)
    with gathered(problems):
        deployed = _Share.from_dict({key: table[key] for key in SHARE_KEYS if key in table})
    if setting is None or problems:
        return None
    return Deployment(setting, deployed.share, deployed.share_seed)

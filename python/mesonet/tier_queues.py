"""Queues of a national network: one for all routers, others by tier, and by a share of a tier.

A router takes the queue of its class (D, F, N), else that of `access`, else that of all; PoPs and
backbone routers take that of their tier, else that of all. A queue with a share goes to the
routers drawn for it alone, and the others take what they would have without it.

Draws are nested: routers stand in the order of a hash of the seed and their name, and a share takes
the first of them. So the routers of 40 % are among those of 60 %, whatever else is deployed.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mesonet.errors import Problem, ProblemsError, did_you_mean, join, show
from mesonet.scenario_queues import DEFAULT, Queue, placed, read_queue
from mesonet.scenario_types import MAX_WHOLE
from mesonet.tiers import Tier, exact

TIERS = ("backbone", "pop", "access", "D", "F", "N")
"""Keys of a table of queues; `access` stands for its three classes."""
SHARE_KEYS = ("share", "share_seed")
"""Keys of a queue that goes to a part of the routers."""
WRITTEN = (
    'name such as "fq_codel", table such as { kind = "codel", target = "5 ms" }, or by tier '
    'such as { access = { kind = "fq_codel", share = 0.6 } }'
)
"""Notation of the queues of a network in a file."""


@dataclass(frozen=True)
class Deployment:
    """A queue, and the part of a tier's routers that have it."""

    queue: Queue
    share: float | None = None
    """Share of the routers; None for all."""
    share_seed: int | None = None
    """Seed of the draw; None for 1."""

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        given = {"share": self.share, "share_seed": self.share_seed}
        return self.queue.to_table() | {key: it for key, it in given.items() if it is not None}

    def routers(self, names: Sequence[str]) -> frozenset[str]:
        """The routers that have the queue."""
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
class TierQueues:
    """The queues of a network's routers."""

    everywhere: Deployment = field(default_factory=lambda: Deployment(Queue(DEFAULT)))
    """Queue of the routers that no other applies to."""
    by_tier: Mapping[str, Deployment] = field(default_factory=dict)
    """Queues by tier or class."""

    @classmethod
    def of(cls, value: object) -> TierQueues:
        """Reads a name or a table; `ProblemsError` with everything that is wrong."""
        if isinstance(value, TierQueues):
            return value
        if isinstance(value, Queue):
            return cls(Deployment(value))
        problems: list[Problem] = []
        table = value if isinstance(value, Mapping) else {}
        tiers = {str(key): entry for key, entry in table.items() if key in TIERS}
        rest: object = {key: entry for key, entry in table.items() if key not in TIERS}
        if not isinstance(value, Mapping):
            rest = value
        everywhere = _everywhere(rest, tiers, problems)
        by_tier: dict[str, Deployment] = {}
        for tier, entry in tiers.items():
            found: list[Problem] = []
            deployment = _deployment(entry, SHARE_KEYS, found)
            problems += placed(found, tier)
            if deployment is not None:
                by_tier[tier] = deployment
        if problems or everywhere is None:
            raise ProblemsError(problems)
        return cls(everywhere, by_tier)

    def to_table(self) -> dict[str, Any]:
        """Plain data as it would stand in a file."""
        tiers = {tier: self.by_tier[tier].to_table() for tier in TIERS if tier in self.by_tier}
        return self.everywhere.to_table() | tiers

    def paths(self) -> Iterator[str]:
        """Places of the table that exist, or may be set."""
        yield from (*self.everywhere.queue.paths(), *SHARE_KEYS, *TIERS)
        for tier, deployment in self.by_tier.items():
            within = (*deployment.queue.paths(), *SHARE_KEYS)
            yield from (join(tier, path) for path in within)

    def of_routers(self, routers: Sequence[tuple[str, Tier]]) -> list[tuple[str, Queue]]:
        """The queue of each router, given by name and tier, after its place in the table."""
        chosen = {
            key: deployment.routers([name for name, tier in routers if key in _keys(tier)])
            for key, deployment in [*self.by_tier.items(), ("", self.everywhere)]
        }
        return [self._of(name, tier, chosen) for name, tier in routers]

    def _of(self, name: str, tier: Tier, chosen: Mapping[str, Iterable[str]]) -> tuple[str, Queue]:
        for key in _keys(tier):
            if name in chosen.get(key, ()):
                return key, self.by_tier.get(key, self.everywhere).queue
        return "", Queue(DEFAULT)


def _keys(tier: Tier) -> tuple[str, ...]:
    """Keys that apply to a tier, the one that wins first; "" is that of all routers."""
    return (tier, "") if tier in ("backbone", "pop") else (tier, "access", "")


def _everywhere(
    rest: object, tiers: Mapping[str, object], problems: list[Problem]
) -> Deployment | None:
    if isinstance(rest, Mapping) and tiers and "kind" not in rest:
        # Beside tiers, a key that is no tier is a misspelt one.
        for key in rest:
            names = ["kind", *TIERS]
            hint = did_you_mean(key, names) or f"; known keys are {', '.join(names)}"
            problems.append(Problem(str(key), "unknown_key", f"unknown key{hint}"))
        return Deployment(Queue(DEFAULT))
    return _deployment(rest, (*SHARE_KEYS, *TIERS), problems)


def _deployment(value: object, beside: Iterable[str], problems: list[Problem]) -> Deployment | None:
    if not isinstance(value, Mapping):
        queue = read_queue(value, problems, beside)
        return None if queue is None else Deployment(queue)
    rest = {key: entry for key, entry in value.items() if key not in SHARE_KEYS}
    queue = read_queue(rest, problems, beside)
    share, seed = value.get("share"), value.get("share_seed")
    if share is not None and (not _is_number(share) or not 0 <= share <= 1):
        message = f"expected a number from 0 to 1, got {show(share)}"
        problems.append(Problem("share", "range", message))
    if seed is not None and not (
        _is_number(seed) and float(seed).is_integer() and 0 <= seed <= MAX_WHOLE
    ):
        message = f"expected a whole number from 0 to {MAX_WHOLE}, got {show(seed)}"
        problems.append(Problem("share_seed", "range", message))
    elif seed is not None and share is None:
        message = "draws the routers of a share; share is missing"
        problems.append(Problem("share_seed", "conflict", message))
    if queue is None or problems:
        return None
    return Deployment(
        queue, None if share is None else float(share), None if seed is None else int(seed)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

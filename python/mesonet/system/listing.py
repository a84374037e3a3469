"""Catalogues that Python and notebooks show one entry to a line."""

from __future__ import annotations

from typing import Any, TypeVar

E = TypeVar("E")


class Listing(tuple[E, ...]):
    """Entries with name and summary, in order; each has all that is known of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        entries: tuple[Any, ...] = self
        width = max((len(entry.name) for entry in entries), default=0)
        return "\n".join(f"{entry.name:<{width}}  {entry.summary}" for entry in entries)

"""Catalogues that Python and notebooks show one entry to a line."""

from __future__ import annotations

from typing import Protocol, TypeVar


class Entry(Protocol):
    """Entry of a catalogue."""

    @property
    def name(self) -> str:
        """Name that chooses it."""

    @property
    def summary(self) -> str:
        """Summary in a line."""


E = TypeVar("E", bound=Entry)


class Listing(tuple[E, ...]):
    """Entries in order, shown by name and summary; each has all that is known of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        width = max((len(entry.name) for entry in self), default=0)
        return "\n".join(f"{entry.name:<{width}}  {entry.summary}" for entry in self)

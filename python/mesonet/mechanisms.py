"""Names of the engine's mechanisms, which scenarios take from here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mesonet import _core

if TYPE_CHECKING:
    Discipline = str
    Recovery = str
else:
    Discipline = Literal[tuple(row["name"] for row in _core.disciplines())]
    """Queue discipline of a router."""
    Recovery = Literal[tuple(_core.recoveries())]
    """Loss recovery of a sender."""

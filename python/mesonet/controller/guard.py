"""Guard of code that is not mesonet's: asked before a controller or a study's code is loaded.

Programs that use mesonet have none: what they name, they run. The command line sets one, which asks
the user first and keeps such code in a process of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Code:
    """Code that something names, and the files that are loaded for it."""

    name: str
    """Its name, such as `python:aimd.Aimd`."""
    files: tuple[Path, ...]


class Guard:
    """Admits all code."""

    def admit(self, code: Sequence[Code]) -> None:
        """Returns if all of it may be loaded; raises otherwise."""

    @contextlib.contextmanager
    def loading(self, name: str) -> Iterator[None]:  # noqa: ARG002 - others want it
        """Surrounds the loading of code, which runs it."""
        yield


_guard = Guard()


def guard() -> Guard:
    """The guard of this process."""
    return _guard


@contextlib.contextmanager
def guarded(other: Guard) -> Iterator[None]:
    """Sets another guard for a while."""
    global _guard
    before, _guard = _guard, other
    try:
        yield
    finally:
        _guard = before

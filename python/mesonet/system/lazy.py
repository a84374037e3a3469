"""Packages whose names are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package, so that a process loads what it needs and nothing else.

    Args:
        package: name of the package.
        places: modules of the package, by the names that they define.
    """

    def found(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{places[name]}"), name)

    return found


def above(place: str) -> Any:
    """Something of a layer above, by its full name: drawing lies above what is drawn.

    Most processes never draw, so it is imported when it is used. Nothing else imports upward.
    """
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)

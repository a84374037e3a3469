"""Names that the shell completes: algorithms, queue disciplines, studies."""

from __future__ import annotations

from collections.abc import Iterable


def algorithms(incomplete: str) -> list[str]:
    """Built-in algorithms that begin so."""
    from mesonet.controller import controllers

    return _beginning(incomplete, (each.name for each in controllers()))


def several_algorithms(incomplete: str) -> list[str]:
    """Built-in algorithms whose names continue a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in algorithms(last)]


def disciplines(incomplete: str) -> list[str]:
    """Queue disciplines whose names continue a list with commas."""
    from mesonet.scenario.mechanisms import queues

    before, comma, last = incomplete.rpartition(",")
    names = _beginning(last, (each.name for each in queues()))
    return [f"{before}{comma}{name}" for name in names]


def studies(incomplete: str) -> list[str]:
    """Studies that come with mesonet and begin so."""
    from mesonet.studies import CATALOGUE

    return _beginning(incomplete, CATALOGUE)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

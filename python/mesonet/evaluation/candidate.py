"""The algorithm that is evaluated: by name, or the only one in a file of Python or a library."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

from mesonet.controller import (
    OUTSIDE,
    Controller,
    algorithm_name,
    fingerprints,
    name_problems,
    written_in,
)
from mesonet.controller.folders import load_module
from mesonet.controller.library import names_in
from mesonet.errors import InputError, Problem
from mesonet.evaluation.result import Candidate

_LIBRARIES = (".so", ".dylib", ".dll")


def name_of(candidate: str | type[Controller]) -> str:
    """The name under which scenarios know a candidate; a file or a library has to have one."""
    if isinstance(candidate, type):
        return str(algorithm_name(candidate))
    suffix = Path(candidate).suffix
    if candidate.startswith(OUTSIDE) or suffix not in (".py", *_LIBRARIES):
        return candidate
    if suffix == ".py":
        module = ".".join(Path(candidate).with_suffix("").parts)
        names = [f"python:{module}.{name}" for name in _classes(module)]
    else:
        names = names_in(candidate)
    if len(names) != 1:
        have = ", ".join(names) or "none"
        message = f"expected a file with one controller, {candidate} has {have}; name one of them"
        raise InputError([Problem("candidate", "several", message)])
    return names[0]


def _classes(module: str) -> Iterator[str]:
    for name, each in inspect.getmembers(load_module(module), inspect.isclass):
        if issubclass(each, Controller) and each.__module__ == module:
            yield name


def described(name: str) -> Candidate:
    """A candidate with the hash of its code."""
    if not name.startswith(OUTSIDE):
        return Candidate(name=name, sha256="", files=())
    return Candidate(name=name, sha256=fingerprints([name])[name], files=tuple(written_in(name)))


def refuse(name: str, baselines: Iterable[str]) -> list[Problem]:
    """Problems with the names of a candidate and its baselines."""
    listed = list(baselines)
    places: dict[str, list[str]] = {name: ["candidate"]}
    for baseline in listed:
        places.setdefault(baseline, []).append("baseline")
    problems = list(name_problems(places, {}))
    if name in listed:
        message = f"expected another algorithm than the candidate, got {name}"
        problems.append(Problem("baseline", "same_algorithm", message))
    if not listed or len(set(listed)) < len(listed):
        message = f"expected different algorithms, got {', '.join(listed) or 'none'}"
        problems.append(Problem("baseline", "duplicate", message))
    return problems

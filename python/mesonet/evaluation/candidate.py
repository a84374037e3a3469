"""The algorithm that is evaluated: by name, or the only one in a file of Python or a library."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from mesonet.controller import (
    PREFIX,
    Controller,
    algorithm_name,
    fingerprints,
    is_outside,
    look_in,
    name_problems,
    written_in,
)
from mesonet.controller.folders import folders
from mesonet.controller.library import names_in
from mesonet.errors import InputError, Problem
from mesonet.evaluation.result import Candidate

_LIBRARIES = (".so", ".dylib", ".dll")


def name_of(candidate: str | type[Controller]) -> str:
    """The name under which scenarios know a candidate; a file or a library has to have one."""
    if isinstance(candidate, type):
        return str(algorithm_name(candidate))
    suffix = Path(candidate).suffix
    if is_outside(candidate) or suffix not in (".py", *_LIBRARIES):
        return candidate
    names = list(_classes(Path(candidate))) if suffix == ".py" else names_in(candidate)
    if len(names) != 1:
        have = ", ".join(names) or "none"
        message = f"expected a file with one controller, {candidate} has {have}; name one of them"
        raise InputError([Problem("candidate", "several", message)])
    return names[0]


def _classes(file: Path) -> Iterator[str]:
    """Classes of a file that derive from `Controller`; its folder is looked in from now on."""
    try:
        tree = ast.parse(file.read_bytes())
    except OSError as error:
        message = f"{file}: cannot be read: {error.strerror}"
        raise InputError([Problem("candidate", "unreadable", message)]) from None
    except (SyntaxError, ValueError) as error:
        raise InputError([Problem("candidate", "syntax", f"{file}: {error}")]) from None
    look_in(file.parent, *folders())
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
            if "Controller" in bases:
                yield f"{PREFIX}{file.stem}.{node.name}"


def described(name: str) -> Candidate:
    """A candidate with the hash of its code."""
    if not is_outside(name):
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

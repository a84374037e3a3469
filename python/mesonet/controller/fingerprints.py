"""Fingerprints of controllers: what changes when the code behind a name does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from mesonet.controller import library, policy
from mesonet.controller.base import PREFIX
from mesonet.controller.catalogue import built_in
from mesonet.controller.loading import constructors, files_of, load
from mesonet.controller.short import code, is_outside
from mesonet.errors import ControllerError


def fingerprint(algorithms: Iterable[Mapping[str, Any]]) -> str:
    """Changes with the file of a Python controller or of its base classes, a library or a policy.

    And with the edition of a built-in algorithm. Empty if there is no such controller and every
    edition is the first. What the files import besides is not looked at.
    """
    algorithms = list(algorithms)
    outside = list(map(code, constructors(algorithms)))
    named = {str(algorithm["name"]) for algorithm in algorithms}
    editions = sorted(
        f"{info.name}={info.edition}"
        for info in built_in()
        if info.name in named and info.edition > 1
    )
    if not outside and not editions:
        return ""
    classes = [load(name) for name in outside if name.startswith(PREFIX)]
    files = {file: content for cls in classes for file, content in _files(cls).items()}
    content = [files[file] for file in sorted(files)]
    libraries = {library.digest(name) for name in outside if name.startswith(library.PREFIXES)}
    policies = {policy.digest(name) for name in outside if name.startswith(policy.PREFIX)}
    content += [text.encode() for text in [*sorted(libraries), *sorted(policies), *editions]]
    return hashlib.sha256(b"\0".join(content)).hexdigest()


_read: WeakKeyDictionary[type, dict[str, bytes]] = WeakKeyDictionary()


def _files(cls: type) -> dict[str, bytes]:
    """Files of a class, as they were when this process first looked at it.

    Python imports a module once: in a process that lives on, as workers of Dask do, a class stays
    what it was when its file is edited, and so does its fingerprint.
    """
    if cls not in _read:
        _read[cls] = {file: Path(file).read_bytes() for file in files_of(cls)}
    return _read[cls]


def fingerprints(names: Iterable[str]) -> dict[str, str]:
    """Fingerprints by name of those controllers that are not built in."""
    outside = sorted({name for name in names if is_outside(name)})
    return {name: fingerprint([{"name": name, "params": {}}]) for name in outside}


def changed_since(before: Mapping[str, str]) -> list[str]:
    """Controllers whose code differs from their `fingerprints`, each as a clause.

    Such as "python:aimd.Aimd has changed since (aimd.py)".
    """
    clauses = []
    for name, print_before in before.items():
        try:
            now = fingerprints([name])[name]
        except ControllerError:
            clauses.append(f"{name} can no longer be found")
            continue
        if now != print_before:
            clauses.append(f"{name} has changed since ({', '.join(written_in(name))})")
    return clauses


def written_in(name: str) -> list[str]:
    """Names of the files that a controller which is not built in comes from, its own first."""
    name = code(name)
    if name.startswith(library.PREFIXES):
        return [library.file_of(name)]
    if name.startswith(policy.PREFIX):
        return [policy.file_of(name)]
    return list(dict.fromkeys(Path(file).name for file in files_of(load(name))))

"""Congestion controllers in shared libraries: `library:PATH:NAME` names one.

PATH begins in the folder of the plan or scenario that names it, or in the folder where the command
is given, unless it is absolute. A library is opened when one of its controllers is first needed,
which runs its code, and is never closed. One that was built again is opened again. What is opened
is a copy of what was read: a run is identified by just what it executes, and writing to the file
does not crash a process that has it open.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mesonet import _core
from mesonet._core import LibraryController
from mesonet.controller import folders
from mesonet.errors import ControllerError, did_you_mean

PREFIX = "library:"
"""Prefix of the names of controllers in libraries."""


@dataclass(frozen=True)
class _Opened:
    shown: str
    """The path as it was given."""
    stamp: tuple[int, int, int]
    """Changes when the file is written; saves reading it again and again."""
    digest: str
    controllers: Mapping[str, LibraryController]


_OPENED: dict[Path, _Opened] = {}


def load(name: str) -> LibraryController:
    """The controller that `library:PATH:NAME` names."""
    path, called = _split(name)
    found = _open(path).controllers
    if called not in found:
        hint = did_you_mean(called, found) or f"; it has {', '.join(found)}"
        raise ControllerError(f'{path}: this library has no controller "{called}"{hint}')
    return found[called]


def names_in(path: str | Path) -> list[str]:
    """The names of the controllers of a library, opened if need be, as a scenario uses them."""
    return [f"{PREFIX}{path}:{called}" for called in _open(str(path)).controllers]


def opened() -> Iterator[tuple[str, LibraryController]]:
    """The controllers of all libraries that this process has opened, with their names."""
    for library in _OPENED.values():
        for called, controller in library.controllers.items():
            yield f"{PREFIX}{library.shown}:{called}", controller


def digest(name: str) -> str:
    """Identifies the content of the library of `library:PATH:NAME`; SHA-256, hexadecimal."""
    return _open(_split(name)[0]).digest


def _split(name: str) -> tuple[str, str]:
    path, _, called = name.removeprefix(PREFIX).rpartition(":")
    if not path or not called:
        example = f"{PREFIX}target/release/libmine.so:mine"
        raise ControllerError(f"{name}: expected a name such as {example}")
    return path, called


def _open(shown: str) -> _Opened:
    path = folders.find(shown)
    known = _OPENED.get(path)
    try:
        stamp = _stamp(path)
        if known is not None and known.stamp == stamp:
            return known
        content = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        looked = dict.fromkeys(map(str, (*folders.folders(), Path.cwd())))
        where = "" if Path(shown).is_absolute() else f" in {', '.join(looked)}"
        raise ControllerError(f"{shown}: no such file{where}") from None
    except OSError as error:
        raise ControllerError(f"{shown}: cannot be read: {error.strerror}") from None
    found = hashlib.sha256(content).hexdigest()
    controllers = (
        known.controllers
        if known is not None and known.digest == found
        else _open_copy(shown, content)
    )
    _OPENED[path] = _Opened(shown, stamp, found, controllers)
    return _OPENED[path]


def _open_copy(shown: str, content: bytes) -> Mapping[str, LibraryController]:
    # Windows does not remove what is open.
    with tempfile.TemporaryDirectory(prefix="mesonet-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / Path(shown).name
        copy.write_bytes(content)
        try:
            controllers: dict[str, LibraryController] = _core.open_library(copy)
        except _core.LibraryProblem as error:
            raise ControllerError(str(error).replace(str(copy), shown)) from None
    return controllers


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino

"""Congestion controllers in shared libraries: `library:PATH:NAME` names one.

PATH begins in the folder of the plan or scenario that names it, or in the folder where the command
is given, unless it is absolute. A library is opened when one of its controllers is first needed,
which runs its code, and is never closed. One that was built again is opened again. What is opened
is a copy of what was read: a run is identified by just what it executes, and writing to the file
does not crash a process that has it open.

`s2n:NAME` is a controller of the library that `make adapters` builds.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mesonet import _core
from mesonet._core import LibraryController
from mesonet.controller import folders
from mesonet.errors import ControllerError, did_you_mean

PREFIX = "library:"
"""Prefix of the names of controllers in libraries."""
ADAPTER = "s2n:"
"""Prefix of those in the adapter of s2n-quic."""
PREFIXES = (PREFIX, ADAPTER)
SUFFIX = ".dylib" if sys.platform == "darwin" else ".so"
"""End of the names of libraries on this machine."""
_ADAPTER = str(Path(__file__).parents[1] / "data" / "adapters" / f"libs2n{SUFFIX}")


class _Opened(NamedTuple):
    shown: str
    """The path as it was given."""
    digest: str
    controllers: Mapping[str, LibraryController]


_OPENED: dict[Path, tuple[object, _Opened]] = {}


def load(name: str) -> LibraryController:
    """The controller that `library:PATH:NAME` or `s2n:NAME` names."""
    path, called = _split(name)
    controllers = _open(path).controllers
    if called not in controllers:
        hint = did_you_mean(called, controllers) or f"; it has {', '.join(controllers)}"
        raise ControllerError(f'{path}: this library has no controller "{called}"{hint}')
    return controllers[called]


def names_in(path: str | Path) -> list[str]:
    """The names of the controllers of a library, opened if need be, as a scenario uses them."""
    return [f"{PREFIX}{path}:{called}" for called in _open(str(path)).controllers]


def opened() -> Iterator[tuple[str, LibraryController]]:
    """The controllers of all libraries that this process has opened, with their names."""
    for _, library in _OPENED.values():
        for called, controller in library.controllers.items():
            place = ADAPTER if library.shown == _ADAPTER else f"{PREFIX}{library.shown}:"
            yield f"{place}{called}", controller


def digest(name: str) -> str:
    """Identifies the content of the library of a controller; SHA-256, hexadecimal."""
    return _open(_split(name)[0]).digest


def file_of(name: str) -> str:
    """Name of the file of the library that a controller is in."""
    return Path(_split(name)[0]).name


def _split(name: str) -> tuple[str, str]:
    if name.startswith(ADAPTER):
        if not Path(_ADAPTER).is_file():
            message = "the adapter of s2n-quic is not built; make adapters builds it in a checkout"
            raise ControllerError(f"{name}: {message}")
        return _ADAPTER, name.removeprefix(ADAPTER)
    path, _, called = name.removeprefix(PREFIX).rpartition(":")
    if not path or not called:
        example = f"{PREFIX}target/release/libmine.so:mine"
        raise ControllerError(f"{name}: expected a name such as {example}")
    return path, called


def _open(name: str) -> _Opened:
    def opened(content: bytes) -> _Opened:
        return _Opened(name, hashlib.sha256(content).hexdigest(), _open_copy(name, content))

    return folders.read_once(_OPENED, name, opened)


def _open_copy(name: str, content: bytes) -> Mapping[str, LibraryController]:
    # Windows does not remove what is open.
    with tempfile.TemporaryDirectory(prefix="mesonet-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / Path(name).name
        copy.write_bytes(content)
        try:
            controllers: dict[str, LibraryController] = _core.open_library(copy)
        except _core.LibraryProblem as error:
            raise ControllerError(str(error).replace(str(copy), name)) from None
    return controllers

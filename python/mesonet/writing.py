"""Writing files: whole or not at all, and never over what somebody else keeps there."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from mesonet.errors import InputError, Problem, StorageError

PAGES = (".html", ".htm")
"""Endings of pages."""
PICTURES = (".svg", ".pdf", ".png")
"""Endings of pictures."""
_DEVICES = Path("/dev")


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file beside its place, flushes it to disk and renames it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        _refuse_special(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        # Ctrl-C, too, leaves nothing behind.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from None
    _flush_folder(path.parent)


def _refuse_special(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    # /dev/stdout is a link to whatever takes the output, which may be a file.
    if path.parent.resolve() == _DEVICES or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "expected a file, got a device or a pipe", str(path))


def write_all(folder: Path, files: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Writes files into a folder, made if need be, all or none that is new; returns their paths."""
    is_new = not folder.exists()
    written, new = [], []
    try:
        for name, content in files:
            path = folder / name
            if not path.exists():
                new.append(path)
            write_atomically(path, content)
            written.append(path)
    except StorageError:
        for path in new:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        if is_new:
            for place in sorted({folder, *(path.parent for path in new)}, reverse=True):
                with contextlib.suppress(OSError):
                    place.rmdir()
        raise
    return written


def refuse_occupied(folder: Path, *, loc: str = "", hint: str = "") -> None:
    """Refuses a folder with something in it, and what is no folder.

    `loc` is the name that the user gave it, `hint` an alternative, added to the message.
    """
    loc = loc or str(folder)
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise StorageError(f"{loc}: cannot be read: {why}") from None
    kind = "one with something in it" if folder.is_dir() else "a file"
    message = f"expected a new or empty folder, got {kind}{hint}"
    raise InputError([Problem(loc, "occupied", message)])


def name_problems(path: Path, option: str, endings: tuple[str, ...] = PAGES) -> list[Problem]:
    """Problems with a name at which no file with one of some endings can be written."""
    message, parent = "", path.parent
    if path.suffix.lower() not in endings:
        wanted = ", ".join(endings)
        kind, message = "suffix", f'expected a name that ends with {wanted}, got "{path.name}"'
    elif path.is_dir():
        kind, message = "folder", f'expected the name of a file, got the folder "{path}"'
    elif not parent.is_dir():
        kind, message = "folder", f'expected a file in a folder that exists, there is no "{parent}"'
    elif not os.access(parent, os.W_OK):
        kind, message = "folder", f'expected a folder to write to, "{parent}" is read-only'
    return [Problem(option, kind, message)] if message else []


def refuse_name(path: Path, option: str, endings: tuple[str, ...] = PAGES) -> None:
    """Refuses a name at which no file can be written."""
    if problems := name_problems(path, option, endings):
        raise InputError(problems)


def _flush_folder(folder: Path) -> None:
    """Makes a rename in `folder` survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

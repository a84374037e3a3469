"""The files of a campaign folder.

A file is there in full or not at all: it is written beside its place, flushed and renamed.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

import psutil

from mesonet.errors import StorageError
from mesonet.writing import write_atomically

DAMAGED = "damaged"
"""Folder of what was set aside."""
_PARTIAL = re.compile(r"\..+\.\d+\.partial")
"""Name under which `write_atomically` begins a file."""


def set_aside(files: Files, name: str) -> str:
    """Moves what is damaged to a name in `damaged/` that is free; returns that name."""
    flat = f"{DAMAGED}/{name.replace('/', '-')}"
    to, number = flat, 0
    while files.exists(to):
        number += 1
        to = f"{flat}.{number}"
    files.move(name, to)
    return to


class Files:
    """Files below a folder; names are relative, with `/` between folders."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.place = str(folder)

    def names(self, folder: str = "") -> list[str]:
        """Names of the files directly in a folder, sorted; none if there is no such folder."""
        try:
            with os.scandir(self.folder / folder) as entries:
                names = [entry.name for entry in entries if entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StorageError(f"{self.folder / folder}: {error.strerror or error}") from None
        return sorted(name for name in names if not name.startswith("."))

    def exists(self, name: str) -> bool:
        """True if there is something of this name."""
        return (self.folder / name).exists()

    def read(self, name: str) -> bytes:
        """Content of a file; raises `FileNotFoundError` or `StorageError`."""
        path = self.folder / name
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from None

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, durable on return; raises `StorageError`, and there is no file then."""
        write_atomically(self.folder / name, content)

    def post(self, name: str, content: bytes) -> None:
        """Writes a file that nobody misses when it is lost."""
        beside = self.folder / f".{name}.{os.getpid()}.partial"
        with contextlib.suppress(OSError):
            beside.write_bytes(content)
            beside.replace(self.folder / name)

    def delete(self, name: str) -> None:
        """Removes a file; content if there is none."""
        with contextlib.suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

    def move(self, name: str, to: str) -> None:
        """Gives a file another name that is free; raises `StorageError`."""
        try:
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).rename(self.folder / to)
        except OSError as error:
            message = f"{self.folder / name}: cannot be moved to {to}: {error.strerror or error}"
            raise StorageError(message) from None

    def address(self, name: str) -> str:
        """Path of a file."""
        return str(self.folder / name)

    def sweep(self) -> None:
        """Removes what writers that were killed have left; the caller holds the lock."""
        for folder, _, names in os.walk(self.folder):
            for name in filter(_PARTIAL.fullmatch, names):
                # Reports are written without the lock.
                if Path(folder) != self.folder or not psutil.pid_exists(int(name.split(".")[-2])):
                    (Path(folder) / name).unlink(missing_ok=True)

"""The files of a campaign folder, on a local disk or in object storage.

A file is there in full or not at all. On a local disk it is written beside its place, flushed and
renamed; an object store gives the same promise for a whole object.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Any, Protocol

import psutil

from mesonet.errors import CampaignError, DamageError, Problem, StorageError
from mesonet.writing import write_atomically

DAMAGED = "damaged"
"""Folder of what was set aside."""
_PARTIAL = re.compile(r"\..+\.\d+\.partial")
"""Name under which `write_atomically` begins a file."""


class Files(Protocol):
    """Files below one place; names are relative, with `/` between folders."""

    place: str
    """Path or URL as the user wrote it."""

    def names(self, folder: str = "") -> list[str]:
        """Names of the files directly in a folder, sorted; none if there is no such folder."""

    def exists(self, name: str) -> bool:
        """True if there is something of this name."""

    def read(self, name: str) -> bytes:
        """Content of a file; raises `FileNotFoundError` or `StorageError`."""

    def write(self, name: str, content: bytes) -> None:
        """Writes a file, durable on return; raises `StorageError`, and there is no file then."""

    def post(self, name: str, content: bytes) -> None:
        """Writes a file that nobody misses when it is lost."""

    def delete(self, name: str) -> None:
        """Removes a file; content if there is none."""

    def move(self, name: str, to: str) -> None:
        """Gives a file another name that is free; raises `StorageError`."""

    def address(self, name: str) -> str:
        """Path or URL of a file."""


def damaged(file: str, message: str, kind: str = "digest") -> DamageError:
    """Error of a damaged file."""
    remedy = "`mesonet verify` sets it aside, and `mesonet run` makes again what it held"
    return DamageError(file, [Problem("", kind, message)], remedy)


def set_aside(files: Files, name: str) -> str:
    """Moves what is damaged to a name in `damaged/` that is free; returns that name."""
    flat = f"{DAMAGED}/{name.replace('/', '-')}"
    to, number = flat, 0
    while files.exists(to):
        number += 1
        to = f"{flat}.{number}"
    files.move(name, to)
    return to


def open_files(place: str | Path) -> Files:
    """The files at a path or a URL."""
    text = str(place)
    scheme, separator, rest = text.partition("://")
    if separator and not rest.strip("/"):
        message = f"{text}: expected a place behind {scheme}://, such as {scheme}://bucket/campaign"
        raise CampaignError(message)
    if scheme == "file" and separator:
        return LocalFiles(Path(rest))
    return RemoteFiles(text) if "://" in text else LocalFiles(Path(text))


class LocalFiles:
    """A folder on a disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = str(folder)

    def names(self, folder: str = "") -> list[str]:
        try:
            with os.scandir(self.folder / folder) as entries:
                names = [entry.name for entry in entries if entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StorageError(f"{self.folder / folder}: {error.strerror or error}") from None
        return sorted(name for name in names if not name.startswith("."))

    def exists(self, name: str) -> bool:
        return (self.folder / name).exists()

    def read(self, name: str) -> bytes:
        path = self.folder / name
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from None

    def write(self, name: str, content: bytes) -> None:
        write_atomically(self.folder / name, content)

    def post(self, name: str, content: bytes) -> None:
        beside = self.folder / f".{name}.{os.getpid()}.partial"
        with contextlib.suppress(OSError):
            beside.write_bytes(content)
            beside.replace(self.folder / name)

    def delete(self, name: str) -> None:
        with contextlib.suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

    def move(self, name: str, to: str) -> None:
        try:
            (self.folder / to).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).rename(self.folder / to)
        except OSError as error:
            message = f"{self.folder / name}: cannot be moved to {to}: {error.strerror or error}"
            raise StorageError(message) from None

    def address(self, name: str) -> str:
        return str(self.folder / name)

    def sweep(self) -> None:
        """Removes what writers that were killed have left; the caller holds the lock."""
        for folder, _, names in os.walk(self.folder):
            for name in filter(_PARTIAL.fullmatch, names):
                # Reports are written without the lock.
                if Path(folder) != self.folder or not psutil.pid_exists(int(name.split(".")[-2])):
                    (Path(folder) / name).unlink(missing_ok=True)


class RemoteFiles:
    """Objects below a URL that fsspec understands, such as `s3://bucket/campaign`."""

    def __init__(self, url: str) -> None:
        self.place = url.rstrip("/")
        try:
            import fsspec

            self.system, self._root = fsspec.core.url_to_fs(self.place)
        except (ImportError, ValueError, OSError) as error:
            raise CampaignError(f"{url}: cannot be opened: {error}") from None

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else str(self._root)

    def names(self, folder: str = "") -> list[str]:
        path = self._path(folder)
        # Other processes write here, too; what was listed before does not count.
        self.system.invalidate_cache()
        try:
            entries: list[dict[str, Any]] = self.system.ls(path, detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise StorageError(f"{self.place}/{folder}: {error}") from None
        files = (str(entry["name"]) for entry in entries if entry["type"] == "file")
        return sorted(file.rpartition("/")[2] for file in files)

    def exists(self, name: str) -> bool:
        self.system.invalidate_cache()
        return bool(self.system.isfile(self._path(name)))

    def read(self, name: str) -> bytes:
        try:
            return bytes(self.system.cat_file(self._path(name)))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StorageError(f"{self.address(name)}: cannot be read: {error}") from None

    def write(self, name: str, content: bytes) -> None:
        try:
            folder = self._path(name).rpartition("/")[0]
            self.system.makedirs(folder, exist_ok=True)
            self.system.pipe_file(self._path(name), content)
        except OSError as error:
            raise StorageError(f"{self.address(name)}: cannot be written: {error}") from None

    post = write

    def delete(self, name: str) -> None:
        with contextlib.suppress(OSError):
            self.system.rm_file(self._path(name))

    def move(self, name: str, to: str) -> None:
        self.write(to, self.read(name))
        self.delete(name)

    def address(self, name: str) -> str:
        return f"{self.place}/{name}"

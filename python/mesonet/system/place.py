"""Places of files that the user names: new ones, and those that mesonet wrote before.

One rule for every command: a page, picture or recording that mesonet made may be replaced, which a
mark in it tells; anything else is replaced only where the user says so (`--force`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from mesonet.errors import InputError, Problem

PAGES = (".html", ".htm")
"""Endings of pages."""
PICTURES = (".svg", ".pdf", ".png")
"""Endings of pictures."""
MARK = b"made by mesonet"
"""Mark in the last bytes of a picture; `mesonet.figures.printed` sets it."""
_TAIL = 256
_SIGNATURE = b'<meta name="generator" content="mesonet">'
_RECORDINGS = {".pcapng": b"mesonet", ".qlog": b"mesonet"}
_HEAD = 4096
_DATA = (
    {"title", "question", "sentences", "sections", "provenance"},
    {"study", "title", "settings", "sections"},
    {"study", "size", "claims"},
)
"""Keys of the JSON file beside a report, of that beside a study's page, and of a scorecard."""


def data_beside(page: Path) -> Path:
    """The JSON file that goes with a page: the same name with `.json`.

    Raises:
        InputError: a page cannot have this name.
    """
    if not page.name or page.is_dir():
        message = "expected the name of a file, got a folder"
        raise InputError([Problem(str(page), "folder", message)])
    beside = page.with_suffix(".json")
    if beside == page:
        message = "expected a name such as report.html; the one with .json is for the data beside"
        raise InputError([Problem(str(page), "suffix", message)])
    return beside


def refuse_foreign(paths: Iterable[Path], *, force: bool = False) -> None:
    """Refuses to write over what mesonet did not write, unless forced; over folders in any case.

    Raises:
        InputError: all that exist and may not be replaced.
    """
    if problems := foreign_problems(paths, force=force):
        raise InputError(problems)


def foreign_problems(paths: Iterable[Path], *, force: bool = False) -> list[Problem]:
    """Problems with files that exist and may not be replaced; see `refuse_foreign`."""
    problems = []
    for path in paths:
        if path.is_dir():
            message = "expected the name of a file, got a folder"
            problems.append(Problem(str(path), "folder", message))
        elif not force and (path.exists() or path.is_symlink()) and not _is_ours(path):
            marked = path.suffix.lower() in (*PAGES, *PICTURES, *_RECORDINGS, ".json")
            # What has no place for a mark may be anybody's.
            whose = " and was not written by mesonet" if marked else ""
            message = f"exists{whose}; a new name, or --force to replace it"
            problems.append(Problem(str(path), "occupied", message))
    return problems


def name_problems(
    path: Path, option: str, kinds: tuple[str, ...] = PAGES, *, force: bool = False
) -> list[Problem]:
    """Problems with a name at which a file cannot be written, before there is anything to write.

    The name has another end, its folder does not exist or cannot be written to, or there is
    something that may not be replaced.

    Args:
        path: File to write.
        option: Option that names it.
        kinds: Endings that its name may have.
        force: True to write over anything but a folder.
    """
    message, parent = "", path.parent
    if path.suffix.lower() not in kinds:
        wanted = ", ".join(kinds)
        kind, message = "suffix", f'expected a name that ends with {wanted}, got "{path.name}"'
    elif not parent.is_dir():
        kind, message = "folder", f'expected a file in a folder that exists, there is no "{parent}"'
    elif not os.access(parent, os.W_OK):
        kind, message = "folder", f'expected a folder to write to, "{parent}" is read-only'
    return [Problem(option, kind, message)] if message else foreign_problems([path], force=force)


def refuse_name(
    path: Path, option: str, kinds: tuple[str, ...] = PAGES, *, force: bool = False
) -> None:
    """Refuses a name at which a file cannot be written; arguments as of `name_problems`.

    Raises:
        InputError: a file cannot be written there.
    """
    if problems := name_problems(path, option, kinds, force=force):
        raise InputError(problems)


def _is_ours(path: Path) -> bool:
    """`True` for a file with a mark of mesonet's; one that cannot be read has none."""
    kind = path.suffix.lower()
    if not path.is_file():
        return False
    try:
        if kind == ".json":
            return _is_data(path)
        with path.open("rb") as file:
            head = file.read(_HEAD)
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            tail = file.read()
    except OSError:
        return False
    if kind in PAGES:
        return _SIGNATURE in head
    if kind in _RECORDINGS:
        return _RECORDINGS[kind] in head
    return kind in PICTURES and MARK in tail


def _is_data(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and any(keys <= set(found) for keys in _DATA)

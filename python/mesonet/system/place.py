"""Names of files that a command will write, looked at before there is anything to write."""

from __future__ import annotations

import os
from pathlib import Path

from mesonet.errors import InputError, Problem

PAGES = (".html", ".htm")
"""Endings of pages."""
PICTURES = (".svg", ".pdf", ".png")
"""Endings of pictures."""


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

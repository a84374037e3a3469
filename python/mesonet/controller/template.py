"""Makes a folder in which a congestion controller in Rust is built and run by one command."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from mesonet.controller.library import PREFIX, SUFFIX
from mesonet.errors import InputError, Problem
from mesonet.writing import refuse_occupied, write_all

_DATA = Path(__file__).resolve().parents[1] / "data"
_FILES = {
    "Cargo.toml": "Cargo.toml",
    "lib.rs": "src/lib.rs",
    "dumbbell.toml": "dumbbell.toml",
    "Makefile": "Makefile",
    "README.md": "README.md",
    "gitignore": ".gitignore",
}
"""Templates, and where they go."""
_NAME = re.compile(r"(?!(congestion|mesonet-plugin)$)[a-z][a-z0-9_-]{0,63}")
"""Names, of which none is that of a crate that the controller is built with."""


def new_controller(name: str, *, out: str | Path | None = None) -> Path:
    """Makes a folder with a small complete controller, ready to be built, and returns it.

    Args:
        name: name of the controller: lower-case letters, digits, "_" and "-", a letter first.
        out: the folder, new or empty; `name` by default.
    """
    folder = Path(out) if out is not None else Path(name)
    if not _NAME.fullmatch(name):
        allowed = 'lower-case letters, digits, "_" and "-", beginning with a letter'
        message = f'expected at most 64 {allowed}, and no crate of mesonet, got "{name}"'
        raise InputError([Problem("NAME", "name", message)])
    refuse_occupied(folder)
    values = {
        "@NAME@": name,
        "@CRATES@": _crates().as_posix(),
        "@LIBRARY@": f"{PREFIX}target/release/lib{name.replace('-', '_')}{SUFFIX}:{name}",
        "@MESONET@": f"{shlex.quote(sys.executable)} -m mesonet".replace("$", "$$"),
    }
    write_all(folder, ((target, _filled(name, values)) for name, target in _FILES.items()))
    return folder


def _filled(template: str, values: Mapping[str, str]) -> bytes:
    text = (_DATA / "controller" / template).read_text(encoding="utf-8")
    for placeholder, value in values.items():
        text = text.replace(placeholder, value)
    return text.encode()


def _crates() -> Path:
    """The folder of the crates that a controller is built with: a checkout's, or the wheel's."""
    for folder in (_DATA.parents[2] / "crates", _DATA / "rust" / "crates"):
        if (folder / "plugin" / "Cargo.toml").is_file():
            return folder
    message = "this installation of mesonet lacks the sources of the crate mesonet-plugin"
    raise InputError([Problem("", "incomplete", message)])

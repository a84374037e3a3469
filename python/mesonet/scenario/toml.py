"""Plain data as TOML: writing it, and reading files with what is wrong with them in words."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from mesonet.errors import InputErrorT, Problem
from mesonet.system.reading import read_file


def read_toml(path: Path, cls: type[InputErrorT]) -> dict[str, Any]:
    """The content of a TOML file; a byte-order mark before it, as some editors write, is no part.

    Raises:
        cls: it cannot be read, or is no TOML.
    """
    try:
        content = read_file(path)
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise cls([Problem(str(path), "missing_file", f"cannot be read: {why}")]) from None
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except ValueError as error:
        raise cls([Problem(str(path), "bad_file", f"is not a TOML file: {error}")]) from None


def to_toml(data: Mapping[str, Any]) -> str:
    """`data` (text, numbers, booleans, lists, tables) as TOML, values before tables."""
    return tomli_w.dumps(data)

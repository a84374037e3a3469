"""TOML: reading files with what is wrong with them in words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from mesonet.errors import InputErrorT, Problem, unread


def read_toml(path: Path, cls: type[InputErrorT]) -> dict[str, Any]:
    """The content of a TOML file; a byte-order mark before it is no part."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise cls([unread(path, error)]) from None
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise cls([Problem(str(path), "bad_file", f"is not a TOML file: {error}")]) from None

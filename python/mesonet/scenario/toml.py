"""TOML: reading files with what is wrong with them in words."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from mesonet.errors import InputErrorT, Problem, dotted, unread

DEEPEST = 20
"""Lists and tables within each other that a file may have; those of studies have 8."""


def read_toml(path: Path, cls: type[InputErrorT]) -> dict[str, Any]:
    """The content of a TOML file; a byte-order mark before it is no part."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise cls([unread(path, error)]) from None
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError:
        message = f"is not a TOML file: lists or tables are nested deeper than {DEEPEST}"
        raise cls([Problem(str(path), "bad_file", message)]) from None
    except ValueError as error:
        raise cls([Problem(str(path), "bad_file", f"is not a TOML file: {error}")]) from None
    if (deep := _too_deep(data)) is not None:
        message = f"expected at most {DEEPEST} lists or tables within each other, got more"
        raise cls([Problem(deep, "too_deep", message)])
    return data


def _too_deep(data: Any) -> str | None:
    """Place of a list or table below `DEEPEST` others."""
    pending: list[tuple[tuple[int | str, ...], Any]] = [((), data)]
    while pending:
        loc, value = pending.pop()
        if len(loc) > DEEPEST:
            return dotted(loc)
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        pending += [((*loc, key), it) for key, it in inner if isinstance(it, dict | list)]
    return None

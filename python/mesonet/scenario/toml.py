"""Plain data as TOML: writing it, and reading files with what is wrong with them in words."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputErrorT, Problem

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def read_toml(path: Path, cls: type[InputErrorT]) -> dict[str, Any]:
    """The content of a TOML file; a byte-order mark before it, as some editors write, is no part.

    Raises:
        cls: it cannot be read, or is no TOML.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise cls([Problem(str(path), "missing_file", f"cannot be read: {why}")]) from None
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        why = str(error)
    except RecursionError:
        why = "its lists or tables are nested too deeply"
    except ValueError:
        # What the parser lets through is Python's own limit on the digits of a number.
        why = "it has a number of thousands of digits"
    raise cls([Problem(str(path), "bad_file", f"is not a TOML file: {why}")])


def to_toml(data: Mapping[str, Any]) -> str:
    """`data` (text, numbers, booleans, lists, tables) as TOML, values before tables."""
    return "\n".join(_table(data, ())).lstrip("\n") + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [
        f"{_key(name)} = {_value(value)}" for name, value in data.items() if not _is_section(value)
    ]
    for name, value in data.items():
        if not _is_section(value):
            continue
        here = (*path, name)
        title = ".".join(_key(part) for part in here)
        if isinstance(value, Mapping):
            lines += ["", f"[{title}]", *_table(value, here)]
        else:
            for entry in value:
                lines += ["", f"[[{title}]]", *_table(entry, here)]
    return lines


def _is_section(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(isinstance(entry, Mapping) for entry in value)
    )


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return (
            repr(value)
            if math.isfinite(value)
            else {"inf": "inf", "-inf": "-inf"}.get(repr(value), "nan")
        )
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        # JSON escapes are TOML escapes, except that TOML wants DEL escaped too.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{_key(name)} = {_value(entry)}" for name, entry in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _key(name: str) -> str:
    return (
        name
        if _BARE_KEY.fullmatch(name)
        else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")
    )

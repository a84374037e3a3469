"""Writes plain data as TOML; reading is the standard library's."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


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

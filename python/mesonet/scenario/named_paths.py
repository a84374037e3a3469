"""Paths by name: one word for rate, delay, buffers and models of a dumbbell's link."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from mesonet.errors import Problem, ProblemsError, did_you_mean, show


class NamedPath(NamedTuple):
    """A path as `data/paths.toml` has it."""

    summary: str
    """The link in words."""
    keys: dict[str, Any]
    """Keys of a dumbbell that the name sets."""
    sources: dict[str, str]
    """Where the value of each key is from."""


@cache
def named_paths() -> dict[str, NamedPath]:
    """Every path that has a name."""
    text = (resources.files("mesonet") / "data" / "paths.toml").read_text("utf-8")
    return {name: NamedPath(**table) for name, table in tomllib.loads(text).items()}


def with_named_path(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a dumbbell with those of the path that they name; keys that are set stay."""
    name = keys.get("path")
    if not isinstance(name, str):
        return dict(keys)
    paths = named_paths()
    if name not in paths:
        # The keys of another path stand in, so that nothing is concluded from their absence.
        return {**next(iter(paths.values())).keys, **keys}
    others = {key: value for key, value in keys.items() if key != "path"}
    return paths[name].keys | others


def refuse_name(path: object) -> object:
    """What stands for a path, unless it is a name: only unknown ones are left."""
    if isinstance(path, str):
        names = named_paths()
        message = f"expected a table, or one of {', '.join(names)}, got {show(path)}"
        message += did_you_mean(path, names)
        raise ProblemsError([Problem("", "unknown", message)])
    return path

"""Lessons of the laboratory: settings, what to see, and claims about their runs."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from mesonet.lab.setting import Setting


class Claim(BaseModel):
    """A number of a side is above or below a value; that of "b/a" is b's divided by a's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    number: str
    side: Literal["a", "b", "b/a"]
    above: float | None = None
    below: float | None = None


class Lesson(BaseModel):
    """Two settings beside each other, or one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    text: str
    task: str
    a: Setting
    b: Setting | None = None
    claims: tuple[Claim, ...]
    program: str = ""
    """What the editor holds."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in order."""
    text = (resources.files("mesonet.lab") / "lessons.toml").read_text("utf-8")
    tables: list[dict[str, Any]] = tomllib.loads(text)["lessons"]
    return tuple(Lesson.model_validate(table) for table in tables)

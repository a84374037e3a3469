"""Short names of own algorithms: `gradient=python:mine.Gradient` is `gradient` to readers.

Scenarios keep the whole text, so that every file says which code it means. Tables, flows, charts
and sentences have the short name.
"""

from __future__ import annotations

import re

from mesonet.controller.base import PREFIX

OUTSIDE = (PREFIX, "library:", "s2n:", "policy:")
"""Prefixes of the names of controllers that are not built in."""
_SHORT = re.compile(r"([A-Za-z][\w+-]*)=((?:" + "|".join(OUTSIDE) + r").*)", re.DOTALL)


def short(name: str) -> str:
    """The name that readers see.

    Examples:
        >>> short("gradient=python:mine.Gradient"), short("python:mine.Gradient"), short("cubic")
        ('gradient', 'python:mine.Gradient', 'cubic')
    """
    match = _SHORT.fullmatch(name)
    return match[1] if match else name


def code(name: str) -> str:
    """The name without the short one before it."""
    match = _SHORT.fullmatch(name)
    return match[2] if match else name


def is_outside(name: str) -> bool:
    """True for a controller that is not built in."""
    return code(name).startswith(OUTSIDE)

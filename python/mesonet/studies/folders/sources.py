"""TOML files with the lines of their entries, and problems that name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, Problem, dotted
from mesonet.scenario.toml import read_toml
from mesonet.system.reading import read_text

Key = int | str
"""Part of the path of an entry: the name of a key, or a place in a list."""

_ARRAY = re.compile(r"\s*\[\[\s*(.+?)\s*\]\]\s*(#.*)?$")
_TABLE = re.compile(r"\s*\[\s*(.+?)\s*\]\s*(#.*)?$")
_PART = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\]|\\.)*\"|'[^']*')"
_KEY = re.compile(rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*=")
_STRING = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')


class StudyError(InputError):
    """A study that cannot be read: every problem with its file and line."""


@dataclass(frozen=True)
class Source:
    """A TOML file of a study.

    Attributes:
        path: Path of the file.
        table: Content of the file.
        lines: Lines of the entries, from 1, by their paths.
    """

    path: Path
    table: dict[str, Any]
    lines: Mapping[tuple[Key, ...], int] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, path: Path) -> Source:
        """Reads a file.

        Raises:
            StudyError: it cannot be read, or is no TOML.
        """
        table = read_toml(path, StudyError)
        return cls(path, table, lines_of(read_text(path, "utf-8-sig")))

    def place(self, *key: Key) -> str:
        """File and line of an entry, or of the nearest one around it."""
        for end in range(len(key), 0, -1):
            if key[:end] in self.lines:
                return f"{self.path}:{self.lines[key[:end]]}"
        return str(self.path)

    def problem(self, key: Iterable[Key], kind: str, message: str, *, under: int = 0) -> Problem:
        """A problem of an entry; the message begins with its path below the first `under` keys."""
        key = tuple(key)
        name = dotted(key[under:])
        return Problem(self.place(*key), kind, f"{name}: {message}" if name else message)


def lines_of(text: str) -> dict[tuple[Key, ...], int]:
    r"""Lines of the entries of a TOML file that can be read, by their paths.

    Examples:
        >>> lines_of('a = 1\n[[b]]\nc.d = 2')
        {('a',): 1, ('b', 0): 2, ('b', 0, 'c'): 3, ('b', 0, 'c', 'd'): 3}
    """
    found: dict[tuple[Key, ...], int] = {}
    counts: dict[tuple[Key, ...], int] = {}
    table: tuple[Key, ...] = ()
    depth, inside = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if not depth and not inside:
            if match := _ARRAY.match(line):
                name = _resolved(_parts(match[1]), counts)
                counts[name] = counts.get(name, -1) + 1
                table = (*name, counts[name])
                found[table] = number
            elif match := _TABLE.match(line):
                table = _resolved(_parts(match[1]), counts)
                found[table] = number
            elif match := _KEY.match(line):
                parts = _parts(match[1])
                for end in range(1, len(parts) + 1):
                    found.setdefault((*table, *parts[:end]), number)
        depth, inside = _after(line, depth, inside)
    return found


def _resolved(parts: tuple[str, ...], counts: Mapping[tuple[Key, ...], int]) -> tuple[Key, ...]:
    """The path of a table below lists of tables: that of their last entries."""
    path: tuple[Key, ...] = ()
    for place, part in enumerate(parts):
        path = (*path, part)
        if place < len(parts) - 1 and path in counts:
            path = (*path, counts[path])
    return path


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_PART, text))


def _after(line: str, depth: int, inside: str) -> tuple[int, str]:
    """Depth of brackets, and the quotes of an open text, at the end of a line."""
    rest = line
    while True:
        if inside:
            _, ended, rest = rest.partition(inside)
            if not ended:
                return depth, inside
            inside = ""
        match = _STRING.search(rest)
        plain = rest[: match.start()] if match else rest
        depth += sum(plain.count(each) for each in "[{") - sum(plain.count(each) for each in "]}")
        if match is None:
            return depth, ""
        rest = rest[match.end() :]
        if match[0] in ('"""', "'''"):
            inside = match[0]


def plain_text(text: str) -> str:
    """Text of a file in one line: line breaks, with the spaces around them, become one space."""
    return re.sub(r"[ \t]*\n\s*", " ", text.strip())

"""TOML files with the lines of their entries, and problems that name file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, Problem, dotted, join
from mesonet.scenario.toml import read_toml

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
        return cls(path, table, lines_of(path.read_text("utf-8-sig")))

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

    def placed(self, error: StudyError, *key: Key) -> StudyError:
        """The problems of an entry with file and line before its path.

        Args:
            error: the problems, each with its path below the entry.
            key: path of the entry; lists and their places, which lines say, are left out.
        """
        above = key[2:] if len(key) > 1 and isinstance(key[1], int) else key
        return StudyError(
            Problem(
                self.place(*key, *(part.partition("[")[0] for part in problem.loc.split("."))),
                problem.kind,
                f"{join(dotted(above), problem.loc)}: {problem.message}",
            )
            for problem in error.problems
        )


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


def plain(value: Any) -> Any:
    """Plain data with each text in one line: a line break and the spaces around it are a space."""
    if isinstance(value, str):
        return re.sub(r"[ \t]*\n\s*", " ", value.strip()) if "\n" in value else value
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value

"""TOML files: their content, and the lines at which keys and elements of lists stand."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, InputErrorT, Problem, join, unread

_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\''
    r"|\#[^\n]*|\n|[\[\]{}=,]|[^\s\[\]{}=,\#\"\']+",
    re.DOTALL,
)


_PLACED = re.compile(r" \(.+\.toml, line \d+\)$")
"""End of a message that names file and line already, of another file that the first names."""


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


@contextmanager
def with_lines(path: Path) -> Iterator[None]:
    """Adds file and line to problems with what a TOML file says."""
    try:
        yield
    except InputError as error:
        line = lines_in(path)
        raise type(error)(
            it if _PLACED.search(it.message) else it._replace(message=it.message + line(it.loc))
            for it in error.problems
        ) from None


def lines_in(path: Path) -> Callable[[str], str]:
    """Words such as ` (x.toml, line 3)` for a place in a file; empty for one that is not there."""
    lines = lines_of(path.read_text("utf-8-sig"))

    def words(place: str) -> str:
        while place and place not in lines:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        return f" ({path}, line {lines[place]})" if place else ""

    return words


def lines_of(text: str) -> dict[str, int]:
    """Lines of keys and elements of a TOML file, which is valid, by their dotted places."""
    lines: dict[str, int] = {}
    tables: dict[str, int] = {}
    # Containers that are open, the outermost being the table of a header: place, and the number of
    # the element at hand in a list.
    within: list[tuple[str, int | None]] = [("", None)]
    line, key, value = 1, "", False
    header = ""
    for token in _TOKEN.findall(text):
        if token.startswith("#"):
            continue
        place, element = within[-1]
        if token == "\n" and header:
            *above, last = (part.strip("\"' ") for part in header.strip("[]").split("."))
            here = ""
            for part in above:
                here = join(here, part)
                here += f"[{tables[here]}]" if here in tables else ""
            here = join(here, last)
            if header.startswith("[["):
                tables[here] = tables.get(here, -1) + 1
            here += f"[{tables[here]}]" if here in tables else ""
            within, header = [(here, None)], ""
            lines[here] = line
        if token == "\n" and len(within) == 1:
            key, value = "", False
        elif header or (token == "[" and len(within) == 1 and not key):
            header += token
        elif token == "=" and not value:
            place, value = join(place, key), True
            lines[place] = line
        elif token == ",":
            key, value = "", False
            if element is not None:
                within[-1] = (place, element + 1)
        elif token in ("]", "}"):
            within.pop()
        elif not token.isspace():
            if element is not None:
                lines.setdefault(f"{place}[{element}]", line)
            at = join(place, key) if element is None else f"{place}[{element}]"
            if token in ("[", "{"):
                within.append((at, 0 if token == "[" else None))
                key, value = "", False
            elif not value:
                key += token.strip("\"'")
        line += token.count("\n")
    return lines

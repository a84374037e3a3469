"""Text from elsewhere, made fit for files, tables and terminals."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence
from typing import Any, TypeVar

LONGEST = 64 * 1024
"""So many characters of a text are kept, its first and its last ones."""
E = TypeVar("E")
_KEPT = "\n\t"
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn"}


def plain(text: str) -> str:
    r"""The text without what cannot be stored or would command a terminal; shortened if need be.

    Halves of surrogate pairs, control characters and unassigned ones are written as escapes.

    Examples:
        >>> plain("good \ud800 \x1b[31m bad")
        'good \\ud800 \\x1b[31m bad'
    """
    if len(text) > LONGEST:
        half = LONGEST // 2
        text = f"{text[:half]} ... {text[-half:]}"
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter
        if letter in _KEPT or unicodedata.category(letter) not in _UNSAFE
        else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def capital(text: str) -> str:
    """The text with its first letter large, and all others as they are."""
    return text[:1].upper() + text[1:]


class Listing(tuple[E, ...]):
    """Entries with name and summary, in order; each has all that is known of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        entries: tuple[Any, ...] = self
        width = max((len(entry.name) for entry in entries), default=0)
        return "\n".join(f"{entry.name:<{width}}  {entry.summary}" for entry in entries)


def table(rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Rows as columns that fit the terminal, or 80 letters where there is none.

    The first `left` columns are aligned to the left. What does not fit stands below, with the first
    column again.

    Examples:
        >>> print(table([["", "p50 ms"], ["cubic", "29"]]))
               p50 ms
        cubic      29
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    blocks, room = [[0]], shutil.get_terminal_size().columns
    for place in range(1, len(widths)):
        if sum(widths[it] + 2 for it in blocks[-1]) + widths[place] > room and len(blocks[-1]) > 1:
            blocks.append([0])
        blocks[-1].append(place)
    return "\n\n".join(
        "\n".join(
            "  ".join(
                f"{row[it]:<{widths[it]}}" if it < left else f"{row[it]:>{widths[it]}}"
                for it in block
            ).rstrip()
            for row in rows
        )
        for block in blocks
    )

"""Names that the shell completes: algorithms, queue disciplines, studies."""

from __future__ import annotations

import os
from collections.abc import Iterable

_WORDS, _PLACE, _KEPT = "COMP_WORDS", "COMP_CWORD", "_MESONET_COMPLETE_KEPT"


def join_words() -> None:
    """Joins words of the environment that Bash has split at colons, as in `cubic:linux`.

    Bash puts what is answered in place of the last piece alone. So that piece is to be completed,
    and the others of its word are kept aside.
    """
    pieces = os.environ.get(_WORDS, "").split()
    place = os.environ.get(_PLACE, "")
    if ":" not in pieces or not place.isdigit() or int(place) >= len(pieces):
        return
    words: list[str] = []
    open_colon = False
    for piece in pieces[: int(place) + 1]:
        if words and (piece == ":" or open_colon):
            words[-1] += piece
        else:
            words.append(piece)
        open_colon = piece == ":"
    before, colon, last = words[-1].rpartition(":")
    os.environ[_WORDS] = "\n".join([*words[:-1], last])
    os.environ[_PLACE] = str(len(words) - 1)
    os.environ[_KEPT] = before + colon


def algorithms(incomplete: str) -> list[str]:
    """Built-in algorithms that begin so."""
    return _beginning(incomplete, _names("controllers"))


def several_algorithms(incomplete: str) -> list[str]:
    """Built-in algorithms whose names continue a list with commas."""
    return _continuing(incomplete, _names("controllers"))


def disciplines(incomplete: str) -> list[str]:
    """Queue disciplines whose names continue a list with commas."""
    return _continuing(incomplete, _names("queues"))


def profiles(incomplete: str) -> list[str]:
    """TCP profiles that begin so."""
    return _beginning(incomplete, _names("profiles"))


def studies(incomplete: str) -> list[str]:
    """Studies that come with mesonet and begin so."""
    return _beginning(incomplete, _names("studies"))


def _names(kind: str) -> list[str]:
    """Names of a kind, as `mesonet list` has them."""
    from mesonet.cli.names import ROWS, What

    return [row["name"] for row in ROWS[What(kind)]()]


def _continuing(incomplete: str, names: Iterable[str]) -> list[str]:
    before, comma, _ = (os.environ.get(_KEPT, "") + incomplete).rpartition(",")
    return _beginning(incomplete, (f"{before}{comma}{name}" for name in names))


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Names that begin so, without the pieces of them that the shell keeps."""
    kept = os.environ.get(_KEPT, "")
    return [name.removeprefix(kept) for name in names if name.startswith(kept + incomplete)]

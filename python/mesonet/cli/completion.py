"""Names that the shell completes: algorithms, queue disciplines, studies."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mesonet.cli.names import What

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


def _completion(kind: What, *, several: bool = False) -> Callable[[str], list[str]]:
    """Completes names of a kind, as `mesonet list` has them, perhaps of a list with commas."""

    def complete(incomplete: str) -> list[str]:
        from mesonet.cli.names import ROWS

        kept = os.environ.get(_KEPT, "")
        before, comma, _ = (kept + incomplete).rpartition(",") if several else ("", "", "")
        names = (f"{before}{comma}{row['name']}" for row in ROWS[kind]())
        return [name.removeprefix(kept) for name in names if name.startswith(kept + incomplete)]

    return complete


algorithms = _completion("controllers")
several_algorithms = _completion("controllers", several=True)
disciplines = _completion("queues", several=True)
profiles = _completion("profiles")
studies = _completion("studies")

"""Trust in code that files name: a word of the user for each command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from mesonet.errors import InputError

Trust = Annotated[
    bool, typer.Option("--trust", help="Run code that the files name.", envvar="MESONET_TRUST")
]


def require(place: str | Path, code: Iterable[str], *, trust: bool) -> None:
    """Refuses controllers that a file or folder names and that are not built in, without trust."""
    from mesonet.controller import untrusted

    problems = [] if trust else untrusted(place, code)
    if problems:
        raise InputError(problems)

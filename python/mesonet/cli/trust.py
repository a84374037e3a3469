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
    """Refuses code that a file names, unless the user trusts it.

    Code that the command line itself names needs no word more.

    Args:
        place: the file or folder that names it.
        code: names of controllers.
        trust: the option `--trust`.

    Raises:
        InputError: there is such code and no trust.
    """
    from mesonet.controller import untrusted

    problems = [] if trust else untrusted(place, code)
    if problems:
        raise InputError(problems)

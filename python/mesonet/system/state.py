"""The user's folder for what mesonet remembers between commands."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder `mesonet` below `$XDG_STATE_HOME`, which need not be there yet.

    Raises:
        RuntimeError: the user has no home.
    """
    # A relative path there is to be ignored, says the specification.
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    state = given if given.is_absolute() else Path.home() / ".local" / "state"
    return state / "mesonet"

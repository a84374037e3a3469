"""Vega, Vega-Lite and Vega-Embed as one script for pages."""

from __future__ import annotations

import contextlib
import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from mesonet.errors import StorageError
from mesonet.writing import write_atomically


@cache
def bundle() -> str:
    """The script; put together once for every version of vl-convert, and kept after that.

    To put it together takes two seconds of processor time, most of what a small page takes.
    """
    import vl_convert

    from mesonet.figures.paper import refuse_narrow_space

    file = cache_folder() / f"vega-{version('vl-convert-python')}.js"
    with contextlib.suppress(OSError):
        return file.read_text("utf-8")
    refuse_narrow_space()
    script = str(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # the stub lacks the default
    # Where nothing can be kept, the next page takes longer, and is the same.
    with contextlib.suppress(StorageError):
        write_atomically(file, script.encode())
    return script


def cache_folder() -> Path:
    """Folder of the user for what can be made again: `XDG_CACHE_HOME`, or the system's habit."""
    place = os.environ.get("XDG_CACHE_HOME", "")
    if place and Path(place).is_absolute():
        return Path(place) / "mesonet"
    habit = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path(os.path.expanduser("~")) / habit / "mesonet"  # noqa: PTH111 - Path.home() can raise

"""Vega, Vega-Lite and Vega-Embed as one script for pages."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from mesonet.errors import StorageError
from mesonet.system.memory import refuse_narrow_space
from mesonet.system.writing import write_atomically


@cache
def bundle() -> str:
    """The script; put together once for every version of vl-convert, and kept after that.

    To put it together takes two seconds of processor time, most of what a small page takes.
    """
    import vl_convert

    name = f"vega-{version('vl-convert-python')}"
    folder = cache_folder()
    found = _kept(folder, name)
    if found is None:
        refuse_narrow_space()
        found = str(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # the stub lacks the default
        file = folder / f"{name}-{_digest(found.encode())}.js"
        # Where nothing can be kept, the next page takes longer, and is the same.
        with contextlib.suppress(StorageError):
            write_atomically(file, found.encode())
    return found


def cache_folder() -> Path:
    """Folder of the user for what can be made again: `XDG_CACHE_HOME`, or the system's habit."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "mesonet"
    habit = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path(os.path.expanduser("~")) / habit / "mesonet"  # noqa: PTH111 - Path.home() can raise


def _kept(folder: Path, name: str) -> str | None:
    """The script of a version, unless it is damaged or another user's."""
    with contextlib.suppress(OSError):
        for file in sorted(folder.glob(f"{name}-*.js")):
            content = file.read_bytes()
            own = file.stat().st_uid == os.getuid()
            if own and file.stem == f"{name}-{_digest(content)}":
                return content.decode()
    return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]

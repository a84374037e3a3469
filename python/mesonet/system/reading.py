"""Reading files that others name: only what is a file, and not more than fits."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

MOST = 256_000_000
"""Largest file that is read whole [bytes]."""


def read_file(path: Path) -> bytes:
    """Content of a file.

    A plan can name any path. A device such as `/dev/zero` has no end, and a pipe may never begin.

    Raises:
        OSError: it cannot be read, is no file, or is too large.
        ValueError: it is no path.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, f"expected a file, got {kind(state.st_mode)}", str(path))
        # It may grow meanwhile.
        content = file.read(MOST + 1) if state.st_size <= MOST else b""
    if state.st_size > MOST or len(content) > MOST:
        size = max(state.st_size, len(content)) / 1e6
        message = f"expected at most {MOST / 1e6:.0f} MB, got {size:.0f} MB"
        raise OSError(errno.EFBIG, message, str(path))
    return content


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Text of a file, its lines ending as Python's do; raises as `read_file`."""
    return io.TextIOWrapper(io.BytesIO(read_file(path)), encoding).read()


def kind(mode: int) -> str:
    """Kind of what is no file, in words."""
    for test, word in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return word
    return "a device"

"""Writing files: whole or not at all, and never over what somebody else keeps there."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mesonet.errors import InputError, Problem, StorageError

if TYPE_CHECKING:
    import polars as pl

TableFormat = Literal["csv", "arrow", "parquet"]
_DEVICES = Path("/dev")


def write_atomically(path: Path, content: bytes) -> None:
    """Writes a file beside its place, flushes it to disk and renames it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        _refuse_special(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        # Ctrl-C, too, leaves nothing behind.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from None
    _flush_folder(path.parent)


def _refuse_special(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    # /dev/stdout is a link to whatever takes the output, which may be a file.
    if path.parent.resolve() == _DEVICES or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "expected a file, got a device or a pipe", str(path))


def write_all(folder: Path, files: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Writes files into a folder, made if need be, all or none that is new; returns their paths."""
    is_new = not folder.exists()
    written, new = [], []
    try:
        for name, content in files:
            path = folder / name
            if not path.exists():
                new.append(path)
            write_atomically(path, content)
            written.append(path)
    except StorageError:
        with contextlib.suppress(OSError):
            for path in new:
                path.unlink(missing_ok=True)
            if is_new:
                folder.rmdir()
        raise
    return written


def table_bytes(frame: pl.DataFrame, kind: TableFormat = "parquet") -> bytes:
    """A table as the content of a file, so that it can be written whole or not at all."""
    buffer = io.BytesIO()
    match kind:
        case "csv":
            flat(frame).write_csv(buffer)
        case "arrow":
            frame.write_ipc(buffer)
        case "parquet":
            frame.write_parquet(buffer)
    return buffer.getvalue()


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of plain values: elements of lists are one text, with blanks between.

    Lists in lists and structures are written as JSON.
    """
    return frame.with_columns(_flat(column) for column in frame if column.dtype.is_nested())


def _flat(column: pl.Series) -> pl.Series:
    import polars as pl

    if isinstance(column.dtype, pl.List) and not column.explode().dtype.is_nested():
        return column.cast(pl.List(pl.String)).list.join(" ")
    texts = [
        None if value is None else json.dumps(value, ensure_ascii=False, default=str)
        for value in column.to_list()
    ]
    return pl.Series(column.name, texts, dtype=pl.String)


def refuse_occupied(folder: Path, *, loc: str = "", hint: str = "") -> None:
    """Refuses a folder with something in it, and what is no folder.

    `loc` is the name that the user gave it, `hint` an alternative, added to the message.
    """
    loc = loc or str(folder)
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise StorageError(f"{loc}: cannot be read: {why}") from None
    got = "one with something in it" if folder.is_dir() else "a file"
    message = f"expected a new or empty folder, got {got}{hint}"
    raise InputError([Problem(loc, "occupied", message)])


def _flush_folder(folder: Path) -> None:
    """Makes a rename in `folder` survive a power cut, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

"""Trust in code that is not mesonet's: what the user has said yes to, and asking for more.

A yes holds for the content of a file, by its hash, or for everything in a folder. Both are kept in
the user's folder for state, `$XDG_STATE_HOME/mesonet/trust.json`.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.cli.common import stderr
from mesonet.controller import Code
from mesonet.errors import InputError, Problem
from mesonet.system.reading import read_file
from mesonet.system.state import state_folder
from mesonet.system.writing import write_atomically
from mesonet.text import plain

_WARNING = (
    "It is a program: it can do whatever you can do, with all your files and in your name. "
    "Read it, or ask who wrote it."
)


class _Trusted(BaseModel):
    """Answers of the user that were a yes."""

    model_config = ConfigDict(strict=True, defer_build=True)

    files: dict[str, str] = {}
    """SHA-256 of files, with the time of the yes and the path then."""
    folders: list[str] = []
    """Folders whose code is trusted, whatever it is."""


@dataclass(frozen=True)
class Piece:
    """A file of code, and the name under which it is wanted."""

    name: str
    file: Path
    digest: str


def pieces(code: Sequence[Code]) -> list[Piece]:
    """The files of code with their hashes, each file once.

    Raises:
        InputError: one cannot be read.
    """
    found: dict[Path, Piece] = {}
    problems = []
    for each in code:
        for file in each.files:
            path = file.resolve()
            try:
                digest = hashlib.sha256(read_file(path)).hexdigest()
            except OSError as error:
                message = f"{path}: cannot be read: {error.strerror}"
                problems.append(Problem(each.name, "code", message))
                continue
            found.setdefault(path, Piece(each.name, path, digest))
    if problems:
        raise InputError(problems)
    return list(found.values())


def require(wanted: Sequence[Piece], *, trust: bool) -> None:
    """Returns if the user trusts all of this, having asked at the terminal if need be.

    Args:
        wanted: files that are to be executed.
        trust: the user has said yes in advance, with `--trust`.

    Raises:
        InputError: no.
    """
    known = _read()
    new = [piece for piece in wanted if not _is_known(piece, known)]
    if not new:
        return
    if trust:
        _remember(new)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            Problem(
                plain(piece.name),
                "untrusted",
                f"{plain(str(piece.file))} (SHA-256 {piece.digest}) is code, and you have not said "
                "that you trust it. Read it, or ask who wrote it; then --trust runs it and "
                "remembers this content",
            )
            for piece in new
        )
    _ask(new)


def remember_folder(folder: Path) -> None:
    """Trusts whatever is in a folder from now on, such as one that mesonet made for the user."""
    known = _read()
    known.folders = sorted({*known.folders, str(folder.resolve())})
    _write(known)


def _ask(new: Sequence[Piece]) -> None:
    folders = sorted({piece.file.parent for piece in new})
    places = " and ".join(plain(str(folder)) for folder in folders)
    stderr.print("This would run code that is not mesonet's, and that you have not run before:")
    for piece in new:
        stderr.print(f"  {plain(piece.name)}: {plain(str(piece.file))}")
        stderr.print(f"    SHA-256 {piece.digest}")
    stderr.print(_WARNING)
    stderr.print(f"Run it? [y] yes, this content; [a] always, whatever is in {places}; [N] no: ")
    answer = sys.stdin.readline().strip().lower()
    if answer in ("y", "yes"):
        _remember(new)
    elif answer in ("a", "always"):
        for folder in folders:
            remember_folder(folder)
    else:
        refused = [Problem(plain(piece.name), "untrusted", "not trusted; not run") for piece in new]
        raise InputError(refused)


def _is_known(piece: Piece, known: _Trusted) -> bool:
    return piece.digest in known.files or any(
        piece.file.is_relative_to(folder) for folder in known.folders
    )


def _remember(new: Sequence[Piece]) -> None:
    known = _read()
    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    known.files |= {piece.digest: f"{now} {plain(str(piece.file))}" for piece in new}
    _write(known)


def _place() -> Path:
    return state_folder() / "trust.json"


def _read() -> _Trusted:
    """Reads what was said yes to; nothing if that cannot be read, so that it is asked again."""
    try:
        return _Trusted.model_validate_json(_place().read_bytes())
    except FileNotFoundError:
        return _Trusted()
    except (OSError, RuntimeError, ValidationError) as error:
        first = str(error).partition("\n")[0]
        stderr.print(f"note: trust given before cannot be read: {plain(first)}")
        return _Trusted()


def _write(known: _Trusted) -> None:
    content = known.model_dump_json(indent=1).encode() + b"\n"
    place = _place()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(place, content)
    except Exception as error:  # noqa: BLE001 - the yes holds for now, on whatever disk
        stderr.print(f"note: this trust cannot be remembered: {error}")
    with contextlib.suppress(OSError):
        place.chmod(0o600)

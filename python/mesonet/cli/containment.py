"""Containment of controllers and studies' code: commands that need it run in a process apart.

The guard of the command line stops a command that is about to load such code. When the user trusts
it, the command is begun anew in a child, which says how it ends. One that does not, or that takes
too much, is an error that names the code.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TextIO

from mesonet.cli.common import BAD_INPUT, FAILED, CodeWanted, aside, fail, stderr
from mesonet.cli.supervision import LOADING, Limits, Supervised, Told, duration, supervise
from mesonet.cli.trust import Piece, pieces, require
from mesonet.controller import Code, Guard, guarded, look_in
from mesonet.errors import ControllerError
from mesonet.system.memory import available, size

READING = frozenset(
    {"status", "watch", "analyze", "report", "score", "sql", "export", "tour"}
    | {"verify", "repair"}
    | {"new-controller", "new-study"}
)
"""Commands that load no code that is not mesonet's, whatever they find.

With `--trust`, `verify` does.
"""
SECONDS: Mapping[str, float] = {
    "simulate": 3600.0,
    "replay": 3600.0,
    "verify": 3600.0,
    "compare": 3600.0,
    "ladder": 3600.0,
    "check-controller": 600.0,
    "list": LOADING,
}
"""Longest time of a command with such code [s], unless it is told another; others have none, for
their runs have a limit each."""
_SHARE = 0.8
"""Part of the memory that is free which a command with such code may take."""


@dataclass
class _Command:
    """The command that this process executes."""

    name: str = ""
    arguments: list[str] = field(default_factory=list)
    seconds: float | None = None
    memory: int | None = None
    child: _Child | None = None
    """The way to the parent, if this is the process of its own."""


_command = _Command()


def limit(*, seconds: float | None, memory: int | None) -> None:
    """Sets the limits of this command, should it need code that is not mesonet's."""
    _command.seconds = seconds or _command.seconds
    _command.memory = memory or _command.memory


@contextlib.contextmanager
def command(name: str, arguments: Sequence[str]) -> Iterator[None]:
    """Surrounds a command of the command line with its guard."""
    global _command
    before, _command = _command, _Command(name, list(arguments), child=_command.child)
    _command.seconds = SECONDS.get(name)
    reads = name in READING and not (name == "verify" and "--trust" in arguments)
    guard = _Closed(name) if reads else _command.child or _First()
    look_in(Path.cwd())
    try:
        with guarded(guard):
            yield
    finally:
        look_in()
        _command = before


def contained() -> bool:
    """True in the process of its own, in which a command is begun anew."""
    return _command.child is not None


@contextlib.contextmanager
def no_code() -> Iterator[None]:
    """Surrounds a part of a command that loads no code that is not mesonet's."""
    with guarded(_Closed(_command.name)):
        yield


class _Closed(Guard):
    """Admits nothing."""

    def __init__(self, command: str) -> None:
        self._command = command

    def admit(self, code: Sequence[Code]) -> None:
        """See `Guard`."""
        if code:
            names = ", ".join(each.name for each in code)
            raise ControllerError(f"{names}: not loaded; `mesonet {self._command}` runs no code")


class _First(Guard):
    """Stops the command, to be begun anew in a process of its own."""

    def admit(self, code: Sequence[Code]) -> None:
        """See `Guard`."""
        if code:
            raise CodeWanted(code)


class _Child(Guard):
    """Admits what the user has said yes to, and tells the parent what is loaded."""

    def __init__(self, told: int, admitted: Mapping[str, str]) -> None:
        self._told = told
        self._admitted = dict(admitted)

    def admit(self, code: Sequence[Code]) -> None:
        """See `Guard`."""
        if any(self._admitted.get(str(it.file)) != it.digest for it in pieces(code)):
            raise CodeWanted(code)

    @contextlib.contextmanager
    def loading(self, name: str) -> Iterator[None]:
        """See `Guard`."""
        self.tell({"loading": name})
        try:
            with aside():
                yield
        finally:
            self.tell({"loading": None})

    def tell(self, what: Told) -> None:
        """Says something to the parent."""
        os.write(self._told, json.dumps(what).encode() + b"\n")


def contain(wanted: CodeWanted) -> int:
    """Exit status of this command, executed in a process of its own once the code is trusted.

    Raises:
        InputError: it is not.
    """
    child = _command.child
    if child is not None:
        child.tell({"wanted": [[each.name, *map(str, each.files)] for each in wanted.code]})
        return BAD_INPUT
    admitted: dict[Path, Piece] = {}
    code = wanted.code
    while True:
        found = pieces(code)
        require(
            [piece for piece in found if not _is_named(piece.name)],
            trust="--trust" in _command.arguments,
        )
        admitted |= {piece.file: piece for piece in found}
        limits = _limits()
        _say(admitted.values(), limits)
        ended = supervise(
            {
                "path": sys.path,
                "arguments": [_command.name, *_command.arguments],
                "admitted": {str(it.file): it.digest for it in admitted.values()},
            },
            limits,
            patient=_command.seconds is None,
        )
        if ended.wanted is None:
            if ended.status is None:
                _refuse(ended, admitted.values())
            if ended.reason:
                stderr.print(ended.reason)
            return ended.status
        code = [Code(name, tuple(map(Path, files))) for name, *files in ended.wanted]


def _is_named(name: str) -> bool:
    """True for code that the user has named in this very command."""
    given = {part.strip() for text in _command.arguments for part in text.split(",")}
    if name in given:
        return True
    # `--library PATH` names a library, not its controllers.
    return _command.name == "list" and any(name == f"library:{path}" for path in given)


def _limits() -> Limits:
    return Limits(_command.seconds, _command.memory or int(_SHARE * available()))


def _say(code: Iterable[Piece], limits: Limits) -> None:
    names = ", ".join(dict.fromkeys(f"{piece.name} ({piece.file.name})" for piece in code))
    room = size(limits.memory)
    if limits.seconds is None:
        stderr.print(f"note: {names} is code; it is loaded in a process of its own, with {room}")
        return
    time = duration(limits.seconds)
    stderr.print(
        f"note: {names} is code; it runs in a process of its own, for {time} and with {room} at "
        "most (--max-time, --max-memory)"
    )


def _refuse(ended: Supervised, code: Iterable[Piece]) -> NoReturn:
    files = {piece.name: piece.file for piece in code}
    names = [ended.loading] if ended.loading else list(files)
    who = ", ".join(f"{name} ({files[name]})" if name in files else name for name in names)
    when = "while it was loaded" if ended.loading else "without a result"
    fail([f"{who}: {ended.reason}, {when}"], BAD_INPUT)


def serve(order: Mapping[str, Any], life: TextIO, told: int) -> None:
    """Main function of the process of its own: executes a command and says how it ended."""
    threading.Thread(target=_watch, args=(life,), daemon=True).start()
    child = _Child(told, order["admitted"])
    _command.child = child
    child.tell({"loading": None})
    _take_output()
    status: object = FAILED
    try:
        from mesonet.cli import app

        app(order["arguments"], prog_name="mesonet")
    except SystemExit as end:
        status = end.code
    except BaseException:  # noqa: BLE001 - what gets here is a fault of mesonet, and shown
        sys.excepthook(*sys.exc_info())
    number = status if isinstance(status, int) else int(status is not None)
    # From here on Ctrl-C is answered by the process that waits for this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        child.tell({"status": number})
    finally:
        # Neither threads of that code nor what it left to be done at the end matter any more.
        os._exit(number)


def _take_output() -> None:
    """Gives standard output to the command alone: what a library prints goes to standard error."""
    if sys.stdout is None:
        return
    own = os.dup(1)
    os.dup2(2, 1)
    before = sys.stdout
    sys.stdout = os.fdopen(own, "w", buffering=1, encoding=before.encoding, errors=before.errors)
    # Asked for the width of the terminal.
    sys.__stdout__ = sys.stdout  # type: ignore[misc]


def _watch(life: TextIO) -> None:
    """Ends this process with its parent, however that ends."""
    life.read()
    os._exit(FAILED)

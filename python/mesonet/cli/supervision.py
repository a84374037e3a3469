"""Supervision of a process that executes a command of the command line."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, TextIO, TypedDict

import psutil

from mesonet.system.memory import held, size

LOADING = 120.0
"""Longest time in which a file of code is loaded [s]."""
_TICK = 0.05
_PATIENCE = 1.0
"""Longest wait for something that ends at once [s]."""
_GRACE = 5.0
"""A command that was asked to end has so many seconds to keep what it has [s]."""
_INTERRUPTED = "interrupted"
_INSISTENCE = 3
"""So many signals end a campaign that does not end by itself."""
_BEGIN = (
    "import json, os, sys\n"
    "life, told = int(sys.argv[1]), int(sys.argv[2])\n"
    "life = os.fdopen(life)\n"
    "order = json.loads(life.readline())\n"
    "sys.path[:] = order['path']\n"
    "from mesonet.__main__ import listen\n"
    "listen()\n"
    "from mesonet.cli.containment import serve\n"
    "serve(order, life, told)\n"
)


def duration(seconds: float) -> str:
    """A time for people.

    Examples:
        >>> duration(3600.0), duration(120.0), duration(1.5)
        ('1 h', '2 min', '1.5 s')
    """
    for unit, factor in (("h", 3600.0), ("min", 60.0)):
        if seconds >= factor and seconds % factor == 0:
            return f"{seconds / factor:g} {unit}"
    return f"{seconds:g} s"


class Told(TypedDict, total=False):
    """A message of the process, one of these."""

    status: int
    """Exit status; the command has ended."""
    loading: str | None
    """Code that is being loaded, or no more."""
    wanted: list[list[str]]
    """Code that is wanted, with its files; the command has ended, to be begun anew."""


@dataclass(frozen=True)
class Limits:
    """Limits of the process."""

    seconds: float | None
    """Longest time [s]; None for any."""
    memory: int
    """Most memory [bytes]."""


@dataclass
class Supervised:
    """End of the process; `reason` says why there is no status, or what is still to be said."""

    status: int | None = None
    wanted: list[list[str]] | None = None
    loading: str | None = None
    reason: str = ""


def supervise(order: Mapping[str, Any], limits: Limits, *, patient: bool) -> Supervised:
    """Begins a process with an order, waits for its end, and ends it if it takes too much.

    Args:
        order: `sys.path`, the arguments of the command and the code that it may load.
        limits: its limits.
        patient: the command ends in its own time when it is interrupted, as a campaign does.
    """
    life_theirs, life = os.pipe()
    told, told_theirs = os.pipe()
    ours = [_is_ours(stream) for stream in (sys.stdout, sys.stderr)]
    terminal = sys.__stdin__ is not None and sys.__stdin__.isatty()
    process = subprocess.Popen(
        # -P: the current folder is no place of modules.
        [sys.executable, "-P", "-c", _BEGIN, str(life_theirs), str(told_theirs)],
        stdin=subprocess.DEVNULL if terminal else None,
        stdout=None if ours[0] else subprocess.PIPE,
        stderr=None if ours[1] else subprocess.PIPE,
        pass_fds=(life_theirs, told_theirs),
        # The terminal's Ctrl-C comes here, and is passed on.
        process_group=0,
    )
    os.close(life_theirs)
    os.close(told_theirs)
    copies = [
        threading.Thread(target=_copy, args=(source, target), daemon=True)
        for source, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
        if source is not None
    ]
    for thread in copies:
        thread.start()
    try:
        with _signals() as received:
            with contextlib.suppress(BrokenPipeError):
                os.write(life, json.dumps(order).encode() + b"\n")
            ended = _Watch(process, told, limits, received, patient).until_ended()
    finally:
        _kill(process)
        for thread in copies:
            thread.join(_PATIENCE)
        os.close(life)
        os.close(told)
    return ended


class _Watch:
    def __init__(
        self,
        process: subprocess.Popen[bytes],
        told: int,
        limits: Limits,
        received: list[int],
        patient: bool,
    ) -> None:
        self._process, self._told, self._limits = process, told, limits
        self._received, self._patient = received, patient
        self._begun: float | None = None
        self._loading_since: float | None = None
        self._interrupted: float | None = None
        self._passed_on = 0
        self._rest = b""
        self._ended = Supervised()

    def until_ended(self) -> Supervised:
        """Waits for the end."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._told, selectors.EVENT_READ)
            while not self._is_told():
                if selector.select(_TICK) and not self._hear():
                    return self._silent()
                if self._is_told():
                    break
                over = self._over()
                if over:
                    self._ended.reason = over
                    return self._ended
                if self._pass_on():
                    self._ended.status = 128 + self._received[0]
                    self._ended.reason = _INTERRUPTED
        self._refuse_own_signals()
        if self._received and self._ended.status == 0:
            # All was done when the signal came, which counts all the same, as without a process.
            self._ended.status = 128 + self._received[0]
            self._ended.reason = _INTERRUPTED
        return self._ended

    def _is_told(self) -> bool:
        return self._ended.status is not None or self._ended.wanted is not None

    def _refuse_own_signals(self) -> None:
        """Takes an interruption that did not come by way of this process for a fault."""
        number = (self._ended.status or 0) - 128
        if number in (signal.SIGINT, signal.SIGTERM) and not self._received:
            self._ended.status = None
            self._ended.reason = f"its process was sent signal {number} from inside"
            if number == signal.SIGINT:
                self._ended.reason += ", or it raised KeyboardInterrupt"

    def _hear(self) -> bool:
        """Takes what the process says; false if it says no more."""
        content = os.read(self._told, 65536)
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):
                told: Told = json.loads(line)
                # Beginning a process is not the command's time.
                self._begun = self._begun or time.monotonic()
                if "loading" in told:
                    self._ended.loading = told["loading"]
                    self._loading_since = time.monotonic() if told["loading"] else None
                self._ended.status = told.get("status", self._ended.status)
                self._ended.wanted = told.get("wanted", self._ended.wanted)
        return bool(content)

    def _silent(self) -> Supervised:
        """The process closed its end: it has ended, or its code closes what it did not open."""
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._ended.reason = "its process closed the way back"
            return self._ended
        if self._received:
            self._ended.status = 128 + self._received[0]
            # With this status, it has said so itself.
            self._ended.reason = "" if code == self._ended.status else _INTERRUPTED
        elif code < 0:
            name = signal.Signals(-code).name if -code in list(signal.Signals) else ""
            self._ended.reason = f"its process was ended by signal {-code} {name}".rstrip()
        else:
            self._ended.reason = f"its process ended with status {code}"
        return self._ended

    def _over(self) -> str | None:
        now = time.monotonic()
        seconds, memory = self._limits.seconds, self._limits.memory
        if seconds is not None and now - (self._begun or now) > seconds:
            return f"took more than {duration(seconds)} (--max-time)"
        if self._loading_since is not None and now - self._loading_since > LOADING:
            return f"took more than {duration(LOADING)}"
        if (taken := held(self._process.pid) or 0) > memory:
            return f"took {size(taken)} of memory, {size(memory)} are allowed (--max-memory)"
        return None

    def _pass_on(self) -> bool:
        """Passes signals on; true if the process does not listen."""
        now = time.monotonic()
        if self._received and self._begun is None:
            # Python, which is about to begin there, would answer with a traceback.
            return True
        for number in self._received[self._passed_on :]:
            self._passed_on += 1
            self._interrupted = self._interrupted or now
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
        if self._patient:
            return self._passed_on > _INSISTENCE
        waited = now - (self._interrupted or now)
        return waited > _GRACE or (self._passed_on > 1 and waited > _PATIENCE)


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Signals that come meanwhile, to be passed on."""
    received: list[int] = []
    before = {}
    # Threads other than the first can set no handlers, and get no signals.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda got, _: received.append(got))
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it began, if they live."""
    family: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        family = psutil.Process(process.pid).children(recursive=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        # One that has said how it ended is about to.
        process.wait(_TICK)
    process.kill()
    process.wait()
    for each in family:
        with contextlib.suppress(psutil.Error):
            each.kill()


def _is_ours(stream: TextIO) -> bool:
    """True if writing to this stream is writing to the handle that a child inherits."""
    expected = 1 if stream is sys.stdout else 2
    try:
        return stream.fileno() == expected
    except (OSError, ValueError):
        return False


def _copy(source: IO[bytes], target: TextIO) -> None:
    with contextlib.suppress(ValueError, OSError), source:
        for line in source:
            target.write(line.decode("utf-8", "replace"))
            target.flush()

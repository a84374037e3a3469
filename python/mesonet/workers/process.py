"""Worker process: executes one task after another and reports the progress of each."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing import reduction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from mesonet.controller import look_in
from mesonet.errors import CampaignError
from mesonet.machine import held
from mesonet.workers.tasks import (
    Beat,
    Budget,
    Event,
    Execute,
    Outcome,
    OverBudgetError,
    Task,
)

_BEAT_EVERY = 0.5
PRINTED_LIMIT = 64 * 1024
"""So many bytes of what a run printed are kept, its last ones."""

_current = threading.local()


def report(simulated: float) -> None:
    """Says how far the task on this thread is [s, simulated]; ends it if it is over its budget.

    Does nothing outside a worker.
    """
    reporter: _Reporter | None = getattr(_current, "reporter", None)
    if reporter is not None:
        reporter(simulated)


class _Reporter:
    def __init__(self, task: Task, budget: Budget, tell: Callable[[Beat], None]) -> None:
        self._task, self._budget, self._tell = task, budget, tell
        self._begun = time.monotonic()
        self._last = 0.0

    def __call__(self, simulated: float) -> None:
        now = time.monotonic()
        memory = held(os.getpid()) or _peak()
        over = self._budget.exceeded(now - self._begun, memory)
        if over is not None:
            raise OverBudgetError(f"{over}, at {simulated:.4g} simulated seconds")
        if now - self._last >= _BEAT_EVERY:
            self._last = now
            self._tell(Beat(self._task.id, simulated))


def perform(
    execute: Execute, task: Task, budget: Budget, tell: Callable[[Beat], None], where: str
) -> Outcome:
    """Executes a task on this thread; whatever it raises is its outcome."""
    if task.version:
        from mesonet.tables import result_version

        if result_version() != task.version:
            raise CampaignError(
                f"worker {where}: its engine has result version {result_version()}, this campaign "
                f"{task.version}; install the same mesonet there"
            )
    started, clock, cpu = _now(), time.perf_counter(), time.thread_time()
    value, error = None, None
    _current.reporter = _Reporter(task, budget, tell)
    tell(Beat(task.id, 0.0))
    try:
        value = execute(task.work)
    except CampaignError:
        raise
    except OverBudgetError as problem:
        error = str(problem)
    except BaseException as problem:  # noqa: BLE001 - a panic of the engine is no Exception
        error = described(problem)
    finally:
        _current.reporter = None
    return Outcome(
        task.id,
        value=value,
        error=error,
        host=socket.gethostname(),
        seconds=time.perf_counter() - clock,
        cpu_seconds=time.thread_time() - cpu,
        memory=_peak(),
        started=started,
        finished=_now(),
    )


class Printed:
    """Output of a worker: a file without a name, which is gone with those who have it open."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    @classmethod
    def make(cls) -> Printed:
        """An empty one, to be handed to a worker when that is begun."""
        with tempfile.TemporaryFile(prefix="mesonet-") as file:
            return cls(os.dup(file.fileno()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (reduction.DupFd(self.handle),)

    def capture(self) -> None:
        """Sends what this process prints here, also past Python, as the engine's panics do."""
        os.dup2(self.handle, 1)
        os.dup2(self.handle, 2)

    def clear(self) -> None:
        """Forgets what was printed."""
        os.ftruncate(self.handle, 0)
        os.lseek(self.handle, 0, os.SEEK_SET)

    def text(self) -> str:
        """Printed text, shortened to its end."""
        try:
            size = os.fstat(self.handle).st_size
            start = max(size - PRINTED_LIMIT, 0)
            return os.pread(self.handle, PRINTED_LIMIT, start).decode(errors="replace")
        except OSError:
            return ""

    def close(self) -> None:
        """Nothing more is wanted of it."""
        os.close(self.handle)


def _received(handle: Any) -> Printed:
    return Printed(handle.detach())


def serve(
    connection: Connection,
    execute: Execute,
    budget: Budget,
    printed: Printed,
    folders: Sequence[Path],
) -> None:
    """Main function of a local worker process: executes what comes through the pipe.

    Controllers are looked for in `folders`. The parent alone holds the other end. When that closes,
    on purpose or because the parent was killed, the worker exits at once, whatever it does.
    """
    look_in(*folders)
    # The terminal sends Ctrl-C to all its processes; what it means is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The parent blocked it while this process could not know that yet.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    tasks: deque[Task] = deque()
    ready = threading.Semaphore(0)

    def receive() -> None:
        try:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    tasks.append(connection.recv())
                    ready.release()
        except Exception:  # noqa: BLE001 - a task that cannot be read, for want of its module
            traceback.print_exc()
        os._exit(1)

    threading.Thread(target=receive, daemon=True).start()
    sending = threading.Lock()

    def send(event: Event | CampaignError | None) -> None:
        with sending:
            connection.send(event)

    printed.capture()
    try:
        send(None)
        while True:
            ready.acquire()
            printed.clear()
            try:
                outcome = perform(execute, tasks.popleft(), budget, send, "here")
            except CampaignError as error:
                send(error)
                continue
            sys.stdout.flush()
            sys.stderr.flush()
            send(replace(outcome, printed=printed.text()))
    except OSError:
        # The parent has gone between two looks.
        os._exit(1)


def described(problem: BaseException) -> str:
    """An error as text: a summary, an empty line, the traceback."""
    name = "panic" if type(problem).__name__ == "PanicException" else type(problem).__name__
    try:
        text = str(problem)
    except Exception as worse:  # noqa: BLE001 - the text of an error is its author's code
        text = f"its description raised {type(worse).__name__}"
    return f"{name}: {text}\n\n{''.join(traceback.format_exception(problem))}"


def _peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")

"""Processes of Python that have imported already what mesonet needs.

Half a second of each process that mesonet starts for itself goes into the same imports, and tests
have it start hundreds. Here one process imports them once and forks for everyone that asks. What
runs is the same: a process of its own, child of the one that asks, with the files, folder,
environment, blocked signals and process group that it is given, which can be sent signals, killed
and waited for. A process that a test starts itself is not warm, nor what that starts, unless the
test asks for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from multiprocessing import util
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, Any

_LIBC = ctypes.CDLL(None, use_errno=True)
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux: whom this process's children leave behind is its child."""
_LONGEST = 200_000
"""Longest order [bytes]."""


class Warm:
    """A process that has imported some modules and forks, begun with its first child."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(
        self,
        code: str,
        arguments: Sequence[str],
        files: Mapping[int, int],
        *,
        group: int | None = None,
        session: bool = False,
    ) -> int:
        """Begins a child as `python -P -c code arguments` would.

        Args:
            code: program of the child.
            arguments: its arguments.
            files: open files of this process by their numbers in the child.
            group: its process group, 0 for a new one.
            session: True for a session of its own.

        Returns:
            Its number.
        """
        order = {
            "code": code,
            "arguments": list(arguments),
            "files": list(files),
            "environment": dict(os.environ),
            "blocked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
            "group": group,
            "session": session,
        }
        here = os.open(".", os.O_RDONLY)
        try:
            with self._lock, _adopting():
                server = self._server()
                socket.send_fds(server, [json.dumps(order).encode()], [here, *files.values()])
                return int(server.recv(100))
        finally:
            os.close(here)

    def close(self) -> None:
        """Ends the process that forks; its children go on."""
        if self._socket is not None and self._process is not None:
            self._socket.close()
            self._process.wait()
            self._socket = None

    def _server(self) -> socket.socket:
        if self._socket is None:
            self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno()), *self._modules],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Threads of the allocator of Polars.
                env=os.environ
                | {
                    "_RJEM_MALLOC_CONF": "background_thread:false",
                    "PYTHONPATH": os.pathsep.join(sys.path),
                },
            )
            theirs.close()
        return self._socket


@contextlib.contextmanager
def _adopting() -> Iterator[None]:
    """Has this process be the parent of what others leave behind meanwhile.

    Else the children would be those of the first process of the system, as orphans are elsewhere.
    """

    def adopt(others: bool) -> None:
        if _LIBC.prctl(_SUBREAPER, int(others), 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")

    adopt(True)
    try:
        yield
    finally:
        adopt(False)


class Started:
    """A child of a warm process, as `subprocess.Popen` has them, as far as mesonet needs it."""

    warm = Warm(
        "mesonet.__main__",
        "mesonet.analysis.grubbs",
        "mesonet.analysis.registry",
        "mesonet.analysis.table",
        "mesonet.campaign.execution",
        "mesonet.campaign.verification",
        "mesonet.campaign.work",
        "mesonet.cli.campaigns",
        "mesonet.cli.plans",
        "mesonet.cli.progress",
        "mesonet.cli.single",
        "mesonet.cli.verify",
        "mesonet.conformance",
        "mesonet.plan.reading",
        "mesonet.scenario.dumbbell",
        "mesonet.scenario.internet",
    )

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        pass_fds: Sequence[int] = (),
        process_group: int | None = None,
        start_new_session: bool = False,
    ) -> None:
        assert command[:3] == [sys.executable, "-P", "-c"], command
        self.returncode: int | None = None
        with contextlib.ExitStack() as theirs:
            pipes, files = [], {number: number for number in pass_fds}
            for number, wanted in enumerate((stdin, stdout, stderr)):
                ours, files[number] = _stream(number, wanted, theirs)
                pipes.append(ours)
            self.pid = self.warm.start(
                command[3],
                command[4:],
                files,
                group=process_group,
                session=start_new_session,
            )
        self.stdin, self.stdout, self.stderr = pipes

    def poll(self) -> int | None:
        """Exit status, if it has ended."""
        return self._look(os.WNOHANG)

    def wait(self, timeout: float | None = None) -> int:
        """Waits for its end and returns its exit status.

        Raises:
            subprocess.TimeoutExpired: it goes on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (status := self._look(0 if deadline is None else os.WNOHANG)) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.001)
        return status

    def send_signal(self, number: int) -> None:
        """Sends it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Asks it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it."""
        self.send_signal(signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, options)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def _stream(
    number: int, wanted: int | None, theirs: contextlib.ExitStack
) -> tuple[IO[bytes] | None, int]:
    """Gives our end of a child's standard stream and the file that is the child's."""
    if wanted is None:
        return None, number
    if wanted == subprocess.DEVNULL:
        null = os.open(os.devnull, os.O_RDWR)
        theirs.callback(os.close, null)
        return None, null
    if wanted != subprocess.PIPE:
        return None, wanted
    reading, writing = os.pipe()
    ours, their = (writing, reading) if number == 0 else (reading, writing)
    theirs.callback(os.close, their)
    return os.fdopen(ours, "wb" if number == 0 else "rb"), their


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Executes a program in a warm process; for tests that ask how a command ends, not begins."""
    command = [sys.executable, "-P", "-c", code, *arguments]
    start: Any = Started if sys.platform == "linux" else subprocess.Popen
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        status = start(command, stdout=out.fileno(), stderr=err.fileno()).wait()
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(command, status, out.read(), err.read())


def spawned(path: bytes, command: Sequence[Any], files: Sequence[int]) -> int:
    """Begins a process of `multiprocessing`, in place of `multiprocessing.util.spawnv_passfds`."""
    if not os.environ.get("PYTHONSAFEPATH"):
        return util.spawnv_passfds(path, command, files)
    words = [os.fsdecode(word) for word in command]
    code, *arguments = words[words.index("-c") + 1 :]
    return Started.warm.start(code, arguments, {number: number for number in (0, 1, 2, *files)})


_UTIL = SimpleNamespace(**vars(util) | {"spawnv_passfds": spawned})
PLACES = {
    "multiprocessing.popen_spawn_posix.util": (util, _UTIL),
}
"""Names by which processes of Python are started: their module, and its stand-in that is warm."""


def everywhere() -> None:
    """Has this process start warm ones from now on."""
    for name, (_, stand_in) in PLACES.items():
        place, _, attribute = name.rpartition(".")
        setattr(import_module(place), attribute, stand_in)


def _serve(number: int) -> dict[str, Any]:
    """Forks for every order; returns the order in the child, and never in the parent."""
    # The terminal's Ctrl-C is for those that ask.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = socket.socket(fileno=number)
    while True:
        content, files, _, _ = socket.recv_fds(server, _LONGEST, 64)
        if not content:
            os._exit(0)
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            parent = os.getpid()
            child = os.fork()
            if child:
                os.write(writing, str(child).encode())
                os._exit(0)
            # Its parent gone, it is the child of the process that asks.
            while os.getppid() == parent:
                time.sleep(0.0001)
            for each in (number, reading, writing):
                os.close(each)
            server.detach()
            order: dict[str, Any] = json.loads(content)
            here, *given = files
            os.fchdir(here)
            os.close(here)
            _place(dict(zip(order["files"], given, strict=True)))
            return order
        os.waitpid(between, 0)
        server.send(os.read(reading, 100))
        for each in (reading, writing, *files):
            os.close(each)


def _place(files: Mapping[int, int]) -> None:
    """Gives open files the numbers that they are to have."""
    above = max(files) + 1
    moved = {number: fcntl.fcntl(file, fcntl.F_DUPFD, above) for number, file in files.items()}
    for file in files.values():
        os.close(file)
    for number, file in moved.items():
        os.dup2(file, number)
        os.close(file)


def _become(order: Mapping[str, Any]) -> str:
    """Has this process be as one that was begun with the order; returns its program."""
    if order["session"]:
        os.setsid()
    if order["group"] is not None:
        os.setpgid(0, order["group"])
    os.environ.clear()
    os.environ.update(order["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, order["blocked"])
    # Their buffers hang on what the files are.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    sys.argv = ["-c", *order["arguments"]]
    sys.modules["__main__"] = ModuleType("__main__")
    return str(order["code"])


if __name__ == "__main__":
    for _module in sys.argv[2:]:
        __import__(_module)
    # A child has the thread that forks and no other; what another holds would stay locked for ever.
    # The one of Polars looks now and then for temporary files that nobody has made here.
    _names = {path.read_text("ascii").strip() for path in Path("/proc/self/task").glob("*/comm")}
    assert len(_names - {"polars-ooc-clea"}) == 1, _names
    gc.collect()
    gc.freeze()
    # Most children end before there is anything to collect.
    gc.set_threshold(20_000, 20, 20)
    exec(_become(_serve(int(sys.argv[1]))), vars(sys.modules["__main__"]))

"""Warm processes of the tests are what `subprocess` and `multiprocessing` would have begun."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none is warm")

STATE = """
import json, os, signal, sys
print(json.dumps({
    "parent": os.getppid(),
    "folder": os.getcwd(),
    # Readline, which pytest imports, tells its size to processes and not to Python.
    "environment": {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")},
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "ctrl_c": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    "leads": [os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid()],
    "arguments": sys.argv,
    "files": sorted(map(int, os.listdir("/proc/self/fd"))),
    "main": sorted(vars(sys.modules["__main__"]).keys() & {"json", "warm", "Warm"}),
}), flush=True)
"""


def state(start: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """State of a process as it sees itself."""
    command = [sys.executable, "-P", "-c", STATE, "an argument"]
    process = start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
    with process.stdin, process.stdout:
        told: dict[str, Any] = json.loads(process.stdout.read())
    assert process.wait() == 0
    return told


@pytest.mark.parametrize("options", [{}, {"process_group": 0}, {"start_new_session": True}])
def test_a_warm_process_is_as_one_that_is_begun_anew(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MESONET_TEST_MARKS", "ä place")
    monkeypatch.delenv("XDG_STATE_HOME")
    reading, writing = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        made, anew = (
            state(start, pass_fds=[writing], **options)
            for start in (warm.Started, subprocess.Popen)
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(reading)
        os.close(writing)
    assert made == anew
    assert made["parent"] == os.getpid()
    assert made["blocked"] == [signal.SIGINT]


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("import sys; sys.exit(7)", 7, b""),
        ("1 / 0", 1, b"ZeroDivisionError: division by zero"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, b""),
        ("import atexit; atexit.register(print, 'at the end')", 0, b"at the end"),
    ],
)
def test_its_end_is_told(code: str, status: int, said: bytes) -> None:
    command = [sys.executable, "-P", "-c", code]
    reading, writing = os.pipe()
    process = warm.Started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(reading)
    os.close(writing)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert said in process.stdout.read() + process.stderr.read()
    assert process.wait() == process.poll() == status


def test_it_can_be_waited_for_and_killed() -> None:
    process = warm.Started([sys.executable, "-P", "-c", "import time; time.sleep(100)"])
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    process.kill()

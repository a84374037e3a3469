"""Ctrl-C ends the command with one line and status 130, at any moment."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import signal
from mesonet.__main__ import main

install = signal.signal

def told(*given):
    signal.signal = install
    install(*given)
    print(flush=True)

signal.signal = told
main()
"""
"""The command as its script starts it; says when it has taken care of SIGINT."""
QUICK = ("list", "controllers")
LONG = ("compare", "reno", "cubic", "--duration", "20 s", "--repeat", "2", "--out", "page.html")


def interrupted(command, after, folder):
    """Status and errors of a command that gets SIGINT some seconds after its begin."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


@pytest.mark.parametrize("command", [QUICK, LONG], ids=["list", "compare"])
def test_at_once_it_is_one_line(command, tmp_path):
    assert interrupted(command, 0.0, tmp_path) == (130, "interrupted\n")


# Imports, a simulation, a page: where the moments fall depends on the machine, and any will do.
@pytest.mark.parametrize("command", [QUICK, LONG], ids=["list", "compare"])
def test_at_any_moment_it_is_no_traceback(command, tmp_path):
    moments = random.Random(17)
    for _ in range(5):
        after = moments.uniform(0.0, 0.8 if command == QUICK else 3.0)
        status, errors = interrupted(command, after, tmp_path)
        lines = errors.splitlines()
        if status != 0:
            assert (status, lines[-1].split(":")[0]) == (130, "interrupted"), (after, errors)
        assert "Traceback" not in errors, after
        assert len([line for line in lines if not line.startswith("page: ")]) <= 1, (after, errors)
        assert not list(Path(tmp_path).glob(".*.partial"))


def test_ctrl_c_that_is_ignored_stays_so():
    """A shell that starts a command in the background has it ignore Ctrl-C."""
    program = (
        "import signal, mesonet.cli\n"
        "from mesonet.__main__ import main\n"
        "mesonet.cli.main = lambda: print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "True\n"

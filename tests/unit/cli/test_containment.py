"""Controllers are contained: their end, loop, memory or signal is an error that names them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import warm
from typer.testing import CliRunner

from mesonet.cli import app
from mesonet.cli.supervision import Limits, _Watch, duration

MODULE = """
import ctypes, os, signal, sys, threading, time

import mesonet

{top}


class Bad(mesonet.Controller):
    def __init__(self, initial):
        super().__init__(initial)
        {init}

    def on_ack(self, ack, flow):
        {ack}

    def on_congestion(self, event, flow):
        pass
"""
SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "20 ms"
flows = ["python:{name}.Bad"]
duration = "1 s"
"""
FOREVER = "while True: pass"
IDLE = "while True: time.sleep(1)"
"""Another loop without an end, which costs the machine nothing."""


def mesonet(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def module(name, **parts):
        text = MODULE.format(**{"top": "", "init": "pass", "ack": "pass"} | parts)
        Path(f"{name}.py").write_text(text, encoding="utf-8")
        Path(f"{name}.toml").write_text(SCENARIO.format(name=name), encoding="utf-8")
        return f"python:{name}.Bad"

    return module


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"top": "sys.exit()"}, "importing bad failed: SystemExit"),
        ({"top": "os._exit(0)"}, "its process ended with status 0, while it was loaded"),
        ({"ack": "sys.exit(0)"}, "on_ack raised SystemExit: 0"),
        ({"ack": "os._exit(0)"}, "its process ended with status 0, without a result"),
        ({"init": "os._exit(0)"}, "its process ended with status 0, without a result"),
        ({"ack": "ctypes.string_at(0)"}, "its process was ended by signal 11 SIGSEGV"),
        ({"ack": "os.kill(os.getpid(), 9)"}, "its process was ended by signal 9 SIGKILL"),
        ({"ack": "os.closerange(0, 64)"}, "its process "),
        ({"ack": FOREVER}, "took more than 1 s (--max-time)"),
        (
            {"top": "signal.signal(signal.SIGTERM, signal.SIG_IGN)", "ack": IDLE},
            "took more than 1 s (--max-time)",
        ),
        (
            {"ack": "self.all = [b'x' * 10_000_000 for _ in range(100)]; time.sleep(60)"},
            "(--max-memory)",
        ),
        ({"ack": "raise ValueError('\\ud800\\x1b[2J')"}, "ValueError: \\ud800\\x1b[2J"),
    ],
)
def test_a_bad_controller_is_an_error_that_names_it(write, parts, found):
    name = write("bad", **parts)
    limit = ("--max-time", "1 s") if "while" in parts.get("ack", "") else ()
    result = mesonet(
        *("simulate", "bad.toml", "--trust", "--json", "--max-memory", "500 MB"), *limit
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    (error,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
    assert name in error
    assert found in error


@pytest.mark.parametrize("command", [("simulate", "bad.toml", "--trust"), ("check-controller",)])
def test_ctrl_c_that_a_controller_sends_is_its_fault(write, command):
    name = write("bad", ack="os.kill(os.getpid(), signal.SIGINT)")
    result = mesonet(*command, *([name] if len(command) == 1 else []))
    assert result.exit_code == 2
    assert f"{name} ({Path('bad.py').resolve()}): its process was sent signal 2" in result.stderr


def test_an_interruption_that_a_controller_raises_is_its_fault(write):
    name = write("bad", ack="raise KeyboardInterrupt")
    result = mesonet("simulate", "bad.toml", "--trust")
    assert result.exit_code == 2
    (error,) = (line for line in result.stderr.splitlines() if line.startswith("error: "))
    assert name in error
    assert "or it raised KeyboardInterrupt" in error


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "bad.toml", "--trust"),
        ("check-controller", "python:bad.Bad", "--no-response", "--steps", 10),
        ("compare", "python:bad.Bad", "--repeat", 1, "--duration", "1 s"),
        ("ladder", "python:bad.Bad", "--probability", 0.1),
    ],
)
def test_what_a_controller_prints_is_no_data(write, command):
    # A library prints without Python, to the file descriptor.
    write("bad", top="print('loaded')", ack="print('called'); os.write(1, b'below\\n')")
    result = mesonet(*command, "--json")
    assert json.loads(result.stdout)
    assert {"loaded", "called", "below"} <= set(result.stderr.splitlines())


def test_what_a_controller_leaves_running_is_not_waited_for(write):
    write("bad", top="threading.Thread(target=time.sleep, args=(1000,)).start()")
    result = mesonet("simulate", "bad.toml", "--trust", "--json")
    assert result.exit_code == 0, result.stderr
    assert "utilization" in json.loads(result.stdout)


@pytest.mark.parametrize(
    ("command", "loop"),
    [
        (("check-controller", "python:bad.Bad", "--max-time", "1 s"), IDLE),
        # Its runs are in threads, none of which lets the others go on.
        (
            ("compare", "reno", "python:bad.Bad", "--max-time", "1 s", "--duration", "1 s"),
            FOREVER,
        ),
        (("ladder", "python:bad.Bad", "--max-time", "1 s"), IDLE),
    ],
)
def test_other_commands_end_a_loop_too(write, command, loop):
    write("bad", ack=loop)
    result = mesonet(*command)
    assert result.exit_code == 2
    assert "python:bad.Bad" in result.stderr
    assert "took more than 1 s (--max-time)" in result.stderr


def test_limits_that_cannot_be_read_are_refused(write):
    write("bad")
    result = mesonet("simulate", "bad.toml", "--max-time", "2", "--max-memory", "x")
    assert result.exit_code == 2
    assert "--max-time: " in result.stderr
    assert "--max-memory: " in result.stderr


def test_a_campaign_of_bad_controllers_ends_with_a_reason_for_each(write):
    parts = {
        "hard": {"ack": "os._exit(0)"},
        "soft": {"ack": "sys.exit(0)"},
        "gone": {"ack": "os.closerange(0, 64)"},
        "text": {"ack": "raise ValueError('\\ud800\\x1b[2J')"},
        "fine": {},
    }
    alternatives = "".join(
        f'[[alternatives]]\nlabel = "{name}"\nset = {{ "flows[0].algorithm" = "{full}" }}\n'
        for name, full in ((name, write(name, **part)) for name, part in parts.items())
    )
    Path("plan.toml").write_text(
        'name = "bad"\nscenario = "fine.toml"\nresponses = ["utilization"]\n' + alternatives,
        encoding="utf-8",
    )
    result = mesonet("run", "plan.toml", "--out", "out", "--trust", "--workers", 1)
    assert result.exit_code == 1, result.stderr
    status = json.loads(mesonet("status", "out", "--json").stdout)
    assert (status["done"], status["failed"]) == (1, 4)
    reasons = "\n".join(sorted(status["failures"].values()))
    assert "python:hard.Bad: the worker process exited with status 0, 3 times" in reasons
    assert "python:soft.Bad: flow" in reasons
    assert "on_ack raised SystemExit: 0" in reasons
    assert "python:gone.Bad: " in reasons
    assert "ValueError: \\ud800\\x1b[2J" in reasons
    # Nobody runs what has failed again.
    assert mesonet("run", "plan.toml", "--out", "out").exit_code == 1


def test_ctrl_c_ends_a_loop_that_does_not_listen(write):
    write(
        "bad",
        top="signal.signal(signal.SIGINT, signal.SIG_IGN)",
        ack=f"open('looping', 'w').close()\n        {IDLE}",
    )
    # It gets half a second to keep what it has, where users give it five.
    program = (
        "from mesonet.cli import supervision; supervision._GRACE = 0.5; "
        "from mesonet.__main__ import main; main()"
    )
    start = warm.Started if sys.platform == "linux" else subprocess.Popen
    process = start(
        [sys.executable, "-P", "-c", program, "simulate", "bad.toml", "--trust"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    while not Path("looping").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    process.stderr.close()


def test_the_process_of_its_own_ends_with_the_command(write, tmp_path):
    write("bad", ack=f"open(str(os.getpid()) + '.pid', 'w').close()\n        {FOREVER}")
    command = [sys.executable, "-m", "mesonet.cli", "simulate", "bad.toml", "--trust"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not (found := list(tmp_path.glob("*.pid"))):
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    child = int(found[0].stem)
    while is_alive(child):
        time.sleep(0.05)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text("ascii").split()[2] != "Z"


def test_times_are_said_as_people_say_them():
    assert [duration(seconds) for seconds in (3600, 600, 90, 1.5)] == [
        "1 h",
        "10 min",
        "90 s",
        "1.5 s",
    ]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler for C (cc)")
def test_a_library_that_ends_the_process_when_it_is_opened_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.c").write_text(
        "#include <unistd.h>\n__attribute__((constructor)) static void end(void) { _exit(0); }\n",
        encoding="utf-8",
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "bad.so", "bad.c"], check=True)
    for command in (
        ("check-controller", "library:bad.so:any"),
        ("list", "controllers", "--library", "bad.so"),
    ):
        result = mesonet(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "library:bad.so" in result.stderr
        assert "its process ended with status 0, while it was loaded" in result.stderr


def test_ctrl_c_at_the_end_of_a_command_is_told_once(tmp_path):
    """The process has said that all is done when the signal comes: it hears nothing of it."""
    ready, heard = tmp_path / "ready", tmp_path / "heard"
    program = (
        "import signal, sys, time\n"
        "from pathlib import Path\n"
        f"signal.signal(signal.SIGINT, lambda *_: Path({str(heard)!r}).touch())\n"
        f"Path({str(ready)!r}).touch()\n"
        "time.sleep(20)"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    read, write = os.pipe()
    try:
        while not ready.exists():
            time.sleep(0.01)
        os.write(write, b'{"loading": null}\n{"status": 0}\n')
        limits = Limits(None, 10**12)
        ended = _Watch(process, read, limits, [signal.SIGINT], patient=False).until_ended()
        assert (ended.status, ended.reason) == (130, "interrupted")
        time.sleep(0.2)
        assert not heard.exists()
    finally:
        process.kill()
        process.wait()
        os.close(read)
        os.close(write)

"""Ctrl-C ends the command with one line and status 130, at any moment."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import signal, sys
before = set(sys.modules)
from mesonet.__main__ import main

install = signal.signal

def told(*given):
    signal.signal = install
    install(*given)
    print(*set(sys.modules) - before, flush=True)

signal.signal = told
main()
"""
"""The command as its script starts it; says when it has taken care of SIGINT, and what it has
imported by then."""
QUICK = ("list", "controllers")
MOMENTS = int(os.environ.get("MESONET_TEST_MOMENTS", "1"))
"""Moments at which each command is interrupted."""
LONG = ("compare", "reno", "cubic", "--duration", "10 s", "--replicates", "2", "--out", "page.html")


@pytest.mark.parametrize("command", [QUICK, LONG], ids=["list", "compare"])
def test_at_once_it_is_one_line(command, tmp_path):
    process, imported = begun(command, tmp_path)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (130, b"interrupted\n")
    # Until then, Ctrl-C would give Python's traceback.
    assert imported <= {"mesonet", "mesonet.__main__", "mesonet.lazy", "__future__", "atexit"}


PLAN = """
name = "small"
responses = ["utilization"]
replicates = 2

[scenario]
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "20 ms"
flows = ["reno"]
duration = "20 s"

[factors.rate]
path = "rate"
low = "10 Mbit/s"
high = "20 Mbit/s"
"""
CONTROLLER = """
import mesonet

class Mine(mesonet.Controller):
    def on_ack(self, ack, flow):
        pass

    def on_congestion(self, event, flow):
        pass
"""
SCENARIO = """
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "20 ms"
flows = ["python:mine.Mine"]
duration = "5 s"
"""
COMMANDS = {
    "compare": LONG,
    "run": ("run", "plan.toml", "--out", "new", "--workers", "1"),
    "sql": ("sql", "campaign", "select * from results"),
    "controller": ("simulate", "mine.toml", "--trust"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a plan and a finished campaign of it."""
    folder = tmp_path_factory.mktemp("interrupted")
    (folder / "plan.toml").write_text(PLAN)
    (folder / "mine.py").write_text(CONTROLLER)
    (folder / "mine.toml").write_text(SCENARIO)
    done, _ = begun(("run", "plan.toml", "--out", "campaign", "--workers", "1"), folder)
    done.communicate(timeout=300)
    assert done.returncode == 0
    return folder


def begun(command, folder):
    """A process that takes care of SIGINT, and what it had imported before."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    return process, set(process.stdout.readline().decode().split())


def stopped(process):
    """Stops a process; `True` if it had not ended, and hears SIGINT."""
    # `send_signal` would reap it.
    os.kill(process.pid, signal.SIGSTOP)
    while True:
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "T":
            break
        if state == "Z":
            return False
        time.sleep(0.001)
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1)


# Imports, a simulation, a page: where the moments fall depends on the machine, and any will do.
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux how a process is")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_at_any_moment_it_is_one_line_and_no_traceback(command, folder):
    begin = time.monotonic()
    whole, _ = begun(command, folder)
    whole.communicate(timeout=300)
    assert whole.returncode == 0
    longest = time.monotonic() - begin
    shutil.rmtree(folder / "new", ignore_errors=True)
    moments, heard = random.Random(17), 0
    for _ in range(20):
        process, _ = begun(command, folder)
        # One in each part of the time, early ones too.
        after = longest * (heard + moments.random()) / MOMENTS
        time.sleep(after)
        # It is proven to be running when the signal comes, and what it had said is known.
        running = stopped(process)
        os.set_blocking(process.stderr.fileno(), False)
        before = process.stderr.read() or b""
        os.set_blocking(process.stderr.fileno(), True)
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGCONT)
        _, errors = process.communicate(timeout=300)
        assert b"Traceback" not in before + errors
        if running:
            heard += 1
            said = errors.decode().splitlines()
            # Progress may be on its way when the signal comes; it says nothing of the end.
            aside = ("page: ", "note: ", "0/4 runs, ", "1/4 runs, ", "2/4 runs, ", "3/4 runs, ")
            lines = [line for line in said if not line.startswith(aside)]
            assert (process.returncode, len(lines)) == (130, 1), (after, before, errors)
            assert lines[0].startswith(("interrupted", "stopped: ")), (after, errors)
        else:
            # It took less time than the first one.
            longest = min(longest, after)
        assert not list(folder.rglob(".*.partial"))
        shutil.rmtree(folder / "new", ignore_errors=True)
        if heard == MOMENTS:
            return
    pytest.fail(f"only {heard} of 20 moments came before the end")


SWALLOWED = """
class Swallowed:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0)

def interrupt():
    Swallowed()
"""
# PyErr_Print does so, in extensions that cannot hand an exception on.
PRINTED = """
def interrupt():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        sys.excepthook(*sys.exc_info())
"""
# Then it may fail itself, as code in Rust does where Python was to answer.
FAILED = f"{PRINTED}        raise RuntimeError('no answer')\n"
# pydantic does so, whose core calls Python while it builds a validator.
WORDED = """
from pydantic_core import SchemaError

def interrupt():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt as error:
        words = repr(error)
    raise SchemaError(f"Error building validator: {words}")
"""


@pytest.mark.parametrize(
    "library",
    [SWALLOWED, PRINTED, FAILED, WORDED],
    ids=["swallowed", "printed", "failed", "worded"],
)
def test_ctrl_c_that_a_library_keeps_to_itself_ends_the_command(library):
    program = f"""
import os, signal, sys, time
from mesonet.__main__ import main
{library}
def start():
    import typer
    from mesonet.cli.common import friendly

    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    @friendly
    def command():
        interrupt()
        time.sleep(60)

    app()

# The command comes from here, when main imports it.
sys.modules["mesonet.cli"] = type(sys)("mesonet.cli")
sys.modules["mesonet.cli"].main = start
sys.modules["mesonet.cli"].__path__ = [os.path.dirname(os.path.abspath(
    sys.modules["mesonet"].__file__)) + "/cli"]
main()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=300)
    assert (ended.stderr.splitlines()[0], ended.stderr.count(b"Exception ignored")) == (
        b"interrupted",
        0,
    )


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

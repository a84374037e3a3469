"""Stand-ins for the simulation of a run; workers import them by name."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from mesonet.campaign import RunRecord, execute
from mesonet.workers import report

__all__ = ["execute", "plan"]

# Where runs leave marks for each other.
MARKS = "MESONET_TEST_MARKS"
# Until a test gives up on a process [s]; whatever it waits for is there at once on an idle machine.
PATIENCE = 300


def plan(**changes):
    """Eight cells of a little dumbbell."""
    # Workers, which import this file, need no plan.
    from mesonet.plan import plan_from_dict

    data = {
        "name": "fake",
        "scenario": {
            "kind": "dumbbell",
            "rate": "10 Mbit/s",
            "rtt": "40 ms",
            "flows": ["reno"],
            "duration": "2 s",
        },
        "factors": {
            "rate": {"path": "rate", "low": "10 Mbit/s", "high": "20 Mbit/s"},
            "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
        },
        "replicates": 2,
        "responses": ["utilization", "jain_index"],
    }
    return plan_from_dict(data | changes)


def quick(work):
    """A result that depends on the run only."""
    values = {name: int(work.run, 16) % (10 + i) / 7 for i, name in enumerate(work.responses)}
    values["jain_index"] = float("nan")
    packets = int(work.run, 16) % 1000
    return RunRecord({"run": work.run, "seed": work.seed, **values, "packets": packets})


def brief(work):
    """Result of a run, after a short delay."""
    time.sleep(0.005)
    return quick(work)


def steady(work):
    """Result of a run, after a time that a process can be killed in."""
    time.sleep(0.05)
    return quick(work)


def slow(work):
    """Result of a run, after a delay."""
    time.sleep(0.4)
    return quick(work)


def traced(work):
    """Leaves word of every beginning, and takes a while."""
    (marks() / "pids" / str(os.getpid())).touch()
    log = os.open(marks() / "begun", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, f"{work.run}\n".encode())
    os.close(log)
    time.sleep(0.2)
    return quick(work)


def held(work):
    """Leaves word of its process, and ends when somebody says go."""
    (marks() / "pids" / str(os.getpid())).touch()
    while not (marks() / "go").exists():
        time.sleep(0.02)
    return quick(work)


def bulky(work):
    """Brings a file that is large for a small disk."""
    return replace(quick(work), files={"series.parquet": b"x" * 50_000})


def failing(work):
    """Fails in the second replicate, unless a file says that it is mended."""
    if work.seed == 2 and not (marks() / "mended").exists():
        raise ValueError(f"cannot divide {work.run}")
    return quick(work)


def panicking(work):
    """Panic of the engine as seen from Python: no `Exception`."""
    if work.seed == 2:
        os.write(2, b"thread panicked at the worst moment")
        raise PanicException("index out of bounds")
    return quick(work)


class PanicException(BaseException):
    pass


def deadly(work):
    """One particular run kills every worker that tries it."""
    if work.seed == 1 and work.scenario.rtt == 0.02 and work.scenario.rate.value == 10e6:
        print("something is wrong", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return quick(work)


def hungry(work):
    """The second replicate takes ever more memory, and says how far it is."""
    hoard = []
    while work.seed == 2:
        hoard.append(bytearray(b"x" * 20_000_000))
        report(float(len(hoard)))
    return quick(work)


def unending(work):
    """In the fifth replicate the engine is at work until it is killed."""
    if work.seed == 5:
        long = {"rate": "1 Gbit/s", "duration": "60 h", "interval": "10 s"}
        work = replace(work, scenario=work.scenario.replace(**long))
    return execute(work)


def endless(work):
    """The second replicate goes on for ever."""
    simulated = 0.0
    while work.seed == 2:
        time.sleep(0.01)
        report(simulated := simulated + 1.0)
    return quick(work)


def hanging(work):
    """One run goes on for ever and says nothing."""
    if work.scenario.rtt == 0.02 and work.scenario.rate.value == 10e6:
        time.sleep(1000)
    return quick(work)


def marks():
    """A folder that outlives workers."""
    return Path(os.environ[MARKS])


PROGRAM = """
import fakes
from mesonet.campaign import run_campaign
run_campaign(fakes.plan(**{changes}), out={out!r}, workers=2, execute=fakes.{execute})
"""


def begin(folder, execute, **changes):
    """Executes the campaign in a process of its own."""
    program = PROGRAM.format(changes=changes, out=str(folder), execute=execute)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def wait_until(condition, process):
    """Waits for what a process does; it has to live until then."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(process):
    """Errors of a campaign; its workers have ended with it."""
    with process.stderr as errors:
        said = errors.read()
    process.wait()
    return said.decode()


def results_of(folder):
    """The bytes of all results, by file."""
    return {path.name: path.read_bytes() for path in (Path(folder) / "results").iterdir()}

"""Stand-ins for the simulation of a run; workers import them by name."""

import os
import signal
import time
from pathlib import Path

from mesonet.campaign import Work, execute
from mesonet.errors import CampaignError
from mesonet.plan import Plan, plan_from_dict
from mesonet.store import write_result

__all__ = ["execute", "plan"]

# Which workers have been there, for tests that kill their parent.
PIDS = "MESONET_TEST_PIDS"


def plan(**changes) -> Plan:
    """Eight cells of a little dumbbell."""
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


def quick(work: Work) -> float:
    """A result that depends on the run only."""
    values = {name: int(work.run, 16) % (10 + i) / 7 for i, name in enumerate(work.responses)}
    values["jain_index"] = float("nan")
    times = {"wall_seconds": 0.01, "started": "then", "finished": "now"}
    packets = int(work.run, 16) % 1000
    row = {"run": work.run, "seed": work.seed, **values, "packets": packets, **times}
    write_result(work.result, row)
    return 0.01


def slow(work: Work) -> float:
    """The same, later."""
    if PIDS in os.environ:
        (Path(os.environ[PIDS]) / str(os.getpid())).touch()
    time.sleep(0.4)
    return quick(work)


def failing(work: Work) -> float:
    """Fails in the second replicate, unless a file says that it is mended."""
    if work.seed == 2 and not (work.result.parent.parent / "campaign.mended").exists():
        raise ValueError(f"cannot divide {work.run}")
    return quick(work)


def killed_once(work: Work) -> float:
    """The first worker to get here dies, and its run with it."""
    marker = work.result.parent.parent / "campaign.killed"
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return quick(work)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def deadly(work: Work) -> float:
    """One particular run kills every worker that tries it."""
    if work.seed == 1 and work.scenario.rtt == 0.02 and work.scenario.rate.value == 10e6:
        os.kill(os.getpid(), signal.SIGKILL)
    return quick(work)


def disk_full(work: Work) -> float:
    """What a worker sees when its result cannot be written."""
    raise CampaignError(f"{work.result}: cannot be written: No space left on device")

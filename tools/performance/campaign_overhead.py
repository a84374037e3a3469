"""Overhead of campaigns beyond their runs; prints the figures of docs/performance/details.md.

python tools/performance/campaign_overhead.py busy     1,000 runs of 0.1 s CPU time on all cores
python tools/performance/campaign_overhead.py open     opens a folder of 100,000 runs
python tools/performance/campaign_overhead.py small    200 runs of 0.2 simulated seconds
python tools/performance/campaign_overhead.py sweep    3,000 of them with three responses
"""

from __future__ import annotations

import datetime as dt
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mesonet.campaign import RunRecord, Work, run_campaign
from mesonet.campaign.manifest import (
    cells_frame,
    circumstances,
    conditions_frame,
    describe,
    identity_of,
)
from mesonet.campaign.work import execute
from mesonet.machine import available_cores
from mesonet.plan import Plan, plan_from_dict
from mesonet.store import Store

OPEN = """
import sys, time
begun, cpu = time.perf_counter(), time.process_time()
from mesonet.campaign import Campaign
imported, imported_cpu = time.perf_counter(), time.process_time()
campaign = Campaign.open(sys.argv[1])
counts = campaign.status()
frame = campaign.results()
print(f"{frame.height} rows of {frame.width} columns, {counts['done']} done")
for what, clock, used in (
    ("import", imported - begun, imported_cpu - cpu),
    ("open", time.perf_counter() - imported, time.process_time() - imported_cpu),
):
    print(f"{what}: {clock:.2f} s by the clock, {used:.2f} s of CPU time")
"""


def plan(replicates: int, duration: str = "2 s") -> Plan:
    """Four conditions of a dumbbell."""
    return plan_from_dict(
        {
            "name": "overhead",
            "scenario": {
                "kind": "dumbbell",
                "rate": "10 Mbit/s",
                "rtt": "40 ms",
                "flows": ["reno"],
                "duration": duration,
            },
            "factors": {
                "rate": {"path": "rate", "low": "10 Mbit/s", "high": "20 Mbit/s"},
                "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
            },
            "replicates": replicates,
        }
    )


def row(run: str, seed: int, responses: tuple[str, ...]) -> dict[str, object]:
    """A row as a run would give it."""
    values = {name: int(run, 16) % (10 + here) / 7 for here, name in enumerate(responses)}
    return {"run": run, "seed": seed, **values, "packets": 1000}


def spin(work: Work) -> RunRecord:
    """A run of 0.1 s CPU time."""
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        pass
    return RunRecord(row(work.run, work.seed, work.responses))


def busy() -> None:
    """Share of the time from the first begin to the last end that workers spend in runs."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = run_campaign(plan(250), out=folder, execute=spin)
        timings = campaign.timings()
        begun = min(map(dt.datetime.fromisoformat, timings["started"]))
        ended = max(map(dt.datetime.fromisoformat, timings["finished"]))
        seconds = (ended - begun).total_seconds()
        share = timings["wall_seconds"].sum() / (available_cores() * seconds)
        cpu = timings["cpu_seconds"].sum() / (available_cores() * seconds)
        print(
            f"{timings.height} runs, {available_cores()} cores, {seconds:.1f} s: workers are in "
            f"runs {share:.1%} of the time, on a core {cpu:.1%}"
        )
        used = time.process_time()
        print(f"executing process: {1e3 * used / timings.height:.1f} ms of CPU time per run")


def small() -> None:
    """CPU time of a run that simulates next to nothing, in a worker and in who executes."""
    tiny = plan(50, duration="200 ms")
    runs = tiny.runs()
    works = [pickle.dumps(Work(run.id, run.scenario, run.seed, tiny.responses)) for run in runs]
    for work in works[:5]:
        execute(pickle.loads(work))
    before = time.process_time()
    for work in works:
        pickle.dumps(execute(pickle.loads(work)))
    used = time.process_time() - before
    print(f"{len(runs)} runs in this process: {1e3 * used / len(runs):.1f} ms of CPU time per run")
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        run_campaign(tiny, out=folder)
        used = time.process_time() - before
    print(f"a campaign of them, its workers apart: {1e3 * used / len(runs):.1f} ms per run")


def sweep() -> None:
    """CPU time of small runs with three responses, in one worker and in who executes."""
    asked = {"responses": ["utilization", "mean_queue", "flow_rtt"]}
    tiny = plan_from_dict({**plan(750, duration="200 ms").to_dict(), **asked})
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        run_campaign(tiny, out=folder, workers=1)
        used = time.process_time() - before
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    for what, seconds in (("executing process", used), ("worker", ended.ru_utime + ended.ru_stime)):
        print(f"{what}: {1e3 * seconds / (4 * 750):.2f} ms of CPU time per run")


def opening() -> None:
    """Seconds until status and results of a folder of 100,000 runs are there, in a new process."""
    large = plan(25_000)
    runs = large.runs()
    with tempfile.TemporaryDirectory() as folder:
        about = {"identity": identity_of(large, runs), **circumstances(), **describe(large, runs)}
        store = Store.create(folder, about, cells_frame(large, runs), conditions_frame(large))
        for start in range(0, len(runs), 1000):
            some = runs[start : start + 1000]
            timings = [{"run": run.id, "wall_seconds": 1.0, "cpu_seconds": 1.0} for run in some]
            store.record([row(run.id, run.seed, large.responses) for run in some], timings)
        store.compact()
        store.reconcile()
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        files = sum(path.is_file() for path in Path(folder).rglob("*"))
        print(f"{files} files, {size / 1e6:.0f} MB")
        subprocess.run([sys.executable, "-c", OPEN, folder], check=True)


if __name__ == "__main__":
    {"busy": busy, "open": opening, "small": small, "sweep": sweep}[sys.argv[1]]()

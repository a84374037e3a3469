"""Kills and deaths of a small campaign at moments of all kinds, and what they leave.

A *kill* ends the process that executes a campaign with SIGKILL, after a drawn time up to that of a
campaign which nobody disturbed. A *death* ends it at a chosen step of writing a file: before it is
begun, with half of its content, before its rename, or after it. Either is done to a campaign whose
runs are executed in the process itself. A *loss* is that of a worker: the campaign has two workers,
one of which is killed after a drawn time, and it has to finish without. Once in four the process
that executes the campaign is killed instead, and its workers have to end.

The campaign is then resumed in a process that may die again. At the end its results have to be,
byte for byte, those of a campaign that nobody disturbed, with no partial file and no lock that is
held. What is printed says at which stage they came: before a first result was kept, while some
were missing, and when none was.

    python tools/deaths.py --kills 1000 --deaths 1000 --losses 50 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import psutil

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "integration"), str(ROOT / "tests" / "helpers")]
import fakes  # noqa: E402
import here  # noqa: E402

from mesonet import writing  # noqa: E402
from mesonet.campaign import run_campaign, verify  # noqa: E402
from mesonet.plan import Plan  # noqa: E402
from mesonet.store import files  # noqa: E402
from mesonet.workers import execution  # noqa: E402

STEPS = ("open", "half", "rename", "renamed")
EACH = 20
"""Kills and deaths of one campaign, at the most; then it is finished and compared."""
PLACES = 60
"""Writings of a file among which the step of a death is drawn."""


RUNS = 40
"""Runs of the campaign."""
STAGES = ("before a first result", "some missing", "none missing")
LEFT = 0.75
"""Share of losses that are those of a worker."""


def main() -> int:
    """Kills until the numbers are reached; status 1 where something was left or is different."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--deaths", type=int, default=100)
    parser.add_argument("--losses", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wanted = Counter(kill=asked.kills, death=asked.deaths, loss=asked.losses)
    until = time.monotonic() + 60 * asked.minutes
    # Imports would be most of the time, and be where it is killed. The plan is not expanded: a
    # process with the threads that this takes must not be forked.
    _plan()
    with tempfile.TemporaryDirectory(prefix="mesonet-deaths-") as place:
        trial = Trial(Path(place), random.Random(asked.seed))
        for kind in wanted:
            while trial.done[kind] < wanted[kind] and time.monotonic() < until:
                if faults := trial.campaign(kind, wanted[kind] - trial.done[kind]):
                    print(*faults, f"seed {asked.seed}, {dict(trial.done)}", sep="\n")
                    return 1
        trial.tell(asked.seed)
    return 0


class Trial:
    """Campaigns that are disturbed, one after another."""

    def __init__(self, place: Path, draw: random.Random) -> None:
        self.done: Counter[str] = Counter()
        self._place, self._draw, self._begun = place, draw, time.monotonic()
        self._stages: Counter[tuple[str, str]] = Counter()
        self._campaigns = self._workers = 0
        started = time.monotonic()
        _wait(_fork(place / "whole", _here))
        self._longest = time.monotonic() - started
        self._expected = _content(place / "whole")
        self._longest_with_workers = 0.0

    def campaign(self, kind: str, most: int) -> list[str]:
        """Begins a campaign, disturbs and ends it; what is wrong then."""
        folder = self._place / f"campaign-{self._campaigns}"
        self._campaigns += 1
        for _ in range(min(EACH, most)):
            disturb = {"kill": self._kill, "death": self._death, "loss": self._lose}[kind]
            if not (stage := disturb(folder)):
                # It was finished before; the next campaign takes the rest.
                break
            self.done[kind] += 1
            self._stages[kind, stage] += 1
        _wait(_fork(folder, _here))
        faults = _faults(folder, self._expected)
        if not faults:
            shutil.rmtree(folder)
        return faults

    def tell(self, seed: int) -> None:
        """Prints what was done, and when."""
        for kind, count in self.done.items():
            stages = ", ".join(f"{self._stages[kind, stage]:,} {stage}" for stage in STAGES)
            print(f"{kind:6} {count:6,}: {stages}")
        print(
            f"{self._campaigns} campaigns of {RUNS} runs, {time.monotonic() - self._begun:.0f} s, "
            f"seed {seed}; {self._workers} losses were of workers: "
            "bytes as undisturbed, nothing left over"
        )

    def _kill(self, folder: Path) -> str:
        """Kills a campaign; the stage at which it was, empty if it was finished before."""
        process = _fork(folder, _here)
        time.sleep(self._draw.uniform(0.0, self._longest))
        os.kill(process, signal.SIGKILL)
        return _stage(folder) if os.WIFSIGNALED(_status(process)) else ""

    def _death(self, folder: Path) -> str:
        """Has a campaign end while it writes a file; as `_kill`."""
        step, number = self._draw.choice(STEPS), self._draw.randrange(PLACES)

        def dying(folder: Path) -> None:
            _die_at(step, number)
            _here(folder)

        return _stage(folder) if os.WIFSIGNALED(_status(_fork(folder, dying))) else ""

    def _lose(self, folder: Path) -> str:
        """Kills one of two workers and waits for the end, or kills the process; as `_kill`."""
        if not self._longest_with_workers:
            self._longest_with_workers = _time_with_workers(self._place / "with-workers")
        process = _fork(folder, _with_workers)
        workers = _first_workers(process)
        time.sleep(self._draw.uniform(0.0, self._longest_with_workers))
        workers = _workers(process) or workers
        if not workers:
            # There was nothing left to execute.
            _wait(process)
            return ""
        stage = _stage(folder)
        if self._draw.random() < LEFT:
            lost = _killed(self._draw.choice(workers))
            self._workers += lost
            _wait(process, "a campaign that lost a worker")
        else:
            os.kill(process, signal.SIGKILL)
            lost = os.WIFSIGNALED(_status(process))
        _, alive = psutil.wait_procs(workers, timeout=30)
        if alive:
            raise SystemExit(f"{len(alive)} workers are there without what they work for")
        return stage if lost else ""


def _time_with_workers(folder: Path) -> float:
    """Time from the first worker to the end of a campaign that nobody disturbs [s]."""
    process = _fork(folder, _with_workers)
    _first_workers(process)
    started = time.monotonic()
    _wait(process)
    shutil.rmtree(folder)
    return time.monotonic() - started


def _first_workers(process: int) -> list[psutil.Process]:
    """Workers of a process as soon as there are some; none where it ends without."""
    coordinator = psutil.Process(process)
    while not (workers := _workers(process)) and coordinator.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    return workers


def _workers(process: int) -> list[psutil.Process]:
    try:
        children = psutil.Process(process).children()
        return [each for each in children if "spawn_main" in " ".join(each.cmdline())]
    except psutil.Error:
        return []


def _killed(worker: psutil.Process) -> bool:
    try:
        worker.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def _fork(folder: Path, act: Callable[[Path], None]) -> int:
    """Process that begins or resumes the campaign in a folder."""
    process = os.fork()
    if process:
        return process
    try:
        with Path(os.devnull).open("w") as null:
            os.dup2(null.fileno(), 2)
        act(folder)
        os._exit(0 if verify(folder, sample=0).sound else 1)
    except BaseException as error:  # noqa: BLE001 - said by the parent, which compares
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(1)


def _here(folder: Path) -> None:
    """Executes the campaign in this process: workers would take longer to start than all else."""
    execution.LocalPool = here.Here  # type: ignore[misc,assignment]
    run_campaign(_plan(), out=folder, execute=fakes.brief, retry_failed=True)


def _with_workers(folder: Path) -> None:
    run_campaign(_plan(), out=folder, execute=fakes.steady, retry_failed=True, workers=2)


def _plan() -> Plan:
    return fakes.plan(replicates=RUNS // 4)


def _stage(folder: Path) -> str:
    """Stage at which a campaign is, by its results."""
    try:
        rows = sum(
            pl.scan_parquet(part).select(pl.len()).collect().item()
            for part in folder.glob("results/*.parquet")
        )
    except FileNotFoundError:
        # Its files are being put together.
        return _stage(folder)
    return STAGES[0 if rows == 0 else 1 if rows < RUNS else 2]


def _die_at(step: str, number: int) -> None:
    """Has this process end at a step of its writing number `number` of a file."""
    count = 0
    write = writing.write_atomically

    def dying(path: Path, content: bytes) -> None:
        nonlocal count
        count += 1
        if count <= number:
            write(path, content)
            return
        beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
        path.parent.mkdir(parents=True, exist_ok=True)
        if step == "half":
            beside.write_bytes(content[: len(content) // 2])
        elif step == "rename":
            beside.write_bytes(content)
        elif step == "renamed":
            write(path, content)
        os.kill(os.getpid(), signal.SIGKILL)

    files.write_atomically = dying  # type: ignore[attr-defined]


def _faults(folder: Path, expected: dict[str, bytes]) -> list[str]:
    content = _content(folder)
    faults = [
        f"{name}: different"
        for name in sorted(content.keys() | expected.keys())
        if content.get(name) != expected.get(name)
    ]
    faults += [f"{path}: left over" for path in folder.rglob(".*.partial")]
    return faults


def _content(folder: Path) -> dict[str, bytes]:
    """Bytes of all files that have to be equal: all but what has times in it."""
    names = ("cells.parquet", "conditions.parquet")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and (path.parent.name == "results" or path.name in names)
    }


def _status(process: int) -> int:
    return os.waitpid(process, 0)[1]


def _wait(process: int, who: str = "a campaign that nobody disturbed") -> None:
    if _status(process):
        raise SystemExit(f"{who} was not finished")


if __name__ == "__main__":
    sys.exit(main())

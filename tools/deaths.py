"""Kills and deaths of a small campaign at moments of all kinds, and what they leave.

A *kill* ends the process that executes a campaign with SIGKILL, after a drawn time. A *death* ends
it at a chosen step of writing a file: before it is begun, with half of its content, before its
rename, or after it. The campaign is then resumed in a process that may die again. At the end its
results have to be, byte for byte, those of a campaign that nobody disturbed, with no partial file
and no lock that is held.

Times of kills are drawn up to that of a campaign which nobody disturbed, and what is printed says
how many came after a first result was kept. The campaign runs in one process, so workers are not
what is killed here: tests/integration does that.

    python tools/deaths.py --kills 1000 --deaths 1000 --seed 1
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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "integration"))
import damages  # noqa: E402
import fakes  # noqa: E402

from mesonet.campaign import execution, run_campaign, verify  # noqa: E402
from mesonet.store import files  # noqa: E402
from mesonet.system import writing  # noqa: E402

STEPS = ("open", "half", "rename", "renamed")
EACH = 20
"""Kills and deaths of one campaign, at the most; then it is finished and compared."""
PLACES = 60
"""Writings of a file among which the step of a death is drawn."""


def main() -> int:
    """Kills until the numbers are reached; status 1 where something was left or is different."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--deaths", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    draw, begun = random.Random(asked.seed), time.monotonic()
    done = {"kill": 0, "death": 0}
    campaigns = late = 0
    with tempfile.TemporaryDirectory(prefix="mesonet-deaths-") as place:
        whole = Path(place) / "whole"
        started = time.monotonic()
        _wait(_fork(whole, None))
        longest = time.monotonic() - started
        expected = _content(whole)
        while time.monotonic() - begun < 60 * asked.minutes:
            left = [asked.kills - done["kill"], asked.deaths - done["death"]]
            if not any(left):
                break
            folder = Path(place) / f"campaign-{campaigns}"
            for kind, most in zip(done, left, strict=True):
                ended, kept = _disturb(folder, kind, min(EACH, most), draw, longest)
                done[kind] += ended
                late += kept
            _wait(_fork(folder, None))
            campaigns += 1
            faults = _faults(folder, expected)
            if faults:
                print(*faults, f"seed {asked.seed}, campaign {campaigns}: {done}", sep="\n")
                return 1
            shutil.rmtree(folder)
    seconds = time.monotonic() - begun
    print(
        f"{done['kill']:,} kills and {done['death']:,} deaths in {campaigns} campaigns, "
        f"{late:,} of them after a first result was kept, {seconds:.0f} s, seed {asked.seed}: "
        "bytes as undisturbed, nothing left over"
    )
    return 0


def _disturb(
    folder: Path, kind: str, number: int, draw: random.Random, longest: float
) -> tuple[int, int]:
    """Ends processes of a campaign until it is finished, at most so many.

    Returns:
        How many, and how many of them left results behind.
    """
    count = late = 0
    for _ in range(number):
        if kind == "kill":
            process = _fork(folder, None)
            time.sleep(draw.uniform(0.0, longest))
            os.kill(process, signal.SIGKILL)
        else:
            process = _fork(folder, (draw.choice(STEPS), draw.randrange(PLACES)))
        if os.WIFSIGNALED(_status(process)):
            count += 1
            late += any((folder / "results").glob("*.parquet"))
        else:
            # It was finished before; the next campaign takes the rest.
            break
    return count, late


def _fork(folder: Path, death: tuple[str, int] | None) -> int:
    """Process that begins or resumes the campaign, and dies at a step of the writing of a file."""
    process = os.fork()
    if process:
        return process
    try:
        if death is not None:
            _die_at(*death)
        with Path(os.devnull).open("w") as null:
            os.dup2(null.fileno(), 2)
        # Without workers, each of which would take longer to start than all else here.
        execution.execute_all = damages.execute_here  # type: ignore[attr-defined]
        run_campaign(fakes.plan(replicates=10), out=folder, execute=fakes.quick)
        os._exit(0 if death is not None or verify(folder, sample=0).sound else 1)
    except BaseException as error:  # noqa: BLE001 - said by the parent, which compares
        print(f"{type(error).__name__}: {error}", flush=True)
        os._exit(1)


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
    found = _content(folder)
    faults = [
        f"{name}: different"
        for name in sorted(found.keys() | expected.keys())
        if found.get(name) != expected.get(name)
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


def _wait(process: int) -> None:
    if _status(process):
        raise SystemExit("a campaign that nobody disturbed was not finished")


if __name__ == "__main__":
    sys.exit(main())

"""Tries inputs that nobody would write on everything that reads them: `make fuzz`.

Targets in Python are those of tests/fuzz/targets.py, played by hypothesis in processes of their
own; those in Rust are the tests of crates/sim/tests/fuzz.rs, played by proptest. Batches take
turns, each with a seed of its own, until the time is over. A traceback, a panic, more than 5 s of
processor time for an input or more than 2 GB of memory ends it with status 1, and prints how to
see it again.

    python tools/fuzz.py --minutes 10 --seed 1
    python tools/fuzz.py --inputs 1000000
    python tools/fuzz.py --only plans --replay FILE
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUZZ = ROOT / "tests" / "fuzz"
BATCH = {"answers": 300, "plans": 1000, "scenarios": 2000}
"""Inputs of a batch, where they take longer than others'."""
USUAL_BATCH = 5000
RUST_BATCH = 20_000
RUST = ("specs_in_rust", "acks_in_rust", "answers_of_controllers_in_rust")
SECONDS = 5
"""Most processor time of an input [s]."""
BYTES = 2_000_000_000
"""Most memory of a process that tries inputs [bytes]."""
STUCK = 180
"""Wall-clock time after which a batch without a new input counts as hanging [s]."""


class HangError(BaseException):
    """An input took too long; not an `Exception`, so that nothing takes it for a refusal."""


def main() -> int:
    """Tries inputs until the time or their number is over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--inputs", type=int, help="go by this number instead of by time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="these targets alone")
    parser.add_argument("--replay", type=Path, help="try one input again")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.replay is not None:
        return _replay(asked.only[0], asked.replay)
    if asked.child is not None:
        return _play(asked.only[0], asked.seed, asked.child)
    return _take_turns(asked)


def _targets() -> object:
    sys.path.insert(0, str(FUZZ))
    import targets

    return targets


def _take_turns(asked: argparse.Namespace) -> int:
    names = asked.only or [*_targets().targets(), *RUST]  # type: ignore[attr-defined]
    until = time.monotonic() + 60 * asked.minutes
    tried: Counter[str] = Counter()
    begun, turn, status = time.monotonic(), 0, 0
    while status == 0:
        name, seed = names[turn % len(names)], asked.seed + turn // len(names)
        share = RUST_BATCH if name in RUST else BATCH.get(name, USUAL_BATCH)
        status = _rust(name, seed, share) if name in RUST else _python(name, seed, share)
        tried[name] += share
        turn += 1
        enough = tried.total() >= asked.inputs if asked.inputs else time.monotonic() > until
        if enough and turn % len(names) == 0:
            break
    for name, count in sorted(tried.items()):
        print(f"{name:16} {count:9,}")
    word = "fault" if status else "no fault"
    print(
        f"{tried.total():,} inputs in {time.monotonic() - begun:.0f} s, seed {asked.seed}: {word}"
    )
    return status


def _python(name: str, seed: int, count: int) -> int:
    last = Path(tempfile.gettempdir()) / f"mesonet-fuzz-{os.getpid()}-{name}"
    command = [sys.executable, __file__, "--only", name, "--seed", str(seed)]
    # Its own folder for what inputs write, so that nothing is left.
    with tempfile.TemporaryDirectory(prefix="mesonet-fuzz-") as folder:
        process = subprocess.Popen(
            [*command, "--child", str(count)],
            env=os.environ
            | {"TMPDIR": folder, "XDG_STATE_HOME": folder, "MESONET_FUZZ_LAST": str(last)},
        )
        while (status := _ended(process)) is None:
            if last.exists() and time.time() - last.stat().st_mtime > STUCK:
                print(f"{name}: no answer for {STUCK} s", file=sys.stderr)
                process.kill()
    if status:
        print(f"status {status}; again: {sys.executable} {__file__} --only {name} --replay {last}")
        return 1
    last.unlink(missing_ok=True)
    return 0


def _ended(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        return None


def _rust(name: str, seed: int, count: int) -> int:
    variables = {"PROPTEST_CASES": str(count), "PROPTEST_RNG_SEED": str(seed)}
    test = f"fuzz::{name.removesuffix('_in_rust')}"
    command = ["cargo", "test", "--locked", "-q", "-p", "sim", "--test", "main", "--", test]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | variables, capture_output=True, timeout=1200
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: no answer for 20 minutes", file=sys.stderr)
    else:
        if done.returncode == 0 and b"1 passed" in done.stdout:
            return 0
        sys.stderr.buffer.write(done.stdout[-8000:] + done.stderr[-8000:])
    said = " ".join(f"{key}={value}" for key, value in variables.items())
    print(f"again: {said} {' '.join(command)}")
    return 1


def _play(name: str, seed: int, count: int) -> int:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    targets = _targets()
    target = targets.targets()[name]  # type: ignore[attr-defined]
    folder, last = Path(tempfile.mkdtemp()), Path(os.environ["MESONET_FUZZ_LAST"])

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def play(content: bytes) -> None:
        last.write_bytes(content)
        _bounded(lambda: targets.attempt(target, content, folder))  # type: ignore[attr-defined]

    play()
    return 0


def _bounded(call: object) -> None:
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        call()  # type: ignore[operator]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    # Kilobytes, but bytes on macOS.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if most * (1 if sys.platform == "darwin" else 1024) > BYTES:
        raise MemoryError(f"more than {BYTES} bytes")


def _give_up(*_: object) -> None:
    raise HangError(f"more than {SECONDS} s of processor time")


def _replay(name: str, path: Path) -> int:
    targets = _targets()
    target = targets.targets()[name]  # type: ignore[attr-defined]
    read = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        content = path.read_bytes()
        _bounded(lambda: read.append(targets.attempt(target, content, Path(folder))))  # type: ignore[attr-defined]
    print("read" if read[0] else "refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

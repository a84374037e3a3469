"""Runs worlds of mesonet with this machine's kernel, and prints its figures beside ours.

    sudo python tools/peers/linux/measure.py [--world NAME]... [--algorithm NAME]... [--seconds S]
                                             [--seed N] [--profile NAME] [--json FILE] [--list]

Two network namespaces hold a sender and a receiver; link.c, a program in user space, is the link
between them. It needs root, `ip`, a C compiler and /dev/net/tun, and no network. Namespaces,
devices and processes are gone afterwards, whatever happens. Offload is off, so that one packet is
one segment. Exit status: 0; 1 if the machine was too busy to be believed; 2 if it cannot be
done here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from worlds import FIGURES, MARKS, NAMES, WORLDS, Flow, World, figures, ours

HERE = Path(__file__).resolve().parent
ADDRESSES = ("10.213.0.1", "10.213.0.2")
PORT = 5001
LATE_SHARE, LATE_MEAN = 1e-3, 100.0
"""Share of packets delivered more than 1 ms late, and mean delay [us], that are believed."""
SETTINGS = {
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_rmem": "4096 4194304 33554432",
    "net.ipv4.tcp_wmem": "4096 4194304 33554432",
    "net.ipv4.tcp_ecn": "0",
}


class Kernel(NamedTuple):
    """Figures of the kernel, and those of the link that say whether to believe them."""

    figures: dict[str, float]
    link: dict[str, float]

    def doubts(self) -> list[str]:
        """Reasons not to believe the figures."""
        late, mean = self.link["late_share"], self.link["late_mean_us"]
        reasons = []
        if late > LATE_SHARE:
            reasons.append(f"{late:.2%} of packets were more than 1 ms late")
        if mean > LATE_MEAN:
            reasons.append(f"packets were {mean:.0f} us late on average")
        return reasons


def missing() -> list[str]:
    """Lists what this machine lacks."""
    lacks = []
    if sys.platform != "linux":
        return [f"expected Linux, found {sys.platform}"]
    if os.geteuid() != 0:
        lacks.append("expected root, for network namespaces; run it with sudo")
    lacks += [
        f"expected the program `{name}`, found none; install {package}"
        for name, package in (("ip", "iproute2"), ("cc", "a C compiler"))
        if shutil.which(name) is None
    ]
    if not Path("/dev/net/tun").exists():
        lacks.append("expected /dev/net/tun, found none; load the module tun")
    return lacks


def commands(spaces: tuple[str, str]) -> list[list[str]]:
    """Commands that set up the ends of the link in the two namespaces."""
    setup = []
    for space, own, other in zip(spaces, ADDRESSES, reversed(ADDRESSES), strict=True):
        setup += [
            ["ip", "netns", "exec", space, "sysctl", "-qw", f"{name}={value}"]
            for name, value in SETTINGS.items()
        ]
        setup += [
            ["ip", "-n", space, "link", "set", "lo", "up"],
            ["ip", "-n", space, "address", "add", own, "peer", other, "dev", "tun0"],
            ["ip", "-n", space, "link", "set", "tun0", "mtu", "1500", "txqueuelen", "10000"],
            ["ip", "-n", space, "link", "set", "tun0", "gso_max_segs", "1"],
            ["ip", "-n", space, "link", "set", "tun0", "up"],
        ]
    return setup


@contextlib.contextmanager
def namespaces() -> Iterator[tuple[str, str]]:
    """Two network namespaces with names of this process; removed at the end."""
    spaces = (f"mesonet-{os.getpid()}-a", f"mesonet-{os.getpid()}-b")
    added = []
    try:
        for space in spaces:
            subprocess.run(["ip", "netns", "add", space], check=True)
            added.append(space)
        yield spaces
    finally:
        for space in added:
            subprocess.run(["ip", "netns", "delete", space], check=False)


@contextlib.contextmanager
def process(command: list[Any]) -> Iterator[subprocess.Popen[str]]:
    """A process that ends with the block."""
    child = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        assert child.stdout is not None
        child.stdout.close()


def build(folder: Path) -> Path:
    """Compiles the emulator; returns its path."""
    program = folder / "link"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "link.c"], check=True)
    return program


def kernel(program: Path, world: World, algorithm: str, seed: int) -> Kernel:
    """Runs a world with this machine's kernel."""
    with contextlib.ExitStack() as stack:
        spaces = stack.enter_context(namespaces())
        arguments = [f"{world.rate:.0f}", f"{world.rtt * 1e6:.0f}", world.room, world.loss, seed]
        link = stack.enter_context(
            process([program, *spaces, *arguments, world.since, world.duration + 3])
        )
        _line(link)
        for command in commands(spaces):
            subprocess.run(command, check=True)
        python = [sys.executable, HERE / "endpoint.py"]
        inside = [["ip", "netns", "exec", space, *python] for space in spaces]
        flows = len(world.starts)
        receiver = stack.enter_context(process([*inside[1], "receive", ADDRESSES[1], PORT, flows]))
        _line(receiver)
        begin = time.monotonic() + 0.3
        senders = [
            stack.enter_context(
                process(
                    [
                        *inside[0],
                        "send",
                        ADDRESSES[1],
                        PORT,
                        algorithm,
                        begin + start,
                        world.duration - start,
                    ]
                )
            )
            for start in world.starts
        ]
        told = [[json.loads(line) for line in _all(sender)] for sender in senders]
        link.send_signal(signal.SIGTERM)
        lines = _all(link)
        arrived = [json.loads(line) for line in _all(receiver, ends=False)]
    drops = np.array([float(line.split()[1]) for line in lines if line.startswith("drop")])
    words = lines[-1].split()[1:]
    ends = {name: float(value) for name, value in zip(words[::2], words[1::2], strict=True)}
    measured = [_flow(said, arrived, start) for said, start in zip(told, world.starts, strict=True)]
    return Kernel(figures(world, measured, drops, ends["queue"]), ends)


def _flow(said: list[dict[str, Any]], arrived: list[dict[str, Any]], start: float) -> Flow:
    peer, began = said[0]["peer"], said[0]["began"]
    samples = np.array(said[-1]["samples"])
    marks = {
        row["bytes"]: row["at"] - began
        for row in arrived
        if row.get("peer") == peer and row["bytes"] in MARKS
    }
    threshold = np.where(samples[:, 2] < 2**30, samples[:, 2], 0.0)
    return Flow(samples[:, 0], samples[:, 1], threshold, samples[:, 4], samples[:, 5], start, marks)


def _line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    if not line:
        raise RuntimeError(f"{child.args!r} ended with {child.wait()}")
    return line


def _all(child: subprocess.Popen[str], *, ends: bool = True) -> list[str]:
    assert child.stdout is not None
    if not ends:
        # A reset may have been lost on a link that is gone.
        time.sleep(0.5)
        child.terminate()
    return child.stdout.read().splitlines()


def table(theirs: Mapping[str, float], our: Mapping[str, float]) -> str:
    """Figures of both, and by how much ours differ."""
    rows = [f"  {'':34}{'kernel':>11}{'ours':>11}{'difference':>12}"]
    for name, title in FIGURES.items():
        if name not in theirs and name not in our:
            continue
        base, other = theirs.get(name), our.get(name)
        differ = f"{other / base - 1:+.1%}" if base and other is not None else ""
        shown = [f"{value:.5g}" if value is not None else "none" for value in (base, other)]
        rows.append(f"  {title:34}{shown[0]:>11}{shown[1]:>11}{differ:>12}")
    return "\n".join(rows)


def main() -> int:
    """Runs what the arguments ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--world", action="append", choices=WORLDS, help="default: short")
    parser.add_argument("--algorithm", action="append", choices=NAMES, help="default: cubic")
    parser.add_argument("--seconds", type=float, help="shorten or lengthen the worlds")
    parser.add_argument("--seed", type=int, default=1, help="random losses")
    parser.add_argument("--profile", default="linux-6.18", help="profile of ours")
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    parser.add_argument("--list", action="store_true", help="list the worlds and stop")
    options = parser.parse_args()
    if options.list:
        for name, world in WORLDS.items():
            print(f"{name:10} {world}")
        return 0
    lacks = missing()
    if lacks:
        print("error: " + "; ".join(lacks), file=sys.stderr)
        return 2
    # Ends like any other, so that what was set up is taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    busy, results = False, []
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder))
        for name in options.world or ["short"]:
            world = WORLDS[name]
            if options.seconds is not None:
                world = world.shorter(options.seconds)
            for algorithm in options.algorithm or ["cubic"]:
                theirs = kernel(program, world, algorithm, options.seed)
                our = ours(world, NAMES[algorithm], options.profile, options.seed)
                print(f"{name}, {algorithm}, Linux {platform.release()}, {world.duration:g} s")
                print(table(theirs.figures, our))
                for doubt in theirs.doubts():
                    print(f"  not to be believed, the machine is too busy: {doubt}")
                    busy = True
                row = {"world": name, "algorithm": algorithm, "kernel": theirs.figures}
                results.append(row | {"link": theirs.link, "ours": our})
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return int(busy)


if __name__ == "__main__":
    sys.exit(main())

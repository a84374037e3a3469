"""Compares a module of Linux, built from its own file, with mesonet's form, window for window.

    python tools/peers/kernel_modules.py linux-6.12/net/ipv4/tcp_cubic.c --kernel 6.12

One flow per path, profile `linux`; the windows are those at every 10 ms. With `--exact-root` the
table of `cubic_root` in a copy of the file gives way to an exact root: what then still differs is
not the table.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from mesonet import dumbbell, flow, simulate
from mesonet.controller.kernel import build_kernel_module
from mesonet.controller.library import SUFFIX

PEERS = {"cubic": "cubic:linux", "bbr": "bbr1:linux"}
BASE = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 bdp", "duration": "60 s"}
PAUSES = {"burst": "2000 packets", "pause": "3 s"}
PATHS = {
    "20 Mbit/s, 40 ms": {},
    "20 Mbit/s, 5 ms": {"rtt": "5 ms"},
    "20 Mbit/s, 300 ms": {"rtt": "300 ms"},
    "10 Mbit/s, 20 ms, 100 packets": {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "100 packets"},
    "100 Mbit/s, 40 ms": {"rate": "100 Mbit/s"},
    "loss 0.1 %": {"loss": 0.001},
    "loss 1 %": {"loss": 0.01},
    "loss 5 %": {"loss": 0.05},
    "CoDel": {"queue": "codel"},
    "CoDel with ECN": {"queue": {"kind": "codel", "ecn": True}, "transport": {"ecn": True}},
    "bursts and pauses": {},
}


def measured(algorithm: str, path: str) -> tuple[np.ndarray, dict[str, int]]:
    """Windows at every 10 ms [segments], and the totals of the run."""
    paused = PAUSES if path == "bursts and pauses" else {}
    flows = [flow(algorithm, **paused)]
    scenario = dumbbell(**BASE | PATHS[path], profile="linux", interval="10 ms", flows=flows)
    run = simulate(scenario)
    return run.flows["cwnd"].to_numpy(), run.totals


EXACT = """\
static u32 cubic_root(u64 a)
{
	u64 root = 0;

	for (int bit = 20; bit >= 0; bit--) {
		u64 next = root | 1ULL << bit;
		root = next * next * next <= a ? next : root;
	}
	return root;
}
static u32 by_table(u64 a)
"""


def with_exact_root(file: Path, folder: Path) -> Path:
    """A copy of a CUBIC whose root is exact."""
    copy = folder / file.name
    text = file.read_text(encoding="utf-8")
    copy.write_text(text.replace("static u32 cubic_root(u64 a)\n", EXACT), encoding="utf-8")
    return copy


def main() -> None:
    """Prints a table, a row per path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--kernel", default="6.12")
    parser.add_argument("--exact-root", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = with_exact_root(asked.file, folder) if asked.exact_root else asked.file
        (module,) = build_kernel_module([file], out=folder / f"module{SUFFIX}", kernel=asked.kernel)
        peer = PEERS[module.rpartition(":")[2]]
        print(f"Each pair is the module, then {peer}; windows in segments.")
        print("| Path | windows that differ | by at most | mean window | retransmitted |")
        print("|---|---|---|---|---|")
        for path in PATHS:
            (ours, counts), (theirs, others) = (measured(it, path) for it in (module, peer))
            differ = np.abs(ours - theirs)
            sent_again = [each["retransmitted"] for each in (counts, others)]
            print(
                f"| {path} | {np.mean(differ > 0):.1%} | {differ.max():.0f} |"
                f" {ours.mean():.1f}, {theirs.mean():.1f} | {sent_again[0]}, {sent_again[1]} |"
            )


if __name__ == "__main__":
    main()

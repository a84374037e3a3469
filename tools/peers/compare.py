"""Measures mesonet beside ns-2 and ns-3 on the same dumbbells, in one sitting.

    apt-get install ns2                                # or another ns-2 called `ns`
    python -m venv peers && peers/bin/pip install ns3  # the wheel of ns-3
    python tools/peers/compare.py --ns3 peers/bin/python [--json FILE]

A peer that is not there is left out, and named. Bulk TCP flows with SACK, 1500-byte packets, an ACK
for every segment, hosts with interfaces of the bottleneck's rate 1 ms from their router, 18 ms
between the routers, a buffer of one bandwidth-delay product. A packet-hop is a data packet or an
ACK over one of three links. What is given is packet-hops per second of processor time between two
moments of a run, so that neither setting up nor slow start counts; seconds are noisy, their ratios
in one sitting less so.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mesonet.dumbbell import dumbbell
from mesonet.simulate import simulate

HERE = Path(__file__).resolve().parent
RTT = 0.04
PACKET = 1500
HOPS = 6
"""Links that a data packet and its ACK cross together."""
WORLDS = [(flows, rate) for rate in (1e9, 1e10) for flows in (2, 100, 1000)]
# Simulated time of the two moments [s], by simulator and bit/s: some seconds of processor time.
MOMENTS = {
    "mesonet": {1e9: (3.0, 33.0), 1e10: (3.0, 9.0)},
    "ns-2": {1e9: (3.0, 13.0), 1e10: (3.0, 4.0)},
    "ns-3": {1e9: (3.0, 4.0), 1e10: (3.0, 3.1)},
}

Measured = tuple[float, float]
"""Packets delivered, and processor time [s]."""
Runner = Callable[[int, float, float], Measured]


def room(rate: float) -> int:
    """Room in the bottleneck's buffer [packets]."""
    return int(rate * RTT / 8 / PACKET)


def mesonet(flows: int, rate: float, end: float) -> Measured:
    """The dumbbell in mesonet; ACKs cross the routers, as they do elsewhere."""
    scenario = dumbbell(
        rate=f"{rate:.0f} bit/s",
        access_rate=f"{rate:.0f} bit/s",
        rtt=f"{RTT} s",
        buffer=f"{room(rate)} packets",
        packet={"smss": 1460, "header": 40, "control": 40},
        flows=[
            {"algorithm": "reno", "name": f"f{number}", "start": f"{0.1 * number / flows} s"}
            for number in range(flows)
        ],
        transport={"ack_every": 1, "ack_cost": True},
        interval=f"{end / 10} s",
        duration=f"{end} s",
    )
    before = time.process_time()
    run = simulate(scenario)
    return run.totals["delivered"], time.process_time() - before


def ns2(flows: int, rate: float, end: float) -> Measured:
    """The dumbbell in ns-2."""
    before = _children()
    command = ["ns", str(HERE / "dumbbell.tcl"), str(flows), f"{rate:.0f}", str(room(rate))]
    printed = subprocess.run([*command, str(end)], capture_output=True, text=True, check=True)
    return float(printed.stdout.split()[-1]), _children() - before


def ns3(python: str) -> Runner:
    """The dumbbell in ns-3."""

    def runner(flows: int, rate: float, end: float) -> Measured:
        command = [python, str(HERE / "dumbbell_ns3.py"), str(flows), f"{rate:.0f}"]
        command += [str(room(rate)), str(end)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True)
        packets, seconds = printed.stdout.split()[-2:]
        return float(packets), float(seconds)

    return runner


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def speed(run: Runner, flows: int, rate: float, moments: tuple[float, float]) -> float:
    """Packet-hops per second of processor time between two moments of a run."""
    (early, begun), (late, ended) = (run(flows, rate, end) for end in moments)
    return HOPS * (late - early) / max(ended - begun, 1e-9)


def main() -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ns3", help="Python interpreter that has ns-3's wheel")
    parser.add_argument("--json", type=Path, help="file to write the numbers to")
    given = parser.parse_args()
    runners: dict[str, Runner] = {"mesonet": mesonet}
    if shutil.which("ns"):
        runners["ns-2"] = ns2
    if given.ns3:
        runners["ns-3"] = ns3(given.ns3)
    for name in MOMENTS.keys() - runners.keys():
        print(f"{name} is not there: left out", file=sys.stderr)
    rows = []
    print("| Flows | Bottleneck | " + " | ".join(runners) + " |")
    print("|---|---" * 1 + "|---" * len(runners) + "|")
    for flows, rate in WORLDS:
        found = {
            name: speed(run, flows, rate, MOMENTS[name][rate]) for name, run in runners.items()
        }
        cells = [
            f"{value / 1e6:.2f} million"
            + ("" if name == "mesonet" else f" (1/{found['mesonet'] / value:.1f})")
            for name, value in found.items()
        ]
        print(f"| {flows} | {rate / 1e9:g} Gbit/s | {' | '.join(cells)} |", flush=True)
        rows.append({"flows": flows, "rate": rate, "hops_per_cpu_second": found})
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

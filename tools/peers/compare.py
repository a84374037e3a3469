"""Measures mesonet beside htsim, ns-2 and ns-3 on the same dumbbells, in one sitting.

    sh tools/peers/install.sh PEERS     # ns-3's wheel, htsim's sources, Debian's ns2
    python tools/peers/compare.py --peers PEERS --json peers.json

A peer that is not there is left out, and named. Bulk TCP flows of 1500-byte packets with an ACK for
every one, hosts with interfaces of the bottleneck's rate 1 ms from their router, 18 ms between the
routers, a buffer of one bandwidth-delay product. Slow start ends at a flow's share of that product,
so that nobody's time goes into repairing thousands of losses. Reno with SACK, in htsim NewReno.

A packet-hop is a data packet or its ACK over one of three links, so six for every packet delivered;
ratios are those of packets delivered per second of processor time. It is taken between two moments
of a run, so that neither setting up nor slow start counts. Each cell runs its simulators one after
another, so that they meet the same machine; seconds are noisy, ratios less so.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import simulate

HERE = Path(__file__).resolve().parent
RTT = 0.04
PACKET = 1500
LIMIT = 900.0
"""A peer that takes longer for one run, setting up included, has failed [s]."""
HOPS = 6
"""Links that a data packet and its ACK cross together."""
WORLDS = [(flows, rate) for rate in (1e9, 1e10) for flows in (2, 100, 1000)]
# Simulated time of the two moments [s], by simulator and bit/s: seconds of processor time each.
MOMENTS = {
    "mesonet": {1e9: (1.0, 21.0), 1e10: (1.0, 4.0)},
    "htsim": {1e9: (1.0, 11.0), 1e10: (1.0, 3.0)},
    "ns-2": {1e9: (1.0, 6.0), 1e10: (1.0, 2.0)},
    "ns-3": {1e9: (1.0, 1.5), 1e10: (0.5, 0.55)},
}
GOALS = {"htsim": 3, "ns-2": 5, "ns-3": 25}
"""Targets of speed, relative to other simulators."""


class Case(NamedTuple):
    """A dumbbell with some number of flows."""

    flows: int
    rate: float

    @property
    def room(self) -> int:
        """Room in the bottleneck's buffer [packets]."""
        return int(self.rate * RTT / 8 / PACKET)

    @property
    def threshold(self) -> int:
        """Window at which slow start ends [packets]."""
        return max(self.room // self.flows, 2)


class Measurement(NamedTuple):
    """Measures between two moments: data packets delivered, processor time, hops counted."""

    packets: float
    seconds: float
    served: float
    """Packets that links served by the simulator's own count; negative if it does not count."""


Runner = Callable[[Case, float, float], Measurement]


def mesonet(case: Case, early: float, late: float) -> Measurement:
    """The dumbbell in mesonet; ACKs cross the routers, as they do elsewhere."""

    def until(end: float) -> tuple[int, float, int]:
        rate = f"{case.rate:.0f} bit/s"
        flows = [
            {"algorithm": "reno", "name": f"f{n}", "start": f"{0.1 * n / case.flows} s"}
            for n in range(case.flows)
        ]
        scenario = dumbbell(
            rate=rate,
            access_rate=rate,
            rtt=f"{RTT} s",
            buffer=f"{case.room} packets",
            packet={"smss": 1460, "header": 40, "control": 40},
            flows=flows,
            initial_ssthresh=case.threshold,
            transport={"ack_every": 1, "ack_cost": True},
            interval=f"{end / 10} s",
            duration=f"{end} s",
        )
        before = time.process_time()
        totals = simulate(scenario).totals
        return totals["delivered"], time.process_time() - before, totals["hops"]

    # What is imported and allocated once is not the simulation's.
    until(early / 10)
    return _between(until(early), until(late))


def printed_by(command: list[str]) -> Runner:
    """A peer: a program that prints packets, seconds and hops at both moments."""

    def run(case: Case, early: float, late: float) -> Measurement:
        arguments = [case.flows, f"{case.rate:.0f}", case.room, case.threshold, early, late]
        try:
            done = subprocess.run(
                [*command, *map(str, arguments)],
                capture_output=True,
                text=True,
                check=False,
                timeout=LIMIT,
            )
        except subprocess.TimeoutExpired:
            print(f"{command[0]}: not done after {LIMIT:g} s", file=sys.stderr)
            return Measurement(0.0, 0.0, -1.0)
        lines = [line.split() for line in done.stdout.splitlines()[-2:]]
        if done.returncode or [len(line) for line in lines] != [3, 3]:
            print(f"{command[0]}: {done.stderr[-2000:]}", file=sys.stderr)
            return Measurement(0.0, 0.0, -1.0)
        first, last = ((float(a), float(b), float(c)) for a, b, c in lines)
        return _between(first, last)

    return run


def _between(first: tuple[float, float, float], last: tuple[float, float, float]) -> Measurement:
    packets, seconds, served = (b - a for a, b in zip(first, last, strict=True))
    return Measurement(packets, seconds, served if last[2] > 0 else -1.0)


def build_htsim(folder: Path, into: Path) -> list[str]:
    """Compiles the dumbbell against htsim, whose sources are in `folder`; returns its command."""
    library = folder / "sim" / "libhtsim.a"
    if not library.exists():
        subprocess.run(["make", "-s", "-C", library.parent, library.name], check=True)
    program = into / "htsim_dumbbell"
    source = HERE / "htsim_dumbbell.cpp"
    options = ["-O3", "-std=c++14", "-I", library.parent]
    subprocess.run(["c++", *options, source, library, "-o", program], check=True)
    return [str(program)]


def said_by(command: list[str]) -> str:
    """The last line that a command prints; "unknown" if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip().splitlines()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def peers(options: argparse.Namespace, into: Path) -> tuple[dict[str, Runner], dict[str, str]]:
    """The simulators that are there, and their versions."""
    from mesonet import __version__

    runners: dict[str, Runner] = {"mesonet": mesonet}
    versions = {"mesonet": __version__}
    if options.htsim:
        runners["htsim"] = printed_by(build_htsim(options.htsim, into))
        versions["htsim"] = said_by(["git", "-C", str(options.htsim), "rev-parse", "HEAD"])
    if shutil.which("ns"):
        runners["ns-2"] = printed_by(["ns", str(HERE / "dumbbell.tcl")])
        versions["ns-2"] = said_by(["dpkg-query", "-W", "-f", "${Version}", "ns2"])
    if options.ns3:
        runners["ns-3"] = printed_by([str(options.ns3), str(HERE / "dumbbell_ns3.py")])
        ask = "from importlib.metadata import version; print(version('ns3'))"
        versions["ns-3"] = said_by([str(options.ns3), "-c", ask])
    for name in MOMENTS.keys() - runners.keys():
        print(f"{name} is not there: left out", file=sys.stderr)
    return runners, versions


def cell(case: Case, runners: dict[str, Runner], rounds: int) -> dict[str, Any]:
    """All simulators on one dumbbell, in turn, so many times; the medians."""
    measurements: dict[str, list[Measurement]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            measurements[name].append(run(case, *MOMENTS[name][case.rate]))
    speeds, hops = {}, {}
    for name, runs in measurements.items():
        speeds[name] = statistics.median(
            HOPS * each.packets / each.seconds if each.seconds > 0 else 0.0 for each in runs
        )
        if runs[0].served >= 0 and runs[0].packets > 0:
            hops[name] = runs[0].served / runs[0].packets
    return {
        "flows": case.flows,
        "rate": case.rate,
        "hops_per_cpu_second": speeds,
        "hops_counted_per_packet": hops,
        "ratios": {
            name: speeds["mesonet"] / speeds[name] if speeds[name] else None for name in speeds
        },
        "runs": {name: [each._asdict() for each in runs] for name, runs in measurements.items()},
    }


def row(data: dict[str, Any]) -> str:
    """A cell as a row of the table."""
    cells = [f"{data['flows']}", f"{data['rate'] / 1e9:g} Gbit/s"]
    for name, value in data["hops_per_cpu_second"].items():
        ratio = data["ratios"][name]
        beside = "" if name == "mesonet" else f" (1/{ratio:.1f})" if ratio else ""
        cells.append(f"{value / 1e6:.2f} million{beside}" if value else "failed")
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", type=Path, help="folder that install.sh made")
    parser.add_argument("--ns3", type=Path, help="Python interpreter that has ns-3's wheel")
    parser.add_argument("--htsim", type=Path, help="folder of htsim's sources")
    parser.add_argument("--rounds", type=int, default=1, help="runs of everything; medians count")
    parser.add_argument("--json", type=Path, help="file to write the numbers to")
    options = parser.parse_args()
    if options.peers:
        python = options.peers / "ns3" / "bin" / "python"
        options.ns3 = options.ns3 or (python if python.exists() else None)
        sources = options.peers / "htsim"
        options.htsim = options.htsim or (sources if sources.exists() else None)
    with tempfile.TemporaryDirectory() as into:
        runners, versions = peers(options, Path(into))
        names = [f"{name}, aim 1/{GOALS[name]}" if name in GOALS else name for name in runners]
        print("| Flows | Bottleneck | " + " | ".join(names) + " |")
        print("|---" * (2 + len(names)) + "|", flush=True)
        cells = []
        for flows, rate in WORLDS:
            cells.append(cell(Case(flows, rate), runners, options.rounds))
            print(row(cells[-1]), flush=True)
            if options.json:
                about = {
                    "date": dt.datetime.now(dt.UTC).date().isoformat(),
                    "machine": platform.platform(),
                    "versions": versions,
                    "hops_per_packet": HOPS,
                    "goals": GOALS,
                    "cells": cells,
                }
                options.json.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

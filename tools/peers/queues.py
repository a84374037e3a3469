"""Holds mesonet's queue disciplines against ns-3's on three dumbbells, with Reno and CUBIC.

    sh tools/peers/install.sh PEERS     # ns-3's wheel
    python tools/peers/queues.py --peers PEERS --markdown docs/queues-ns3.md

Bulk flows of segments of 1448 bytes (1502 on the wire), an ACK for every segment, start within the
first second, window 10. Goodput and the mean of the packets that wait are taken from 10 s to 50 s;
ns-3's queue is sampled every 5 ms, mesonet's too. Each value is a mean over seeds, which move the
starts and the draws.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from mesonet import simulate
from mesonet.scenario import scenario_from_dict

HERE = Path(__file__).resolve().parent
SEGMENT, WIRE = 1448, 1502
FROM, TO, STEP = 10.0, 50.0, 0.005
GOODPUT, QUEUE = 0.03, 0.10
"""Differences that count as agreement."""
SEEDS = {"mesonet": 5, "ns-3": 1}


class World(NamedTuple):
    """A dumbbell: flows, bottleneck [bit/s], base round-trip time [s], room [packets]."""

    flows: int
    rate: float
    rtt: float
    room: int


WORLDS = (World(5, 10e6, 0.04, 1000), World(10, 20e6, 0.02, 1000), World(20, 10e6, 0.1, 1000))
CONGESTION = {"reno": "ns3::TcpLinuxReno", "cubic": "ns3::TcpCubic"}
RED = {"min_th": 20, "max_th": 60, "w_q": 0.002, "max_p": 0.02}
DISCIPLINES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "codel": ({"kind": "codel"}, "ns3::CoDelQueueDisc", {"MinBytes": WIRE}),
    # ns-3's CoDel looks at the flow's own queue before it drops, Linux's at all of them.
    "fq_codel": (
        {"kind": "fq_codel", "ecn": False, "own_backlog": True},
        "ns3::FqCoDelQueueDisc",
        {"UseEcn": "false"},
    ),
    "pie": (
        {"kind": "pie", "ecn": False},
        "ns3::PieQueueDisc",
        {"QueueDelayReference": "15ms", "Tupdate": "15ms", "MaxBurstAllowance": "150ms"},
    ),
    "red": (
        {"kind": "red", **RED},
        "ns3::RedQueueDisc",
        {
            "MinTh": RED["min_th"],
            "MaxTh": RED["max_th"],
            "QW": RED["w_q"],
            "LInterm": 1 / RED["max_p"],
            "MeanPktSize": WIRE,
        },
    ),
}
"""Ours, ns-3's type, and the attributes that make it the same."""


DEFAULTS = {"ns3::CoDelQueueDisc::MinBytes": WIRE}
"""ns-3's CoDel may drop while at least so many bytes wait, and a full packet has 1500 in its queue.
With its 1500 the CoDel within FQ-CoDel drops while one packet waits, which RFC 8289 forbids."""


class Measured(NamedTuple):
    """Goodput [bit/s] and packets that wait, means over time."""

    goodput: float
    queue: float


def starts(world: World, seed: int) -> list[float]:
    """Starts of the flows [s]: evenly over a second with seed 0, else in another order."""
    step = 1 / world.flows if seed == 0 else 0.618034 * seed
    return [round(0.1 + at * step % 1.0, 6) for at in range(world.flows)]


def ours(world: World, discipline: str, congestion: str, seed: int) -> Measured:
    """Measures a run of mesonet."""
    start = starts(world, seed)
    scenario = scenario_from_dict(
        {
            "kind": "dumbbell",
            "rate": f"{world.rate:.0f} bit/s",
            "rtt": f"{world.rtt} s",
            "buffer": f"{world.room} packets",
            "queue": DISCIPLINES[discipline][0],
            "flows": [{"algorithm": congestion, "start": f"{at} s"} for at in start],
            "packet": {"smss": SEGMENT, "header": WIRE - SEGMENT, "control": WIRE - SEGMENT},
            "profile": "linux",
            # ns-3 finds losses as RFC 6675 does, without probes, and times out as RFC 6298 says:
            # the floor is of the whole timeout, Linux's of what is added to the round trip.
            "transport": {"ack_every": 1, "recovery": "sack", "rto_rule": "rfc6298"},
            "initial_window": 10,
            "interval": f"{STEP} s",
            "duration": f"{TO} s",
        }
    )
    run = simulate(scenario, seed=seed + 1)
    acked = run.flows.filter(run.flows["time"] > FROM)["acked"].sum()
    forward = run.queues.filter(run.queues["station"] == run.queues["station"][0])
    # One of those present is in service.
    waiting = (forward["packets"].cast(int) - 1).clip(0).filter(forward["time"] > FROM).mean()
    return Measured(float(acked) * SEGMENT * 8 / (TO - FROM), float(waiting))  # type: ignore[arg-type]


def theirs(peers: Path, world: World, discipline: str, congestion: str, seed: int) -> Measured:
    """Measures a run of ns-3."""
    _, kind, settings = DISCIPLINES[discipline]
    if discipline == "red":
        settings = settings | {"LinkBandwidth": f"{world.rate:.0f}bps", "LinkDelay": "1ms"}
    case = {
        **world._asdict(),
        "discipline": kind,
        "settings": settings,
        "defaults": DEFAULTS,
        "congestion": CONGESTION[congestion],
        "from": FROM,
        "to": TO,
        "step": STEP,
        "starts": starts(world, seed),
        "seed": seed,
    }
    python = peers / "ns3" / "bin" / "python"
    command = [str(python), str(HERE / "queues_ns3.py"), json.dumps(case)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    measured = json.loads(done.stdout.splitlines()[-1])
    return Measured(measured["goodput"], measured["queue"])


def compare(peers: Path, world: World, discipline: str, congestion: str) -> dict[str, Any]:
    """Measures one cell with both."""
    mine = [ours(world, discipline, congestion, seed) for seed in range(SEEDS["mesonet"])]
    other = [theirs(peers, world, discipline, congestion, seed) for seed in range(SEEDS["ns-3"])]
    row: dict[str, Any] = {**world._asdict(), "discipline": discipline, "congestion": congestion}
    for name in Measured._fields:
        a, b = fmean(getattr(m, name) for m in mine), fmean(getattr(m, name) for m in other)
        row |= {name: a, f"{name}_ns3": b, f"{name}_difference": a / b - 1}
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


PAGE = """\
# Queue disciplines beside ns-3's

CoDel, FQ-CoDel, PIE and RED of mesonet and of ns-3 3.44 (its public wheel) on three dumbbells.
Written by `tools/peers/queues.py`, whose docstring says what is measured and how.

Goodput within {goodput:.0%}: {within} of {cells} cells. Mean queue within {queue:.0%}: {close}.

Two causes of earlier differences were traced, and both sides now do the same:

* ns-3 times out as RFC 6298 says, with a floor of the whole timeout; Linux's floor is of what is
  added to the round trip. With Linux's, 20 Reno flows under CoDel time out 122 instead of 819 times
  and use 9.57 instead of 9.19 Mbit/s. The gap of 4 to 7 % in cells of 20 flows is now 0 to 2 %.
* The CoDel within ns-3's FQ-CoDel drops while one packet waits. It asks for fewer than 1500 bytes
  and a full packet has 1500, where RFC 8289 asks for at most one packet. With its `MinBytes` raised
  ns-3 keeps 24 to 81 % more packets (20 CUBIC flows: 28.9 instead of 16.0). `own_backlog` is set
  here because ns-3's CoDel looks at the flow's own queue, Linux's at all of them.

What misses still was not traced. FQ-CoDel keeps 5 to 29 % less than ns-3; one difference known is
that ns-3's device takes a packet about one earlier, out of its flow's queue. 20 flows under CoDel:
another seed of ns-3 gives 20.1 packets for Reno, mesonet's five 13.6 to 15.8, so this is not
chance. There is one run of ns-3 per cell. Its figures for CoDel, PIE and RED are of an earlier run
with the same settings, rounded as they stand here.

| Discipline | World | Goodput, Mbit/s | ns-3 | Difference | Queue, packets | ns-3 | Difference |
|---|---|---|---|---|---|---|---|
"""


def page(rows: list[dict[str, Any]]) -> str:
    """Lays the rows out as a page."""
    head = PAGE.format(
        goodput=GOODPUT,
        queue=QUEUE,
        within=sum(abs(row["goodput_difference"]) <= GOODPUT for row in rows),
        close=sum(abs(row["queue_difference"]) <= QUEUE for row in rows),
        cells=len(rows),
    )
    return head + "".join(
        f"| `{row['discipline']}` | {row['flows']} {row['congestion']}, "
        f"{row['rate'] / 1e6:.0f} Mbit/s, {row['rtt'] * 1e3:.0f} ms "
        f"| {row['goodput'] / 1e6:.2f} | {row['goodput_ns3'] / 1e6:.2f} "
        f"| {row['goodput_difference']:+.1%} "
        f"| {row['queue']:.1f} | {row['queue_ns3']:.1f} | {row['queue_difference']:+.1%} |\n"
        for row in rows
    )


def main() -> None:
    """Runs the cells and writes what they gave."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peers", type=Path, required=True, help="folder of install.sh")
    parser.add_argument("--markdown", type=Path, help="page to write")
    parser.add_argument("--json", type=Path, help="rows to write")
    parser.add_argument("--only", nargs="*", default=list(DISCIPLINES), help="disciplines")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    options = parser.parse_args()
    cells = [
        (options.peers, world, discipline, congestion)
        for discipline in options.only
        for world in WORLDS
        for congestion in CONGESTION
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda cell: compare(*cell), cells))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    text = page(rows)
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

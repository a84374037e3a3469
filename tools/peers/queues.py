"""Holds mesonet's queue disciplines against ns-3's on three dumbbells, with Reno and CUBIC.

    sh tools/peers/install.sh PEERS     # ns-3's wheel; queues_ns3.cpp is compiled against it
    python tools/peers/queues.py --peers PEERS --runs RUNS.jsonl > docs/queues-ns3.md

Bulk flows of segments of 1448 bytes (1502 on the wire), an ACK for every segment, start within the
first second, window 10. Goodput and the mean of the packets that wait are taken from 10 s to 25 s;
both queues are sampled every 5 ms. Each value is a mean over seeds, which move the starts alike on
both sides, and the draws. Runs of ns-3 that RUNS.jsonl holds are not made again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from mesonet import simulate
from mesonet.scenario import scenario_from_dict

HERE = Path(__file__).resolve().parent
SEGMENT, WIRE, FROM, TO, STEP = 1448, 1502, 10.0, 25.0, 0.005
GOODPUT, QUEUE = 0.03, 0.10
"""Differences that count as agreement."""
SEEDS = {"mesonet": 10, "ns-3": 5}
MORE_SEEDS = {"mesonet": 30, "ns-3": 15}
"""Seeds of cells in which the mean queue varies from seed to seed by more than a twentieth."""
SEEDS_OF_CHANGES = 2
CONFIDENCE = 0.95


class World(NamedTuple):
    """A dumbbell: flows, bottleneck [bit/s], base round-trip time [s], room [packets]."""

    flows: int
    rate: float
    rtt: float
    room: int


WORLDS = (World(5, 10e6, 0.04, 1000), World(10, 20e6, 0.02, 1000), World(20, 10e6, 0.1, 1000))
# ns-3's CUBIC has the form of Linux, not that of RFC 9438.
CONGESTION = {"reno": ("reno", "ByteReno"), "cubic": ("cubic:linux", "ByteCubic")}
RED = {"min_th": 20, "max_th": 60, "w_q": 0.002, "max_p": 0.02}
DISCIPLINES: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "codel": ({"kind": "codel"}, "ns3::CoDelQueueDisc", {}),
    # ns-3's CoDel looks at the flow's own queue before it drops, Linux's at all of them.
    "fq_codel": (
        {"kind": "fq_codel", "ecn": False, "own_backlog": True, "flows": 0},
        "ns3::FqCoDelQueueDisc",
        {"UseEcn": "false", "Flows": 1 << 24},
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
            "LinkDelay": "1ms",
        },
    ),
}
"""Ours, ns-3's type, and the attributes that make it the same. No two flows share a queue."""

NS3 = {
    "ns3::TcpL4Protocol::RecoveryType": "ns3::TcpClassicRecovery",
    "ns3::TcpSocketBase::MinRto": "200ms",
    "ns3::TcpSocket::DelAckCount": 1,
    "ns3::TcpSocket::SndBufSize": 1 << 22,
    "ns3::TcpSocket::RcvBufSize": 1 << 24,
    "ns3::TcpCubic::HyStart": "false",
    "ns3::CoDelQueueDisc::MinBytes": WIRE,
}
"""Attributes of ns-3 in all worlds. CoDel may drop while at least `MinBytes` wait, and a full
packet has 1500: with ns-3's 1500 it drops while one packet waits, which RFC 8289 forbids."""


class Cell(NamedTuple):
    """A dumbbell with a discipline and a congestion control."""

    discipline: str
    world: World
    congestion: str

    def __str__(self) -> str:
        flows, rate, rtt, _ = self.world
        return f"{flows} {self.congestion}, {rate / 1e6:.0f} Mbit/s, {rtt * 1e3:.0f} ms"


class Measured(NamedTuple):
    """Goodput [bit/s] and packets that wait, means over time."""

    goodput: float
    queue: float


NOISY = frozenset(
    {
        Cell("fq_codel", WORLDS[0], "reno"),
        Cell("codel", WORLDS[2], "reno"),
        Cell("codel", WORLDS[2], "cubic"),
    }
)


class Change(NamedTuple):
    """A setting put back to what it is by default, and the cells that show what it does.

    Options of ns-3 that a table gives differ with the congestion control.
    """

    label: str
    cells: tuple[Cell, ...]
    ns3: Mapping[str, Any] = {}
    ours: Mapping[str, Any] = {}


FQ = tuple(Cell("fq_codel", world, name) for world in WORLDS for name in CONGESTION)
SHOWN = (FQ[0], Cell("red", WORLDS[0], "reno"), Cell("codel", WORLDS[2], "reno"))
CUBIC = (Cell("codel", WORLDS[0], "cubic"), Cell("codel", WORLDS[2], "cubic"))
CHANGES = (
    Change(
        "ns-3: windows of whole segments",
        FQ,
        ns3={"congestion": {"reno": "NewlyDeliveredReno", "cubic": "NewlyDeliveredCubic"}},
    ),
    Change(
        "ns-3: whole segments, and growth by all that the ACK which ends a recovery covers",
        SHOWN,
        ns3={"congestion": "ns3::TcpLinuxReno"},
    ),
    Change("ns-3: the device takes a packet ahead", SHOWN, ns3={"ahead": "true"}),
    Change(
        "ns-3: proportional rate reduction",
        SHOWN,
        ns3={"ns3::TcpL4Protocol::RecoveryType": "ns3::TcpPrrRecovery"},
    ),
    Change(
        "ns-3: CoDel drops while one packet waits",
        FQ[:1],
        ns3={"ns3::CoDelQueueDisc::MinBytes": 1500},
    ),
    Change(
        "mesonet: a floor of 4 RTTVAR, not of the timeout",
        SHOWN[2:],
        ours={"transport": {"rto_rule": "linux"}},
    ),
    Change("mesonet: CUBIC in the form of RFC 9438", CUBIC, ours={"algorithm": "cubic"}),
    Change(
        "mesonet: ACKs that deliver something but do not advance open the window, too",
        (CUBIC[1], Cell("fq_codel", WORLDS[2], "reno")),
        ours={"transport": {"growth": "delivered"}},
    ),
)


def starts(world: World, seed: int) -> list[float]:
    """Starts of the flows [s]: evenly over a second with seed 0, else in another order."""
    step = 1 / world.flows if seed == 0 else 0.618034 * seed
    return [round(0.1 + at * step % 1.0, 6) for at in range(world.flows)]


def ours(cell: Cell, seed: int, change: Mapping[str, Any]) -> Measured:
    """Measures a run of mesonet."""
    discipline, world, congestion = cell
    algorithm = change.get("algorithm", CONGESTION[congestion][0])
    # ns-3 finds losses as RFC 6675 does, without probes, and times out as RFC 6298 says.
    # Either opens its window by ACKs that advance it alone (RFC 5681), which the profile does not.
    transport = {
        "ack_every": 1,
        "recovery": "sack",
        "rto_rule": "rfc6298",
        "growth": "cumulative",
    }
    scenario = scenario_from_dict(
        {
            "kind": "dumbbell",
            "rate": f"{world.rate:.0f} bit/s",
            "rtt": f"{world.rtt} s",
            "buffer": f"{world.room} packets",
            "queue": DISCIPLINES[discipline][0],
            "flows": [{"algorithm": algorithm, "start": f"{at} s"} for at in starts(world, seed)],
            "packet": {"smss": SEGMENT, "header": WIRE - SEGMENT, "control": WIRE - SEGMENT},
            "profile": "linux-4.18",  # its windows go down as in the RFCs, which is nearer to ns-3
            "transport": transport | change.get("transport", {}),
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


def options(cell: Cell, seed: int, change: Mapping[str, Any]) -> list[str]:
    """Arguments of the program for ns-3."""
    discipline, world, congestion = cell
    _, kind, settings = DISCIPLINES[discipline]
    if discipline == "red":
        settings = settings | {"LinkBandwidth": f"{world.rate:.0f}bps"}
    arguments: dict[str, Any] = {
        "disc": kind,
        "congestion": CONGESTION[congestion][1],
        "rate": f"{world.rate:.0f}",
        "rtt": world.rtt,
        "from": FROM,
        "to": TO,
        "step": STEP,
        "starts": ",".join(map(str, starts(world, seed))),
        "seed": seed,
        f"{kind}::MaxSize": f"{world.room}p",
    }
    arguments |= {f"{kind}::{name}": value for name, value in settings.items()} | NS3
    arguments |= {
        name: value[congestion] if isinstance(value, Mapping) else value
        for name, value in change.items()
    }
    return [f"--{name}={value}" for name, value in arguments.items()]


def build(peers: Path) -> Path:
    """Compiles the program for ns-3 against its wheel; returns its path."""
    core = next(peers.glob("ns3/lib/python*/site-packages/ns3/lib64/libns3*-core.so"))
    prefix = core.name.removeprefix("lib").removesuffix("-core.so")
    parts = ["core", "network", "internet", "traffic-control", "applications"]
    parts += ["point-to-point", "point-to-point-layout"]
    source, program = HERE / "queues_ns3.cpp", peers / "queues_ns3"
    command: list[str | Path] = ["c++", "-std=c++20", "-O2", "-I", core.parents[1] / "include"]
    command += [source, "-o", program, "-L", core.parent, f"-Wl,-rpath,{core.parent}"]
    linked = [f"-l{prefix}-{part}" for part in parts]
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([*command, *linked], check=True)
    return program


class Peer:
    """ns-3, with the runs of it that a file keeps."""

    def __init__(self, peers: Path, kept: Path) -> None:
        self._program = build(peers)
        self._kept = kept
        lines = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
        self._runs = {" ".join(row["options"]): row for row in map(json.loads, lines)}

    def __call__(self, cell: Cell, seed: int, change: Mapping[str, Any]) -> Measured:
        """Measures a run, or takes it from the file."""
        arguments = options(cell, seed, change)
        row = self._runs.get(" ".join(arguments))
        if row is None:
            done = subprocess.run(
                [self._program, *arguments], check=True, capture_output=True, text=True
            )
            row = {"options": arguments} | json.loads(done.stdout.splitlines()[-1])
            with self._kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            self._runs[" ".join(arguments)] = row
        return Measured(row["goodput"], row["queue"])


class Difference(NamedTuple):
    """Means of both sides, ours over theirs less one, and its interval."""

    ours: float
    theirs: float
    value: float
    low: float
    high: float

    def decides(self, bound: float) -> bool:
        """Tells if the whole interval is on one side of the bound."""
        return (max(-self.low, self.high) <= bound) or self.low > bound or self.high < -bound

    def __str__(self) -> str:
        return f"{self.value * 100:+.1f} ({self.low * 100:+.1f} to {self.high * 100:+.1f})"


def difference(ours: np.ndarray, theirs: np.ndarray) -> Difference:
    """Compares two samples by the ratio of their means, on a log scale, with Welch's t."""
    means = [sample.mean() for sample in (ours, theirs)]
    parts = [
        sample.var(ddof=1) / len(sample) / mean**2
        for sample, mean in zip((ours, theirs), means, strict=True)
    ]
    reach = 0.0
    if any(parts):
        free = sum(parts) ** 2 / sum(
            part**2 / (len(sample) - 1) for part, sample in zip(parts, (ours, theirs), strict=True)
        )
        reach = student.ppf((1 + CONFIDENCE) / 2, free) * np.sqrt(sum(parts))
    centre = np.log(means[0] / means[1])
    low, value, high = (float(np.expm1(centre + at)) for at in (-reach, 0.0, reach))
    return Difference(float(means[0]), float(means[1]), value, low, high)


class Compared(NamedTuple):
    """A cell as measured with both."""

    cell: Cell
    goodput: Difference
    queue: Difference


def sample(run: Any, cell: Cell, seeds: int, change: Mapping[str, Any]) -> np.ndarray:
    """Goodput and queue, a column each, of so many seeds."""
    return np.array([run(cell, seed, change) for seed in range(seeds)])


def compare(peer: Peer, cell: Cell) -> Compared:
    """Measures one cell with both."""
    seeds = MORE_SEEDS if cell in NOISY else SEEDS
    mine = sample(ours, cell, seeds["mesonet"], {})
    other = sample(peer, cell, seeds["ns-3"], {})
    return Compared(cell, *(difference(mine[:, at], other[:, at]) for at in range(2)))


def changed(peer: Peer) -> Iterator[str]:
    """Rows of the table of changes."""
    for change in CHANGES:
        side = peer if change.ns3 else ours
        for cell in change.cells:
            plain, put_back = (
                sample(side, cell, SEEDS_OF_CHANGES, each).mean(axis=0)
                for each in ({}, change.ns3 or change.ours)
            )
            yield (
                f"| {change.label} | `{cell.discipline}` | {cell} | {plain[0] / 1e6:.2f} "
                f"| {put_back[0] / 1e6:.2f} | {plain[1]:.1f} | {put_back[1]:.1f} |\n"
            )


def page(rows: list[Compared], changes: str) -> str:
    """The page with these rows."""
    unclear = [
        f"`{row.cell.discipline}` with {row.cell}"
        for row in rows
        if not (row.goodput.decides(GOODPUT) and row.queue.decides(QUEUE))
    ]
    table = (
        f"| `{cell.discipline}` | {cell} "
        f"| {goodput.ours / 1e6:.2f} | {goodput.theirs / 1e6:.2f} | {goodput} "
        f"| {queue.ours:.1f} | {queue.theirs:.1f} | {queue} |\n"
        for cell, goodput, queue in rows
    )
    undecided = f"It reaches over a bound in {len(unclear)}: {'; '.join(unclear)}."
    return (HERE / "queues_page.md").read_text(encoding="utf-8").format(
        goodput=GOODPUT,
        queue=QUEUE,
        within=sum(abs(row.goodput.value) <= GOODPUT for row in rows),
        close=sum(abs(row.queue.value) <= QUEUE for row in rows),
        cells=len(rows),
        confidence=CONFIDENCE,
        ours=SEEDS["mesonet"],
        theirs=SEEDS["ns-3"],
        more_ours=MORE_SEEDS["mesonet"],
        more_theirs=MORE_SEEDS["ns-3"],
        undecided=undecided if unclear else "",
        seeds=SEEDS_OF_CHANGES,
        rows="".join(table),
        changes=changes,
    ).rstrip() + "\n"


def main() -> None:
    """Runs the cells and prints the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", type=Path, required=True, help="folder of install.sh")
    parser.add_argument("--runs", type=Path, required=True, help="runs of ns-3, kept and added to")
    parser.add_argument("--only", nargs="*", default=list(DISCIPLINES), help="disciplines")
    arguments = parser.parse_args()
    peer = Peer(arguments.peers, arguments.runs)
    rows = []
    for discipline in arguments.only:
        for world in WORLDS:
            for congestion in CONGESTION:
                rows.append(compare(peer, Cell(discipline, world, congestion)))
                print(rows[-1], file=sys.stderr, flush=True)
    print(page(rows, "".join(changed(peer))), end="")


if __name__ == "__main__":
    main()

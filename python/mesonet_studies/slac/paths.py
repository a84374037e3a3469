"""Tests over the paths from SLAC: flows, scenarios and runs.

The source prints round-trip times, two buffers and throughputs; every other constant is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies.bench import Item, Measure
from mesonet.studies.study import Options

SMSS = 1460
"""Payload of a segment [bytes]."""
PACKET = 1500
"""A segment on the wire [bytes]."""
RESPONSE = 1.5
"""Squared mean window of Reno times the loss rate (RFC 3649, section 3)."""
STANDARD = "reno"
TEST_PREFIX = "flow"
"""Prefix of the names of the flows under test."""


@dataclass(frozen=True)
class Path:
    """A path from SLAC: round-trip time in ms, rate in Mbit/s, buffer in packets.

    From the throughput of a `single` standard flow [Mbit/s of payload] follows the random loss. A
    test takes `duration`, flows start `stagger` apart, and `interval` is that of measurement [s].
    """

    name: str
    title: str
    rtt_ms: int
    rate: int
    buffer: int
    single: float
    stagger: float
    duration: float
    interval: float

    @property
    def loss(self) -> float:
        """Loss by other traffic: with it Reno's response function gives `single`."""
        window = self.single * 1e6 * self.rtt_ms / 1000 / (8 * SMSS)
        return RESPONSE / window**2


@dataclass(frozen=True)
class PathTest:
    """Flows over a path, one after the other, against standard ones in `reverse`.

    Names of runs and figures have the label behind the path.
    """

    __test__ = False

    path: Path
    flows: tuple[str, ...]
    label: str
    reverse: int = 0

    @property
    def key(self) -> str:
        """Name in figures, such as `ireland.ctcp.8`."""
        return f"{self.path.name}.{self.label}"


def path_tests(options: Options) -> list[PathTest]:
    """Tests of a study, in the order of its page: some for each table of `values.tests`.

    For each path, number of flows and algorithm one, whose flows start after `standard` ones,
    against `reverse` ones. Algorithms are those of the study or of the table.
    """
    tests = []
    for table in options.values["tests"]:
        names = [name for name in table.get("algorithms", options.chosen) if taken(name, table)]
        label = table.get("label", "{algorithm}.{flows}")
        tests += [
            PathTest(
                Path(path, **options.values["paths"][path]),
                (STANDARD,) * table.get("standard", 0) + (name,) * count,
                label.format(algorithm=name, flows=count),
                table.get("reverse", 0),
            )
            for path in table["paths"]
            for count in table.get("flows", [1])
            for name in names
        ]
    return tests


def taken(algorithm: str, table: Mapping[str, Any]) -> bool:
    """Tests whether a table takes an algorithm: `only` some, or all `without` some."""
    only, without = table.get("only", [algorithm]), table.get("without", ())
    return algorithm in only and algorithm not in without


def seeds(options: Options, label: str = "") -> range:
    """Seeds of a test by its label: as many as are asked for, or as the constants say."""
    values = options.values
    count = options.replicates or values["repeats_of"].get(label) or values["repeats"]
    return range(options.run_seed, options.run_seed + count)


def run_name(test: PathTest, seed: int) -> str:
    """Name of a run, unique in a study."""
    return f"{test.key}.seed-{seed}"


def test_items(options: Options, measure: Measure) -> list[Item]:
    """Every test with every seed, measured by a function."""
    scale = options.values["scale"]
    return [
        Item(
            run_name(test, seed),
            scenario(test, options.values, seed=seed),
            measure,
            seed=seed,
            cost=test.path.rate * test.path.duration * scale * (1 + bool(test.reverse)),
        )
        for test in path_tests(options)
        for seed in seeds(options, test.label)
    ]


def scenario(test: PathTest, values: Mapping[str, Any], *, seed: int) -> Dumbbell:
    """Scenario of a test under the constants of a study; `seed` draws the short flows."""
    path, scale = test.path, values["scale"]
    duration = path.duration * scale
    flows: list[dict[str, Any]] = [
        {
            "algorithm": algorithm,
            "name": f"{TEST_PREFIX} {turn + 1}",
            "start": f"{turn * path.stagger * scale:g} s",
        }
        for turn, algorithm in enumerate(test.flows)
    ]
    if test.reverse:
        flows.append(
            {"algorithm": STANDARD, "name": "reverse", "count": test.reverse, "reverse": True}
        )
    if values["web"]:
        flows += short_flows(path, values, duration=duration, seed=seed)
    return dumbbell(
        rate=f"{path.rate} Mbit/s",
        rtt=f"{path.rtt_ms} ms",
        buffer=f"{path.buffer} packets",
        loss=path.loss if values["loss"] else 0.0,
        access_rate="1 Gbit/s",
        profile="linux-4.18",
        # Linux of those years: RACK came in 2018.
        transport={"ack_every": values["ack_every"], "recovery": "sack"},
        flows=flows,
        interval=f"{path.interval} s",
        duration=f"{duration:g} s",
    )


def short_flows(
    path: Path, values: Mapping[str, Any], *, duration: float, seed: int
) -> list[dict[str, str]]:
    """Finite standard flows that begin at random, of random sizes; the same for a seed.

    They use a part of the path's capacity, `values["web"]`, and begin within the duration [s].
    """
    random = Random(1000 * seed + path.rtt_ms)
    about = values["short_flows"]
    mean, shape = about["mean"], about["shape"]
    gap = mean * 8 * PACKET / (values["web"] * path.rate * 1e6)
    flows: list[dict[str, str]] = []
    start = random.expovariate(1 / gap)
    while start < duration:
        minimum = mean * (shape - 1) / shape
        size = minimum * (1 - random.random()) ** (-1 / shape)
        flows.append(
            {
                "algorithm": STANDARD,
                "name": f"web {len(flows) + 1}",
                "start": f"{start:.6f} s",
                "size": f"{min(math.ceil(size), about['longest'] * mean)} packets",
                "rtt": f"{random.choice(about['rtts_ms'])} ms",
            }
        )
        start += random.expovariate(1 / gap)
    return flows


def settings(options: Options) -> dict[str, str]:
    """Settings that follow from the paths and the size, for the page."""
    used = {test.path.name: test.path for test in path_tests(options)}
    paths = [used[name] for name in options.values["paths"] if name in used]

    def of_paths(text: str) -> str:
        return "; ".join(text.format(p=path, loss=path.loss) for path in paths)

    return {
        "Paths": of_paths("{p.title}"),
        "Buffer": of_paths("{p.name} {p.buffer} packets")
        + ". Florida's and Ireland's are printed; others, one bandwidth-delay product, are ours",
        "Other traffic (ours)": "random loss with which Reno's response function, window = "
        "√(1.5 / loss) (RFC 3649), gives the throughput printed for one standard flow: "
        + of_paths("{p.name} {loss:.3g}"),
        "Schedule (ours)": of_paths(
            "{p.name}: a flow every {p.stagger:g} s, {p.duration:g} s in all"
        )
        + f"; times {options.values['scale']:g} in this size",
        "Seeds": ", ".join(map(str, seeds(options))),
    }

"""Paths of the tests, with the details that the source leaves out: capacity, buffers, traffic.

The tests ran over production networks. The source prints base round-trip times, two buffers and
throughputs; everything else here is an assumption, and `ALTERNATIVES` has the variants with others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.keywords import dumbbell
from mesonet.studies.bench import Item, Measure
from mesonet.studies.study import Options, Size

SMSS = 1460
"""Payload of a segment [bytes]."""
PACKET = 1500
"""A segment on the wire [bytes]."""
RESPONSE = 1.5
"""Squared mean window of Reno times the loss rate (RFC 3649, section 3)."""
NETWORK_CARD = "1 Gbit/s"
SOURCE = "Li, “Testing TCP in the WAN”, Microsoft TCP Workshop, February 2007 (slides)"
TEST_PREFIX = "flow"
"""Prefix of the names of the flows under test."""


@dataclass(frozen=True)
class Path:
    """A path from SLAC.

    Attributes:
        name: Name in names of runs and figures.
        title: Title for readers.
        rtt_ms: Base round-trip time, as printed [ms].
        rate: Rate of the bottleneck [Mbit/s]; chosen.
        buffer: Buffer of the bottleneck [packets]; printed for Florida and Ireland.
        single: Printed throughput from which the random loss follows [Mbit/s of payload]: that of
            one standard flow.
        stagger: Interval between the starts of flows [s]; chosen.
        duration: Duration of a test [s]; chosen.
        interval: Interval of measurement [s]; divides five base round-trip times and 1 s.
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
    def product(self) -> float:
        """Bandwidth-delay product [packets]."""
        return self.rate * 1e6 * self.rtt_ms / 1000 / (8 * PACKET)

    @property
    def loss(self) -> float:
        """Loss by other traffic: with it Reno's response function gives the printed throughput."""
        window = self.single * 1e6 * self.rtt_ms / 1000 / (8 * SMSS)
        return RESPONSE / window**2


CALTECH = Path("caltech", "Caltech, 8 ms", 8, 760, 500, 521.0, 2.0, 40.0, 0.04)
FLORIDA = Path("florida", "Florida, 70 ms", 70, 410, 375, 114.0, 6.0, 120.0, 0.05)
IRELAND = Path("ireland", "Ireland, 150 ms", 150, 520, 250, 62.0, 12.0, 240.0, 0.05)
PATHS = (CALTECH, FLORIDA, IRELAND)
CERN = Path("cern", "CERN, 180 ms", 180, 622, 9330, 99.2, 120.0, 480.0, 0.1)
"""Path of 2005. 622 Mbit/s is the rate of a line (OC-12) next above the largest printed mean and
its deviation, 540; the buffer, one bandwidth-delay product, makes room for the printed deviations
of the round-trip time, up to 57 ms; `single` is the mean printed for standard TCP, 248 Mbit/s, over
the 2.5 flows that send on average."""

CAPACITIES = (
    "760 (Caltech), 410 (Florida) and 520 Mbit/s (Ireland): the largest printed throughput of each "
    "path, 732, 392 and 497 Mbit/s, with headers and rounded up to tens"
)


@dataclass(frozen=True)
class ScenarioVariant:
    """Scenario variant: one set of answers to the questions that the source leaves open.

    Attributes:
        name: Name in names of runs.
        title: Title for readers.
        loss: Random loss stands for other traffic.
        web: Part of the capacity that short flows ask for.
        ack_every: Segments per ACK.
    """

    name: str
    title: str
    loss: bool = True
    web: float = 0.0
    ack_every: int = 1


BASE = ScenarioVariant("base", "random loss stands for other traffic")
ALTERNATIVES = (
    ScenarioVariant("quiet", "no other traffic at all", loss=False),
    ScenarioVariant(
        "web", "short flows ask for a tenth of the capacity, no random loss", loss=False, web=0.1
    ),
    ScenarioVariant("delayed", "every second segment is acknowledged, or after 40 ms", ack_every=2),
)


@dataclass(frozen=True)
class PathTest:
    """Flows over a path, one after the other.

    Attributes:
        path: Path of the flows.
        flows: Algorithm of each, in the order in which they start.
        label: Label in names of runs and figures, without the path.
        reverse: Standard flows that send against them.
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


def alike(path: Path, algorithm: str, count: int) -> PathTest:
    """A test of some flows of one algorithm."""
    return PathTest(path, (algorithm,) * count, f"{algorithm}.{count}")


@dataclass(frozen=True)
class TestExtent:
    """Length of a test and number of its repeats, at one size.

    Attributes:
        scale: Scale of stagger and duration, as a multiple of the path's.
        repeats: Number of seeds.
    """

    scale: float
    repeats: int


EXTENTS: dict[Size, TestExtent] = {
    "pocket": TestExtent(0.35, 2),
    "desk": TestExtent(1.0, 3),
    "full": TestExtent(5.0, 5),
}
SENSITIVITY = TestExtent(0.5, 1)
"""Extent of the tests under each alternative variant."""


def scenario(test: PathTest, variant: ScenarioVariant, *, scale: float, seed: int) -> Dumbbell:
    """Scenario of a test under a variant; `seed` draws the short flows."""
    path = test.path
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
            {"algorithm": "reno", "name": "reverse", "count": test.reverse, "reverse": True}
        )
    if variant.web:
        flows += short_flows(path, variant.web, duration=duration, seed=seed)
    return dumbbell(
        rate=f"{path.rate} Mbit/s",
        rtt=f"{path.rtt_ms} ms",
        buffer=f"{path.buffer} packets",
        loss=path.loss if variant.loss else 0.0,
        access_rate=NETWORK_CARD,
        profile="linux",
        # Linux of those years: RACK came in 2018.
        transport={"ack_every": variant.ack_every, "recovery": "sack"},
        flows=flows,
        interval=f"{path.interval} s",
        duration=f"{duration:g} s",
    )


MEAN_SIZE = 1000
"""Mean size of short flows [packets]."""
SHAPE = 1.2
"""Shape of the Pareto distribution of their sizes."""
LONGEST = 100
"""Largest size, in means."""
SHORT_RTTS = (10, 40, 80, 160)
"""Round-trip times of short flows [ms], equally often."""


def short_flows(path: Path, load: float, *, duration: float, seed: int) -> list[dict[str, str]]:
    """Finite standard flows that begin at random, of random sizes; the same for a seed.

    Args:
        path: Path whose capacity they use in part.
        load: Part of the capacity that they offer.
        duration: Time in which they begin [s].
        seed: Seed of the draws.
    """
    random = Random(1000 * seed + path.rtt_ms)
    gap = MEAN_SIZE * 8 * PACKET / (load * path.rate * 1e6)
    flows: list[dict[str, str]] = []
    start = random.expovariate(1 / gap)
    while start < duration:
        least = MEAN_SIZE * (SHAPE - 1) / SHAPE
        size = least * (1 - random.random()) ** (-1 / SHAPE)
        flows.append(
            {
                "algorithm": "reno",
                "name": f"web {len(flows) + 1}",
                "start": f"{start:.6f} s",
                "size": f"{min(math.ceil(size), LONGEST * MEAN_SIZE)} packets",
                "rtt": f"{random.choice(SHORT_RTTS)} ms",
            }
        )
        start += random.expovariate(1 / gap)
    return flows


def run_name(test: PathTest, variant: ScenarioVariant, seed: int) -> str:
    """Name of a run, unique in a study."""
    return f"{variant.name}.{test.key}.seed-{seed}"


def seeds(options: Options, extent: TestExtent, *, repeats: int | None = None) -> tuple[int, ...]:
    """Seeds of the repeats of a test: as many as are asked for, `repeats`, or the extent's."""
    first = 1 if options.seed is None else options.seed
    return tuple(range(first, first + (options.replicates or repeats or extent.repeats)))


def study_items(
    tests: Sequence[PathTest],
    options: Options,
    measure: Measure,
    *,
    extent: TestExtent,
    repeats: Mapping[str, int] | None = None,
) -> list[Item]:
    """The runs of a study: every test under the base variant and, beyond pocket, the others.

    Args:
        tests: Tests of the study.
        options: Options of the study.
        measure: Function that reduces a run to the numbers that are stored.
        extent: Extent under the base variant.
        repeats: Repeats under the base variant, by the label of the test; others have the extent's.
    """
    wanted = [
        (test, BASE, extent, seed)
        for test in tests
        for seed in seeds(options, extent, repeats=(repeats or {}).get(test.label))
    ]
    if options.size != "pocket":
        first = seeds(options, SENSITIVITY)[0]
        wanted += [
            (test, variant, SENSITIVITY, first)
            for variant in sensitivity_variants()
            for test in tests
        ]
    return [
        Item(
            run_name(test, variant, seed),
            scenario(test, variant, scale=each.scale, seed=seed),
            measure,
            edition=1,
            seed=seed,
            cost=test.path.rate * test.path.duration * each.scale * (1 + bool(test.reverse)),
        )
        for test, variant, each, seed in wanted
    ]


def sensitivity_variants() -> tuple[ScenarioVariant, ...]:
    """Variants of the comparison: the base variant at its extent, and the alternatives."""
    return (replace(BASE, name="short", title=f"as the study, {BASE.title}"), *ALTERNATIVES)

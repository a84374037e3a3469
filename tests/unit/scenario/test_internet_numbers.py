"""Every derived number published for MesoNet, beside what the formulas give.

The published numbers are from the slides on NIST SP 500-282. `pytest -s` prints each of them beside
ours. Where the two differ, the test says by how much, and fails if that changes.
"""

import math
from fractions import Fraction
from itertools import product
from statistics import fmean

import pytest

from mesonet.scenario.keywords import internet
from mesonet.scenario.tiers import (
    buffer_packets,
    class_counts,
    hosts_below,
    hosts_per_router,
    router_speeds,
)
from mesonet.scenario.topology import load_topology
from mesonet.tables.names import PAIRS

TIERS = ("backbone", "pop", "N", "F", "D")
UNIFORM, SKEWED = (1 / 3, 1 / 3, 1 / 3), (0.1, 0.6, 0.3)
WEB = (0.6, 0.2, 0.2)
GBPS = Fraction(12_000 * 1000, 10**9)
"""Gbit/s of one packet of 1500 bytes per millisecond."""


@pytest.fixture(scope="module")
def abilene():
    return load_topology("abilene")


def compare(what, published, ours, note=""):
    print(f"{what:<46} published {published!s:>14}   ours {ours!s:>22}   {note}")


# Router speeds [Gbit/s]: backbone, PoP, N, F, D.
SPEEDS = {
    ("1a", 4000): (96, 12, 1.2, 2.4, 12),
    ("1a", 8000): (192, 24, 2.4, 4.8, 24),
    ("1b", 600): (14.4, 1.8, 0.18, 0.36, 1.8),
    ("1b", 1200): (28.8, 3.6, 0.36, 0.72, 3.6),
    ("2a", 800): (19.2, 2.4, 0.24, 0.72, 2.4),
    ("2a", 1600): (38.4, 4.8, 0.48, 0.96, 4.8),
    ("2c", 8000): (192, 24, 2.4, 7.2, 24),
    ("2c", 16000): (384, 48, 4.8, 9.6, 48),
}
# The slides print 720 Mbit/s and 7.2 Gbit/s; their own rule, twice the speed of N, gives these.
SLIDE_ERRORS = {("2a", 800, "F"): 0.48, ("2c", 8000, "F"): 4.8}


@pytest.mark.parametrize(("experiment", "speed"), SPEEDS)
def test_router_speeds(experiment, speed):
    ours = router_speeds(Fraction(speed))
    for tier, published in zip(TIERS, SPEEDS[experiment, speed], strict=True):
        gbps = float(ours[tier] * GBPS)
        expected = SLIDE_ERRORS.get((experiment, speed, tier), published)
        compare(f"{experiment} X3={speed} {tier} Gbit/s", published, gbps)
        assert gbps == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("speed", "printed"), [(800, (1600, 400, 40, 80, 400)), (1600, (3200, 800, 80, 160, 800))]
)
def test_router_speeds_of_the_parameter_slide(speed, printed):
    """The slide that explains the rule prints twice the speeds of all routers below the backbone.

    It reads as if `s1` included the backbone's speed-up. The speeds of all experiments in Gbit/s,
    and the buffer sizes, follow the rule without it.
    """
    ours = [router_speeds(Fraction(speed))[tier] for tier in TIERS]
    for tier, published, value in zip(TIERS, printed, ours, strict=True):
        compare(f"parameter slide X3={speed} {tier} [p/ms]", published, value)
    assert ours == [printed[0], *(value / 2 for value in printed[1:])]


def test_mean_round_trip_is_exact(abilene):
    compare("mean RTT [ms]", "4476/110", abilene.mean_rtt_ms())
    assert abilene.mean_rtt_ms() == Fraction(4476, 110)


def test_paths_and_routers_per_path(abilene):
    paths = list(abilene.pairs())
    routers = fmean(abilene.hops[a][b] + 1 for a, b in paths)
    compare("paths", 110, len(paths))
    compare("routers per path", 3.51, f"{routers:.4f}")
    assert len(paths) == 110
    assert round(routers, 2) == 3.51


def test_hops_end_to_end(abilene):
    """Both hosts count, and so do PoP and access router at either end; class D has no PoP."""
    counts = class_counts(abilene)

    def direct(factor, distribution):
        hosts = hosts_per_router(factor, distribution, Fraction(2000))
        return counts["D"] * hosts["D"] / sum(counts[kind] * hosts[kind] for kind in counts)

    routers = fmean(abilene.hops[a][b] + 1 for a, b in abilene.pairs())
    hops = routers + 6 - direct(3, SKEWED) - direct(4, WEB)
    compare("hops end to end", 9.43, f"{hops:.4f}")
    assert round(hops, 2) == 9.43


@pytest.mark.parametrize(("multiplier", "published"), [(1, (6, 41, 100)), (2, (12, 81, 200))])
def test_round_trips(abilene, multiplier, published):
    rtts = [2 * multiplier * abilene.distance_ns[a][b] / 1e6 for a, b in abilene.pairs()]
    ours = (min(rtts), fmean(rtts), max(rtts))
    compare(f"RTT min/mean/max, X2={multiplier} [ms]", published, [round(rtt, 2) for rtt in ours])
    assert tuple(round(rtt) for rtt in ours) == published


def test_counts_of_routers(abilene):
    assert (len(abilene.nodes), len(abilene.edges), len(abilene.pops)) == (11, 14, 22)
    assert class_counts(abilene) == {"N": 105, "F": 28, "D": 6}
    direct = [router.name for router in abilene.access if router.kind == "D"]
    assert direct == ["B0a", "C0a", "E0a", "F0a", "I0a", "K0a"]


def buffer_row(topology, rule, speeds, sources=(SKEWED,), target=2000):
    """Minimum, mean and maximum over the settings of an experiment of the mean over routers."""
    cells = {"backbone": [], "pop": [], "access": []}
    for distribution in sources:
        out = hosts_per_router(3, distribution, Fraction(target))
        into = hosts_per_router(4, WEB, Fraction(target))
        below = hosts_below(topology, {kind: out[kind] + into[kind] for kind in out})
        for speed in speeds:
            rates = router_speeds(Fraction(speed))
            for multiplier in (1, 2):
                rtt = topology.mean_rtt_ms() * multiplier
                for tier, counts in zip(("backbone", "pop"), below[:2], strict=True):
                    rate = rates[tier]
                    sizes = [buffer_packets(rule, rtt * rate, hosts) for hosts in counts]
                    cells[tier].append(fmean(sizes))
                sizes = [
                    buffer_packets(rule, rtt * rates[router.kind], hosts)
                    for router, hosts in zip(topology.access, below[2], strict=True)
                ]
                cells["access"].append(fmean(sizes))
    return {tier: (min(sizes), fmean(sizes), max(sizes)) for tier, sizes in cells.items()}


# Buffers of RTT x C, and that times a factor [packets]: minimum, mean and maximum over X2 and X3.
# Experiment 2a rounds differently: 65,105 and 146,487.30 are not rounded up.
BUFFERS = {
    ("1a", (4000, 8000), "rtt*c"): {
        "backbone": (325_528, 732_437, 1_302_110),
        "pop": (40_691, 91_555, 162_764),
        "access": (6_470, 14_557, 25_879),
    },
    ("1b", (600, 1200), "rtt*c"): {
        "backbone": (48_830, 109_866, 195_317),
        "pop": (6_104, 13_734, 24_415),
        "access": (971, 2_184, 6_104),
    },
    ("2a", (800, 1600), 1.0): {
        "backbone": (65_105, 146_487.30, 260_422),
        "pop": (8_138, 18_310.75, 32_553),
        "access": (1_294, 2_911.60, 5_176),
    },
    ("2a", (800, 1600), 0.5): {
        "backbone": (32_553, 73_243.50, 130_211),
        "pop": (4_096, 9_155.25, 16_276),
        "access": (647, 1_455.82, 2_588),
    },
    ("2c", (8000, 16000), 1.0): {
        "backbone": (651_055, 1_464_874, 2_604_219),
        "pop": (81_382, 183_110, 325_528),
        "access": (12_939, 29_113, 51_757),
    },
    ("2c", (8000, 16000), 0.5): {
        "backbone": (325_527, 732_437, 1_302_109),
        "pop": (40_691, 91_555, 162_764),
        "access": (6_469, 14_556, 25_878),
    },
}
# 6,104 is a PoP number in the access row; 4,096 is a slip for 4,069, half of 8,138.
MISPRINTS = {("1b", "access", 2): 3_882, ("2a", "pop", 0): 4_069}


@pytest.mark.parametrize(("experiment", "speeds", "rule"), BUFFERS)
def test_buffers_of_a_round_trip(abilene, experiment, speeds, rule):
    ours = buffer_row(abilene, rule, speeds)
    for tier, published in BUFFERS[experiment, speeds, rule].items():
        for column, (name, number) in enumerate(
            zip(("min", "mean", "max"), published, strict=True)
        ):
            value = ours[tier][column]
            misprint = rule != 1.0 and (experiment, tier, column) in MISPRINTS
            expected = MISPRINTS[experiment, tier, column] if misprint else number
            note = f"misprint for {expected}" if misprint else ""
            compare(f"{experiment} {rule} {tier} {name}", number, round(value, 2), note)
            # Experiment 1 agrees to the rounding of the print, the others to one packet.
            assert abs(value - expected) <= (0.5 if rule == "rtt*c" else 1.0)


# Buffers of RTT x C / sqrt(n): minimum, mean and maximum over X2, X3 and X6; `None`: misprinted.
ROOT_BUFFERS = {
    ("1a", (4000, 8000), 2000): {
        "backbone": (1_153, 2_606, 4_654),
        "pop": (221, 505, 908),
        "access": (91, 207, 369),
    },
    ("1b", (600, 1200), 200): {
        "backbone": (547, 1_236, 2_208),
        "pop": (105, 240, 431),
        "access": (44, 99, None),
    },
}
# What n counts was not published. With the hosts below a router, our sizes deviate by these shares.
ROOT_BANDS = {"backbone": (0.02, 0.09), "pop": (-0.045, 0.005), "access": (0.02, 0.045)}


@pytest.mark.parametrize(("experiment", "speeds", "target"), ROOT_BUFFERS)
def test_buffers_divided_by_the_root_of_n(abilene, experiment, speeds, target):
    ours = buffer_row(abilene, "rtt*c/sqrt(n)", speeds, (UNIFORM, SKEWED), target)
    for tier, published in ROOT_BUFFERS[experiment, speeds, target].items():
        low, high = ROOT_BANDS[tier]
        for column, (name, number) in enumerate(
            zip(("min", "mean", "max"), published, strict=True)
        ):
            value = ours[tier][column]
            if number is None:
                compare(f"{experiment} sqrt(n) {tier} {name}", 105, round(value, 1), "misprint")
                continue
            deviation = value / number - 1
            note = f"{100 * deviation:+.1f} %"
            compare(f"{experiment} sqrt(n) {tier} {name}", number, round(value, 1), note)
            assert low <= deviation <= high


def total(topology_counts, hosts):
    return sum(topology_counts[kind] * hosts[kind] for kind in hosts)


# Sources: case, distribution, base, multiplier, per N/F/D router, in all, published in all.
SOURCES = [
    ("1a plus", UNIFORM, 1000, 2, (2000, 2000, 2000), 278_000, 278_000),
    ("1a minus", SKEWED, 1000, 2, (600, 3600, 1800), 174_600, 174_600),
    ("1b plus", UNIFORM, 100, 2, (200, 200, 200), 27_800, 27_800),
    ("1b minus", SKEWED, 100, 2, (60, 360, 180), 17_460, 17_460),
    # One source per N router fewer is published; no rounding we tried explains it.
    ("2a plus", SKEWED, 100, 3, (90, 540, 270), 26_190, 26_085),
    ("2a minus", SKEWED, 100, 2, (60, 360, 180), 17_460, 17_355),
    # Unexplained: 108 fewer are published.
    ("2c plus", SKEWED, 1000, 3, (900, 5400, 2700), 261_900, 261_792),
    ("2c minus", SKEWED, 1000, 2, (600, 3600, 1800), 174_600, 174_600),
]


@pytest.mark.parametrize(
    ("case", "distribution", "base", "multiplier", "each", "ours", "published"), SOURCES
)
def test_sources(abilene, case, distribution, base, multiplier, each, ours, published):
    hosts = hosts_per_router(3, distribution, Fraction(base * multiplier))
    assert tuple(hosts.values()) == each
    assert total(class_counts(abilene), hosts) == ours
    compare(
        f"sources {case}", published, ours, f"{ours - published:+d}" if ours != published else ""
    )
    world = internet(
        base_sources=base, source_multiplier=multiplier, source_distribution=distribution
    )
    assert sum(site["sources"] for site in world.resolve()["sites"]) == ours


def test_receivers_of_experiment_1a(abilene):
    hosts = hosts_per_router(4, WEB, Fraction(2000))
    assert hosts == {"N": 4800, "F": 1600, "D": 1600}
    assert total(class_counts(abilene), hosts) == 558_400


def flow_shares(routers, sources, receivers):
    """Expected share of flows by pair of classes, their ends drawn independently of each other."""
    shares = dict.fromkeys(PAIRS, 0.0)
    for a, b in product(routers, repeat=2):
        pair = "".join(sorted(a + b, key="DFN".index))
        shares[pair] += routers[a] * sources[a] * routers[b] * receivers[b]
    whole = sum(shares.values())
    return {pair: share / whole for pair, share in shares.items()}


def test_the_slide_of_the_isp_topology():
    routers = {"N": 122, "F": 40, "D": 8}
    sources = hosts_per_router(3, SKEWED, Fraction(300))
    receivers = hosts_per_router(4, (0.8, 0.1, 0.1), Fraction(300))
    assert sources == {"N": 90, "F": 540, "D": 270}
    assert receivers == {"N": 960, "F": 120, "D": 120}
    assert {kind: routers[kind] * sources[kind] for kind in routers} == {
        "N": 10_980,
        "F": 21_600,
        "D": 2_160,
    }
    assert total(routers, sources) == 34_740
    assert {kind: routers[kind] * receivers[kind] for kind in routers} == {
        "N": 117_120,
        "F": 4_800,
        "D": 960,
    }
    shares = flow_shares(routers, sources, receivers)
    assert math.isclose(sum(shares.values()), 1)
    published = {"NN": 30.1, "FN": 60.5, "FF": 2.4, "DN": 6.1, "DF": 0.74, "DD": 0.05}
    ours = {"NN": 30.1, "FN": 60.5, "FF": 2.4, "DN": 6.2, "DF": 0.73, "DD": 0.05}
    for pair, percent in published.items():
        share = 100 * shares[pair]
        digits = 2 if percent < 1 else 1
        compare(f"flows {pair} [%]", percent, f"{share:.4f}")
        assert round(share, digits) == ours[pair]
        # The published shares carry an error of at most one in their last digit.
        assert abs(share - percent) < 1.5 * 10**-digits

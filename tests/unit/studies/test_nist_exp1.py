"""NIST's Experiment 1: plans as published, figures from made-up results, claims and page."""

import math
from functools import cache
from itertools import permutations

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import PlanError
from mesonet.simulation import simulate
from mesonet.studies import find_study
from mesonet.studies.study import Options
from mesonet_studies.nist.cubic import measure as cubic
from mesonet_studies.nist.exp1 import figures, network
from mesonet_studies.nist.exp1.bench import measure_cuts
from mesonet_studies.nist.exp1.results import RESPONSES, ExperimentResults

NAMES = ("nist-1a", "nist-1b")
TRIGGERS = {"BIC": 14, "CTCP": 41, "HSTCP": 31, "Scalable": 16}


@cache
def study(name):
    return find_study(name)


@cache
def prepared(name, size="full", variants=()):
    return study(name).prepare(Options(size, variants=variants))


def plan(name, size="full"):
    return prepared(name, size).plans["conditions"]


def values(name, size="full"):
    """Constants of a study at a size."""
    table = study(name)
    return {**table.values, **table.sizes[size].values}


def latencies():
    return values("nist-1b")["latencies"]


@pytest.mark.parametrize(("name", "runs"), [("nist-1a", 224), ("nist-1b", 256)])
def test_the_full_plan_is_the_published_one(name, runs):
    full = plan(name)
    assert full.conditions * len(full.alternatives) == runs
    assert full.conditions == 32
    world = full.scenario
    assert world.scale == 1
    assert world.interface_speeds == (8_000, 80_000)
    assert world.duration == 1500
    assert world.interval == pytest.approx(0.2)
    assert world.source_multiplier == 2
    assert world.receiver_distribution == (0.6, 0.2, 0.2)
    assert world.fast_interface_probability == 0.4
    assert world.larger_files.probability == (0.1, 0, 0)
    assert world.larger_files.factor[0] == 10
    assert (world.jumbo.start, world.jumbo.end, world.jumbo.factor) == (0.6, 0.8, 100)
    assert len(world.long_flows) == 3
    assert world.initial_window == 2
    assert (world.warm_up, world.periods) == (0.4, 3)
    base, threshold = {"nist-1a": (1000, 2**30), "nist-1b": (100, 100)}[name]
    assert (world.base_sources, world.initial_ssthresh) == (base, threshold)
    assert set(RESPONSES) <= set(full.responses)


def test_levels_and_order_of_the_factors():
    full = plan("nist-1a")
    levels = {factor.name: (factor.low, factor.high) for factor in full.factors}
    assert levels == {
        "speed": ("4000 p/ms", "8000 p/ms"),
        "think": ("2.5 s", "5 s"),
        "sources": ([0.1, 0.6, 0.3], "uniform"),
        "delay": (1, 2),
        "web": (50, 100),
        "buffers": ("rtt*c/sqrt(n)", "rtt*c"),
    }
    assert list(levels) == ["speed", "think", "sources", "delay", "web", "buffers"]
    assert full.coded(12) == LEAST


LEAST = {"speed": 1, "think": 1, "sources": -1, "delay": 1, "web": -1, "buffers": 1}
"""The levels of least load."""
FREE = (
    {},
    {"delay": -1, "sources": 1},
    {"delay": -1, "web": 1},
    {"delay": -1, "think": -1},
)
"""Changes of the least load under which nothing was lost at full population, in 12 s of Reno."""
LOSSY = ({"delay": -1, "buffers": -1}, {"delay": -1, "speed": -1})
"""Changes of the least load under which something was lost there."""
PRINTED_FREE = {2, 8, 12, 20}
"""Conditions without losses, as printed; all others have some."""


def placed_as_printed(order, sign):
    """Number of the least load, if runs without losses have the printed numbers; else None."""
    numbers = {}
    for number in range(1, 33):
        codes = [1 if (number - 1) >> bit & 1 else -1 for bit in range(5)]
        codes.append(sign * math.prod(codes))
        numbers[frozenset(zip(order, codes, strict=True))] = number
    where = [numbers.get(frozenset((LEAST | change).items())) for change in (*FREE, *LOSSY)]
    good = set(where[:4]) == PRINTED_FREE and not PRINTED_FREE & set(where[4:])
    return where[0] if good else None


def test_few_orders_of_the_factors_agree_with_the_conditions_that_lose_nothing():
    agreeing = {
        (order, sign): least
        for order in permutations(LEAST)
        for sign in (1, -1)
        if (least := placed_as_printed(order, sign))
    }
    assert len(agreeing) == 12
    assert {sign for _, sign in agreeing} == {1}
    assert {order[1] for order, _ in agreeing} == {"think"}
    assert {frozenset((order[0], order[5])) for order, _ in agreeing} == {
        frozenset(("speed", "buffers"))
    }
    # Condition 12 alone is the same for all algorithms, so it has the least load.
    least = [order for (order, _), number in agreeing.items() if number == 12]
    assert {order[3] for order in least} == {"delay"}
    assert len(least) == 4
    assert tuple(factor.name for factor in plan("nist-1a").factors) in least


def test_the_full_population_loses_where_it_is_printed():
    full = plan("nist-1a")
    (reno,) = (each for each in full.alternatives if each.label == "Reno")
    world = full.scenario_of(4, reno).replace({"duration": "1 s"})
    assert simulate(world, seed=full.seed).totals["dropped"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_smaller_sizes_scale_speeds_hosts_and_time_only(name):
    full = plan(name).scenario.to_dict()
    small = plan(name, "pocket").scenario.to_dict()
    assert {key for key in full if full[key] != small[key]} == {
        "scale",
        "duration",
        "interface_speeds",
    }
    part = figures.fraction_of_full(values(name, "pocket"))
    assert part == pytest.approx(small["scale"] * plan(name, "pocket").scenario.duration / 1500)


@pytest.mark.parametrize(
    ("name", "size"), [("nist-1a", "desk"), ("nist-1b", "desk"), ("nist-1b", "pocket")]
)
def test_hosts_are_as_fast_relative_to_routers_as_published(name, size):
    settings = values(name, size)
    assert settings["line_rates"]["slow"] == pytest.approx(8 * settings["scale"])
    assert settings["line_rates"]["fast"] == pytest.approx(80 * settings["scale"])


def test_the_population_is_the_published_one_for_as_long_as_asked():
    name = "nist-1b"
    population = study(name).prepare(Options("population", duration=12.0, conditions=(2, 12)))
    (short,) = population.plans.values()
    full, small = plan(name).scenario.to_dict(), short.scenario.to_dict()
    assert {key for key in full if full[key] != small[key]} == {"duration"}
    assert short.scenario.duration == 12
    assert plan(name, "population").scenario.duration == 60
    assert short.coded(12) == plan(name).coded(12)
    assert figures.fraction_of_full({"scale": 1, "duration": 12}) == pytest.approx(12 / 1500)


def test_another_duration_is_for_the_population_only():
    with refused(PlanError, ("duration", "unsupported")):
        study("nist-1a").prepare(Options("pocket", duration=12.0))


@pytest.mark.parametrize("name", NAMES)
def test_both_interpretations_of_the_sources_are_variants(name):
    plans = prepared(name, "pocket", ("slides", "paper", "rto-200ms")).plans
    own = plans["conditions"].scenario.to_dict()
    for variant, changed in (("slides", "jumbo"), ("paper", "jumbo"), ("rto-200ms", "transport")):
        other = plans[f"variants/{variant}/conditions"].scenario.to_dict()
        keys = own.keys() | other.keys()
        assert {key for key in keys if own.get(key) != other.get(key)} == {changed}
    assert plans["variants/slides/conditions"].scenario.jumbo.end == 0.9
    assert plans["variants/paper/conditions"].scenario.jumbo.factor == 10


def test_both_printed_thresholds_give_the_same_run():
    base = plan("nist-1a").scenario.replace({"scale": 0.002, "duration": "4 s"})
    totals = [
        simulate(base.replace({"initial_ssthresh": threshold}), seed=1).totals
        for threshold in (2.0**30, 2.0**31)
    ]
    assert totals[0] == totals[1]


def test_printed_tables():
    assert (latencies()["goodput"]["BIC"], latencies()["recovery"]["BIC"]) == (18.8, 71.3)
    assert (latencies()["goodput"]["HTCP"], latencies()["recovery"]["HTCP"]) == (16.6, 10.0)
    rules = {claim.id: claim.rule for claim in study("nist-1b").claims}
    for label, window in TRIGGERS.items():
        assert rules[f"trigger-{label.lower()}"].holds({f"{label}.activation": window})
    printed = {name: values(name)["volumes"] for name in NAMES}
    for name, runs, flows, packets in (
        ("nist-1a", 224, 16_583_418_069, 1_548_371_719_084),
        ("nist-1b", 256, 2_132_292_096, 229_729_124_182),
    ):
        assert printed[name]["flows_mean"] * runs == pytest.approx(flows, rel=1e-7)
        assert printed[name]["packets_mean"] * runs == pytest.approx(packets, rel=1e-7)
        ratio = printed[name]["packets_mean"] / printed[name]["flows_mean"]
        assert values(name)["packets_per_flow"] == pytest.approx(ratio, rel=1e-12)


def test_derived_tables_are_the_printed_ones_but_for_two_misprints():
    for name, wrong in (("nist-1a", 0), ("nist-1b", 2)):
        frame = network.printed_beside_ours(name, values(name)["network"])
        assert frame.height == 10 + 6 + 5 + 2 + 18
        misses = frame.filter(~pl.col("agrees"))["entry"].to_list()
        assert len(misses) == wrong
        assert misses == frame.filter(misprint="yes")["entry"].to_list()
    assert network.network_figures("nist-1b", "exp1b/network.csv")["tables.rtt*c"] == 8


def results(*, swing=1.0, labels=None, names=None):
    """32 conditions; FAST retransmits twice as much as the rest, and all grows with the number."""
    full = plan("nist-1b")
    labels = labels or [each.label for each in full.alternatives]
    printed = latencies()
    rows = []
    for condition in range(1, 33):
        for place, label in enumerate(labels):
            row = {"run": f"{condition}-{label}", "condition": condition, "alternative": label}
            row |= {"replicate": 1, "seed": 1}
            coded = full.coded(condition)
            row |= coded | {f"{name}_level": str(value) for name, value in coded.items()}
            loss = 0.0 if condition == 12 else 0.002 * condition * (1 + 0.001 * place)
            if label in ("FAST", "FAST-AT"):
                loss *= 2
            for response in full.responses:
                row[response] = 1.0 + 0.5 * loss
            row |= {"y6": loss, "loss_rate": loss, "packets": 1_700_000, "T.y4": 10_000.0}
            row |= {"data_sent": 1_000_000.0, "flow_retransmission": loss / 2}
            row |= {"y42": 10 * loss, "cwnd_deviation@2": 5.0, "flow_cwnd@2": 50.0}
            if label.startswith("FAST"):
                row |= {"cwnd_deviation@2": 5.0 + 40 * swing * loss, "T.y4": 9_000.0}
            for number in (33, 34, 35):
                row |= {f"y{number}@1": 100.0 * (label != "Reno") + 100, f"y{number}@2": 10.0}
            for flow in ("L1", "L2", "L3"):
                row[f"goodput_latency_{flow}"] = printed["goodput"].get(label, 60.0)
                row[f"recovery_latency_{flow}"] = printed["recovery"].get(label, 90.0)
            row["activation_threshold"] = TRIGGERS.get(label, 2.0) + 0.01 * condition
            rows.append(row)
    frame = pl.DataFrame(rows)
    return frame if names is None else frame.filter(pl.col("alternative").is_in(names))


def measured(frame, fraction=0.01):
    return figures.measured(ExperimentResults(frame), fraction=fraction)


def test_figures_of_fast():
    numbers = measured(results())
    assert numbers["FAST.retransmission"] == pytest.approx(
        2 * numbers["others.retransmission"], rel=0.01
    )
    assert numbers["FAST.retransmits_most"] == 1
    assert numbers["FAST.disparity_with_congestion"] == pytest.approx(1)
    assert numbers["FAST.completed"] == 9_000
    assert numbers["FAST.swing"] > numbers["others.swing"] == pytest.approx(0.1)
    assert numbers["FAST.swing_with_congestion"] == pytest.approx(1)
    assert numbers["retransmission.high_outliers"] == 31
    assert numbers["retransmission.low_outliers"] == 0
    assert numbers["retransmission.largest_condition"] == 32
    assert numbers["retransmission.largest_of_fast"] == 1
    assert numbers["clusters.fast_apart"] == numbers["clusters.fast_at_apart"] == 31
    assert numbers["clusters.fast_at_beside_fast"] > 0.9
    assert numbers["loss.largest"] == pytest.approx(0.128 * 1.003, rel=0.01)
    # 0.002 times the number reaches 1 % at condition 5; condition 12 loses nothing.
    assert numbers["loss.congested"] == 27


def test_condition_12_counts_what_differs():
    same = measured(results(labels=("CTCP", "HTCP")))
    frame = results(labels=("CTCP", "HTCP"))
    here = (pl.col("condition") == 12) & (pl.col("alternative") == "CTCP")
    changed = frame.with_columns(
        pl.when(here).then(9.0).otherwise(pl.col("y5")).alias("y5"),
        pl.when(here).then(9.0).otherwise(pl.col("y36")).alias("y36"),
    )
    assert same["condition-12.different"] == 0
    assert measured(changed)["condition-12.different"] == 2


def test_long_flows_latencies_and_volumes():
    ours = measured(results())
    assert ours["BIC.long_gain"] == pytest.approx(2)
    assert ours["Reno.long_gain"] == pytest.approx(1)
    assert ours["long.most_kept"] == pytest.approx(0.1)
    assert ours["CTCP.goodput_latency"] == pytest.approx(7.9)
    assert (ours["CTCP.goodput_place"], ours["CTCP.recovery_place"]) == (3, 1)
    assert ours["slowest.recovery_latency"] == pytest.approx(71.3)
    assert ours["HSTCP.activation"] == pytest.approx(31.01)
    assert ours["volume.packets_mean"] == pytest.approx(1e8)
    assert ours["volume.packets_per_flow"] == pytest.approx(1e6 / 9750)
    assert figures.latency_factors(latencies(), ours)["latency.goodput_factor"] == pytest.approx(1)


def test_the_largest_residual_is_of_segments_sent_over_file_size():
    def largest(fast, others):
        frame = results(labels=("BIC", "CTCP", "FAST", "HSTCP", "HTCP", "Scalable", "Reno"))
        here = pl.when(pl.col("alternative") == "FAST").then(fast).otherwise(others)
        return measured(frame.with_columns(y6=here))["retransmission.largest"]

    # FAST sends 1.05 segments more than it needs for each, the others 0.4.
    assert largest(1.05 / 2.05, 0.4 / 1.4) == pytest.approx(0.65 * 6 / 7)
    # Parts of what was sent could not reach the printed 0.55 with at most a half lost.
    assert 0.5 * 6 / 7 < 0.55 < largest(0.5, 0.25)


def test_what_a_size_cannot_decide_is_undefined():
    numbers = measured(results())
    pocket = figures.decided(values("nist-1b", "pocket"), numbers)
    assert math.isnan(pocket["BIC.goodput_latency"])
    assert pocket["BIC.goodput_seconds"] == pytest.approx(18.8)
    assert math.isnan(pocket["loss.smallest"])
    desk = figures.decided(values("nist-1b", "desk"), numbers)
    assert desk["BIC.goodput_latency"] == pytest.approx(18.8)
    assert desk["BIC.recovery_latency"] == pytest.approx(71.3)
    assert desk["loss.smallest"] == 0
    free = figures.decided(values("nist-1b"), numbers | {"long.most_kept": 0.9})
    assert math.isnan(free["BIC.recovery_latency"])
    assert math.isnan(free["CTCP.recovery_place"])


def test_some_conditions_decide_what_hangs_on_them_alone():
    frame = results().with_columns(
        loss_rate=pl.when(condition=12).then(0.0).otherwise(pl.col("loss_rate"))
    )

    def kept(*conditions):
        some = ExperimentResults(frame.filter(pl.col("condition").is_in(conditions)))
        numbers = figures.of_some_conditions(some, figures.measured(some))
        return {name for name, value in numbers.items() if not math.isnan(value)}

    assert kept(12, 31) == {"loss.smallest", "condition-12.different", "outliers.condition-12"}
    assert kept(30, 31) == set()
    assert {"retransmission.equal_as_printed"} < kept(2, 8, 12, 20) - kept(12, 31)


class Flows:
    def __init__(self, windows, again):
        self.flows = pl.DataFrame({"cwnd": windows, "retransmitted": again})


def test_cuts_of_a_window():
    windows = [100.0] * 20 + [50.0] * 20 + [80.0] * 20 + [40.0] * 20
    again = [0] * 20 + [1] + [0] * 39 + [2] + [0] * 19
    cuts = measure_cuts(Flows(windows, again))
    assert cuts == {"kept": 0.5, "cuts": 2}
    quiet = measure_cuts(Flows([100.0] * 30, [0] * 30))
    assert math.isnan(quiet["kept"])


def test_figures_of_cubic_and_bbr():
    frame = results(labels=("Reno", "CUBIC", "BBR1", "BBR3"))
    alone = cubic.alone_figures(ExperimentResults(frame))
    assert alone["CUBIC.long_gain"] == pytest.approx(2)
    assert alone["Reno.long_gain"] == pytest.approx(1)
    mixed = pl.DataFrame(
        [
            {"condition": k, "alternative": label, "g13:reno": 100.0 / n, f"g13:{label}": 200.0}
            for k in (1, 2)
            for n, label in enumerate(("cubic", "bbr1"), start=1)
        ],
        infer_schema_length=None,
    )
    beside = cubic.mixed_figures(mixed, {"cubic": "CUBIC", "bbr1": "BBR1"}, (13, 24))
    assert beside["CUBIC.reno_beside"] == pytest.approx(1)
    assert beside["BBR1.reno_beside"] == pytest.approx(0.5)
    assert beside["BBR1.own_beside"] == pytest.approx(2)

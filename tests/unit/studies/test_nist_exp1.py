"""NIST's Experiment 1: plans as published, figures from made-up results, claims and page."""

import math

import polars as pl
import pytest

from mesonet.errors import InputError
from mesonet.simulate import simulate
from mesonet.studies.catalogue import CATALOGUE, find_study
from mesonet.studies.nist import cubic, cubic_page, exp1, exp1_tables
from mesonet.studies.nist.exp1_1b import LATENCIES, TRIGGERS
from mesonet.studies.nist.exp1_bench import measure_cuts
from mesonet.studies.nist.exp1_claims import VOLUMES, claims
from mesonet.studies.nist.exp1_explanations import EXPLANATIONS
from mesonet.studies.nist.exp1_measured import measured
from mesonet.studies.nist.exp1_page import sections
from mesonet.studies.nist.exp1_results import RESPONSES, ExperimentResults
from mesonet.studies.page import StudyPage, render_study
from mesonet.studies.scorecard import score
from mesonet.studies.study import Options

NAMES = ("nist-1a", "nist-1b")
FULL = Options(size="full")


def plan(name, options=FULL, **more):
    return exp1.experiment_plan(name, options, **more)


@pytest.mark.parametrize(("name", "runs"), [("nist-1a", 224), ("nist-1b", 256)])
def test_the_full_plan_is_the_published_one(name, runs):
    made = plan(name)
    assert made.conditions * len(made.alternatives) == runs
    assert made.conditions == 32
    world = made.scenario
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
    assert set(RESPONSES) <= set(made.responses)


def test_levels_and_order_of_the_factors():
    made = plan("nist-1a")
    levels = {factor.name: (factor.low, factor.high) for factor in made.factors}
    assert levels == {
        "speed": ("4000 p/ms", "8000 p/ms"),
        "buffers": ("rtt*c/sqrt(n)", "rtt*c"),
        "delay": (1, 2),
        "sources": ([0.1, 0.6, 0.3], "uniform"),
        "web": (50, 100),
        "think": ("2.5 s", "5 s"),
    }
    assert next(iter(levels)) == "speed"
    # Conditions in which nothing was lost offer the routers little: fast, and never all of many
    # sources, large objects and short thinking.
    for number in (2, 8, 12, 20):
        coded = made.coded(number)
        assert coded["speed"] == 1
        assert coded["think"] == 1
        assert coded["sources"] + coded["web"] <= 0
    assert made.coded(12) == {
        "speed": 1, "buffers": 1, "delay": -1, "sources": 1, "web": -1, "think": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_smaller_sizes_scale_speeds_hosts_and_time_only(name):
    full = plan(name).scenario.to_dict()
    small = plan(name, Options(size="pocket")).scenario.to_dict()
    assert {key for key in full if full[key] != small[key]} == {
        "scale",
        "duration",
        "interface_speeds",
    }
    part = exp1.part_of_full(name, "pocket")
    assert part == pytest.approx(small["scale"] * plan(name, Options()).scenario.duration / 1500)


def test_both_interpretations_of_the_sources_are_studies():
    for name in NAMES:
        own = plan(name).scenario.to_dict()
        for interpretation, changed in (
            ("slides", "jumbo"),
            ("paper", "jumbo"),
            ("timers", "transport"),
        ):
            other = plan(name, interpretation=interpretation).scenario.to_dict()
            keys = own.keys() | other.keys()
            assert {key for key in keys if own.get(key) != other.get(key)} == {changed}
            study = find_study(f"{name}-{interpretation}")
            assert study.name == f"{name}-{interpretation}"
            assert CATALOGUE[study.name].interpretation_of == name
    assert plan("nist-1a", interpretation="slides").scenario.jumbo.end == 0.9
    assert plan("nist-1a", interpretation="paper").scenario.jumbo.factor == 10


def test_both_printed_thresholds_give_the_same_run():
    base = plan("nist-1a").scenario.replace({"scale": 0.002, "duration": "4 s"})
    totals = [
        simulate(base.replace({"initial_ssthresh": threshold}), seed=1).totals
        for threshold in (2.0**30, 2.0**31)
    ]
    assert totals[0] == totals[1]


@pytest.mark.parametrize("name", NAMES)
def test_claims_are_complete(name):
    made = claims(name)
    identifiers = [claim.id for claim in made]
    assert len(set(identifiers)) == len(identifiers)
    assert all(claim.source and claim.published and claim.text for claim in made)
    figures = find_study(name).unmeasured()
    assert score(name, "pocket", made, figures).counts()["not computable"] == len(made)


def test_explanations_belong_to_claims():
    known = {claim.id for name in NAMES for claim in claims(name)}
    assert set(EXPLANATIONS) <= known


def test_printed_tables():
    assert LATENCIES["BIC"] == (18.8, 71.3)
    assert LATENCIES["HTCP"] == (16.6, 10.0)
    assert TRIGGERS == {"BIC": 14, "CTCP": 41, "HSTCP": 31, "Scalable": 16}
    assert VOLUMES["nist-1a"]["flows_mean"] * 224 == pytest.approx(16_583_418_069, rel=1e-7)
    assert VOLUMES["nist-1a"]["packets_mean"] * 224 == pytest.approx(1_548_371_719_084, rel=1e-7)
    assert VOLUMES["nist-1b"]["flows_mean"] * 256 == pytest.approx(2_132_292_096, rel=1e-7)
    assert VOLUMES["nist-1b"]["packets_mean"] * 256 == pytest.approx(229_729_124_182, rel=1e-7)


def test_derived_tables_are_the_printed_ones_but_for_two_misprints():
    for name, wrong in (("nist-1a", 0), ("nist-1b", 2)):
        entries = exp1_tables.entries(name)
        assert len(entries) == 10 + 6 + 5 + 2 + 18
        misses = [entry.entry for entry in entries if not entry.agrees]
        assert len(misses) == wrong
        assert set(misses) == set(exp1_tables.PRINTED[name].misprints)
    assert exp1_tables.figures("nist-1b")["tables.rtt*c"] == 8


LABELS = tuple(exp1.LABELS.values())[:8]


def results(*, swing=1.0, labels=LABELS, names=None):
    """32 conditions; FAST retransmits twice as much as the rest, and all grows with the number."""
    made = plan("nist-1b")
    rows = []
    for condition in range(1, 33):
        for place, label in enumerate(labels):
            row = {"run": f"{condition}-{label}", "condition": condition, "alternative": label}
            row |= {"replicate": 1, "seed": 1}
            coded = made.coded(condition)
            row |= coded | {f"{name}_level": str(value) for name, value in coded.items()}
            loss = 0.0 if condition == 12 else 0.002 * condition * (1 + 0.001 * place)
            if label in ("FAST", "FAST-AT"):
                loss *= 2
            for response in made.responses:
                row[response] = 1.0 + 0.5 * loss
            row |= {"y6": loss, "loss_rate": loss, "packets": 1_000_000, "T.y4": 10_000.0}
            row |= {"y42": 10 * loss, "cwnd_deviation@2": 5.0, "flow_cwnd@2": 50.0}
            if label.startswith("FAST"):
                row |= {"cwnd_deviation@2": 5.0 + 40 * swing * loss, "T.y4": 9_000.0}
            for number in (33, 34, 35):
                row |= {f"y{number}@1": 100.0 * (label != "Reno") + 100, f"y{number}@2": 10.0}
            for flow in ("L1", "L2", "L3"):
                pair = LATENCIES.get(label, (60.0, 90.0))
                row |= {f"goodput_latency_{flow}": pair[0], f"recovery_latency_{flow}": pair[1]}
            row["activation_threshold"] = TRIGGERS.get(label, 2.0) + 0.01 * condition
            rows.append(row)
    frame = pl.DataFrame(rows)
    return frame if names is None else frame.filter(pl.col("alternative").is_in(names))


def test_figures_of_fast():
    found = measured(results(), part=0.01)
    assert found["FAST.retransmission"] == pytest.approx(
        2 * found["others.retransmission"], rel=0.01
    )
    assert found["FAST.retransmits_most"] == 1
    assert found["FAST.disparity_with_congestion"] == pytest.approx(1)
    assert found["FAST.completed"] == 9_000
    assert found["FAST.swing"] > found["others.swing"] == pytest.approx(0.1)
    assert found["FAST.swing_with_congestion"] == pytest.approx(1)
    assert found["retransmission.high_outliers"] == 31
    assert found["retransmission.low_outliers"] == 0
    assert found["retransmission.largest_condition"] == 32
    assert found["retransmission.largest_of_fast"] == 1
    assert found["clusters.fast_apart"] == found["clusters.fast_at_apart"] == 31
    assert found["clusters.fast_at_beside_fast"] > 0.9
    assert found["loss.largest"] == pytest.approx(0.128 * 1.003, rel=0.01)
    # 0.002 times the number reaches 1 % at condition 5; condition 12 loses nothing.
    assert found["loss.congested"] == 27


def test_condition_12_counts_what_differs():
    same = measured(results(labels=("CTCP", "HTCP")), part=0.01)
    frame = results(labels=("CTCP", "HTCP"))
    here = (pl.col("condition") == 12) & (pl.col("alternative") == "CTCP")
    changed = frame.with_columns(
        pl.when(here).then(9.0).otherwise(pl.col("y5")).alias("y5"),
        pl.when(here).then(9.0).otherwise(pl.col("y36")).alias("y36"),
    )
    assert same["condition-12.different"] == 0
    assert measured(changed, part=0.01)["condition-12.different"] == 2


def test_long_flows_latencies_and_volumes():
    found = measured(results(), part=0.01)
    assert found["BIC.long_gain"] == pytest.approx(2)
    assert found["Reno.long_gain"] == pytest.approx(1)
    assert found["long.most_kept"] == pytest.approx(0.1)
    assert found["CTCP.goodput_latency"] == pytest.approx(7.9)
    assert (found["CTCP.goodput_place"], found["CTCP.recovery_place"]) == (3, 1)
    assert found["slowest.recovery_latency"] == pytest.approx(71.3)
    assert found["HSTCP.activation"] == pytest.approx(31.01)
    assert found["volume.packets_mean"] == pytest.approx(1e8)
    assert found["volume.packets_per_flow"] == pytest.approx(1e6 / 9750)
    assert exp1.latency_factors(found)["latency.goodput_factor"] == pytest.approx(1)


def test_what_a_size_cannot_decide_is_undefined():
    found = measured(results(), part=0.01)
    pocket = exp1.decided("nist-1b", "pocket", found)
    assert math.isnan(pocket["BIC.goodput_latency"])
    assert pocket["BIC.goodput_latency_seen"] == pytest.approx(18.8)
    assert math.isnan(pocket["loss.smallest"])
    desk = exp1.decided("nist-1b", "desk", found)
    assert desk["BIC.goodput_latency"] == pytest.approx(18.8)
    assert desk["BIC.recovery_latency"] == pytest.approx(71.3)
    assert desk["loss.smallest"] == 0
    free = exp1.decided("nist-1b", "full", found | {"long.most_kept": 0.9})
    assert math.isnan(free["BIC.recovery_latency"])
    assert math.isnan(free["CTCP.recovery_place"])


def test_algorithms_that_were_not_chosen_have_no_figures():
    found = measured(results(names=["CTCP", "Reno"]), part=0.01)
    assert math.isnan(found.get("FAST.retransmission", math.nan))
    assert "FAST.retransmits_most" not in found
    assert math.isnan(found["clusters.fast_apart"])
    card = score("x", "full", claims("nist-1b"), find_study("nist-1b").unmeasured() | {
        name: value for name, value in found.items()
        if name in find_study("nist-1b").unmeasured()
    })  # fmt: skip
    verdicts = {entry.claim.id: entry.verdict for entry in card.entries}
    assert verdicts["fast-retransmission"] == "not computable"
    assert verdicts["macroscopic-change-of-ctcp"] == "agrees"


def test_congested_conditions_with_few_buffers():
    found = ExperimentResults(results())
    assert found.few_buffers.sum() == 8
    assert found.ordered[0] == 12
    assert set(found.ordered[-16:]) == set(range(17, 33))


def test_cubic_and_bbr_join_both_experiments():
    study = find_study("nist-cubic")
    prepared = study.prepare(Options("pocket"))
    labels = [each.label for each in prepared.plans["1b"].alternatives]
    assert labels == ["Reno", "CUBIC", "BBR1", "BBR3"]
    assert len(prepared.plans["2b"].alternatives) == 3
    assert prepared.plans["1b"].scenario.duration == 12
    full = study.prepare(Options("full"))
    assert len(full.plans["1b"].alternatives) == 11
    assert full.plans["1b"].scenario.duration == 1500
    assert len({claim.id for claim in study.claims}) == len(study.claims)


def test_figures_of_cubic_and_bbr():
    labels = ("Reno", "CUBIC", "BBR1", "BBR3")
    frame = results(labels=labels)
    figures = cubic.alone_figures(frame)
    assert figures["CUBIC.long_gain"] == pytest.approx(2)
    assert figures["Reno.long_gain"] == pytest.approx(1)
    mixed = pl.DataFrame(
        [
            {"condition": k, "alternative": label, "g13:reno": 100.0 / n, f"g13:{name}": 200.0}
            for k in (1, 2)
            for n, (label, name) in enumerate((("CUBIC", "cubic"), ("BBR1", "bbr1")), start=1)
        ],
        infer_schema_length=None,
    )
    beside = cubic.mixed_figures(mixed)
    assert beside["CUBIC.reno_beside"] == pytest.approx(1)
    assert beside["BBR1.reno_beside"] == pytest.approx(0.5)
    assert beside["BBR1.own_beside"] == pytest.approx(2)
    page = render_study(
        StudyPage("t", "q", "s", {}, cubic_page.sections(frame, mixed, figures | beside), {})
    )
    assert "Among Reno flows" in page


def test_page_of_made_up_results():
    frame = results()
    timings = pl.DataFrame({"run": ["a"], "cpu_seconds": [3600.0]})
    found = measured(frame, part=0.01) | {"kept.BIC": 0.875}
    found = exp1.decided("nist-1b", "desk", found)
    made = sections("nist-1b", frame, timings, found, part=0.01, published_hours=1658.0)
    identifiers = [section.identifier for section in made]
    assert len(set(identifiers)) == len(identifiers)
    assert all(isinstance(note, str) for section in made for note in section.notes)
    page = render_study(StudyPage("t", "q", "s", {}, made, {}))
    for words in ("nist-1b-slides", "Every derived number", "latencies", "Packets per processor"):
        assert words in page
    cost = next(section for section in made if section.identifier == "volumes").tables[1][1]
    rows = dict(cost.frame.iter_rows())
    assert rows["Processor time of full size, extrapolated"] == "100.0 h"
    assert rows["Published over ours"].startswith("16.58")


class Flows:
    def __init__(self, windows, again):
        self.flows = pl.DataFrame({"cwnd": windows, "retransmitted": again})


def test_cuts_of_a_window():
    windows = [100.0] * 20 + [50.0] * 20 + [80.0] * 20 + [40.0] * 20
    again = [0] * 20 + [1] + [0] * 39 + [2] + [0] * 19
    found = measure_cuts(Flows(windows, again))
    assert found == {"kept": 0.5, "cuts": 2}
    quiet = measure_cuts(Flows([100.0] * 30, [0] * 30))
    assert math.isnan(quiet["kept"])


def test_an_unknown_algorithm_is_refused():
    with pytest.raises(InputError, match="renno"):
        find_study("nist-1b").prepare(Options(algorithms=("renno",))).plans["conditions"].runs()

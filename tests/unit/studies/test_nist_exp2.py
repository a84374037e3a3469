"""Experiment 2 of the MesoNet study: plans, printed numbers, figures, claims, pages."""

import math
import random
from dataclasses import replace
from functools import cache

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import PlanError
from mesonet.responses import FLOW_GROUPS
from mesonet.studies.folder import find_study
from mesonet.studies.rules import spearman
from mesonet.studies.study import Options
from mesonet_studies.nist.exp2.figures import measured
from mesonet_studies.nist.exp2.mixed import Mixed, printed_order, printed_ranks
from mesonet_studies.nist.exp2.network import network_figures

NAMES = ("nist-2a", "nist-2b", "nist-2c")
SYMBOLS = {"speed": "X3", "delay": "X2", "buffers": "X4", "think": "X9", "web": "X11",
           "files": "X12", "interface": "X8", "share": "X15", "sources": "X5"}  # fmt: skip
ALTERNATES = {"BIC": "bic:nist", "CTCP": "ctcp:nist", "FAST": "fast:nist",
              "FAST-AT": "fast-at:nist", "HSTCP": "hstcp:nist", "HTCP": "htcp:nist",
              "Scalable": "scalable:nist"}  # fmt: skip


@cache
def plan_of(name, size, variant="", **changes):
    options = Options(size, variants=(variant,) if variant else (), **changes)
    return find_study(name).prepare(options).plans[f"variants/{variant}" if variant else ""]


@cache
def values_of(name, size):
    table = find_study(name)
    return {**table.values, **table.sizes[size].values}


@pytest.mark.parametrize(
    ("condition", "plus"),
    # Slides, "Sample 2^(9-4) design instantiated".
    [
        (1, {"X5", "X8", "X12", "X15"}),
        (12, {"X2", "X3", "X5", "X8", "X9", "X12"}),
        (16, {"X2", "X3", "X4", "X9"}),
        (21, {"X4", "X5", "X8", "X11", "X12"}),
        (27, {"X2", "X5", "X8", "X9", "X11"}),
        (32, set(SYMBOLS.values())),
    ],
)
def test_the_published_conditions(condition, plus):
    coded = plan_of("nist-2a", "full").coded(condition)
    assert {SYMBOLS[name] for name, code in coded.items() if code > 0} == plus


def test_the_published_levels():
    plan = plan_of("nist-2b", "full")
    ctcp = next(each for each in plan.alternatives if each.label == "CTCP")
    high = plan.scenario_of(32, ctcp)
    assert high.algorithms == {"ctcp:nist": 0.7, "reno": 0.3}
    assert (high.speed, high.delay_multiplier, high.buffers) == (1_600_000, 2, 1.0)
    assert (high.think_time, high.web_object_mean, high.source_multiplier) == (7.5, 150, 3)
    assert high.larger_files.probability == (0.04, 0.004, 0.0004)
    assert high.larger_files.factor == (10, 1000, 10_000)
    assert (high.fast_interface_probability, high.initial_ssthresh) == (0.7, 100)
    low = plan.scenario_of(5, ctcp)
    assert low.algorithms == {"ctcp:nist": 0.7, "reno": 0.3}
    assert (low.speed, low.web_object_mean, low.fast_interface_probability) == (800_000, 100, 0.3)
    assert low.larger_files.probability == (0.02, 0.002, 0.0002)
    assert plan.scenario_of(16, ctcp).algorithms == {"ctcp:nist": 0.3, "reno": 0.7}
    assert (high.duration, high.interval, high.base_sources) == (3600, 0.2, 100)
    assert (high.warm_up, high.patience, high.long_flows) == (0, 0, ())


def test_what_differs_between_the_three():
    worlds = {name: plan_of(name, "full").scenario for name in NAMES}
    assert [worlds[name].initial_ssthresh for name in NAMES] == [2**30, 100, 2**30]
    assert [worlds[name].base_sources for name in NAMES] == [100, 100, 1000]
    speeds = [plan_of(name, "full").factors[0].high for name in NAMES]
    assert speeds == ["1600 p/ms", "1600 p/ms", "16000 p/ms"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["pocket", "desk"])
def test_scaled_plans_keep_the_segments_of_every_kind_of_file(name, size):
    scaled, full = plan_of(name, size), plan_of(name, "full")
    assert scaled.conditions == 32
    assert [each.label for each in scaled.alternatives] == list(ALTERNATES)
    for condition in (1, 16, 32):
        ours, theirs = (
            plan.scenario_of(condition, plan.alternatives[0]).larger_files
            for plan in (scaled, full)
        )
        for k in range(3):
            assert ours.probability[k] * ours.factor[k] == pytest.approx(
                theirs.probability[k] * theirs.factor[k]
            )
        assert ours.factor == tuple(sorted(ours.factor))
    # Speeds of networks and interfaces and the number of hosts shrink by the same factor, so that
    # hosts are faster than routers where they are as published, and nowhere else.
    ratio = scaled.scenario.base_sources / full.scenario.base_sources
    for condition in (1, 16):
        ours, theirs = (
            plan.scenario_of(condition, plan.alternatives[0]) for plan in (scaled, full)
        )
        assert ours.speed == pytest.approx(ratio * theirs.speed)
    hosts = full.scenario.duration / (ratio * scaled.scenario.duration)
    assert values_of(name, size)["times"] == pytest.approx(hosts)
    rates = [
        plan.scenario.resolve()["interfaces"][1]["rate"]["packets_per_second"]
        for plan in (scaled, full)
    ]
    words = find_study(name).sizes[size].words
    assert rates[0] == pytest.approx(ratio * rates[1])
    assert f"speed, hosts and interfaces times {ratio:g}, " in words
    assert f" {scaled.scenario.duration:g} s of which " in find_study(name).sizes[size].words


@pytest.mark.parametrize("name", NAMES)
def test_the_population_is_the_published_one_for_as_long_as_asked(name):
    short, full = plan_of(name, "population", duration=24.0), plan_of(name, "full")
    worlds = short.scenario.to_dict(), full.scenario.to_dict()
    differing = {key for key in worlds[0] if worlds[0][key] != worlds[1][key]}
    assert differing == {"duration", "warm_up"}
    assert (short.scenario.duration, short.scenario.warm_up) == (24, 0.2)
    assert short.factors == full.factors


def test_both_interpretations_of_the_sources_can_be_run():
    paper = plan_of("nist-2a", "full", "paper")
    low = paper.scenario_of(1, paper.alternatives[0])
    assert low.buffers == "rtt*c/sqrt(n)"
    assert low.larger_files.factor == (100, 1000, 10_000)
    ours = plan_of("nist-2a", "full").scenario_of(1, paper.alternatives[0])
    assert low.larger_files.probability == ours.larger_files.probability
    scaled = plan_of("nist-2a", "desk", "paper")
    files = scaled.scenario_of(1, scaled.alternatives[0]).larger_files
    assert (files.factor, files.probability) == ((100, 100, 1000), (0.04, 0.04, 0.004))


@pytest.mark.parametrize(
    ("algorithms", "kind"),
    [(("reno",), "conflict"), (("cubic", "reno"), "conflict"), ((), "empty")],
)
def test_algorithms_that_cannot_be_mixed_with_reno(algorithms, kind):
    with refused(PlanError, ("algorithms", kind)):
        plan_of("nist-2a", "pocket", algorithms=algorithms)


def test_spot_checks_of_the_printed_ranks():
    alternate, standard = printed_ranks("alternate"), printed_ranks("standard")
    assert printed_order()[:4] == [16, 8, 24, 32]
    assert sorted(printed_order()) == list(range(1, 33))
    assert alternate.filter(condition=21).row(0)[1:7] == (3, 4, 2, 4, 3, 1)
    assert standard.filter(condition=12).row(0)[19:] == (6, 3, 7, 7, 6, 7)
    assert standard["condition"].to_list() == printed_order()


@pytest.mark.parametrize(("name", "sources"), [("nist-2a", 26_190), ("nist-2c", 261_900)])
def test_the_published_network(name, sources):
    figures = network_figures(name, values_of(name, "full")["network"])
    assert figures["sources.plus"] == sources
    assert figures["speeds.plus"] < 1e-9
    # The slides' own slips are F-class routers at the minus level, and a buffer of PoP routers.
    printed = figures["printed.speed.F.minus"]
    assert abs(figures["speed.F.minus"] / printed - 1) == pytest.approx(1 / 3)
    assert figures["speeds.minus"] < 1e-9
    assert figures["buffers.1"] <= 1
    assert figures["buffers.0.5"] <= 1
    claims = {claim.id: claim for claim in find_study(name).claims}
    assert claims["speed-f-minus"].standing == "slip"
    assert claims["speeds-minus"].standing == "input"
    assert not claims["speed-f-minus"].rule.needs


POCKET = plan_of("nist-2a", "pocket")


def synthetic(gains, *, transfers=50):
    """Runs in which flows of a label get so many times what Reno gets beside them."""
    plan = POCKET
    random_number = random.Random(1)
    rows = []
    for condition in range(1, 33):
        coded = plan.coded(condition)
        speed = 1000 * (2 + coded["speed"]) * (1 - 0.3 * coded["delay"])
        for label, algorithm in ALTERNATES.items():
            row = {"condition": condition, "alternative": label, "replicate": 1, **coded}
            row |= dict.fromkeys(plan.responses, math.nan)
            row |= dict.fromkeys(("y1", "y42", "y3", "y5", "y6", "y7"), 100.0 + condition)
            row |= {"loss_rate": printed_order().index(condition) / 100, "timeouts": 1.0}
            row |= {"connection_failures": 0.0, "y8": 0.1, "T.y4": 1e3, "T.y2": 6e5}
            for number in FLOW_GROUPS:
                reno = speed * random_number.uniform(0.99, 1.01)
                row[f"g{number}:reno"] = reno
                row[f"g{number}:{algorithm}"] = reno * gains.get(label, 1.0)
                row[f"n{number}:reno"] = row[f"n{number}:{algorithm}"] = float(transfers)
            rows.append(row)
    frame = pl.DataFrame(rows)
    names = tuple(factor.name for factor in plan.factors)
    return Mixed(frame, ALTERNATES, names, fast=8000.0, values=values_of("nist-2a", "pocket"))


def test_figures_of_gains_by_hand():
    mixed = synthetic({"BIC": 1.5, "HSTCP": 1.3, "Scalable": 1.2})
    figures = measured(mixed)
    assert mixed.complete_cells() == 768
    assert figures["vf.BIC"] == pytest.approx(0.5)
    assert figures["vf.congested.Scalable"] == pytest.approx(0.2)
    assert figures["vf.CTCP"] == pytest.approx(0.0)
    assert figures["low.BIC"] == pytest.approx(0.5)
    assert figures["utility.share"] == pytest.approx(3 / 7)
    assert figures["order"] == pytest.approx(1.0)
    assert figures["safety.quiet"] == 1.0
    assert figures["plane.speed"] > figures["plane.delay"] > 10 * figures["plane.think"]
    assert figures["volume.per-flow"] == pytest.approx(600)
    assert figures["alternate.BIC"] == pytest.approx(7.0)


def test_few_transfers_decide_nothing():
    figures = measured(synthetic({"BIC": 1.5}, transfers=1))
    for name in ("rank.distance", "sizes", "matrix.alternate", "reno.CTCP", "alternate.BIC"):
        assert math.isnan(figures[name]), name
    # Two groups of 32 conditions with one transfer of each kind weigh 32.
    assert figures["vf.BIC"] == pytest.approx(0.5)
    assert math.isnan(figures["vf.congested.BIC"])


def test_correlation_needs_enough_pairs_that_vary():
    assert spearman([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0], least=4) == pytest.approx(0.8)
    assert math.isnan(spearman([1.0, 2.0], [1.0, 2.0], least=3))
    assert math.isnan(spearman([1.0, 2.0, 3.0, 4.0], [1.0] * 4))
    assert math.isnan(spearman([1.0, 2.0, math.nan], [1.0, 2.0, 3.0]))


def test_the_order_of_conditions_can_be_that_of_loss_episodes():
    changes = {each.id: each for each in find_study("nist-2a").variants}
    assert changes["order-by-episodes"].figures == {"order": "order.loss_episodes"}
    runs = synthetic({})
    place = {condition: float(at) for at, condition in enumerate(printed_order())}
    by_printed = pl.col("condition").replace_strict(place, return_dtype=pl.Float64)
    numbers = measured(replace(runs, frame=runs.frame.with_columns(loss_episodes=-by_printed)))
    assert numbers["order"] == pytest.approx(1)
    assert numbers["order.loss_episodes"] == pytest.approx(-1)

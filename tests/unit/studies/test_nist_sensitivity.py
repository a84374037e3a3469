"""The sensitivity analysis: plan as published, figures from synthetic results, claims, page."""

import math
from collections import Counter
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from mesonet.errors import PlanError
from mesonet.studies import find_study
from mesonet.studies.scorecard import score
from mesonet.studies.study import Options, RunResults
from mesonet_studies.nist.sensitivity import measure
from mesonet_studies.nist.sensitivity.measure import (
    FACTORS,
    RESPONSES,
    SAMPLE,
    TABLE_7,
    effects_in,
)

PUBLISHED = {(e["response"], e["factor"]): 1 if e["sign"] == "+" else -1 for e in TABLE_7}


@cache
def study():
    return find_study("nist-sensitivity")


def plan_at(size, algorithms=None):
    return study().prepare(Options(size, algorithms)).plans[""]


@pytest.fixture(scope="module")
def plan():
    return plan_at("full")


@pytest.fixture(scope="module")
def frame(plan):
    """Results in which every published effect, and no other, is there."""
    return made_up(plan, PUBLISHED)


def made_up(plan, effects):
    coded = plan.design.matrix.select(plan.design.factors).to_numpy().astype(float)
    long_flows = coded[:, 9] < 0
    columns = {}
    by_column = {row["response"]: name for name, row in RESPONSES.items()}
    for k, response in enumerate(plan.responses):
        values = 1000.0 + scatter(k)
        name = by_column.get(response.split("@")[0])
        for factor in FACTORS:
            values += 5.0 * effects.get((name, factor), 0) * coded[:, factor - 1]
        if response.split("@")[0] in ("y33", "y34", "y35"):
            values = np.where(long_flows, values, np.nan)
        columns[response] = values
    return pl.DataFrame(
        {
            "run": [f"r{k}" for k in range(256)],
            "condition": range(1, 257),
            "alternative": ["base"] * 256,
            "replicate": [1] * 256,
            "seed": [1] * 256,
        }
        | {factor.name: coded[:, k].astype(int) for k, factor in enumerate(plan.factors)}
        | columns
    )


def scatter(k):
    """Numbers of mean 0 and variance 1 without a pattern."""
    parts = np.sin(12.9898 * np.arange(256) + 78.233 * (k + 1)) * 43758.5453 % 1.0
    return (parts - 0.5) * math.sqrt(12)


def campaign(frame, plan):
    timings = pl.DataFrame({"cpu_seconds": [2.0] * 256})
    return SimpleNamespace(
        plan=plan, results=lambda: frame, timings=lambda: timings, status=lambda: {"done": 256}
    )


def evaluated(frame, **options):
    prepared = study().prepare(Options(**options))
    run_results = RunResults({}, {"": campaign(frame, prepared.plans[""])}, {}, None)
    return prepared, prepared.evaluate(run_results)


def run_of(frame, plan, **values):
    """Results as the code of the study gets them."""
    values = {"scale": 1.0, "duration": 1500, "correlated": 0.65, "processor_hours": 28} | values
    options = Options("full", chosen=("ctcp:nist",), values=values)
    return RunResults({}, {"": campaign(frame, plan)}, {}, None, options=options)


def test_the_plan_is_the_published_one(plan):
    assert plan.conditions == len(plan.design.matrix) == 256
    assert [factor.name for factor in plan.factors] == [row["name"] for row in FACTORS.values()]
    assert [factor.symbol for factor in plan.factors] == [f"X{k}" for k in range(1, 21)]
    levels = {factor.symbol: (factor.text(-1), factor.text(1)) for factor in plan.factors}
    assert levels["X1"] == ("800 p/ms", "1600 p/ms")
    assert levels["X4"] == ("abilene", "isp")
    assert levels["X5"] == ("75", "150")
    assert levels["X7"] == ("2 s", "5 s")
    assert levels["X12"] == ("2", "3")
    assert levels["X15"] == ("reno 0.8, ctcp:nist 0.2", "reno 0.2, ctcp:nist 0.8")
    assert levels["X16"] == ("2", "8")
    assert levels["X17"] == ("43", "inf")
    assert levels["X19"] == ("1500 s", "3000 s")
    low = plan.scenario_of(1, plan.alternatives[0])
    assert low.base_sources == 100


@pytest.mark.parametrize(
    ("size", "base", "speed"), [("pocket", 1, "8 p/ms"), ("desk", 30, "240 p/ms")]
)
def test_smaller_sizes_scale_speed_sources_and_time_together(size, base, speed):
    plan = plan_at(size)
    assert plan.scenario.base_sources == base
    factors = {factor.symbol: factor for factor in plan.factors}
    assert factors["X1"].low == speed
    shorter, longer = (float(factors["X19"].text(code).split()[0]) for code in (-1, 1))
    assert longer == 2 * shorter
    assert plan.conditions == 256


def test_table_7_is_transcribed():
    rows = Counter(effect["response"] for effect in TABLE_7)
    assert sum(rows.values()) == 106
    assert rows["Y7"] == 1
    # The prose names the effects on the sending sources.
    assert {(e["factor"], e["sign"]) for e in TABLE_7 if e["response"] == "Y2"} == {
        (1, "-"), (4, "+"), (5, "+"), (7, "-"), (12, "+"), (13, "+"),
    }  # fmt: skip
    # Speed is said to be significant for all responses.
    assert {e["response"] for e in TABLE_7 if e["factor"] == 1} == set(RESPONSES)
    effects = {(e["response"], e["factor"], e["sign"], e["stars"]) for e in TABLE_7}
    assert {("Y5", 17, "-", "**"), ("Y11", 2, "-", "*")} <= effects


def test_results_like_the_published_ones_agree(frame):
    _, output = evaluated(frame, size="full")
    card = score(study().name, "full", study().claims, output.figures)
    verdicts = {entry.claim.id: entry.verdict for entry in card.entries}
    signs_of = [v for k, v in verdicts.items() if k.startswith("table-7-y") and "unplaced" not in k]
    assert set(signs_of) == {"agrees"}
    assert verdicts["table-7-y9-unplaced-1"] == "not computable"
    assert verdicts["table-7-speed"] == verdicts["table-7-agreement"] == "agrees"
    assert verdicts["figure-10-six"] in ("agrees", "disagrees")


def test_results_unlike_the_published_ones_disagree(plan):
    turned = {effect: -sign for effect, sign in PUBLISHED.items()}
    _, output = evaluated(made_up(plan, turned), size="full")
    card = score(study().name, "full", study().claims, output.figures)
    for entry in card.entries:
        if entry.claim.id.startswith("table-7-y") and entry.claim.rule.needs:
            assert entry.verdict == "disagrees"
    # Blanks agree, and every cell that is starred has the other sign.
    assert output.figures["table-7-agreement"] < 0.6


def test_figure_10_is_divided_by_the_scale(frame, plan):
    figures = measure.figures(run_of(frame, plan, scale=0.1))
    assert figures["figure-10-low"] == pytest.approx(10050, abs=5)
    assert figures["figure-10-high"] == pytest.approx(9950, abs=5)
    assert figures["figure-10-relative"] == pytest.approx(-0.01, abs=0.001)


def test_effects_on_long_flows_are_those_where_they_run(frame, plan):
    rows = measure.findings(run_of(frame, plan)).rows
    assert (rows["Y13", 7]["n_low"], rows["Y13", 7]["n_high"]) == (64, 64)
    assert rows["Y13", 7]["effect"] == pytest.approx(10, abs=1)
    assert math.isnan(rows["Y13", 10]["effect"])


def test_influence_weighs_five_sets(frame, plan):
    table = measure.findings(run_of(frame, plan)).influence
    weights = dict(table.frame.select("set", "weight").unique().iter_rows())
    assert len(weights) == 5
    assert weights["period 2"] == pytest.approx(1 / 6)
    assert weights["TCP goodputs"] == weights["ctcp:nist goodputs"] == pytest.approx(1 / 4)


def test_clusters_are_recognised(frame, plan):
    shared = np.linspace(0, 1, 256)
    noise = [scatter(k) for k in range(22)]
    groups = ({"y3", "y4"}, {"y15", "y16"}, {"y1", "y2", "y7"}, {"y5", "y10"})
    columns = {}
    for k, name in enumerate(SAMPLE):
        here = [g for g, group in enumerate(groups) if name in group]
        wave = np.sin(40 * shared * (here[0] + 1)) if here else noise[k]
        columns[SAMPLE[name]["response"]] = wave + 0.01 * noise[k]
    alike = frame.with_columns(**{k: pl.Series(v) for k, v in columns.items()})
    figures = measure.figures(run_of(alike, plan))
    assert figures["clusters-packets"] == figures["clusters-delay"] == 1
    assert figures["clusters-congestion"] == 1
    assert figures["clusters-f-class"] == 0
    assert figures["clusters-dd-partners"] == figures["clusters-completions-partners"] == 0
    assert figures["clusters-pairs"] == 6


def test_taking_other_effects_out_of_the_noise_tells_more(frame):
    tests = {
        method: effects_in(frame, 2, method=method).frame for method in ("two-sample", "model")
    }
    stars = {method: frame.filter(pl.col("stars") != "").height for method, frame in tests.items()}
    assert 106 <= stars["two-sample"] <= stars["model"]


@pytest.mark.parametrize("names", [("cubic", "bic"), ("reno",)])
def test_only_one_alternate_makes_sense(names):
    with pytest.raises(PlanError):
        study().prepare(Options(algorithms=names))

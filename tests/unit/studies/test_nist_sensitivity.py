"""The sensitivity analysis: plan as published, figures from synthetic results, claims, page."""

from __future__ import annotations

import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from mesonet.errors import PlanError
from mesonet.studies import find_study
from mesonet.studies.nist.sensitivity import STUDIES, cost_of, sensitivity_plan
from mesonet.studies.nist.sensitivity_charts import signs
from mesonet.studies.nist.sensitivity_claims import CLAIMS
from mesonet.studies.nist.sensitivity_effects import clusters_of, effects_of, figures_of
from mesonet.studies.nist.sensitivity_explanations import EXPLANATIONS
from mesonet.studies.nist.sensitivity_published import (
    FACTORS,
    RESPONSES,
    SAMPLE,
    TABLE_7,
    UNPLACED,
)
from mesonet.studies.page import StudyPage, render_study
from mesonet.studies.scorecard import score
from mesonet.studies.study import Options, RunResults

STUDY = STUDIES["nist-sensitivity"]
PUBLISHED = {effect[:2]: 1 if effect.sign == "+" else -1 for effect in TABLE_7}


@pytest.fixture(scope="module")
def plan():
    return sensitivity_plan(Options("full"))


@pytest.fixture(scope="module")
def frame(plan):
    """Results in which every published effect, and no other, is there."""
    return made_up(plan, PUBLISHED)


def made_up(plan, effects) -> pl.DataFrame:
    coded = plan.design.matrix.select(plan.design.factors).to_numpy().astype(float)
    long_flows = coded[:, 9] < 0
    columns = {}
    by_column = {ours: name for name, (ours, _) in RESPONSES.items()}
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


def scatter(k: int) -> np.ndarray:
    """Numbers of mean 0 and variance 1 without a pattern."""
    parts = np.sin(12.9898 * np.arange(256) + 78.233 * (k + 1)) * 43758.5453 % 1.0
    return (parts - 0.5) * math.sqrt(12)


def campaign(frame):
    timings = pl.DataFrame({"cpu_seconds": [2.0] * 256})
    return SimpleNamespace(
        results=lambda: frame, timings=lambda: timings, status=lambda: {"done": 256}
    )


def found(frame, **options):
    prepared = STUDY.prepare(Options(**options))
    run_results = RunResults({}, {"": campaign(frame)}, {}, None)
    return prepared, prepared.evaluate(run_results)


def test_the_plan_is_the_published_one(plan) -> None:
    assert find_study("nist-sensitivity") is STUDY
    assert plan.conditions == len(plan.design.matrix) == 256
    assert [factor.name for factor in plan.factors] == [name for name, *_ in FACTORS.values()]
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


def test_labels_have_the_numbers_of_the_slides(plan) -> None:
    for number, factor in enumerate(plan.factors, start=1):
        assert f"X{FACTORS[number][2]})" in factor.label
    assert sorted(slides for *_, slides in FACTORS.values()) == list(range(1, 21))


def test_there_are_102_responses_and_the_sample(plan) -> None:
    macroscopic = {f"{ours}@{period}" for ours, _ in RESPONSES.values() for period in (1, 2, 3)}
    groups = {f"g{k}:{name}" for k in range(1, 25) for name in ("reno", "ctcp:nist")}
    assert len(macroscopic | groups) == 102
    assert macroscopic | groups | {ours for ours, _ in SAMPLE.values()} <= set(plan.responses)
    assert len(SAMPLE) == 22


@pytest.mark.parametrize(
    ("size", "base", "speed"), [("pocket", 1, "8 p/ms"), ("desk", 10, "80 p/ms")]
)
def test_smaller_sizes_scale_speed_sources_and_time_together(size, base, speed) -> None:
    plan = sensitivity_plan(Options(size))
    assert plan.scenario.base_sources == base
    factors = {factor.symbol: factor for factor in plan.factors}
    assert factors["X1"].low == speed
    shorter, longer = (float(factors["X19"].text(code).split()[0]) for code in (-1, 1))
    assert longer == 2 * shorter
    assert plan.conditions == 256


def test_table_7_is_transcribed() -> None:
    rows = Counter(effect.response for effect in TABLE_7)
    assert sum(rows.values()) == 106
    assert rows["Y7"] == 1
    # The prose names the effects on the sending sources.
    assert {(e.factor, e.sign) for e in TABLE_7 if e.response == "Y2"} == {
        (1, "-"), (4, "+"), (5, "+"), (7, "-"), (12, "+"), (13, "+"),
    }  # fmt: skip
    # Speed is said to be significant for all responses.
    assert {e.response for e in TABLE_7 if e.factor == 1} == set(RESPONSES)
    assert ("Y5", 17, "-", "**") in TABLE_7
    assert ("Y11", 2, "-", "*") in TABLE_7


def test_claims_are_complete_and_unique() -> None:
    ids = [claim.id for claim in CLAIMS]
    assert len(set(ids)) == len(ids)
    assert sum(id_.startswith("table-7-y") for id_ in ids) == len(TABLE_7) + len(UNPLACED)
    assert "table-7-y2-x1" in ids


def test_results_like_the_published_ones_agree(frame) -> None:
    _, output = found(frame, size="full")
    card = score(STUDY.name, "full", STUDY.claims, output.figures)
    verdicts = {entry.claim.id: entry.verdict for entry in card.entries}
    signs_of = [v for k, v in verdicts.items() if k.startswith("table-7-y") and "unplaced" not in k]
    assert set(signs_of) == {"agrees"}
    assert verdicts["table-7-y9-unplaced-1"] == "not computable"
    assert verdicts["table-7-speed"] == "agrees"
    assert verdicts["figure-10-six"] in ("agrees", "disagrees")


def test_results_unlike_the_published_ones_disagree(plan) -> None:
    turned = {effect: -sign for effect, sign in PUBLISHED.items()}
    _, output = found(made_up(plan, turned), size="full")
    card = score(STUDY.name, "full", STUDY.claims, output.figures)
    for entry in card.entries:
        if entry.claim.id.startswith("table-7-y") and entry.claim.rule.needs:
            assert entry.verdict == "disagrees"


def test_figure_10_is_divided_by_the_scale(frame) -> None:
    effects, clusters = effects_of(frame, alternate="ctcp:nist"), clusters_of(frame)
    figures = figures_of(effects, clusters, scale=0.1)
    assert figures["figure-10-low"] == pytest.approx(10050, abs=5)
    assert figures["figure-10-high"] == pytest.approx(9950, abs=5)
    assert figures["figure-10-relative"] == pytest.approx(-0.01, abs=0.001)


def test_effects_on_long_flows_are_those_where_they_run(frame) -> None:
    effects = effects_of(frame, alternate="ctcp:nist")
    row = effects.row("Y13", 7)
    assert (row["n_low"], row["n_high"]) == (64, 64)
    assert row["effect"] == pytest.approx(10, abs=1)
    assert math.isnan(effects.row("Y13", 10)["effect"])


def test_influence_weighs_five_sets(frame) -> None:
    table = effects_of(frame, alternate="ctcp:nist").influence
    weights = dict(table.frame.select("set", "weight").unique().iter_rows())
    assert len(weights) == 5
    assert weights["period 2"] == pytest.approx(1 / 6)
    assert weights["TCP goodputs"] == weights["ctcp:nist goodputs"] == pytest.approx(1 / 4)


def test_clusters_are_recognised(frame) -> None:
    shared = np.linspace(0, 1, 256)
    noise = [scatter(k) for k in range(22)]
    groups = ({"y3", "y4"}, {"y15", "y16"}, {"y1", "y2", "y7"}, {"y5", "y10"})
    columns = {}
    for k, name in enumerate(SAMPLE):
        here = [g for g, group in enumerate(groups) if name in group]
        wave = np.sin(40 * shared * (here[0] + 1)) if here else noise[k]
        columns[SAMPLE[name][0]] = wave + 0.01 * noise[k]
    figures = figures_of(
        effects_of(frame, alternate="ctcp:nist"),
        clusters_of(frame.with_columns(**{k: pl.Series(v) for k, v in columns.items()})),
        scale=1,
    )
    assert figures["clusters-packets"] == figures["clusters-delay"] == 1
    assert figures["clusters-congestion"] == 1
    assert figures["clusters-f-class"] == 0
    assert figures["clusters-dd-partners"] == figures["clusters-completions-partners"] == 0
    assert figures["clusters-pairs"] == 6


def test_cells_of_the_matrix(frame, plan) -> None:
    cells = signs(effects_of(frame, alternate="ctcp:nist"))
    assert len(cells) == 18 * 20
    kinds = Counter(cell["kind"] for cell in cells)
    assert kinds["same sign, significant here too"] == 106
    turned = signs(effects_of(made_up(plan, {("Y2", 1): 1}), alternate="ctcp:nist"))
    (cell,) = [c for c in turned if c["row"].startswith("Y2 ") and c["column"].startswith("X1 ")]
    assert (cell["published"], cell["ours"], cell["kind"]) == ("−**", "+**", "opposite sign")


def test_the_page_shows_every_table_and_figure(frame) -> None:
    prepared, output = found(frame)
    card = score(STUDY.name, "pocket", STUDY.claims, output.figures)
    page = StudyPage(
        STUDY.title,
        STUDY.question,
        "Size",
        output.facts,
        output.sections,
        prepared.settings,
        card,
    )
    html = render_study(page)
    for identifier in (
        "table-7",
        "figure-10",
        "table-8",
        "clusters",
        "factors",
        "networks",
        "cost",
    ):
        assert f'id="{identifier}"' in html
    for text in ("7,168", "60 of 240 paths", "Slides", "X1 network speed"):
        assert text in html
    assert render_study(page) == html


def test_the_cost_of_the_full_size_is_extrapolated(frame) -> None:
    cost = cost_of(campaign(frame), "pocket")
    assert (cost.runs, cost.seconds) == (256, 512.0)
    assert cost.full_seconds == pytest.approx(512 * 100 * 50)
    assert cost_of(campaign(frame), "full").full_seconds == 512.0


def test_another_algorithm_takes_the_place_of_compound_tcp(plan) -> None:
    other = sensitivity_plan(Options("pocket", ("cubic",)))
    levels = {factor.symbol: (factor.low, factor.high) for factor in other.factors}
    assert levels["X15"] == ({"reno": 0.8, "cubic": 0.2}, {"reno": 0.2, "cubic": 0.8})
    assert "g24:cubic" in other.responses
    assert not any("ctcp" in response for response in other.responses)
    _, output = found(made_up(other, PUBLISHED), algorithms=("cubic",))
    card = score(STUDY.name, "pocket", STUDY.claims, output.figures)
    assert set(card.counts()) >= {"not computable"}
    assert card.scored == 0


@pytest.mark.parametrize("names", [(), ("cubic", "bic"), ("reno",)])
def test_only_one_alternate_makes_sense(names) -> None:
    with pytest.raises(PlanError, match="expected one algorithm other than reno"):
        STUDY.prepare(Options(algorithms=names))


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(PlanError, match="cubik"):
        sensitivity_plan(Options("pocket", ("cubik",))).runs()


def test_explanations_are_of_claims_that_exist() -> None:
    assert set(EXPLANATIONS) <= {claim.id for claim in CLAIMS}
    assert all(claim.explanation == EXPLANATIONS.get(claim.id, "") for claim in CLAIMS)

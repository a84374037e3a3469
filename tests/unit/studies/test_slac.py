"""The studies of wide-area TCP: paths, printed tables, measures, claims and pages."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import dumbbell
from mesonet.simulate import check, simulate
from mesonet.studies.catalogue import find_study
from mesonet.studies.page import StudyPage, render_study
from mesonet.studies.scorecard import score
from mesonet.studies.slac import cern, ctcp, impact, pages, published, wan
from mesonet.studies.slac.explanations import with_explanations
from mesonet.studies.slac.paths import (
    BASE,
    CALTECH,
    CERN,
    FLORIDA,
    IRELAND,
    MEAN_SIZE,
    PATHS,
    ScenarioVariant,
    alike,
    run_name,
    scenario,
    short_flows,
)
from mesonet.studies.slac.phases import measure_phases
from mesonet.studies.slac.samples import WINDOWS, Samples, highest, lowest, measure_test
from mesonet.studies.study import Options, RunResults

NAMES = ("slac-wan", "slac-ctcp", "slac-impact", "slac-2005")


def test_paths_have_the_printed_round_trips_and_buffers():
    assert [path.rtt_ms for path in PATHS] == [8, 70, 150]
    assert (FLORIDA.buffer, IRELAND.buffer) == (375, 250)
    assert CERN.rtt_ms == 180


def test_loss_gives_the_printed_single_flow_by_renos_response_function():
    for path, printed in ((CALTECH, 521), (FLORIDA, 114), (IRELAND, 62)):
        window = math.sqrt(1.5 / path.loss)
        assert window * 1460 * 8 / (path.rtt_ms / 1000) / 1e6 == pytest.approx(printed)


def test_printed_tables():
    assert published.THROUGHPUT["ireland.ctcp.1"] == (146, 37)
    assert published.THROUGHPUT["caltech.hstcp.2"] == (504, 136)
    assert published.THROUGHPUT["florida.hstcp.reverse"] == (114, 4)
    assert published.SIGMA["florida.hstcp.4"] == (0.622, 0.311)
    assert published.XI["florida.hstcp.2"] == (1.0, 0.065)
    assert published.BURST_XI["ireland.ctcp:slac-muted.8"] == (0.52, 0.03)
    assert published.IMPACT_CHANGE["florida.hstcp"] == (-0.25, 0.01)
    assert published.SUMMARY_2005["htcp"].rtt == 57
    assert (len(published.THROUGHPUT), len(published.SIGMA), len(published.XI)) == (45, 27, 27)


def test_a_test_starts_its_flows_one_after_the_other():
    made = scenario(alike(IRELAND, "ctcp", 8), BASE, scale=1.0, seed=1)
    assert [flow.start for flow in made.flows] == [12.0 * turn for turn in range(8)]
    assert made.buffer_packets() == 250
    assert made.loss == IRELAND.loss
    assert made.duration == 240.0
    check(made)


def test_reverse_flows_stand_against_one():
    (test,) = [t for t in wan.wan_tests(["reno"]) if t.key == "caltech.reno.reverse"]
    made = scenario(test, BASE, scale=1.0, seed=1)
    assert made.forward_flows() == ("flow 1",)
    assert sum(flow.count for flow in made.flows if flow.reverse) == 16


def test_short_flows_are_the_same_for_a_seed_and_ask_for_their_part():
    flows = short_flows(FLORIDA, 0.1, duration=2000.0, seed=3)
    assert flows == short_flows(FLORIDA, 0.1, duration=2000.0, seed=3)
    assert flows != short_flows(FLORIDA, 0.1, duration=2000.0, seed=4)
    expected = 0.1 * FLORIDA.rate * 1e6 * 2000 / (8 * 1500 * MEAN_SIZE)
    assert len(flows) == pytest.approx(expected, rel=0.1)
    packets = [int(flow["size"].split()[0]) for flow in flows]
    assert np.mean(packets) == pytest.approx(MEAN_SIZE, rel=0.5)
    check(
        scenario(alike(CALTECH, "reno", 1), ScenarioVariant("web", "", web=0.1), scale=0.1, seed=1)
    )


def small_run(flows=2):
    """A run of 4 s in intervals of 0.1 s, flows all sending from 1 s on."""
    made = dumbbell(
        rate="8 Mbit/s",
        rtt="20 ms",
        buffer="20 packets",
        flows=[
            {"algorithm": "reno", "name": f"flow {k + 1}", "start": f"{k / (flows - 1)} s"}
            for k in range(flows)
        ],
        duration="4 s",
    )
    return simulate(made)


def with_rates(run, rates):
    """The run with segments acknowledged per interval and flow in place of its own."""
    count = rates.shape[1]
    acked = pl.Series(rates.reshape(-1), dtype=pl.UInt64)
    phase = pl.Series([2] * rates.size, dtype=pl.Int8)
    frame = run.flows.with_columns(acked=acked, phase=phase)
    assert frame["flow"].n_unique() == count
    return dataclasses.replace(run, flows=frame)


def test_fairness_of_a_test_by_hand():
    rates = np.array([[28, 12]] * 20 + [[20, 20]] * 20)
    found = measure_test(with_rates(small_run(), rates))
    segment = 1460 * 8 / 0.1 / 1e6
    assert found["total"] == pytest.approx(40 * segment)
    assert found["flows"]["flow 1"] == pytest.approx(24 * segment)
    assert found["sigma_f"] == pytest.approx(4 / 20)
    # Two seconds with a deviation of 8 between flows and two with none, around a mean of 20.
    assert found["xi_f_1s"] == pytest.approx(4 / 20)
    assert found["spread"] == pytest.approx(math.sqrt(32) / 20)
    assert found["spell"] == 0.0


def test_a_spell_is_a_row_of_seconds_with_less_than_half_a_share():
    rates = np.array([[36, 4]] * 20 + [[20, 20]] * 10 + [[36, 4]] * 10)
    assert measure_test(with_rates(small_run(), rates))["spell"] == pytest.approx(1.5)


def test_phases_by_hand():
    rates = np.array(
        [[40, 0, 0, 0]] * 10 + [[30, 10, 0, 0]] * 10 + [[8, 8, 8, 0]] * 10 + [[10] * 4] * 10
    )
    found = measure_phases(with_rates(small_run(4), rates))
    segment = 1460 * 8 / 0.1 / 1e6
    assert [found[f"total.{k}"] / segment for k in (1, 2, 3, 4)] == pytest.approx([40, 40, 24, 40])
    assert found["fairness"] == pytest.approx(1600 / (2 * 1000))
    assert found["second_share"] == pytest.approx(0.25)
    assert found["stability"] == pytest.approx(np.std([40, 40, 24, 40]) / 36)


def measured(total, sigma=math.nan, xi=math.nan, **more):
    """The result of a test, with the published values and plain ones for the rest."""
    flat = dict.fromkeys(("variation", "flow_variation", "retransmitted", "climb"), 0.2)
    curves = {name: [[1.0, 2.0]] for name in ("rate", "window", "queued", "rtt_ms")}
    windows = {f"xi_f_{count}": xi for count in WINDOWS}
    return {
        **flat,
        **windows,
        "total": total,
        "sigma_f": sigma,
        "xi_f_1s": xi,
        "spread": xi,
        "spell": 1.0,
        "queued": 3.0,
        "flows": {f"flow {k + 1}": total / 8 for k in range(8)},
        "curves": curves | {"time": [1.0, 2.0], "rtt": [180.0, 190.0]},
        **more,
    }


def wan_results():
    def one(test):
        throughput = published.THROUGHPUT[test.key].value
        fair = {
            name: table[test.key].value
            for name, table in (("sigma", published.SIGMA), ("xi", published.XI))
            if test.key in table
        }
        return measured(throughput, **fair, variation=0.3 if len(test.flows) < 4 else 0.1)

    return {test.key: one(test) for test in wan.wan_tests(wan.ALGORITHMS)}


def ctcp_results():
    def one(test):
        tables = [
            (published.BURST_THROUGHPUT, published.BURST_SIGMA, published.BURST_XI),
            (published.TUNING_THROUGHPUT, published.TUNING_SIGMA, published.TUNING_XI),
        ]
        name = test.flows[0]
        first, sigma, xi = tables[0] if test.key in tables[0][0] else tables[1]
        steep = {"climb": 2.0, "variation": 0.4, "retransmitted": 0.3, "flow_variation": 0.4}
        more = steep if name == ctcp.PARTIAL else {}
        # The tuned variants were measured on another day than the muted one of burst control.
        total = first[test.key].value if test.key in first else 100.0
        day = published.BURST_THROUGHPUT, published.TUNING_THROUGHPUT
        if name in (ctcp.DIFFWND, ctcp.LOSSWND):
            muted = test.key.replace(name, ctcp.MUTED)
            total *= day[0][muted].value / day[1][muted].value
        fair = {
            key: table[test.key].value
            for key, table in (("sigma", sigma), ("xi", xi))
            if test.key in table
        }
        return measured(total, **fair, spell=2.0 if name == ctcp.MUTED else 1.0, **more)

    return {test.key: one(test) for test in ctcp.ctcp_tests(ctcp.ALGORITHMS)}


def impact_results():
    def one(test):
        key, path = test.key, test.path.name
        total = published.IMPACT_TOTAL[key].value
        if key not in published.IMPACT_NEW:
            return measured(total)
        new, standard = (
            table[key].value for table in (published.IMPACT_NEW, published.IMPACT_STANDARD)
        )
        later = 1.0
        if test.flows[-1] in impact.MODIFIED:
            later = (
                published.IMPACT_TOTAL[f"{path}.reno"].value
                / published.IMPACT_TOTAL[f"{path}.later.reno"].value
            )
        flows = {f"flow {k + 1}": later * standard / 7 for k in range(7)}
        return measured(later * total, flows=flows | {"flow 8": later * new})

    return {test.key: one(test) for test in impact.impact_tests((*impact.BOTH, *impact.MODIFIED))}


def cern_results():
    def one(test):
        name = test.flows[0]
        row = published.SUMMARY_2005[name]
        phases = {"total.1": 300.0, "total.2": 400.0, "variation.2": 0.1}
        return measured(
            row.throughput,
            deviation=row.error,
            stability=row.stability,
            fairness=row.fairness,
            fairness_low=row.fairness,
            rtt_deviation=row.rtt,
            climb_ratio=1.1,
            second_share=0.3 if name == "fast" else 0.5,
            early=400.0,
            trough=100.0,
            **phases,
            **{"variation.3": 0.2, "variation.4": 0.3},
        )

    return {test.key: one(test) for test in cern.cern_tests(cern.ALGORITHMS)}


CASES = {
    "slac-wan": (wan_results, wan.wan_figures),
    "slac-ctcp": (ctcp_results, ctcp.ctcp_figures),
    "slac-impact": (impact_results, impact.impact_figures),
    "slac-2005": (cern_results, cern.cern_figures),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_printed_values_agree_with_every_claim(name):
    results, figures = CASES[name]
    samples = Samples({key: [result] for key, result in results().items()})
    card = score(name, "desk", find_study(name).claims, figures(samples))
    wrong = [(e.claim.id, e.measured) for e in card.entries if e.verdict == "disagrees"]
    assert not wrong
    undecided = {e.claim.id for e in card.entries if e.verdict == "not computable"}
    assert undecided == {e.claim.id for e in card.entries if not e.claim.rule.needs}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["pocket", "desk"])
def test_the_page_builds_also_where_runs_failed(name, size, tmp_path):
    study = find_study(name)
    prepared = study.prepare(Options(size))
    by_test = CASES[name][0]()
    results = {
        item.name: by_test[key]
        for item in prepared.items
        for key in [item.name.split(".", 1)[1].rsplit(".", 1)[0]]
    }
    for found in (results, {}):
        run_results = RunResults(found, {}, {}, Path(tmp_path))
        output = prepared.evaluate(run_results)
        card = score(study.name, size, study.claims, output.figures)
        page = StudyPage("t", "q", size, {}, output.sections, prepared.settings, card)
        assert "Seeds" in render_study(page)
    assert card.counts()["agrees"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_explanations_belong_to_claims(name):
    claims = find_study(name).claims
    assert any(claim.explanation for claim in claims)
    with pytest.raises(KeyError, match="gone"):
        with_explanations(claims, {"gone": "why"})


def test_full_size_has_the_printed_repeats():
    names = [item.name for item in ctcp._prepare(Options("full")).items]
    for label, count in published.BURST_SAMPLES.items():
        assert sum(name.startswith(f"base.ireland.{label}.seed") for name in names) == count


def test_one_algorithm_alone_leaves_comparisons_undecided():
    prepared = find_study("slac-wan").prepare(Options("pocket", algorithms=("cubic",)))
    assert {flow.algorithm for flow in prepared.items[0].scenario.flows} == {"cubic"}
    output = prepared.evaluate(RunResults({}, {}, {}, Path()))
    assert all(math.isnan(value) for value in output.figures.values())


def test_an_unknown_algorithm_is_refused():
    prepared = find_study("slac-2005").prepare(Options("pocket", algorithms=("bicc",)))
    with pytest.raises(ScenarioError, match="bic"):
        check(prepared.items[0].scenario)


def test_repeats_and_seeds_can_be_asked_for():
    prepared = find_study("slac-impact").prepare(Options("pocket", seed=7, replicates=3))
    assert {item.seed for item in prepared.items} == {7, 8, 9}
    test = impact.impact_tests(())[0]
    assert run_name(test, BASE, 7) in {item.name for item in prepared.items}


def test_extremes_of_unknown_values_are_unknown():
    assert math.isnan(highest([1.0, math.nan]))
    assert math.isnan(lowest([]))
    assert lowest([2.0, 1.0]) == 1.0


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (739.6, 0.0421, "740 ± 0.04"),
        (371.8, 0.65, "372 ± 0.65"),
        (0.08661, 0.01744, "0.0866 ± 0.017"),
        (0.0, 0.5, "0 ± 0.5"),
        (114.3, math.nan, "114"),
        (math.nan, 1.0, "–"),
    ],
)
def test_deviations_are_no_finer_than_their_means_allow(value, error, text):
    assert pages.plus_minus(value, error).replace("\N{NO-BREAK SPACE}", " ") == text


def test_flows_are_drawn_from_their_start():
    assert list(pages._from_start([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 5.0, 0.0])) == [
        (2.0, 0.0),
        (3.0, 5.0),
        (4.0, 0.0),
    ]
    assert list(pages._from_start([1.0, 2.0], [3.0, 4.0])) == [(1.0, 3.0), (2.0, 4.0)]
    assert list(pages._from_start([], [])) == []

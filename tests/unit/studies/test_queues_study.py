"""Algorithms by queue disciplines: the design, the alternatives and the matrix."""

import math
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from mesonet.simulation import check
from mesonet.studies import find_study
from mesonet.studies.study import Options, RunResults
from mesonet_studies.queues import measure

PAGES = Path(__file__).resolve().parents[3] / "docs" / "studies"


@pytest.fixture(scope="module")
def plans():
    return {size: find_study("queues").prepare(Options(size)).plans for size in ("pocket", "desk")}


def test_twelve_paths_hold_every_rate_with_every_round_trip_and_every_buffer(plans):
    plan = plans["pocket"]["matrix"]
    assert plan.design.orthogonal
    rows = [plan.coded(number) for number in range(1, plan.conditions + 1)]
    assert Counter(Counter(row["queue"] for row in rows).values()) == {12: 8}
    for pair in (("rate", "rtt"), ("rate", "buffer")):
        counts = Counter((row["queue"], *(row[name] for name in pair)) for row in rows)
        assert set(counts.values()) == {1}
    counts = Counter((row["queue"], row["rtt"], row["buffer"]) for row in rows)
    assert max(counts.values()) == 2


def test_larger_sizes_have_all_paths_and_more_disciplines(plans):
    plan = plans["desk"]["matrix"]
    assert plan.conditions == 14 * 4 * 3 * 3
    assert len(plan.alternatives) == 2 * 22


def test_the_full_size_has_whoever_needs_no_routers_of_its_own():
    plan = find_study("queues").prepare(Options("full")).plans["matrix"]
    labels = {alternative.label for alternative in plan.alternatives}
    assert {"BBR 3 (Linux)", "FAST TCP (ns-2)"} < labels
    assert not {"XCP", "VCP"} & labels
    assert (plan.conditions, plan.replicates) == (14 * 4 * 3 * 3, 3)
    runs = plan.conditions * len(labels) * plan.replicates
    text = (PAGES / "queues" / "index.md").read_text("utf-8")
    assert f"49 | 14 | 36, three replicates | {runs:,} + 108 |" in text
    for alternative in plan.alternatives:
        check(plan.scenario_of(1, alternative))


def test_every_discipline_fits_the_smallest_buffer(plans):
    plan = plans["desk"]["matrix"]
    smallest = [
        number
        for number in range(1, plan.conditions + 1)
        if {plan.coded(number)[name] for name in ("rate", "rtt", "buffer")} == {-1}
    ]
    kinds = {str(check(plan.scenario_of(n, plan.alternatives[0]))["stations"][0]) for n in smallest}
    assert len(kinds) == 14


class Campaign:
    """A campaign that has only its results."""

    def __init__(self, rows):
        self._frame = pl.DataFrame(rows)

    def results(self):
        return self._frame


def row(condition, alternative, goodput, **responses):
    values = dict.fromkeys(measure.RESPONSES, 0.5) | responses
    return {
        "condition": condition,
        "alternative": alternative,
        "replicate": 1,
        "queue_level": "pie",
        "flow_goodput:cubic": goodput,
        **{name: value for name, value in values.items() if name not in ("harm", "excess")},
    }


def test_cells_are_means_over_paths_and_harm_is_that_to_the_incumbent():
    rows = []
    for condition in (1, 2):
        rows += [
            row(condition, "CUBIC", 100.0, sojourn_p95=0.010 * condition),
            row(condition, "Copa", math.nan, sojourn_p95=0.002),
            row(condition, "CUBIC versus CUBIC", 50.0, jain_index=1.0),
            row(condition, "Copa versus CUBIC", 20.0, jain_index=0.7),
        ]
    options = Options(values={"names": {}})
    results = RunResults({}, {"matrix": Campaign(rows)}, {}, folder=None, options=options)
    cells = {
        (cell["algorithm"], cell["response"]): cell["value"]
        for cell in measure.cells(results).to_dicts()
    }
    assert cells["CUBIC", "sojourn_p95"] == pytest.approx(15)
    assert cells["Copa", "sojourn_p95"] == pytest.approx(2)
    assert cells["Copa", "jain_index"] == pytest.approx(0.7)
    assert cells["CUBIC", "harm"] == pytest.approx(50)
    assert cells["Copa", "harm"] == pytest.approx(80)
    assert cells["Copa", "excess"] == pytest.approx(30)
    assert cells["CUBIC", "excess"] == 0


def test_queues_of_a_measured_kernel_do_not_count_the_packet_in_service():
    rows = pl.DataFrame(
        {
            "alternative": ["two of BBR 1, 20 Mbit/s"],
            "mean_queue": [10.9],
            "utilization": [0.9],
            "jain_index": [0.99],
        }
    )
    assert measure._linux(rows)["linux.waiting.two-of-bbr-1-20"] == pytest.approx(10)


def test_hosts_of_settings_have_jitter_but_in_derivations_and_in_ns_3():
    prepared = find_study("queues").prepare(Options("pocket", variants=("host-jitter",)))

    def late(folder):
        runs = list(prepared.plans[folder].runs())
        return {it.alternative for it in runs if "host_jitter" in check(it.scenario)["transport"]}

    settings = {
        name: {alternative.label for alternative in prepared.plans[name].alternatives}
        for name in ("linux", "sources")
    }
    assert late("linux") == settings["linux"]
    never = {name for name in settings["sources"] if "one bic" in name or "dctcp" in name}
    assert late("sources") == settings["sources"] - never - {"no queue, one reno flow"}
    assert late("variants/host-jitter/linux") == late("variants/host-jitter/sources") == set()


def test_figures_of_settings_are_means_over_seeds():
    rows = [
        {"alternative": "one", "mean_queue": queue, "utilization": 1.0, "jain_index": 1.0}
        for queue in (10.0, 13.0)
    ]
    figures = measure.figures(RunResults({}, {"linux": Campaign(rows)}, {}, folder=None))
    assert figures["linux.waiting.one"] == pytest.approx(10.5)

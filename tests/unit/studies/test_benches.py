"""The two-flow bench: scenario, figures, claims, page; and that benches resume."""

import json
import math
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from refusals import refused

from mesonet.errors import ControllerError, PlanError
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import check, simulate
from mesonet.studies import Options, bench, find_study
from mesonet.studies.bench import Item, measure_all
from mesonet.studies.study import RunResults
from mesonet_studies.two_flow import runs
from mesonet_studies.two_flow.measure import convergence

BENCHES = ("two-flow", "response-function", "rtt-fairness")


@pytest.mark.parametrize(
    ("rtt", "path", "room"), [(42, 882, 176), (162, 3402, 680), (324, 6804, 1360)]
)
def test_the_buffer_is_a_fifth_of_the_path(rtt, path, room):
    assert runs.path_packets(rtt) == path
    assert runs.buffer_packets(rtt) == room == math.floor(Fraction(path, 5))
    spec = runs.two_flow_scenario("reno", rtt_ms=rtt).resolve()
    assert spec["stations"][0]["buffer"] == {"packets": room}
    assert spec["stations"][0]["rate"] == {"packets_per_second": 21_000.0}


def test_the_bench_is_the_published_one():
    spec = runs.two_flow_scenario("fast").resolve()
    assert spec["interfaces"] == [{"rate": {"packets_per_second": 80_000.0}, "delay": 0.162 / 4}]
    assert [(flow["name"], flow["start"]) for flow in spec["flows"]] == [("red", 0), ("blue", 250)]
    assert spec["duration"] == 1000
    assert spec["transport"]["initial_window"] == 2
    assert spec["transport"]["initial_ssthresh"] is None
    assert spec["transport"]["ack_cost"] is False
    # What the bottleneck takes for a packet.
    assert spec["transport"]["host_jitter"] == pytest.approx(1 / 21_000, abs=1e-7)
    assert spec["algorithms"][0]["params"] == {"alpha": 80.0}


@pytest.mark.parametrize("name", ["reno", "xcp", "vcp"])
def test_benches_give_algorithms_the_routers_they_need(name):
    fairness = find_study("rtt-fairness").prepare(Options(algorithms=(name,))).items[0]
    for scenario in (runs.two_flow_scenario(name), fairness.scenario):
        assert scenario.queue.kind == ("droptail" if name == "reno" else name)
        assert check(scenario)


ONCE = Options("pocket", replicates=1, variants=())
"""Runs of the published setting, with one seed."""


def benches(options):
    """Runs of the bench, without those under other bounds."""
    items = find_study("two-flow").prepare(options).items
    return [item for item in items if "ms-sst-" in item.name]


def test_bounds_have_a_run_for_each_algorithm_and_two_of_a_long_path():
    items = find_study("two-flow").prepare(ONCE).items
    names = [item.name for item in items if "ms-sst-" not in item.name]
    assert [name for name in names if "dublin" in name] == ["dublin-sst-100", "dublin-sst-inf"]
    assert len(names) == 10


def test_settings():
    assert runs.SETTINGS[0] == (162, math.inf)
    assert sorted(runs.SETTINGS) == sorted(
        (rtt, s) for rtt in (42, 162, 324) for s in (100.0, math.inf)
    )
    options = Options("full", ("reno", "reno", "ctcp:nist"), replicates=1)
    names = [item.name for item in benches(options)]
    assert len(names) == len(set(names)) == 12


def test_options_of_benches():
    for name in BENCHES:
        with refused(PlanError, ("algorithms", "empty")):
            find_study(name).prepare(Options(algorithms=()))
        seeds = 3 if name == "two-flow" else 1
        if seeds == 1:
            with refused(PlanError, ("replicates", "unsupported")):
                find_study(name).prepare(Options(replicates=3))
        for first in (1, 5):
            items = find_study(name).prepare(Options(seed=first)).items
            assert {item.seed for item in items} == set(range(first, first + seeds))
    twice = benches(replace(ONCE, algorithms=("cubic", "cubic")))
    assert [item.name.partition("-")[0] for item in twice] == ["cubic"]


def test_figures_of_a_run():
    # Red alone fills a path of 100 packets and its buffer; blue never sends.
    scenario = dumbbell(
        rate="1 p/ms",
        rtt="100 ms",
        buffer="100 packets",
        flows=[
            {"algorithm": "aimd", "name": "red"},
            {"algorithm": "aimd", "name": "blue", "start": "299 s"},
        ],
        duration="300 s",
    )
    result = runs.measure_two_flows(simulate(scenario))
    figures, curves = result["figures"], result["curves"]
    assert figures["alone_use"] == pytest.approx(1.0, abs=0.01)
    assert 100 < figures["alone_window"] < 200
    assert figures["alone_excess"] == pytest.approx(figures["alone_window"] - 100)
    assert figures["alone_queue"] == pytest.approx(figures["alone_excess"], rel=0.1)
    assert figures["red_share"] + figures["blue_share"] == pytest.approx(figures["both_use"])
    assert figures["blue_part"] < 0.02
    assert {len(values) for values in curves.values()} == {200}
    assert all(low <= high for low, high in zip(curves["red_low"], curves["red_high"], strict=True))
    assert json.loads(json.dumps(result)) == result


def curves(red_use, blue_use):
    time = [2.5 + 5 * k for k in range(200)]
    return {"time": time, "red_use": red_use, "blue_use": blue_use}


def test_convergence_is_when_fifty_seconds_are_nearly_equal():
    red = [1.0] * 50 + [0.9] * 30 + [0.5] * 120
    blue = [0.0] * 50 + [0.1] * 30 + [0.5] * 120
    # Six or more of ten points at a half give 40 % (0.1 + 6 x 0.04 = 0.34; 8 give 0.42).
    assert convergence(curves(red, blue)) == pytest.approx(2.5 + 5 * 78 - 250)
    assert convergence(curves([1.0] * 200, [0.0] * 200)) == math.inf
    # Equal uses before blue is there mean nothing.
    assert convergence(curves([0.0] * 200, [0.0] * 200)) == math.inf


def judged(results, options=Options()):  # noqa: B008
    return find_study("two-flow").prepare(options).evaluate(RunResults(results, {}, {}, None))


def short_run(algorithm="reno"):
    scenario = runs.two_flow_scenario(algorithm).replace({"rate": "1 p/ms", "buffer": "32 packets"})
    result = runs.measure_two_flows(simulate(scenario))
    return {runs.run_name(algorithm, 162, math.inf): result}


def test_variants_change_the_transport_or_the_algorithm_and_nothing_else():
    def varied(variant):
        changed = benches(replace(ONCE, variants=(variant,)))
        suffix = f", {variant}"
        return {
            each.name.removesuffix(suffix): each.scenario.resolve()
            for each in changed
            if suffix in each.name
        }

    own = {each.name: each.scenario.resolve() for each in benches(ONCE)}
    for variant, key, value in (
        ("slow-start-rounds", "slow_start", "rounds"),
        ("host-jitter", "host_jitter", None),
    ):
        for name, world in varied(variant).items():
            assert world["transport"].pop(key, None) == value
            own[name]["transport"].pop(key, None)
            assert world == own[name]
    (nist,) = (
        each.scenario.parameters
        for each in find_study("nist-1b")
        .prepare(Options("pocket", variants=("fast-at-fitted",)))
        .items
        if "fast-at-fitted" in each.name and "fast-at:nist" in each.name
    )
    for variant, algorithm, parameters in (
        ("fast-standard-repairs", "fast", {"alpha": 80.0}),
        ("fast-at-fitted", "fast-at:nist", nist["fast-at:nist"]),
    ):
        (world,) = varied(variant).values()
        assert world["algorithms"] == [{"name": algorithm, "params": parameters}]


def test_printed_numbers_are_the_published_ones():
    by = {claim.id: claim for claim in find_study("two-flow").claims}
    reno, share = by["reno-alone-window"], by["fast-at-red-share"]
    assert reno.published == "2745 segments"
    assert reno.rule.holds({"reno.alone_window": 2745 * 0.9701})
    assert not reno.rule.holds({"reno.alone_window": 2745 * 1.0301})
    assert share.published == "30 %"
    assert share.rule.holds({"fast-at.red_share": 0.33})
    assert not share.rule.holds({"fast-at.red_share": 0.269})
    assert by["bic-red-window"].published == "2243 segments"
    assert by["scalable-alone-excess"].published == "340 segments"


def test_a_variant_may_name_figures_of_runs_that_the_size_does_not_have():
    """At pocket size BIC has no run with the constants of its paper."""
    ours, options = short_run(), Options(variants=("bic-paper",))
    results = {item.name: ours["reno-162ms-sst-inf"] for item in benches(options)}
    card = judged(results, options).scorecard
    kept = {entry.claim.id: entry.verdict for entry in card.entries}
    assert kept["bic-red-window"] == "disagrees"
    assert set(card.variants["bic-paper"].values()) == {"not computable"}


def small(algorithm="reno", seconds=2):
    scenario = dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=[algorithm], duration=f"{seconds} s")
    return Item(f"{algorithm}-{seconds}", scenario, count_acked)


def count_acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def test_results_are_kept_and_not_measured_again(tmp_path, monkeypatch):
    first = measure_all([small()], out=tmp_path)
    assert first.results["reno-2"]["acked"] > 100
    monkeypatch.setattr(bench, "simulate", None)
    assert measure_all([small()], out=tmp_path) == first


@pytest.mark.parametrize("content", [b"", b'{"acked": 1', b"[1]", b"\xff"])
def test_a_damaged_file_is_measured_again(tmp_path, content):
    first = measure_all([small()], out=tmp_path)
    (file,) = (tmp_path / "runs").iterdir()
    file.write_bytes(content)
    assert bench.stored([small()], out=tmp_path) == {}
    assert measure_all([small()], out=tmp_path).results == first.results


def test_another_scenario_has_another_file(tmp_path, monkeypatch):
    items = [small(), small("cubic:linux"), small(seconds=3)]
    assert len(measure_all(items, out=tmp_path).results) == 3
    files = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert [name.rsplit("-", 1)[0] for name in files] == ["cubic_linux-2", "reno-2", "reno-3"]


def test_response_functions_need_a_published_one():
    with refused(PlanError, ("algorithms", "unknown_algorithm")):
        find_study("response-function").prepare(Options(algorithms=("vegas",)))


def test_a_worker_runs_no_old_class_as_the_new_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "benched.py"
    methods = "on_ack = on_congestion = lambda *_: None"
    text = f"import mesonet\nclass Mine(mesonet.Controller):\n    {methods}\n"
    file.write_text(text, "utf-8")
    world = dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=["python:benched.Mine"], duration="1 s")
    item = replace(small(), scenario=world)
    name = item.file
    file.write_text(f"{text}# edited\n", "utf-8")
    monkeypatch.delitem(sys.modules, "benched")
    with pytest.raises(ControllerError, match=name.rpartition("-")[0]):
        bench._execute((item, name))

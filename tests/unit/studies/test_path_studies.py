"""Studies of paths: designs as they were published, and figures of hand-made numbers."""

import json
import math
import tomllib
from itertools import product

import kept_runs
import pytest

from mesonet.controller import library
from mesonet.simulation import simulate
from mesonet.studies import Options, RunResults, find_study
from mesonet_studies.implementations import measure as implementations
from mesonet_studies.picoquic import measure as picoquic
from mesonet_studies.tcpeval import measure as tcpeval
from mesonet_studies.watchdog import measure as watchdog


def _values(study):
    folder = find_study(study).folder
    return tomllib.loads((folder / "study.toml").read_text("utf-8"))["values"]


def _results(results, tmp_path, study, chosen):
    options = Options(values=_values(study), chosen=chosen)
    return RunResults(results, {}, {}, tmp_path, options=options)


def test_limits_of_claims_are_those_of_the_tests():
    tests = _values("picoquic-paths")["tests"]
    claims = {claim.id: claim for claim in find_study("picoquic-paths").claims}
    assert claims.keys() == tests.keys()
    for name, test in tests.items():
        if name not in ("satellite", "beside-cubic"):
            figures = {f"{name}.{test['sender']}": test["limit"]}
            assert claims[name].rule.holds(figures)
            assert not claims[name].rule.holds({key: 1.001 * it for key, it in figures.items()})


def test_a_transfer_of_picoquic_is_timed_to_its_last_acknowledgement():
    options = Options(values=_values("picoquic-paths"), chosen=("cubic",))
    items = {item.name: item for item in picoquic.runs(options)}
    black_hole = simulate(items["black-hole-cubic-0"].scenario)
    # Two of the seconds pass in the hole; 4 MB take 3.3 s at 10 Mbit/s.
    assert 5.3 < picoquic.measure_completion(black_hole)["time"] < 6


def test_times_are_means_over_replicates(tmp_path):
    results = {f"asymmetric-cubic-{turn}": {"time": time} for turn, time in enumerate((3.0, 5.0))}
    figures = picoquic.figures(_results(results, tmp_path, "picoquic-paths", ("cubic", "reno")))
    assert figures == {"asymmetric.cubic": 4.0, "asymmetric.cubic.longest": 5.0}


def test_the_loser_of_each_run_counts(tmp_path):
    results = {
        "moderate-reno-cubic-0": {"a": 0.4, "b": 1.6},
        "moderate-reno-cubic-1": {"a": 1.2, "b": 0.8},
        "moderate-reno-reno-0": {"a": 1.3, "b": 0.7},
    }
    figures = watchdog.figures(_results(results, tmp_path, "watchdog", ("reno", "cubic")))
    assert figures["moderate.reno.cubic"] == pytest.approx(0.8)
    assert figures["moderate.cubic.reno"] == pytest.approx(1.2)
    assert figures["moderate.reno.reno"] == pytest.approx(1.0)
    # (0.4 + 0.8) / 2 of one pair, 0.7 of the other.
    assert figures["moderate.losing"] == figures["losing"] == pytest.approx(0.65)


def test_shares_of_pairs_are_means_over_paths_and_queues(tmp_path):
    alone = {"use": 0.9, "delay": 0.02, "again": 0.0, "share": 1.0}
    results = {f"codel-{path}-cubic-0": alone for path in ("short", "long")}
    results |= {
        "codel-short-cubic-bbr3-0": alone | {"share": 0.2},
        "codel-long-cubic-bbr3-0": alone | {"share": 0.4},
        "pie-short-cubic-bbr3-0": alone | {"share": 0.5},
    }
    run = _results(results, tmp_path, "implementations", ("cubic", "bbr3"))
    figures = implementations.figures(run)
    assert figures["codel.cubic.bbr3"] == pytest.approx(0.3)
    assert figures["codel.bbr3.cubic"] == pytest.approx(0.7)
    assert figures["cubic.bbr3"] == pytest.approx(0.4)
    assert figures["codel.cubic.use"] == pytest.approx(0.9)


def test_kept_runs_of_implementations_give_the_kept_verdicts_without_the_adapter(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(library, "_ADAPTER", str(tmp_path / "libs2n.so"))
    prepared = find_study("implementations").prepare(Options("pocket"))
    kept = kept_runs.read(kept_runs.KEPT / "implementations.parquet")
    # A file of results is named after its run, with a hash that only the adapter gives.
    stored = {name.rpartition("-")[0]: numbers for (_, name), numbers in kept.items()}
    results = {item.name: stored[item.name.replace(":", "_")] for item in prepared.items}
    page = prepared.evaluate(RunResults(results, {}, {}, tmp_path))
    verdicts = {row["id"]: row["verdict"] for row in page.scorecard.to_dict()["claims"]}
    card = json.loads((kept_runs.KEPT.parent / "pocket" / "implementations.json").read_text())
    assert verdicts == {name: verdict for name, (verdict, _) in card["verdicts"].items()}
    assert set(verdicts.values()) == {"agrees", "disagrees"}


def test_of_a_pair_each_begins_first_in_turn():
    options = Options(values=_values("implementations"), chosen=("cubic", "reno"))
    pairs = [run for run in implementations.runs(options) if "cubic-reno" in run.name]
    starts = [[flow.start for flow in run.scenario.flows] for run in pairs[:2]]
    assert starts == [[0.0, 0.3], [0.6, 0.0]]
    numbers = implementations.measure_run(simulate(pairs[0].scenario.replace(duration="8 s")))
    assert numbers["use"] > 0.5
    assert 0 < numbers["share"] < 1


def test_half_of_the_link_is_a_whole_share():
    values = _values("watchdog") | {"duration": "10 s", "replicates": 1}
    (run, *_) = watchdog.runs(Options(values=values, chosen=("reno",)))
    shares = watchdog.measure_shares(simulate(run.scenario))
    assert shares.keys() == {"a", "b"}
    assert 1.9 < sum(shares.values()) <= 2.0


RTTS = [4, 28, 54, 74, 98, 124, 150, 174, 200]
"""Table 1 of draft-irtf-iccrg-tcpeval-01 [ms], without the central link."""


@pytest.mark.parametrize(
    ("name", "central"), [("access", 4), ("oceanic", 130), ("satellite", 600), ("dialup", 10)]
)
def test_paths_of_the_suite_have_the_round_trips_of_the_draft(name, central):
    scenario = tcpeval.suite_scenario(name, _values("tcpeval"), 60, "reno")
    rtts = sorted(1000 * flow.rtt for flow in scenario.flows if not flow.reverse)
    assert rtts == pytest.approx([rtt + central for rtt in RTTS])


def test_the_data_centre_has_edges_of_10_and_100_us():
    scenario = tcpeval.suite_scenario("datacenter", _values("tcpeval"), 60, "reno")
    ends = product((10, 10, 100), (10, 100, 100))
    expected = sorted(2 * (left + right) for left, right in ends)
    assert sorted(1e6 * flow.rtt for flow in scenario.flows[:9]) == pytest.approx(expected)


@pytest.mark.parametrize("load", [60, 85, 110])
def test_the_load_is_offered_in_packets_with_headers(load):
    scenario = tcpeval.suite_scenario("access", _values("tcpeval"), load, "reno")
    down = [flow.application for flow in scenario.flows if not flow.reverse]
    segments = (100_000 + 730) / 1460
    offered = sum(segments * 1500 * 8 / each.every.mean for each in down)
    assert offered == pytest.approx(load / 100 * 100e6)


def test_metrics_of_the_suite_are_those_of_the_central_link():
    values = _values("tcpeval")
    values["times"]["access"] = [[1, 4]] * 3
    scenario = tcpeval.suite_scenario("access", values, 60, "reno")
    numbers = tcpeval.measure_central(simulate(scenario))
    assert 0.3 < numbers["utilization"] < 0.9
    assert 0 <= numbers["drops"] < 0.1
    assert 0 < numbers["delay"] < 0.1
    assert 0 < numbers["open"] < 0.3
    small, large = numbers["times"]["10"], numbers["times"]["1000000000"]
    assert small[0] > 10
    assert small[1] < large[1]
    assert not any(math.isnan(value) for times in numbers["times"].values() for value in times)

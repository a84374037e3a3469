"""The benches: their scenarios, their figures, the verdicts, and that they resume."""

import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from mesonet.dumbbell import dumbbell
from mesonet.errors import InputError, PlanError
from mesonet.simulate import check, simulate
from mesonet.studies import LAB_STUDIES, bench, lab, published, rtt_fairness, two_flow
from mesonet.studies.bench import Item, measure_all
from mesonet.studies.two_flow_page import comparison_frame, quantity, render


@pytest.mark.parametrize(
    ("rtt", "path", "room"), [(42, 882, 176), (162, 3402, 680), (324, 6804, 1360)]
)
def test_the_buffer_is_a_fifth_of_the_path(rtt, path, room):
    assert two_flow.path_packets(rtt) == path
    assert two_flow.buffer_packets(rtt) == room == math.floor(Fraction(path, 5))
    spec = two_flow.two_flow_scenario("reno", rtt_ms=rtt).resolve()
    assert spec["stations"][0]["buffer"] == {"packets": room}
    assert spec["stations"][0]["rate"] == {"packets_per_second": 21_000.0}


def test_the_bench_is_the_published_one():
    spec = two_flow.two_flow_scenario("fast").resolve()
    assert spec["interfaces"] == [{"rate": {"packets_per_second": 80_000.0}, "delay": 0.162 / 4}]
    assert [(flow["name"], flow["start"]) for flow in spec["flows"]] == [("red", 0), ("blue", 250)]
    assert spec["duration"] == 1000
    assert spec["transport"]["initial_window"] == 2
    assert spec["transport"]["initial_ssthresh"] is None
    assert spec["transport"]["ack_cost"] is False
    assert spec["algorithms"][0]["params"] == {"alpha": 80.0}


@pytest.mark.parametrize("name", ["reno", "xcp", "vcp"])
def test_benches_give_algorithms_the_routers_they_need(name):
    for scenario in (
        two_flow.two_flow_scenario(name),
        rtt_fairness.fairness_scenario(name, ratio=2.0, buffer=600),
    ):
        assert scenario.discipline == ("droptail" if name == "reno" else name)
        assert check(scenario)


def test_the_threshold_can_be_limited():
    spec = two_flow.two_flow_scenario("reno", ssthresh=100).resolve()
    assert spec["transport"]["initial_ssthresh"] == 100


def test_sizes():
    assert two_flow.settings("pocket") == [(162, math.inf)]
    full = two_flow.settings("full")
    assert full[0] == (162, math.inf)
    assert sorted(full) == sorted((rtt, s) for rtt in (42, 162, 324) for s in (100.0, math.inf))
    names = [item.name for item in two_flow.two_flow_items("full", ["reno", "reno", "ctcp:nist"])]
    assert len(names) == len(set(names)) == 12


def test_pocket_has_the_algorithms_of_the_source_and_full_all():
    source = published.ALGORITHMS.values()
    pocket, full = (lab.default_algorithms(size, source) for size in ("pocket", "full"))
    assert pocket == [name for name in source if name in full]
    assert "reno" in pocket
    assert {"cubic", "cubic:linux", "hcc", "copa:default-mode"} <= set(full) - set(pocket)
    for name in ("two-flow", "rtt-fairness"):
        bench = LAB_STUDIES[name].bench("full", None)
        assert len(bench.items) == {"two-flow": 6, "rtt-fairness": 8}[name] * len(full)


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
    result = two_flow.measure_two_flows(simulate(scenario))
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


def statement(**changes):
    values = {
        "label": "Reno",
        "figure": "alone_window",
        "what": "",
        "published": "100",
        "low": 97.0,
        "high": 103.0,
        "rule": "",
        "source": "",
    }
    return published.Statement(**values | changes)


@pytest.mark.parametrize(
    ("measured", "verdict", "difference"),
    [
        (97.0, "agrees", 0.0),
        (103.0, "agrees", 0.0),
        (96.5, "differs", -0.5),
        (104.0, "differs", 1.0),
    ],
)
def test_the_range_decides_and_its_ends_agree(measured, verdict, difference):
    assert statement().verdict(measured) == verdict
    assert statement().difference(measured) == difference


def test_what_is_not_a_number_does_not_agree():
    assert statement().verdict(math.nan) == "differs"
    assert statement().verdict(None) == "not measured"


def test_statements_are_sound():
    figures = {"alone_window": 2745.0}
    compared = published.compare({"reno": figures})
    assert [c.measured for c in compared].count(2745.0) == 1
    for each in published.STATEMENTS:
        assert each.label in published.ALGORITHMS
        assert each.low < each.high
        assert each.unit in {"packets", "part"}
    names = [(each.label, each.figure) for each in published.STATEMENTS]
    assert len(names) == len(set(names))


def test_printed_numbers_are_in_the_middle_of_their_range():
    by = {(each.label, each.figure): each for each in published.STATEMENTS}
    reno, share = by["Reno", "alone_window"], by["FAST-AT", "red_share"]
    assert (reno.low, reno.high) == pytest.approx((2745 * 0.97, 2745 * 1.03))
    assert (share.low, share.high) == pytest.approx((0.27, 0.33))
    assert quantity(0.7193, "part") == "71.9\N{NARROW NO-BREAK SPACE}%"
    assert quantity(2451.7, "packets") == "2452"


def test_the_page_prints_the_misses():
    run = simulate(
        two_flow.two_flow_scenario("reno").replace({"rate": "1 p/ms", "buffer": "32 packets"})
    )
    results = {two_flow.run_name("reno", 162, math.inf): two_flow.measure_two_flows(run)}
    failures = {"bic:nist-162ms-sst-inf": "ControllerError: it broke\n\ntraceback"}
    page = render(results, failures, size="pocket", algorithms=["reno", "bic:nist"])
    assert "Reno, red alone: mean window: published 2745" in page
    assert '<tr class="differs">' in page
    assert "it broke" in page
    assert "traceback" not in page
    assert "http" not in page.split('<script type="text/plain"')[0].replace("http-equiv", "")
    assert page == render(results, failures, size="pocket", algorithms=["reno", "bic:nist"])


def test_the_page_without_anything_published():
    page = render({}, {}, size="pocket", algorithms=["cubic"])
    assert "Nothing is published about the algorithms" in page
    assert comparison_frame([]).is_empty()


def small(algorithm="reno", seconds=2):
    scenario = dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=[algorithm], duration=f"{seconds} s")
    return Item(f"{algorithm}-{seconds}", scenario, count_acked)


def count_acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def in_process(tasks, execute, *, listener, **_):
    """Instead of worker processes, which could not import this file."""
    for task in tasks:
        listener.finished([bench.Outcome(task.id, value=execute(task.work))])


def test_results_are_kept_and_not_measured_again(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "execute_all", in_process)
    first = measure_all([small()], out=tmp_path)
    assert first.results["reno-2"]["acked"] > 100
    monkeypatch.setattr(bench, "simulate", None)
    assert measure_all([small()], out=tmp_path) == first


def test_another_scenario_has_another_file(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "execute_all", in_process)
    items = [small(), small("cubic:linux"), small(seconds=3)]
    assert len(measure_all(items, out=tmp_path).results) == 3
    files = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert [name.rsplit("-", 1)[0] for name in files] == ["cubic_linux-2", "reno-2", "reno-3"]
    item = small()
    changed = Item(item.name, item.scenario, item.measure, edition=2)
    assert len(measure_all([item, changed], out=tmp_path).results) == 1
    assert len(list((tmp_path / "runs").iterdir())) == 4


def test_bad_algorithms_are_refused_before_anything_runs(tmp_path):
    out = tmp_path / "out"
    for study in LAB_STUDIES.values():
        with pytest.raises(InputError, match="reno"):
            study.run(out=out, algorithms=["renno"])
    assert not out.exists()


def test_response_functions_need_a_published_one(tmp_path):
    with pytest.raises(PlanError, match="no published response function"):
        LAB_STUDIES["response-function"].run(out=tmp_path, algorithms=["vegas"])


def test_fairness_is_the_published_setting():
    spec = rtt_fairness.fairness_scenario("fast", ratio=1.5, buffer=600).resolve()
    assert sorted(each["delay"] * 4 for each in spec["interfaces"]) == pytest.approx([0.04, 0.06])
    assert spec["stations"][0]["buffer"] == {"packets": 600}
    assert spec["stations"][0]["rate"] == {"bits_per_second": 2e8}
    assert spec["packet"] == {"smss": 960, "header": 40, "control": 40}
    assert spec["algorithms"][0]["params"] == {"alpha": 400.0}


@pytest.mark.parametrize(
    ("label", "buffer", "ratio", "index"),
    [
        ("HSTCP", 600, 1.5, 0.5085),
        ("TCP-Illinois", 600, 2.0, 0.6309),
        ("HTCP", 2000, 6.0, 0.6742),
        ("HCC TCP", 2000, 6.0, 0.9987),
    ],
)
def test_jain_gives_the_printed_indices(label, buffer, ratio, index):
    throughputs = rtt_fairness.published(label, buffer, ratio)
    assert rtt_fairness.jain(*throughputs) == pytest.approx(index, abs=2e-4)


def test_jain_at_its_ends():
    assert rtt_fairness.jain(5, 5) == 1
    assert rtt_fairness.jain(5, 0) == 0.5
    assert rtt_fairness.jain(0, 0) == 1
    assert rtt_fairness.published("HSTCP", 600, 1.0) is None
    assert rtt_fairness.published("Reno", 600, 1.5) is None


def test_the_fairness_table_has_published_values_in_brackets():
    results = {"hstcp-1.5-600": {"first": 150.0, "second": 49.0, "queue": 10.0}}
    frame = rtt_fairness.fairness_frame(results, ["hstcp"])
    assert frame["efficiency"].to_list() == [199.0]
    assert np.isclose(frame["published_jain"][0], 0.5085, atol=1e-4)
    text = rtt_fairness.fairness_markdown(frame)
    assert "| hstcp | 199.0 (199.6) | *0.795* (0.508) |" in text
    assert isinstance(frame, pl.DataFrame)


def test_the_verdicts_on_fairness():
    assert rtt_fairness.efficiency_agrees(196.1, 200.0)
    assert not rtt_fairness.efficiency_agrees(195.9, 200.0)
    assert rtt_fairness.jain_agrees(0.549, 0.5)
    assert not rtt_fairness.jain_agrees(0.551, 0.5)

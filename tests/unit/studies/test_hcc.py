"""The study of the slides on HCC: runs, figures from small results, claims, page."""

import functools
import math

import pytest

from mesonet.simulation import simulate
from mesonet.studies import Options, find_study
from mesonet_studies.hcc import lab as laboratory
from mesonet_studies.hcc import measure
from mesonet_studies.hcc.lab import CONSTANT, lab
from mesonet_studies.hcc.rtt_fairness import measure as rtt_fairness

TABLE = rtt_fairness.measure_fairness


@functools.cache
def items(size="pocket", variants=()):
    listed = find_study("hcc").prepare(Options(size, variants=variants)).items
    assert len({item.name for item in listed}) == len(listed)
    return {item.name: item for item in listed}


def test_the_link_is_that_of_the_slides():
    spec = items("full")["single-fast-600"].scenario.resolve()
    assert [station["rate"] for station in spec["stations"]] == [{"bits_per_second": 2e8}] * 2
    assert [station["buffer"] for station in spec["stations"]] == [{"packets": 600}] * 2
    assert spec["packet"] == {"smss": 960, "header": 40, "control": 40}
    assert spec["algorithms"][0]["params"] == {"alpha": 400.0}
    assert spec["duration"] == 300
    assert spec["transport"]["ack_every"] == 1


def test_every_figure_has_its_runs():
    full = items("full")
    loss = full["loss-bic-200-0.001"].scenario.resolve()
    assert loss["stations"][0]["loss"] == 1e-3
    assert loss["stations"][1]["loss"] == 0
    equal = full["equal-hcc-2000"].scenario.resolve()
    assert [each["delay"] * 4 for each in equal["interfaces"]] == pytest.approx([0.12])
    assert len(equal["flows"]) == 3
    friendly = full["friendly-hcc-600"].scenario
    assert [flow.algorithm for flow in friendly.flows] == ["hcc", "reno"]
    assert [flow.count for flow in friendly.flows] == [2, 2]
    assert full["gigabit"].scenario.resolve()["stations"][0]["rate"] == {"bits_per_second": 1e9}
    assert [flow.reverse for flow in full["reverse-fast-600"].scenario.flows] == [False, True]
    assert full["load-hcc-150"].scenario.parameters[CONSTANT] == {"rate": 150.0}
    assert "friendly-reno-600" not in full


def test_fast_is_the_module_of_ns_2_and_its_paper_a_variant():
    def of(names):
        return {
            name: items("desk", ("fast-paper",))[name].scenario.resolve()["algorithms"][0]
            for name in names
        }

    base = {"single-fast-600", "friendly-fast-600", "fast-6-2000", "reverse-fast-2000"}
    scored, other = of(base), of(f"{name}, fast-paper" for name in base)
    assert {each["name"] for each in scored.values()} == {"fast:ns2"}
    assert {each["name"] for each in other.values()} == {"fast"}
    assert all(each["params"] == {"alpha": 400.0} for each in (*scored.values(), *other.values()))
    varied = {name for name in items("desk", ("fast-paper",)) if name.endswith("fast-paper")}
    assert all("fast" in name.removesuffix("fast-paper") for name in varied)


def test_hosts_that_share_a_direction_have_lines_like_the_link():
    by_name = items("desk", ("hosts-fast",))

    def lines(name):
        stations = by_name[name].scenario.resolve()["stations"][2:]
        return [(each["rate"]["bits_per_second"], each["buffer"]["packets"]) for each in stations]

    assert lines("hstcp-1.5-600") == [(2e8, 600)] * 2
    assert lines("equal-bic-2000") == [(2e8, 2000)] * 3
    assert lines("friendly-hcc-600") == [(2e8, 600)] * 4
    assert lines("gigabit") == [(1e9, 2000)] * 2
    for name in ("hstcp-1.5-600", "equal-bic-2000", "friendly-hcc-600", "dynamics-6-600"):
        assert lines(f"{name}, hosts-fast") == []
    for name in ("single-hcc-600", "reverse-fast-2000", "load-hcc-150", "loss-bic-200-0.001"):
        assert lines(name) == []
        assert f"{name}, hosts-fast" not in by_name


def test_a_first_flow_that_fills_the_link_starves_the_second():
    """Figure 12, 600 packets, ratio 1.5: T2 is 0.08 Mbit/s with STCP, of 199.61 together."""
    result = TABLE(simulate(items("desk")["scalable-1.5-600"].scenario))
    assert result["second"] == pytest.approx(0.08, abs=0.04)
    assert result["first"] == pytest.approx(199.53, rel=0.01)


def test_a_constant_load_is_constant():
    back = {"algorithm": CONSTANT, "name": "back", "reverse": True}
    forward = {"algorithm": "vegas", "name": "flow"}
    scenario = lab([forward, back], buffer=2000, duration=2.0)
    run = simulate(scenario.replace({"parameters": {CONSTANT: {"rate": 50.0}}}))
    sent = run.flows.filter(flow="back")["acked"].to_numpy()[8:]
    # 50 Mbit/s are 625 packets of 1000 bytes in 100 ms.
    assert sent.mean() == pytest.approx(625, rel=0.01)
    assert sent.std() < 10


def test_what_is_measured():
    flows = [{"algorithm": "reno", "name": "flow", "count": 2}]
    result = laboratory.measure_flows(simulate(lab(flows, buffer=600, duration=10.0)))
    assert set(result["throughputs"]) == {"flow-1", "flow-2"}
    assert result["throughput"] == pytest.approx(sum(result["throughputs"].values()))
    assert 100 < result["throughput"] < 200
    assert 0 < result["queue"] < 600
    assert 0 < result["loss"] < 0.1
    curves = result["curves"]
    assert {len(values) for values in curves.values()} == {100}
    mean = sum(curves["flow-1.rate"]) / 100
    assert mean == pytest.approx(result["throughputs"]["flow-1"], abs=0.01)


def flat(*, rate=190.0, window=1400.0, queue=400.0, start=2):
    """A run of a flow that has its rate from its third point on, of 100 points of a second."""
    curves = {
        "time": [k + 0.5 for k in range(100)],
        "queue": [queue] * 100,
        "flow.window": [10.0] * start + [window] * (100 - start),
        "flow.rate": [1.0] * start + [rate] * (100 - start),
    }
    return {
        "throughputs": {"flow": rate},
        "throughput": rate,
        "queue": queue,
        "loss": 0.001,
        "curves": curves,
    }


def test_figures_of_a_run():
    run = flat()
    assert measure.late_queue(run) == 400
    assert measure.swing(run) == 0
    assert measure.settled(run) == 1.5
    assert measure.filled(run) == 2.5
    assert measure.filled(flat(rate=179.0)) == math.inf
    assert measure.index_of({"throughputs": {"a": 1.0, "b": 1.0, "c": 0.0}}) == pytest.approx(2 / 3)
    pair = {"throughputs": {"flow-1": 100.0, "reno-1": 60.0, "reno-2": 40.0}, "throughput": 200.0}
    assert measure.reno_part(pair) == 0.5

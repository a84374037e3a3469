"""Drawings of one run."""

import json

import drawings
import pytest
from labs import early_nation
from refusals import refused

import mesonet
from mesonet import figures
from mesonet.analysis import network_congestion, trace
from mesonet.analysis.network.chart import STEP


@pytest.fixture(scope="module")
def lab():
    scenario = mesonet.dumbbell(
        rate="5 Mbit/s", rtt="20 ms", flows=["reno", "ctcp"], duration="2 s", interval="50 ms"
    )
    return mesonet.simulate(scenario)


@pytest.fixture(scope="module")
def internet():
    return early_nation()


def test_a_trace_draws_its_rows(lab):
    result = trace(lab)
    chart = figures.trace_chart(result)
    *flows, queue, signals, phases = drawings.datasets(chart)
    assert [len(rows) for rows in flows] == [result.frame.height] * 4
    assert len(queue) == result.queues.height
    assert sum(row["segments"] for row in signals) == result.frame["retransmitted"].sum() > 0
    assert {row["signal"] for row in signals} == {"retransmitted"}
    for flow in result.flows:
        stretches = [row for row in phases if row["flow"] == flow]
        assert stretches[0]["begin"] == pytest.approx(0)
        ends = [row["time"] for row in stretches]
        assert ends[-1] == pytest.approx(2)
        assert [row["begin"] for row in stretches[1:]] == pytest.approx(ends[:-1])
    windows, queue = figures.trace_chart(result, panels=("cwnd", "queue")).to_dict()["vconcat"]
    assert '"cwnd:Q"' in json.dumps(windows) or '"field": "cwnd"' in json.dumps(windows)
    assert '"Queue' in json.dumps(queue)
    assert '"Time (s)"' in json.dumps(queue)


def of(encoding):
    return encoding["scale"]["range"]


def test_rates_are_in_bits_where_segments_have_a_size(lab, internet):
    rates = drawings.datasets(figures.trace_chart(trace(lab), panels=("rate",)))[0]
    expected = lab.flows.row(-1, named=True)["acked"] / 0.05 * 1460 * 8 / 1e6
    assert rates[-1]["rate"] == pytest.approx(expected)
    assert '"Rate (Mbit/s)"' in figures.trace_chart(trace(lab)).to_json()
    shown = figures.trace_chart(trace(internet, stations=()), panels=("rate",)).to_json()
    assert '"Rate (segments/s)"' in shown


def test_a_run_shows_itself(lab, tmp_path):
    assert "Losses and marks" in lab.plot().to_json()
    (panel,) = lab.plot("cwnd", flows=["reno-1"]).to_dict()["vconcat"]
    assert {row["flow"] for row in drawings.values(lab.plot("cwnd", flows=["reno-1"]))} == {
        "reno-1"
    }
    assert panel["height"] > 0
    words = lab.plot("srtt", "cwnd").to_json()
    assert words.index("Smoothed RTT (ms)") < words.index("Window (segments)")
    assert lab._repr_mimebundle_()["image/svg+xml"].startswith("<svg")
    assert lab.save(tmp_path / "run.svg", "queue").read_text("utf-8").startswith("<svg")
    with refused(mesonet.InputError, ("panels", "unknown_panel")):
        lab.plot("queues")
    with refused(mesonet.InputError, ("kind", "unknown_kind")):
        lab.save(tmp_path / "run.doc")


@pytest.mark.parametrize(
    "options", [{"flows": []}, {"stations": []}, {"flows": [], "stations": []}]
)
def test_traces_without_some_or_all_data_draw(lab, options):
    result = trace(lab, **options)
    assert drawings.datasets(figures.trace_chart(result))


def test_the_map_has_a_state_for_every_place_and_step(internet):
    result = network_congestion(internet, steps=4)
    chart = figures.congestion_map_chart(result, geometry=internet.scenario.geometry())
    (param,) = [p for p in chart.to_dict()["params"] if p["name"] == STEP]
    assert param["bind"] == {"input": "range", "max": 3, "min": 0, "name": "Time step ", "step": 1}
    tables = drawings.datasets(chart)
    assert [len(t) for t in tables if t and "station" in t[0]] == [4 * 11]
    assert [len(t) for t in tables if t and {"link", "occupancy"} <= set(t[0])] == [4 * 14]
    (state, *_) = [t for t in tables if t and "station" in t[0]]
    at = {(row["step"], row["label"]): row["occupancy"] for row in state}
    expected = result.nodes.filter(step=2, node="DNVR")["occupancy"].item()
    assert at[2, "D Denver"] == expected


def test_the_network_at_a_glance_shows_the_mean_of_every_place(internet):
    result = network_congestion(internet, steps=4)
    geometry = internet.scenario.geometry()
    chart = figures.network_glance_chart(geometry, result=result)
    drawings.draws(chart)
    shown = {row["label"]: row["occupancy"] for row in drawings.values(chart) if "occupancy" in row}
    expected = result.nodes.filter(node="DNVR")["occupancy"].mean()
    assert shown["D Denver"] == pytest.approx(expected)
    assert result.means()["occupancy"].is_sorted(descending=True)
    dark = drawings.values(figures.network_glance_chart(geometry))
    assert all(row.get("occupancy") is None for row in dark)

"""One run through time: by hand, and on small simulations."""

from dataclasses import replace

import polars as pl
import pytest
from labs import early_nation

import mesonet
from mesonet.analysis import network_congestion, trace
from mesonet.errors import InputError


@pytest.fixture(scope="module")
def lab():
    scenario = mesonet.dumbbell(
        rate="5 Mbit/s",
        rtt="20 ms",
        flows=["reno", mesonet.flow("ctcp", start="1 s")],
        duration="3 s",
        interval="50 ms",
    )
    return mesonet.simulate(scenario)


@pytest.fixture(scope="module")
def internet():
    return early_nation()


def by_hand(lab):
    """Four intervals of 50 ms: two flows, the second silent in the first half, one queue."""
    ends = [0.05, 0.1, 0.15, 0.2]
    flows = pl.DataFrame(
        {
            "time": [end for end in ends for _ in range(2)],
            "flow": ["a", "b"] * 4,
            "acked": [1, 0, 2, 0, 3, 4, 5, 6],
            "cwnd": [10.0, 0.0, 20.0, 0.0, 30.0, 7.0, 50.0, 9.0],
            "srtt": [0.0, 0.0, 0.02, 0.0, 0.04, 0.0, 0.06, 0.03],
            "phase": [0, -1, 0, -1, 1, 0, 1, 0],
            "in_flight": [8, 0, 16, 0, 30, 7, 40, 9],
            "retransmitted": [0, 0, 1, 0, 2, 0, 4, 0],
            "ce_marked": [0, 0, 0, 0, 1, 0, 2, 0],
        }
    )
    queues = pl.DataFrame(
        {"time": ends, "station": ["q"] * 4, "packets": [0, 10, 4, 6], "capacity": [20] * 4}
    )
    series = pl.DataFrame(
        {
            "time": ends,
            "injected": [10, 10, 0, 0],
            "dropped": [1, 2, 0, 0],
            "sending": [1, 1, 2, 2],
        }
    )
    tables = {**lab.tables, "flows": flows, "queues": queues, "series": series}
    return replace(lab, tables=tables)


def test_windows_by_hand(lab):
    traced = trace(by_hand(lab), points=2)
    assert traced.window == 0.1
    first, last = traced.frame.filter(flow="a").iter_rows(named=True)
    assert (first["time"], last["time"]) == (0.1, 0.2)
    assert (first["sequence"], last["sequence"]) == (3.0, 11.0)
    assert (first["rate"], last["rate"]) == pytest.approx((30.0, 80.0))
    assert (first["cwnd"], first["cwnd_low"], first["cwnd_high"]) == (15.0, 10.0, 20.0)
    # The first sample of the round-trip time comes in the second interval.
    assert (first["srtt"], last["srtt"]) == pytest.approx((0.02, 0.05))
    assert [(it["retransmitted"], it["marked"]) for it in (first, last)] == [(1, 0), (6, 3)]
    silent, sending = traced.frame.filter(flow="b").iter_rows(named=True)
    assert (silent["cwnd"], silent["rate"]) == (None, 0.0)
    assert (sending["cwnd"], sending["in_flight"]) == (8.0, 8.0)
    assert traced.queues.rows() == [(0.1, "q", 5.0, 0, 10, 20), (0.2, "q", 5.0, 4, 6, 20)]
    assert any("means over 2 measurement intervals" in note for note in traced.notes)


def test_an_incomplete_last_window_has_its_own_length(lab):
    traced = trace(by_hand(lab), points=3, flows=["a"], end=0.15)
    assert traced.frame["rate"].to_list() == pytest.approx([20.0, 40.0, 60.0])
    traced = trace(by_hand(lab), points=2, flows=["a"], end=0.15)
    assert traced.frame["rate"].to_list() == pytest.approx([30.0, 60.0])
    # The sequence counts from the start of the flow, not of the part that is looked at.
    later = trace(by_hand(lab), flows=["a"], start=0.1)
    assert later.frame["sequence"].to_list() == [6.0, 11.0]


@pytest.mark.parametrize("points", [3, 7, 1000])
def test_the_rate_of_a_shorter_last_interval_is_over_its_own_time(points):
    scenario = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", flows=["reno"], duration="2.03 s", interval="100 ms"
    )
    run = mesonet.simulate(scenario, seed=1)
    table = trace(run, points=points).frame
    seconds = table["time"].diff().fill_null(table["time"][0])
    assert (table["rate"] * seconds).sum() == pytest.approx(run.flows["acked"].sum())
    assert table["rate"][-1] == pytest.approx(10e6 / 12_000, rel=0.1)


def test_a_run_is_traced_completely(lab):
    traced = trace(lab)
    for name in traced.flows:
        acked = lab.flows.filter(flow=name)["acked"].sum()
        assert traced.frame.filter(flow=name)["sequence"][-1] == acked > 0
    assert traced.flows == ("reno-1", "ctcp-1")
    assert traced.stations == ("forward",)
    assert traced.notes == ()


def test_names_that_are_not_in_the_run_are_all_named(lab):
    with pytest.raises(InputError) as error:
        trace(lab, flows=["reno-2"], stations=["reverse"])
    text = str(error.value)
    assert 'did you mean "reno-1"' in text
    assert 'stations: expected forward, got "reverse"' in text


def test_congestion_by_hand(internet):
    queues = pl.DataFrame(
        {
            "time": [0.2] * 3 + [0.4] * 3,
            "station": ["STTL", "DNVR", "B0a"] * 2,
            "packets": [1, 5, 9, 3, 5, 0],
            "capacity": [10, 10, 10] * 2,
        }
    )
    series = pl.DataFrame(
        {"time": [0.2, 0.4], "injected": [10, 0], "dropped": [1, 0], "sending": [4, 6]}
    )
    tables = {**internet.tables, "queues": queues, "series": series}
    congestion = network_congestion(replace(internet, tables=tables))
    assert congestion.frame["occupancy"].to_list() == [0.1, 0.5, 0.9, 0.3, 0.5, 0.0]
    link = congestion.links.filter(a="STTL", b="DNVR")
    assert link["occupancy"].to_list() == [0.5, 0.5]
    # B0a is an access router of Sunnyvale, whose backbone router is not watched here.
    places = congestion.nodes.filter(step=0).select("node", "station", "occupancy")
    assert set(places.rows()) == {
        ("STTL", "STTL", 0.1),
        ("DNVR", "DNVR", 0.5),
        ("SNVA", "B0a", 0.9),
    }
    assert congestion.network["loss_rate"].to_list() == [0.1, None]
    assert any(note.startswith("Nothing is watched at") for note in congestion.notes)


def test_congestion_of_a_run(internet):
    congestion = network_congestion(internet, steps=5)
    assert congestion.network.height == 5
    assert congestion.network["step"].to_list() == list(range(5))
    assert set(congestion.frame["step"]) == set(range(5))
    assert congestion.nodes["node"].n_unique() == 11
    fullest = congestion.frame.group_by("step").agg(pl.col("occupancy").max()).sort("step")
    shown = congestion.nodes.group_by("step").agg(pl.col("occupancy").max()).sort("step")
    assert fullest.equals(shown)
    assert congestion.links.height == 5 * 14


@pytest.mark.parametrize(
    ("stretch", "said"),
    [
        ({"start": 2, "end": 1}, "end: expected a time after start (2 s), got 1 s"),
        ({"start": "1 s"}, 'start: expected a number of seconds, got "1 s"'),
        ({"end": True}, "end: expected a number of seconds, got true"),
        ({"start": float("nan")}, "end: expected a time after start (nan s), got inf s"),
    ],
)
def test_ends_that_are_no_stretch_of_time_are_told(lab, stretch, said):
    with pytest.raises(InputError) as caught:
        lab.plot("cwnd", **stretch)
    assert str(caught.value) == said


def test_connections_of_single_requests_are_left_out_unless_they_are_asked_for():
    rpc = {"kind": "rpc", "size": "5 kB", "every": "100 ms", "connections": 3}
    flows = [mesonet.flow("cubic", name="long"), mesonet.flow("reno", name="s", application=rpc)]
    run = mesonet.simulate(
        mesonet.dumbbell(rate="5 Mbit/s", rtt="20 ms", flows=flows, duration="2 s")
    )
    assert trace(run).flows == ("long",)
    assert trace(run, flows=["s-2"]).flows == ("s-2",)

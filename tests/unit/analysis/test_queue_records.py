"""Records of queues: signals by cause, states through time, sojourn times."""

from itertools import pairwise

import polars as pl
import pytest

from mesonet import simulate
from mesonet.analysis import queue_records
from mesonet.analysis.queues.estimate import histogram
from mesonet.figures import queues_chart
from mesonet.scenario import scenario_from_dict

MARKING = {
    "kind": "dumbbell",
    "rate": "10 Mbit/s",
    "rtt": "40 ms",
    "buffer": "2 bdp",
    "flows": ["reno", "dctcp"],
    "duration": "10 s",
    "warm_up": 0.2,
    "queue": {"kind": "droptail", "mark_above": 30},
}


@pytest.fixture(scope="module")
def run():
    return simulate(scenario_from_dict({**MARKING, "record_queues": True}))


def test_signals_add_up_to_the_drops_of_the_stations(run):
    drops = run.signals.group_by("station").agg(pl.col("dropped").sum())
    forward = run.stations.row(by_predicate=pl.col("station") == "forward", named=True)
    assert drops.row(0) == ("forward", forward["drops"])
    causes = dict(zip(run.signals["cause"], run.signals["marked"], strict=True))
    assert causes["step"] > 100
    assert causes["overlimit"] == 0


def test_states_of_the_intervals_add_up_to_the_whole(run):
    for cause, dropped, marked in run.signals.drop("station").iter_rows():
        assert run.queue_states[f"dropped_{cause}"].sum() == dropped
        assert run.queue_states[f"marked_{cause}"].sum() == marked


def test_sojourn_times_are_those_of_the_queue(run):
    known = run.responses
    assert known["sojourn_p50"] < known["sojourn_p95"] <= known["sojourn_p99"]
    # One is counted packet by packet, the other sampled ten times a second.
    assert known["sojourn_p50"] == pytest.approx(known["bottleneck_delay_p50"], rel=0.1)
    room = 2 * 0.04 + 1e-3
    assert run.queue_states["sojourn_max"].max() <= room
    assert run.sojourns["below"].max() <= room * 1.04


def test_sojourns_are_counted_after_the_warm_up(run):
    whole = run.stations.row(by_predicate=pl.col("station") == "forward", named=True)["departures"]
    assert 0.7 * whole < run.sojourns["packets"].sum() < 0.9 * whole


def test_records_change_nothing_that_happens(run):
    plain = simulate(scenario_from_dict(MARKING))
    assert plain.queue_states.is_empty()
    assert plain.sojourns.is_empty()
    assert plain.signals.equals(run.signals)
    assert plain.flows.equals(run.flows)
    assert plain.responses["sojourn_p50"] != plain.responses["sojourn_p50"]
    assert plain.responses["mark_rate"] == run.responses["mark_rate"] > 0


def test_records_are_put_together(run):
    result = queue_records(run, points=10)
    assert result.stations == ("forward",)
    assert result.frame["time"].to_list() == pytest.approx([float(end) for end in range(1, 11)])
    marked = result.signals.filter(signal="marked", cause="step")
    assert marked["rate"].sum() == pytest.approx(run.signals.filter(cause="step")["marked"][0])
    assert "means over 10 measurement intervals" in result.notes[0]


def test_histogram_and_percentiles_agree_with_the_responses(run):
    result = queue_records(run)
    assert result.sojourns["share"].sum() == pytest.approx(1.0)
    percentiles = result.percentiles.row(0, named=True)
    for percent in (50, 95, 99):
        expected = run.responses[f"sojourn_p{percent}"] * 1e3
        assert percentiles[f"p{percent}"] == pytest.approx(expected)
    half = result.sojourns.filter(pl.col("below") <= percentiles["p50"])["share"].sum()
    assert half == pytest.approx(0.5, abs=0.05)


def test_no_packet_lies_between_two_classes_of_sojourn_times():
    """A queue that half of the packets find empty, and the others nearly full."""
    classes = {"from": [0.0, 0.040], "below": [1e-6, 0.041], "packets": [50, 50]}
    shares = histogram(pl.DataFrame({"station": ["q", "q"], **classes}), ["q"])
    middle = shares.filter((pl.col("from") > 1) & (pl.col("below") < 39))
    assert middle.height > 50
    assert middle["share"].sum() == 0.0
    assert shares["share"][0] == pytest.approx(0.5)
    assert shares["share"][-2:].sum() == pytest.approx(0.5)


@pytest.mark.parametrize("points", [7, 40, 1000])
def test_signals_of_a_last_window_that_is_shorter_are_over_its_own_time(points):
    short = simulate(scenario_from_dict({**MARKING, "record_queues": True, "duration": "4.03 s"}))
    signals = queue_records(short, points=points).signals.filter(signal="marked", cause="step")
    ends = [0.0, *signals["time"]]
    seconds = [end - begin for begin, end in pairwise(ends)]
    counted = sum(rate * each for rate, each in zip(signals["rate"], seconds, strict=True))
    assert counted == pytest.approx(short.signals.filter(cause="step")["marked"][0])


def test_the_control_variable_has_the_meaning_of_its_discipline():
    queue = {"queue": {"kind": "pie", "ecn": True}, "duration": "2 s", "record_queues": True}
    managed = simulate(scenario_from_dict(MARKING | queue))
    records = queue_records(managed)
    assert records.controls == {"forward": "drop probability"}
    assert "Control variable: drop probability" in queues_chart(records).to_json()

"""Records of queues: signals by cause, states through time, sojourn times."""

from __future__ import annotations

import polars as pl
import pytest

from mesonet import simulate
from mesonet.scenario import scenario_from_dict
from mesonet.simulate import Run

MARKING = {
    "kind": "dumbbell",
    "rate": "10 Mbit/s",
    "rtt": "40 ms",
    "buffer": "2 bdp",
    "flows": ["reno", "dctcp"],
    "duration": "10 s",
    "warm_up": 0.2,
    "mark_above": 30,
}


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(scenario_from_dict({**MARKING, "record_queues": True}))


def test_signals_add_up_to_the_drops_of_the_stations(run: Run) -> None:
    drops = run.signals.group_by("station").agg(pl.col("dropped").sum())
    forward = run.stations.row(by_predicate=pl.col("station") == "forward", named=True)
    assert drops.row(0) == ("forward", forward["drops"])
    causes = dict(zip(run.signals["cause"], run.signals["marked"], strict=True))
    assert causes["step"] > 100
    assert causes["overlimit"] == 0


def test_states_of_the_intervals_add_up_to_the_whole(run: Run) -> None:
    for cause, dropped, marked in run.signals.drop("station").iter_rows():
        assert run.queue_states[f"dropped_{cause}"].sum() == dropped
        assert run.queue_states[f"marked_{cause}"].sum() == marked


def test_sojourn_times_are_those_of_the_queue(run: Run) -> None:
    known = run.responses
    assert known["sojourn_p50"] < known["sojourn_p95"] <= known["sojourn_p99"]
    # One is counted packet by packet, the other sampled ten times a second.
    assert known["sojourn_p50"] == pytest.approx(known["bottleneck_delay_p50"], rel=0.1)
    room = 2 * 0.04 + 1e-3
    assert run.queue_states["sojourn_max"].max() <= room  # type: ignore[operator]
    assert run.sojourns["below"].max() <= room * 1.04  # type: ignore[operator]


def test_sojourns_are_counted_after_the_warm_up(run: Run) -> None:
    whole = run.stations.row(by_predicate=pl.col("station") == "forward", named=True)["departures"]
    assert 0.7 * whole < run.sojourns["packets"].sum() < 0.9 * whole


def test_records_change_nothing_that_happens(run: Run) -> None:
    plain = simulate(scenario_from_dict(MARKING))
    assert plain.queue_states.is_empty()
    assert plain.sojourns.is_empty()
    assert plain.signals.equals(run.signals)
    assert plain.flows.equals(run.flows)
    assert plain.responses["sojourn_p50"] != plain.responses["sojourn_p50"]
    assert plain.responses["mark_rate"] == run.responses["mark_rate"] > 0

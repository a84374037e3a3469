"""Records of queues: signals by cause, states through time, sojourn times."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet import simulate
from mesonet.analysis import queue_records
from mesonet.cli import app
from mesonet.errors import InputError
from mesonet.figures import queues_chart
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


def test_records_are_put_together(run: Run) -> None:
    result = queue_records(run, points=10)
    assert result.stations == ("forward",)
    assert result.frame["time"].to_list() == pytest.approx([float(end) for end in range(1, 11)])
    marked = result.signals.filter(signal="marked", cause="step")
    assert marked["rate"].sum() == pytest.approx(run.signals.filter(cause="step")["marked"][0])
    assert "means over 10 measurement intervals" in result.notes[0]


def test_histogram_and_percentiles_agree_with_the_responses(run: Run) -> None:
    result = queue_records(run)
    assert result.sojourns["share"].sum() == pytest.approx(1.0)
    found = result.percentiles.row(0, named=True)
    for percent in (50, 95, 99):
        expected = run.responses[f"sojourn_p{percent}"] * 1e3
        assert found[f"p{percent}"] == pytest.approx(expected)
    half = result.sojourns.filter(pl.col("below") <= found["p50"])["share"].sum()
    assert half == pytest.approx(0.5, abs=0.05)


def test_what_is_not_recorded_is_said(run: Run) -> None:
    plain = simulate(scenario_from_dict({**MARKING, "duration": "1 s"}))
    assert queue_records(plain).notes == (
        "No queue was recorded; a scenario with record_queues records them.",
    )
    with pytest.raises(InputError, match=r'"froward" is not a recorded station.*did you mean'):
        queue_records(run, stations=["froward"])
    with pytest.raises(InputError, match="expected at least 1, got 0"):
        queue_records(run, points=0)


def test_figures_have_a_panel_for_everything_that_is_recorded(run: Run) -> None:
    result = queue_records(run)
    panels = queues_chart(result).to_dict()["vconcat"]
    titles = [
        (panel.get("layer") or [panel])[-1]["encoding"]["y"]["title"].split(" (")[0]
        for panel in panels
    ]
    wanted = ["Packets", "Sojourn time", "Signals", "Share of packets"]
    assert titles == wanted, "no control variable"
    nothing = queue_records(simulate(scenario_from_dict({**MARKING, "duration": "1 s"})))
    assert "No queue was recorded" in str(queues_chart(nothing).to_dict())


def test_simulate_draws_its_figures(tmp_path: Path) -> None:
    scenario = scenario_from_dict({**MARKING, "duration": "1 s", "record_queues": True})
    file = tmp_path / "scenario.toml"
    file.write_text(scenario.to_toml())
    done = CliRunner().invoke(app, ["simulate", str(file), "--figures", str(tmp_path / "drawn")])
    assert done.exit_code == 0, done.output
    names = sorted(path.name for path in (tmp_path / "drawn").iterdir())
    assert names == ["queues.svg", "trace.svg"]
    again = CliRunner().invoke(app, ["simulate", str(file), "--figures", str(tmp_path / "drawn")])
    assert again.exit_code == 2

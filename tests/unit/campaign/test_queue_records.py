"""Queue management that a campaign keeps: from Python, in SQL and in the report."""

import json
import shutil

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from mesonet.analysis import queue_records, trace
from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.query import ask, tables
from mesonet.errors import CampaignError
from mesonet.plan import plan_from_dict
from mesonet.report import ReportInputs, build

PLAN = {
    "name": "queues",
    "responses": ["loss_rate", "utilization", "sojourn_p50", "sojourn_p95", "mark_rate"],
    "scenario": {
        "kind": "dumbbell",
        "rate": "10 Mbit/s",
        "rtt": "20 ms",
        "buffer": "4 bdp",
        "flows": ["reno"],
        "transport": {"ecn": True},
        "duration": "3 s",
        "warm_up": 0.3,
        "record_queues": True,
    },
    "factors": {
        "queue": {
            "path": "queue",
            "levels": [{"kind": "codel", "ecn": True}, {"kind": "pie", "ecn": True}],
        }
    },
    "alternatives": [{"label": "reno"}, {"label": "cubic", "set": {"flows": ["cubic"]}}],
}


def run_plan(folder, *, series=True, responses=PLAN["responses"], **scenario):
    plan = PLAN | {"scenario": PLAN["scenario"] | scenario, "responses": responses}
    return run_campaign(plan_from_dict(plan), out=folder, workers=1, series=series)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return run_plan(tmp_path_factory.mktemp("kept") / "campaign")


def page(campaign, folder):
    file = build(ReportInputs.from_campaign(campaign), folder / "report.html")
    return file.read_text(), json.loads(file.with_suffix(".json").read_text())


def test_a_recorded_run_is_what_a_simulation_of_it_gives(campaign):
    run = campaign.results()["run"][0]
    kept, again = campaign.recorded_run(run), campaign.replay(run)
    for name in ("series", "flows", "queues", "signals", "queue_states", "sojourns"):
        assert_frame_equal(getattr(kept, name), getattr(again, name))
    assert kept.seed == again.seed
    assert queue_records(kept).percentiles.equals(queue_records(again).percentiles)
    assert trace(kept).frame.equals(trace(again).frame)
    assert {"queue_states", "sojourns"} <= set(campaign.traces(run))
    assert set(campaign.traces(run, tables=["sojourns"])) == {"sojourns"}


def test_sql_has_the_records_with_the_run_in_front(campaign):
    assert {"queue_states", "sojourns", "signals"} <= set(tables(campaign)["table"])
    asked = ask(
        campaign,
        "select run, sum(marked_early) as marks from queue_states group by run order by run",
    )
    runs = sorted(campaign.results()["run"])
    assert asked["run"].to_list() == runs
    signals = campaign.recorded_run(runs[0]).signals.filter(cause="early")
    assert asked["marks"][0] == signals["marked"].sum() > 0
    widths = ask(campaign, 'select min(below - "from") as width from sojourns')
    assert widths["width"][0] > 0


def test_the_report_shows_the_queues_of_the_run_that_is_shown_through_time(campaign, tmp_path):
    html, data = page(campaign, tmp_path)
    assert "Queue management at the busiest recorded stations" in html
    assert "sojourn_p95" in data["sections"]["responses"]["tables"]["describe"]["response"]


def test_the_report_shows_the_worst_run_of_those_that_kept_their_series(campaign, tmp_path):
    shown = ReportInputs.from_campaign(campaign).recorded_name
    folder = shutil.copytree(campaign.folder, tmp_path / "campaign")
    *others, left = campaign.runs_with_series()
    for run in others:
        shutil.rmtree(folder / "runs" / run)
    inputs = ReportInputs.from_campaign(Campaign.open(folder))
    cell = campaign.find(left)[1]
    assert inputs.recorded_name.startswith(f"condition {cell.condition}, {cell.alternative},")
    assert inputs.recorded_name != shown


def test_computing_time_is_that_of_processors(campaign, monkeypatch):
    hours = {"wall_seconds": [7200.0], "cpu_seconds": [1800.0]}
    monkeypatch.setattr(Campaign, "timings", lambda _: pl.DataFrame(hours))
    assert ReportInputs.from_campaign(campaign).provenance["computing time"].startswith("0.5 ")


def test_a_report_without_records_says_nothing_of_them(tmp_path):
    without = {"record_queues": False, "responses": ["loss_rate", "utilization"]}
    html, _ = page(run_plan(tmp_path / "campaign", **without), tmp_path)
    assert "Queue management" not in html


def test_a_folder_written_without_records_opens(tmp_path):
    older = run_plan(tmp_path / "campaign")
    for file in (tmp_path / "campaign").glob("runs/*/*.parquet"):
        if file.stem in ("queue_states", "sojourns", "signals"):
            file.unlink()
    older = Campaign.open(tmp_path / "campaign")
    run = older.recorded_run(older.results()["run"][0])
    assert run.queue_states.is_empty()
    assert run.series.height > 0
    assert "sojourns" not in set(tables(older)["table"])
    html, _ = page(older, tmp_path)
    assert "Queue management" not in html


def test_a_campaign_without_series_says_how_to_keep_them(tmp_path):
    plain = run_plan(tmp_path / "campaign", series=False)
    run = plain.results()["run"][0]
    assert plain.kept_tables(run) == []
    with pytest.raises(CampaignError, match=run):
        plain.recorded_run(run)
    assert isinstance(plain.results()["sojourn_p95"][0], float)
    assert pl.Series(plain.results()["mark_rate"]).max() > 0

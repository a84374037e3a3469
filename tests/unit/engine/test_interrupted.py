"""Runs that Ctrl-C ends: what they have, what they say, and who gets it."""

import json
import signal
import threading
import time
from contextlib import nullcontext

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import mesonet
from mesonet import showing
from mesonet.campaign.work import Work
from mesonet.campaign.work import execute as execute_work
from mesonet.checked import checked
from mesonet.cli import app


def lab(duration="4000 s", **changes):
    options = {"rate": "100 Mbit/s", "rtt": "40 ms", "flows": ["cubic", "reno"], "warm_up": 0.001}
    return mesonet.dumbbell(**options | {"duration": duration} | changes)


def interrupt(_):
    signal.raise_signal(signal.SIGINT)


@pytest.fixture
def late(monkeypatch):
    """Ctrl-C half a second after the engine was called, which has no callback to tell that."""

    def send():
        time.sleep(0.5)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=send)
    # The last thing that is asked before that call.
    monkeypatch.setattr("mesonet.simulation.watched", lambda *_: thread.start())
    yield
    thread.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_run_has_what_was_measured_until_then(threads):
    with pytest.warns(mesonet.InterruptedWarning, match="4000 s"):
        run = mesonet.simulate(lab(), seed=3, threads=threads, progress=interrupt)
    assert run.interrupted_at is not None
    assert 0 < run.interrupted_at < 4000
    assert run.series["time"][-1] == pytest.approx(run.interrupted_at, abs=1e-9)
    assert run.conservation["missing"] == 0
    assert "interrupted" in repr(run)
    shorter = mesonet.simulate(lab(f"{run.interrupted_at:.6f} s", warm_up=0.0), seed=3)
    assert run.totals == shorter.totals
    for table in ("series", "queues", "flows", "stations", "signals"):
        # The last bit of the last time depends on how the duration is written.
        assert_frame_equal(getattr(run, table), getattr(shorter, table), rel_tol=1e-12, abs_tol=0)


def test_responses_are_those_of_the_time_after_the_warm_up():
    with pytest.warns(mesonet.InterruptedWarning):
        early = mesonet.simulate(lab(warm_up=0.9), progress=interrupt)
    defined = {name for name, value in early.responses.items() if value == value}
    assert "utilization" not in defined
    with pytest.warns(mesonet.InterruptedWarning):
        run = mesonet.simulate(lab(warm_up=0.0), progress=interrupt)
    assert 0 < run.responses["utilization"] <= 1
    assert run.measurements.duration == run.interrupted_at


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interval_that_holds_the_whole_run_is_left_too(threads):
    scenario = lab(interval="4000 s", rate="1 Gbit/s")
    with pytest.warns(mesonet.InterruptedWarning):
        run = mesonet.simulate(scenario, threads=threads)
    assert run.interrupted_at is not None
    assert run.series.height == 1
    assert run.conservation["missing"] == 0


def test_whoever_wants_whole_runs_gets_the_interrupt():
    with pytest.raises(KeyboardInterrupt):
        mesonet.simulate(lab(), progress=interrupt, partial=False)


def test_a_campaign_records_no_run_that_was_interrupted(monkeypatch):
    monkeypatch.setattr("mesonet.campaign.work.report", interrupt)
    with pytest.raises(KeyboardInterrupt):
        execute_work(Work("id", lab(), 1, ("utilization",)))


def test_other_exceptions_of_the_callback_end_the_run_without_a_result():
    def refuse(_):
        raise LookupError

    with pytest.raises(LookupError):
        mesonet.simulate(lab(), progress=refuse)


def test_what_is_written_says_that_it_was_interrupted(tmp_path):
    with pytest.warns(mesonet.InterruptedWarning):
        run = mesonet.simulate(lab(), progress=interrupt)
    run.write(tmp_path / "run")
    written = json.loads((tmp_path / "run" / "responses.json").read_text("utf-8"))
    assert written["interrupted_at"] == run.interrupted_at
    assert pl.read_parquet(tmp_path / "run" / "series.parquet").equals(run.series)
    page = run.save(tmp_path / "run.html").read_text("utf-8")
    assert "s of 4000 s, interrupted" in page
    whole = mesonet.simulate(lab("2 s"))
    whole.write(tmp_path / "whole")
    assert "interrupted_at" not in (tmp_path / "whole" / "responses.json").read_text("utf-8")


def test_the_command_line_shows_what_it_has_and_ends_with_130(tmp_path, monkeypatch):
    monkeypatch.setattr(showing, "progress_line", lambda *_: nullcontext(interrupt))
    (tmp_path / "lab.toml").write_text(lab(warm_up=0.0).to_toml(), encoding="utf-8")
    command = ["simulate", str(tmp_path / "lab.toml"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 130
    assert done.stderr.startswith("interrupted: all numbers are of the first ")
    assert "utilization" in done.stdout
    assert json.loads((tmp_path / "out" / "responses.json").read_text("utf-8"))["interrupted_at"]
    # Nothing to compare with is asked for where the warm-up is not over.
    (tmp_path / "lab.toml").write_text(lab(warm_up=0.9).to_toml(), encoding="utf-8")
    early = CliRunner().invoke(app, command[:2])
    assert early.exit_code == 130
    assert "note: the warm-up was not over" in early.stderr


def test_a_line_of_progress_is_shown_where_there_is_a_terminal(monkeypatch, capsys):
    mesonet.simulate(lab("1 s"), progress=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with showing.progress_line("simulating", "s", 60.0) as shown:
        shown(12.0)
    assert "12 of 60 s, about" in capsys.readouterr().err


def test_recorded_segments_become_columns_only_where_they_are_asked_for():
    """At 1 Gbit/s there are 200,000 events a second: Ctrl-C waited for columns of them all."""
    world = lab("1 s", record_segments=True)
    rows = checked(world).handle().run(3)["segments"]
    assert not isinstance(rows, dict)
    run = mesonet.simulate(world, seed=3)
    assert run.responses
    assert_frame_equal(
        run.segments.select("time", "segment"),
        pl.DataFrame({name: rows.columns()[name] for name in ("time", "segment")}),
    )

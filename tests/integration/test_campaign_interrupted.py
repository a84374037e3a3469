"""Campaigns that are killed, stopped, fail or run out of disk lose nothing and mix nothing."""

import os
import signal
import subprocess
import sys
from itertools import pairwise

import fakes
import pytest

from mesonet.campaign import Campaign, run_campaign
from mesonet.errors import StorageError
from mesonet.writing import write_atomically

# Workers import what they execute before they can say what Ctrl-C means to them; here that takes
# until the test has sent it.
YOUNG = """
import multiprocessing, os, pathlib, sys, time
if multiprocessing.current_process().name != "MainProcess":
    (pathlib.Path({awake!r}) / str(os.getpid())).touch()
    while not os.path.exists({sent!r}):
        time.sleep(0.02)
import fakes
from mesonet.campaign import run_campaign
def quick(work):
    return fakes.quick(work)
def main():
    try:
        run_campaign(fakes.plan(), out={out!r}, workers=2, execute=quick)
    except KeyboardInterrupt:
        sys.exit(130)
"""
# Five short runs of the engine, of which four end with `fakes.unending`.
SHORT = {
    "scenario": {
        "kind": "dumbbell",
        "rate": "10 Mbit/s",
        "rtt": "40 ms",
        "loss": 0.001,
        "flows": ["reno"],
        "duration": "100 s",
    },
    "factors": {},
    "replicates": 5,
    "responses": ["utilization", "flow_cwnd", "timeouts"],
}
# Far more runs than end before a signal is heard, on a loaded machine too.
MANY = {"replicates": 100}


def begun(folder, execute, plan):
    """A process that executes the campaign and has its first results."""
    process = fakes.begin(folder, execute, **plan)
    fakes.wait_until(lambda: recorded(folder) >= 2, process)
    return process


def recorded(folder):
    return Campaign.open(folder).results().height if (folder / "manifest.json").exists() else 0


def test_the_engine_killed_in_mid_run_and_resumed_gives_the_same_results(tmp_path):
    folder = tmp_path / "campaign"
    process = begun(folder, "unending", SHORT)
    process.kill()
    fakes.ended(process)
    status = Campaign.open(folder).status()
    assert status["done"] < 5
    assert status["failed"] == 0
    resumed = run_campaign(fakes.plan(**SHORT), out=folder, workers=2).results()
    whole = run_campaign(fakes.plan(**SHORT), out=tmp_path / "whole", workers=1).results()
    assert resumed.equals(whole)
    assert resumed["utilization"].is_not_nan().all()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_and_resumed(number, tmp_path):
    folder = tmp_path / "campaign"
    process = begun(folder, "slow", MANY)
    process.send_signal(number)
    errors = fakes.ended(process)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors

    status = Campaign.open(folder).status()
    assert status["running"] == 0
    assert status["done"] + status["pending"] == 400
    assert status["pending"] > 0
    plan = fakes.plan(**MANY)
    resumed = run_campaign(plan, out=folder, workers=2, execute=fakes.quick).results()
    whole = run_campaign(plan, out=tmp_path / "whole", workers=1, execute=fakes.quick).results()
    assert resumed.equals(whole, null_equal=True)


def test_ctrl_c_at_workers_that_only_just_start_is_answered_by_the_parent_alone(tmp_path):
    script, folder = tmp_path / "young.py", tmp_path / "campaign"
    awake, sent = tmp_path / "awake", tmp_path / "sent"
    awake.mkdir()
    places = {"out": folder, "awake": awake, "sent": sent}
    script.write_text(YOUNG.format(**{name: str(at) for name, at in places.items()}), "utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = os.environ | {"PYTHONPATH": path}
    process = subprocess.Popen(
        [sys.executable, "-c", "import young; young.main()"],
        env=environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    fakes.wait_until(lambda: len(list(awake.iterdir())) == 2, process)
    os.killpg(process.pid, signal.SIGINT)
    sent.touch()
    _, errors = process.communicate(timeout=fakes.PATIENCE)
    assert errors.decode() == ""
    assert process.returncode == 130
    # The runs that were handed out by then were finished.
    assert Campaign.open(folder).status()["done"] == 2


def test_a_run_that_kills_its_workers_fails_alone(tmp_path, processes):
    campaign = run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.deadly)
    assert campaign.status() == {"total": 8, "done": 7, "failed": 1, "running": 0, "pending": 0}
    (error,) = campaign.failures().values()
    assert error.startswith("the worker process was ended by signal 9, 3 times")
    (run,) = campaign.failures()
    assert "something is wrong" in campaign.store.log(run)


def test_failed_runs_are_kept_and_retried_on_request_only(undisturbed, tmp_path, marks):
    campaign = run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.failing)
    assert campaign.status()["failed"] == 4
    assert campaign.results().height == 4
    for run, error in campaign.failures().items():
        assert error.startswith(f"ValueError: cannot divide {run}")
        assert "Traceback" in error

    (marks / "mended").touch()
    again = run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.failing)
    assert again.status()["failed"] == 4
    mended = run_campaign(
        fakes.plan(), out=tmp_path, workers=2, execute=fakes.failing, retry_failed=True
    )
    assert mended.status()["failed"] == 0
    assert mended.results().equals(undisturbed, null_equal=True)


def test_a_panic_fails_alone_and_its_message_is_kept(tmp_path, processes):
    campaign = run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.panicking)
    assert campaign.status()["failed"] == 4
    for run, error in campaign.failures().items():
        assert error.startswith("panic: index out of bounds\n")
        assert "at the worst moment" in campaign.store.log(run)


def test_a_run_over_its_time_is_ended_and_recorded(tmp_path):
    campaign = run_campaign(
        fakes.plan(), out=tmp_path, workers=2, execute=fakes.endless, max_seconds=0.1
    )
    assert campaign.status()["failed"] == 4
    for error in campaign.failures().values():
        assert error.startswith("over its budget: took more than 0.1 s (--max-time), at ")


def test_a_run_over_its_memory_is_ended_and_recorded(tmp_path, processes):
    plan = fakes.plan(factors={})
    campaign = run_campaign(
        plan, out=tmp_path, workers=2, execute=fakes.hungry, max_memory=600_000_000
    )
    assert (campaign.status()["done"], campaign.status()["failed"]) == (1, 1)
    (error,) = campaign.failures().values()
    assert "of the 600 MB allowed (--max-memory)" in error


def test_a_run_that_says_nothing_is_ended_too(tmp_path, monkeypatch, processes):
    monkeypatch.setattr("mesonet.workers.execution._GRACE", 0.1)
    campaign = run_campaign(
        fakes.plan(replicates=1), out=tmp_path, workers=2, execute=fakes.hanging, max_seconds=1.5
    )
    assert campaign.status()["failed"] == 1
    assert campaign.status()["done"] == 3


@pytest.mark.parametrize("place", ["results", "timings"])
def test_a_full_disk_stops_the_campaign_and_nothing_counts_as_failed(
    place, undisturbed, tmp_path, monkeypatch
):
    written = []

    def full(path, content):
        if path.parent.name == place:
            written.append(path)
            if len(written) == 2:
                raise StorageError(f"{path}: cannot be written: No space left on device")
        real(path, content)

    real = write_atomically
    monkeypatch.setattr("mesonet.store.files.write_atomically", full)
    with pytest.raises(StorageError):
        run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.quick)
    status = Campaign.open(tmp_path).status()
    assert (status["failed"], status["running"]) == (0, 0)
    assert status["pending"] > 0
    resumed = run_campaign(fakes.plan(), out=tmp_path, workers=2, execute=fakes.quick)
    assert resumed.results().equals(undisturbed, null_equal=True)


def test_progress_ends_with_everything_done(tmp_path, processes):
    seen = []
    run_campaign(fakes.plan(), out=tmp_path, workers=2, progress=seen.append, execute=fakes.steady)
    assert seen[0].done == 0
    assert (seen[-1].done, seen[-1].total, seen[-1].running) == (8, 8, ())
    assert seen[-1].eta == 0.0
    assert all(a.done <= b.done for a, b in pairwise(seen))
    assert all(len(progress.running) <= 2 for progress in seen)

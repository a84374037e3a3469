"""Whatever is killed, filled up or damaged: nothing finished is lost, and no byte is different."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import fakes
import pytest

from mesonet.campaign import Campaign, run_campaign
from mesonet.errors import CampaignError, StorageError
from mesonet.store import parts

KILLS = 8
"""Kills of campaigns and workers, drawn; `tools/deaths.py` draws any number."""
MANY = {"replicates": 100}
"""More runs than end while these are drawn."""


def workers_of(process, marks):
    """Processes of a campaign that have begun a run and live."""
    workers = []
    for path in (marks / "pids").iterdir():
        if Path("/proc/self").exists():
            try:
                status = Path(f"/proc/{path.name}/stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                # It ended before its status was opened, or while it was read.
                status = ""
            fields = status.rpartition(")")[2].split()
            if not fields or fields[0] == "Z" or int(fields[1]) != process.pid:
                path.unlink()
                continue
        workers.append(int(path.name))
    return workers


@pytest.mark.slow
def test_killed_again_and_again_and_not_a_byte_is_different(marks, tmp_path):
    draw = random.Random(1986)
    folder, begun = tmp_path / "campaign", marks / "begun"
    begun.touch()
    recorded, size, kills = set(), 0, 0
    deadline = time.monotonic() + 600
    # On a busy machine the first kills come before any run is over.
    while kills < KILLS or not recorded:
        process = fakes.begin(folder, "traced", **MANY)
        try:
            while (kills < KILLS or not recorded) and process.poll() is None:
                assert time.monotonic() < deadline
                workers = workers_of(process, marks)
                if not workers:
                    time.sleep(0.02)
                    continue
                time.sleep(draw.uniform(0.0, 0.3))
                victim = process.pid if draw.random() < 0.2 else draw.choice(workers)
                # A worker may have ended by itself, for its parent was killed.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    kills += 1
        finally:
            process.kill()
            fakes.ended(process)
        # What was recorded before this process began was not begun by it.
        with begun.open() as file:
            file.seek(size)
            assert not recorded & set(file.read().split())
        size = begun.stat().st_size
        now = set(Campaign.open(folder).results()["run"])
        assert recorded <= now
        recorded = now
    assert len(recorded) < 400

    plan = fakes.plan(**MANY)
    resumed = run_campaign(plan, out=folder, workers=2, execute=fakes.quick, retry_failed=True)
    assert resumed.status()["done"] == resumed.status()["total"] == 400
    run_campaign(plan, out=tmp_path / "whole", workers=2, execute=fakes.quick)
    assert fakes.results_of(folder) == fakes.results_of(tmp_path / "whole")


# A disk of 300 kB; without the right to mount one, files of 40 kB at the most.
FULL = """
import resource, sys
import fakes
from mesonet.campaign import run_campaign
from mesonet.errors import StorageError
if sys.argv[1] == "limit":
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, most))
try:
    run_campaign(fakes.plan(), out=sys.argv[2], workers=1, execute=fakes.bulky)
except StorageError as error:
    print(error)
    raise SystemExit(7)
"""


def test_a_disk_that_is_really_full(whole, tmp_path):
    script, disk, out = tmp_path / "full.py", tmp_path / "disk", tmp_path / "out"
    script.write_text(FULL, encoding="utf-8")
    disk.mkdir()
    path = os.pathsep.join(p for p in sys.path if p)
    environment = os.environ | {"PYTHONPATH": path, "PYTHON": sys.executable}
    mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=300k none {disk}"
    may = bool(shutil.which("unshare")) and (
        subprocess.run([*mounted, mount], capture_output=True, check=False).returncode == 0
    )
    first = f"$PYTHON {script} {'disk' if may else 'limit'} {disk}; test $? = 7"
    second = f"$PYTHON {script} disk {disk}"
    if may:
        # The disk is gone with the shell that mounted it.
        steps = [mount, first, f"mount -o remount,size=64m {disk}", second, f"cp -r {disk} {out}"]
        command = [*mounted, " && ".join(f"({step})" for step in steps)]
    else:
        command = ["sh", "-c", f"({first}) && {second} && cp -r {disk} {out}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search("cannot be written: ", done.stdout)
    assert fakes.results_of(out) == whole


def test_a_damaged_parquet_file_costs_its_own_runs_only(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "COMPACTED_RUNS", 2)
    folder = tmp_path / "campaign"
    campaign = run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick)
    before, first = fakes.results_of(folder), campaign.timings()
    assert len(before) == 4
    victim = sorted((folder / "results").iterdir())[1]
    victim.write_bytes(victim.read_bytes()[:-20])
    with pytest.raises(StorageError, match=victim.name):
        campaign.results()
    again = run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick)
    assert fakes.results_of(folder) == before
    assert len(set(again.timings()["started"]) - set(first["started"])) == 2


def test_what_has_failed_is_not_tried_again_unasked(whole, tmp_path, marks):
    folder = tmp_path / "campaign"
    run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.failing)
    resumed = run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.traced)
    assert resumed.status()["failed"] == 4
    assert not (marks / "begun").exists()
    run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick, retry_failed=True)
    assert fakes.results_of(folder) == whole


def test_the_second_of_two_coordinators_refuses_kindly(whole, tmp_path, marks):
    folder = tmp_path / "campaign"
    process = fakes.begin(folder, "held")
    fakes.wait_until(lambda: workers_of(process, marks), process)
    said = Campaign.open(folder).progress()
    assert said["total"] == 8
    assert {run["label"].split(",")[0] for run in said["running"]} <= {
        f"condition {number}" for number in range(1, 5)
    }
    with pytest.raises(CampaignError, match=str(process.pid)):
        run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick)
    (marks / "go").touch()
    errors = fakes.ended(process)
    assert process.returncode == 0, errors
    assert Campaign.open(folder).progress() is None
    assert fakes.results_of(folder) == whole
    again = run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.failing)
    assert again.status()["done"] == 8


def test_more_replicates_are_the_same_campaign(tmp_path, marks):
    longer = fakes.plan(replicates=3)
    run_campaign(fakes.plan(), out=tmp_path / "grown", workers=1, execute=fakes.quick)
    grown = run_campaign(longer, out=tmp_path / "grown", workers=1, execute=fakes.traced)
    assert len((marks / "begun").read_text().split()) == 4
    assert grown.plan.replicates == 3
    assert grown.manifest["seeds"] == [1, 2, 3]
    run_campaign(longer, out=tmp_path / "at_once", workers=1, execute=fakes.quick)
    assert fakes.results_of(tmp_path / "grown") == fakes.results_of(tmp_path / "at_once")
    # Fewer again: nothing to do, and nothing is forgotten, even if it has to be made anew.
    (tmp_path / "grown" / "cells.parquet").write_bytes(b"nonsense")
    fewer = run_campaign(fakes.plan(), out=tmp_path / "grown", workers=1, execute=fakes.failing)
    assert fewer.plan.replicates == 3
    assert fewer.results().height == 12

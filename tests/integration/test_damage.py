"""Damaged campaign folders: named, set aside, and made again with the same bytes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import damages
import fakes
import polars as pl
import pytest
from commands import mesonet

from mesonet.campaign import Campaign, run_campaign, verify
from mesonet.errors import CampaignError, DamageError
from mesonet.plan import plan_from_dict
from mesonet.store import MANIFEST, Files, lock, parts

FILES = ("manifest.json", "cells.parquet", "conditions.parquet", "results", "timings", "runs")


@pytest.fixture
def folder(undisturbed_campaign, tmp_path):
    """A copy of a finished campaign of eight runs."""
    return Path(shutil.copytree(undisturbed_campaign.folder, tmp_path / "campaign"))


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A finished campaign of real runs that kept their series."""
    folder = tmp_path_factory.mktemp("simulated") / "campaign"
    run_campaign(damages.plan(), out=folder, series=True)
    return folder


@pytest.fixture
def real(simulated, tmp_path):
    return Path(shutil.copytree(simulated, tmp_path / "real"))


def file_of(folder, name):
    """A file of a campaign; the first where there are several."""
    path = folder / name
    return sorted(path.rglob("*.parquet"))[0] if path.is_dir() else path


def resume(folder, **changes):
    """Resumes with runs that all fail if they are run at all."""
    return run_campaign(fakes.plan(**changes), out=folder, execute=fakes.failing)


def states_of(verification):
    return {finding.place: finding.state for finding in verification.findings}


@pytest.mark.parametrize("left", [None, 0, 2])
def test_time_series_without_their_digests_are_damaged(real, left):
    """A list that lost lines does not vouch for what it lacks."""
    run = sorted((real / "runs").iterdir())[1]
    lines = (run / "SHA256SUMS").read_text().splitlines(keepends=True)
    (run / "SHA256SUMS").unlink()
    if left is not None:
        (run / "SHA256SUMS").write_text("".join(lines[:left]))
        (run / lines[-1].split()[1]).unlink()
    states = states_of(verify(real, sample=0))
    assert [place for place, state in states.items() if state == "damaged"] == [f"runs/{run.name}"]
    assert not run.exists()
    assert Campaign.open(real).status()["pending"] == 1


@pytest.mark.parametrize("way", damages.WAYS)
@pytest.mark.parametrize("name", FILES)
def test_what_is_damaged_is_named_set_aside_and_made_again(real, name, way):
    before, path = damages.content(real / "results"), file_of(real, name)
    damages.damage(path, way)
    # Nobody misses a file of rows, for its name is gone with it.
    missed = not (way == "removed" and name in ("results", "timings"))
    for command in (["status"], ["analyze"], ["sql", "from results"], ["export"]):
        done = mesonet(command[0], real, *command[1:], *_out(command, real))
        assert done.exit_code in (0, 1), (command, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit), command
    done = mesonet("verify", real, "--sample", 0)
    assert done.exit_code == int(missed), done.output
    assert (" damaged " in done.stdout) == missed
    if missed and way != "removed":
        assert any(aside.name.startswith(name) for aside in (real / "damaged").iterdir())
    resumed = run_campaign(damages.plan(), out=real, series=True)
    assert resumed.status()["done"] == 4
    assert verify(real, sample=0).sound
    assert damages.content(real / "results") == before


def _out(command, real):
    return ["--out", real.parent / "table.csv"] if command[0] == "export" else []


def test_resuming_alone_makes_rows_tables_and_the_manifest_again(folder, whole):
    for name in ("cells.parquet", "conditions.parquet", "results"):
        damages.damage(file_of(folder, name), "flipped")
    run_campaign(fakes.plan(), out=folder, execute=fakes.quick)
    assert damages.content(folder / "results") == whole


@pytest.mark.parametrize("left", [None, b"{", b'{"format": 3}'])
def test_runs_of_the_plan_count_without_a_manifest(folder, left, whole):
    (folder / MANIFEST).unlink()
    if left is not None:
        (folder / MANIFEST).write_bytes(left)
    (folder / "report.html").write_text("a report", encoding="utf-8")
    with pytest.raises(DamageError):
        Campaign.open(folder)
    resumed = resume(folder)
    assert resumed.status()["done"] == 8
    assert damages.content(folder / "results") == whole
    assert (folder / "report.html").read_text() == "a report"


def test_without_manifest_fewer_replicates_forget_nothing(folder, whole):
    (folder / MANIFEST).unlink()
    assert resume(folder, replicates=1).status()["done"] == 4
    assert resume(folder).status()["done"] == 8
    assert damages.content(folder / "results") == whole


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 5},
        {"seed": 5, "responses": ["flow_goodput"]},
        {"responses": ["utilization"]},
        {"responses": ["utilization", "jain_index", "mean_queue"]},
    ],
)
def test_without_manifest_another_plan_is_refused_untouched(folder, changes):
    (folder / MANIFEST).unlink()
    before = damages.content(folder)
    with pytest.raises(CampaignError):
        resume(folder, **changes)
    assert damages.content(folder) == before


def test_rows_that_no_plan_knows_stay(folder):
    (path,) = (folder / "results").iterdir()
    row = pl.read_parquet(path).head(1).with_columns(run=pl.lit("feedfeedfeedfeed"))
    parts.Parts(Files(folder), "results", row.schema).append(row.to_dicts())
    assert resume(folder).status()["done"] == 8
    (path,) = (folder / "results").iterdir()
    assert pl.read_parquet(path).height == 9


def test_files_of_others_are_no_campaign(tmp_path):
    (tmp_path / MANIFEST).write_text('{"name": "an app", "icons": []}', encoding="utf-8")
    with pytest.raises(DamageError) as refused:
        resume(tmp_path)
    assert refused.value.file == str(tmp_path / MANIFEST)
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_status_names_damaged_results_and_does_not_count_them(folder):
    (path,) = (folder / "results").iterdir()
    damages.damage(path, "cut")
    done = mesonet("status", folder)
    assert done.exit_code == 1
    assert "done     0" in done.output
    assert str(path) in done.output


# What deaths leave


def test_files_that_killed_writers_began_are_swept(folder):
    (folder / "runs" / "1a").mkdir(parents=True)
    dead = 2**22 + 1
    left = [
        folder / f".{MANIFEST}.{dead}.partial",
        folder / "results" / f".new-0-00000000-0123456789abcdef.parquet.{dead}.partial",
        folder / "runs" / "1a" / f".series.parquet.{dead}.partial",
    ]
    kept = [folder / ".bashrc.partial", folder / f".report.html.{os.getppid()}.partial"]
    for path in (*left, *kept):
        path.write_bytes(b"half")
    assert verify(folder, sample=0).sound
    with lock(Files(folder)), pytest.raises(CampaignError):
        resume(folder)
    assert all(path.exists() for path in left)
    resume(folder)
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in kept)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="handles have no names here")
@pytest.mark.parametrize("name", ["manifest.json", "results/"])
def test_a_writer_that_is_killed_leaves_nothing_once_it_is_resumed(tmp_path, name, whole):
    place = tmp_path / "killed"
    code = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import fakes\n"
        "from mesonet.campaign import run_campaign\n"
        # Flushed to disk, and not yet renamed.
        "flush = os.fsync\n"
        "def dying(handle):\n"
        "    flush(handle)\n"
        "    file = os.readlink(f'/proc/self/fd/{handle}')\n"
        f"    if file.endswith('.partial') and {name!r} in file.replace('/.', '/'):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.fsync = dying\n"
        f"run_campaign(fakes.plan(), out={str(place)!r}, execute=fakes.quick)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (left,) = place.rglob(".*.partial")
    assert left.stat().st_size > 0
    resumed = run_campaign(fakes.plan(), out=place, execute=fakes.quick)
    assert resumed.status()["done"] == 8
    assert list(place.rglob(".*.partial")) == []
    assert damages.content(place / "results") == whole


# verify


def test_a_whole_campaign_is_verified_and_not_changed(real):
    before = damages.content(real)
    verification = verify(real, sample=2)
    assert set(states_of(verification).values()) == {"ok"}
    assert damages.content(real) == before


def test_a_row_that_was_tampered_with_is_found_by_a_replay(real):
    (path,) = (real / "results").iterdir()
    pl.read_parquet(path).with_columns(pl.col("utilization") + 1e-12).write_parquet(path)
    stem = path.name.rpartition("-")[0]
    path.rename(path.with_name(f"{stem}-{parts._hash(path.read_bytes())}.parquet"))
    verification = verify(real, sample=4)
    wrong = [finding for finding in verification.findings if finding.state == "damaged"]
    assert [finding.place for finding in wrong] == ["replays"] * 4
    assert "utilization" in wrong[0].text
    assert not verification.moved


def test_nothing_is_set_aside_while_a_campaign_is_executed(real):
    damages.damage(file_of(real, "results"), "cut")
    before = damages.content(real / "results")
    with lock(Files(real)), pytest.raises(CampaignError):
        verify(real)
    assert damages.content(real / "results") == before


def test_code_that_came_with_a_folder_is_not_executed(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text(
        "from mesonet import Controller\n"
        "class Mine(Controller):\n    on_ack = on_congestion = lambda self, *what: None\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    data = fakes.plan().to_dict()
    data["scenario"]["flows"] = [{"algorithm": "python:theirs.Mine"}]
    out = tmp_path / "campaign"
    run_campaign(plan_from_dict(data), out=out, execute=fakes.quick)
    assert states_of(verify(out))["replays"] == "skipped"


def test_findings_as_json(real):
    damages.damage(real / "cells.parquet", "cut")
    done = mesonet("verify", real, "--sample", 0, "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["sound"] is False
    assert [entry["place"] for entry in told["findings"] if entry["state"] == "damaged"] == [
        "cells.parquet"
    ]
    assert mesonet("verify", real / "runs").exit_code == 2

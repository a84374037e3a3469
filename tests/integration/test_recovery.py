"""Folders that lost a part: nothing finished is forgotten, and what can be made again is."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

import polars as pl
import pytest
import warm
from typer.testing import CliRunner

from mesonet.campaign import Campaign, repair, run_campaign, verify
from mesonet.cli import app
from mesonet.cli.progress import ExpansionProgress
from mesonet.errors import CampaignError, DamageError, InputError, StorageError
from mesonet.plan import plan_from_dict
from mesonet.store import BACKUP, LOCK, MANIFEST, LocalFiles, lock, open_files, parts

sys.path.insert(0, str(Path(__file__).parent))
import damages
import fakes


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    """Runs are executed in this process: starting workers takes longer than all else."""
    monkeypatch.setattr("mesonet.campaign.execution.execute_all", damages.execute_here)


@pytest.fixture
def folder(undisturbed_campaign, tmp_path):
    """A copy of a finished campaign of eight runs."""
    copy = tmp_path / "campaign"
    shutil.copytree(undisturbed_campaign.folder, copy)
    return copy


def runs_in(folder):
    """Runs with a row in `results/`."""
    return set(pl.concat(pl.read_parquet(path) for path in (folder / "results").iterdir())["run"])


def lose_manifest(folder):
    (folder / MANIFEST).unlink()
    (folder / BACKUP).unlink()


def resume(folder, **changes):
    """Resumes with runs that all fail if they are run at all."""
    return run_campaign(fakes.plan(**changes), out=folder, execute=fakes.failing)


# Manifests


@pytest.mark.parametrize("left", [b"", b"{", b'{"format": 2, "name": "fake"', b"null", b"[]"])
def test_a_manifest_is_restored_from_its_copy(folder, left, whole):
    before = json.loads((folder / MANIFEST).read_bytes())
    (folder / MANIFEST).write_bytes(left)
    with pytest.raises(DamageError, match=rf"{MANIFEST}: damaged; `mesonet repair` restores it"):
        Campaign.open(folder)
    resumed = resume(folder)
    assert resumed.manifest == before
    assert resumed.status()["done"] == 8
    assert [path.read_bytes() for path in (folder / "damaged").iterdir()] == [left]
    assert damages.content(folder / "results") == whole


@pytest.mark.parametrize("left", [None, b"", b"{", b'{"format": 2}'])
def test_without_manifest_and_copy_the_plan_that_fits_is_taken(folder, left, whole):
    lose_manifest(folder)
    if left is not None:
        (folder / MANIFEST).write_bytes(left)
    (folder / "report.html").write_text("a report", encoding="utf-8")
    with pytest.raises(CampaignError, match="`mesonet run PLAN` with the plan of this campaign"):
        Campaign.open(folder)
    resumed = resume(folder)
    assert resumed.status()["done"] == 8
    assert resumed.manifest["recovered"]
    assert damages.content(folder / "results") == whole
    assert (folder / "report.html").read_text() == "a report"


def test_without_manifest_fewer_replicates_forget_nothing(folder, whole):
    lose_manifest(folder)
    (folder / "cells.parquet").unlink()
    resumed = resume(folder, replicates=1)
    assert resumed.plan.replicates == 2
    assert resumed.status()["done"] == 8
    assert damages.content(folder / "results") == whole


@pytest.mark.parametrize(
    "changes",
    [{"seed": 5}, {"factors": {}}, {"alternatives": [{"label": "x", "set": {"rtt": "1 s"}}]}],
)
def test_without_manifest_another_plan_is_refused_untouched(folder, changes):
    lose_manifest(folder)
    before = damages.content(folder)
    with pytest.raises(CampaignError, match=r"\d of its 8 finished runs are not of"):
        resume(folder, **changes)
    assert damages.content(folder) == before


def test_without_manifest_other_responses_are_refused_untouched(folder):
    lose_manifest(folder)
    before = damages.content(folder)
    with pytest.raises(
        CampaignError, match=r"other responses than this plan \(jain_index, mean_queue"
    ):
        resume(folder, responses=["utilization", "mean_queue"])
    assert damages.content(folder) == before


def test_rows_that_no_plan_knows_stay(folder):
    (path,) = (folder / "results").iterdir()
    row = pl.read_parquet(path).head(1).with_columns(run=pl.lit("feedfeedfeedfeed"))
    parts.Parts(open_files(folder), "results", row.schema).append(row.to_dicts())
    assert resume(folder).status()["done"] == 8
    assert len(runs_in(folder)) == 9


def test_files_of_others_are_no_campaign(tmp_path):
    (tmp_path / MANIFEST).write_text('{"name": "an app", "icons": []}', encoding="utf-8")
    with pytest.raises(CampaignError, match=MANIFEST):
        resume(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


# States


def test_runs_whose_results_are_gone_are_not_done(folder):
    shutil.rmtree(folder / "results")
    assert Campaign.open(folder).status() == {
        "total": 8,
        "done": 0,
        "failed": 0,
        "running": 0,
        "pending": 8,
    }


def test_status_names_damaged_results_and_does_not_count_them(folder):
    (path,) = (folder / "results").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    done = CliRunner().invoke(app, ["status", str(folder)])
    assert done.exit_code == 1
    assert "done     0" in done.output
    assert f"{path}: damaged; resume the campaign" in done.output


# What deaths and strangers leave


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
    with lock(LocalFiles(folder)), pytest.raises(CampaignError, match="another process"):
        resume(folder)
    assert all(path.exists() for path in left)
    resume(folder)
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in kept)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="handles have no names here")
@pytest.mark.parametrize("name", ["manifest.json", "cells.parquet", "results/", "timings/"])
def test_a_writer_that_is_killed_leaves_nothing_once_it_is_resumed(tmp_path, name, whole):
    place = tmp_path / "killed"
    code = (
        "import os, signal, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import damages, fakes\n"
        "from mesonet.campaign import execution, run_campaign\n"
        "execution.execute_all = damages.execute_here\n"
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
    killed = warm.run(code)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    (left,) = place.rglob(".*.partial")
    assert left.stat().st_size > 0
    resumed = run_campaign(fakes.plan(), out=place, execute=fakes.quick)
    assert resumed.status()["done"] == 8
    assert list(place.rglob(".*.partial")) == []
    assert damages.content(place / "results") == whole


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_lock_that_is_no_file_is_refused_and_set_aside(folder, kind, tmp_path):
    precious = tmp_path / "thesis.tex"
    precious.write_text("years of work", encoding="utf-8")
    place = folder / LOCK
    place.unlink()
    match kind:
        case "link":
            place.symlink_to(precious)
        case "folder":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
    with pytest.raises(StorageError, match="expected a file, got a link"):
        resume(folder)
    assert Campaign.open(folder).status()["done"] == 8
    repair(folder)
    assert resume(folder).status()["done"] == 8
    assert precious.read_text() == "years of work"


def test_nothing_behind_a_link_is_changed(folder, tmp_path):
    shutil.move(folder / "results", tmp_path / "elsewhere")
    (folder / "results").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "mine.parquet").write_bytes(b"my own")
    before = damages.content(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="results: is a symbolic link"):
        resume(folder)
    assert damages.content(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("out", ["s3://", "gs:///", "memory://", "file://"])
def test_a_scheme_alone_is_no_place(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CampaignError, match="expected a place behind"):
        run_campaign(fakes.plan(), out=out, execute=fakes.quick)
    assert not list(tmp_path.iterdir())


# verify and repair


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A plan and a finished campaign of real runs that kept their series."""
    folder = tmp_path_factory.mktemp("simulated") / "campaign"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mesonet.campaign.execution.execute_all", damages.execute_here)
        run_campaign(damages.plan(), out=folder, series=True)
    return folder


@pytest.fixture
def real(simulated, tmp_path):
    copy = tmp_path / "real"
    shutil.copytree(simulated, copy)
    return copy


def states_of(found):
    return {finding.place: finding.state for finding in found.findings}


def test_a_whole_campaign_is_verified_and_not_changed(real):
    before = damages.content(real)
    found = verify(real, sample=2)
    assert found.sound
    assert set(states_of(found).values()) == {"ok"}
    assert "2 of 4 finished runs give what is recorded" in found.findings[-1].text
    assert damages.content(real) == before
    again = repair(real)
    assert (again.moved, again.pending, again.advice) == ({}, 0, "")
    assert damages.content(real) == before


def test_a_row_that_was_tampered_with_is_found_by_a_replay(real):
    (path,) = (real / "results").iterdir()
    frame = pl.read_parquet(path).with_columns(pl.col("utilization") + 1e-12)
    path.unlink()
    damages.write_part(path, frame)
    found = verify(real, sample=4)
    wrong = [finding for finding in found.findings if finding.state == "damaged"]
    assert {finding.place for finding in wrong} == {"replays"}
    assert len(wrong) == 4
    assert "other values of utilization than recorded" in wrong[0].text
    run = frame["run"][0]
    done = repair(real, runs=[run])
    assert done.pending == 1
    assert list(done.moved) == [f"results/{next((real / 'damaged').iterdir()).name[8:]}"]
    with pytest.raises(InputError, match="no result of a run"):
        repair(real, runs=["feed"])


@pytest.mark.parametrize("what", ["series", "digests", "ledger", "double", "cells"])
def test_what_is_damaged_is_set_aside_and_made_again(real, what, tmp_path):
    before = damages.content(real / "results")
    (part,) = (real / "results").iterdir()
    run = sorted(runs_in(real))[0]
    match what:
        case "series":
            path = real / "runs" / run / "series.parquet"
            path.write_bytes(path.read_bytes()[:-9])
        case "digests":
            (real / "runs" / run / "flows.parquet").unlink()
        case "ledger":
            (real / "ledger.sqlite").write_bytes(b"SQLite format 3\0 no more")
        case "double":
            other = pl.read_parquet(part).head(1).with_columns(pl.col("utilization") / 2)
            damages.write_part(real / "results" / "new-0-00000000-x.parquet", other)
        case "cells":
            (real / "cells.parquet").unlink()
    assert not verify(real, sample=0).sound
    done = repair(real)
    assert bool(done.moved) == (what != "cells")
    assert done.restored == (("cells.parquet",) if what == "cells" else ())
    assert done.pending == (1 if what in ("series", "digests", "double") else 0)
    assert verify(real, sample=0).sound
    run_campaign(damages.plan(), out=real, series=True)
    assert verify(real, sample=0).sound
    assert damages.content(real / "results") == before


def test_a_folder_without_hashes_of_later_versions_is_sound(real):
    manifest = json.loads((real / MANIFEST).read_bytes())
    del manifest["hashes"]
    (real / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    (real / BACKUP).unlink()
    for path in real.glob("runs/*/SHA256SUMS"):
        path.unlink()
    found = verify(real, sample=1)
    assert found.sound
    assert states_of(found)[BACKUP] == "note"


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
    found = verify(out)
    assert states_of(found)["replays"] == "skipped"
    assert "code of others is not executed" in found.findings[-1].text


def test_the_commands_print_findings_and_moves(real):
    (real / "ledger.sqlite").write_bytes(b"")
    runner = CliRunner()
    done = runner.invoke(app, ["verify", str(real), "--sample", "0"])
    assert done.exit_code == 1
    assert "ledger.sqlite          damaged " in done.stdout
    done = runner.invoke(app, ["verify", str(real), "--sample", "0", "--json"])
    assert json.loads(done.stdout)["sound"] is False
    done = runner.invoke(app, ["repair", str(real)])
    assert done.exit_code == 0
    assert done.stdout == "ledger.sqlite -> damaged/ledger.sqlite\n"
    done = runner.invoke(app, ["verify", str(real), "--sample", "1"])
    assert done.exit_code == 0, done.output
    (real / MANIFEST).unlink()
    done = runner.invoke(app, ["repair", str(real)])
    assert (done.exit_code, done.output) == (0, f"written again: {MANIFEST}\n")
    done = runner.invoke(app, ["repair", str(real)])
    assert (done.exit_code, done.output) == (0, "nothing was damaged\n")
    assert runner.invoke(app, ["verify", str(real / "runs")]).exit_code == 2
    assert runner.invoke(app, ["repair", str(real / "runs")]).exit_code == 2


def test_a_plan_that_takes_long_to_be_resolved_says_how_far_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mesonet.cli.progress._SILENT", 0.0)
    heard = []
    assert len(fakes.plan().runs(progress=lambda *numbers: heard.append(numbers))) == 8
    assert heard == [(1, 4), (2, 4), (3, 4), (4, 4)]
    say = ExpansionProgress()
    for numbers in heard:
        say(*numbers)
    # A line now and then, and none at the end.
    assert capsys.readouterr().err.startswith("resolved 1 of 4 conditions of the plan, about ")
    file, out = tmp_path / "plan.toml", tmp_path / "out"
    file.write_text(fakes.plan().to_toml(), encoding="utf-8")
    for command in (["plan", str(file)], ["run", str(file), "--out", str(out)]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.stderr
        assert "resolved 1 of 4 conditions of the plan, about " in done.stderr

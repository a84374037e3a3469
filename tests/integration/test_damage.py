"""Damaged campaign folders: one clear line, an exit status, and nothing finished is lost."""

import json
import os
import shutil
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet.cli import app

sys.path.insert(0, str(Path(__file__).parent))
import damages

SEEDS = range(int(os.environ.get("MESONET_TEST_DAMAGES", "120")))
GROUPS = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A plan file, and a finished campaign of it that kept its series."""
    folder = tmp_path_factory.mktemp("finished")
    plan = folder / "plan.toml"
    plan.write_text(damages.plan().to_toml(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mesonet.campaign.execution.execute_all", damages.execute_here)
        done = CliRunner().invoke(app, ["run", str(plan), "--out", str(folder / "c"), "--series"])
    assert done.exit_code == 0, done.output
    return plan, folder / "c"


def rows_of(folder):
    """Runs with a row in any file of results that can be read, damaged/ included."""
    found = set()
    for path in [*folder.glob("results/*"), *folder.glob("damaged/results*")]:
        if path.is_file():
            try:
                found |= set(pl.read_parquet(path)["run"])
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
                continue
    return found


def invoke(*arguments):
    """Exit status and output of a command; fails the test on anything but 0, 1 and 2."""
    done = CliRunner().invoke(app, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), (
        arguments,
        done.exc_info,
    )
    assert done.exit_code in (0, 1, 2), arguments
    assert "Traceback" not in done.output
    if done.exit_code:
        assert done.output.strip(), arguments
    return done.exit_code, done.output


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_damaged_folders_get_a_line_and_lose_nothing(finished, group, tmp_path, monkeypatch):
    plan, whole = finished
    monkeypatch.setattr("mesonet.campaign.execution.execute_all", damages.execute_here)
    for seed in SEEDS[group::GROUPS]:
        folder, elsewhere = tmp_path / f"{seed}", tmp_path / f"elsewhere{seed}"
        elsewhere.mkdir()
        monkeypatch.setenv("MESONET_TEST_ELSEWHERE", str(elsewhere))
        shutil.copytree(whole, folder)
        what = damages.damage(folder, seed)
        print(seed, what)
        kept, foreign = rows_of(folder), damages.content(elsewhere)
        place = str(folder)
        for command in (
            ["status", place],
            ["status", place, "--json"],
            ["watch", place],
            ["analyze", place],
            ["sql", place, "select * from results"],
            ["sql", place, "tables"],
            ["export", place, "--out", str(folder.parent / f"{seed}.csv")],
            ["export", place, "--table", "timings", "--out", str(folder.parent / f"{seed}t.csv")],
            ["verify", place, "--sample", "1"],
            *([["report", place]] if seed % 8 == 0 else []),
        ):
            invoke(*command)
            assert rows_of(folder) == kept, (what, command)
        if seed % 2:
            invoke("repair", place)
            assert rows_of(folder) >= kept, what
            # The results may still want to be run; nothing may be damaged.
            status, said = invoke("verify", place, "--sample", "0")
            assert status == 0 or "manifest.json" in said, (what, said)
        status, said = invoke("run", str(plan), "--out", place)
        assert rows_of(folder) >= kept, what
        assert damages.content(elsewhere) == foreign, what
        if status == 0:
            status, said = invoke("status", place)
            assert status == 0, (what, said)
            assert "done     4" in said, (what, said)
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("campaign.lock", None),
        ("campaign.lock", "text"),
        ("campaign.lock", {"host": "elsewhere", "pid": 1, "beat": None}),
        ("campaign.lock", {"host": "elsewhere", "pid": 1, "beat": "text"}),
        ("manifest.json", {"responses": 5}),
        ("manifest.json", {"plan": "text"}),
        ("manifest.json", {"controllers": [1]}),
        ("manifest.json", {"hashes": None}),
    ],
)
def test_documents_of_another_shape_get_a_line(finished, name, changes, tmp_path, monkeypatch):
    plan, whole = finished
    monkeypatch.setattr("mesonet.campaign.execution.execute_all", damages.execute_here)
    folder = Path(shutil.copytree(whole, tmp_path / "c"))
    before = json.loads((folder / name).read_bytes() or b"{}")
    data = {**before, **changes} if isinstance(changes, dict) else changes
    (folder / name).write_text(json.dumps(data), encoding="utf-8")
    place, kept = str(folder), rows_of(folder)
    status, said = invoke("status", place)
    # A lock says nothing then, and the manifest has a copy.
    if name == "manifest.json":
        assert status == 1, said
        assert f"{folder / name}: damaged; `mesonet repair` restores it" in said
    for command in (["watch", place], ["verify", place, "--sample", "0"], ["repair", place]):
        invoke(*command)
    status, said = invoke("run", str(plan), "--out", place)
    assert status == 0, said
    assert rows_of(folder) == kept

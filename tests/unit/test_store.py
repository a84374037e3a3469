"""The campaign folder: files decide, the ledger follows."""

import json

import pytest

from mesonet.errors import CampaignError
from mesonet.store import Cell, Store, lock, read_manifest, write_atomically, write_result

CELLS = [
    Cell(condition, alternative, position, 1, 7, f"{condition}{alternative}", 10.0)
    for condition in (1, 2)
    for position, alternative in enumerate("ba")
]


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path / "campaign", {"name": "x", "plan": {}}, CELLS)


def finish(store, run):
    times = {"wall_seconds": 2.5, "started": "s", "finished": "f"}
    write_result(store.result_path(run), {"run": run, "y1": 1.5, **times})


def test_cells_come_back_in_the_order_of_the_plan(store):
    assert store.cells() == CELLS
    assert list(store.rows()) == ["1b", "1a", "2b", "2a"]
    assert {row.state for row in store.rows().values()} == {"pending"}


def test_cells_may_share_a_run(tmp_path):
    shared = [Cell(1, "a", 0, 1, 7, "r", 1.0), Cell(2, "a", 0, 1, 7, "r", 1.0)]
    store = Store.create(tmp_path, {}, shared)
    assert store.cells() == shared
    assert list(store.rows()) == ["r"]


def test_marks_keep_the_start(store):
    store.mark("1a", "running", started="then")
    store.mark("1a", "done", wall_seconds=3.0, finished="now")
    row = store.rows()["1a"]
    assert (row.state, row.started, row.finished, row.wall_seconds) == ("done", "then", "now", 3.0)


def test_the_ledger_follows_the_files(store):
    finish(store, "1a")  # killed after the result, before the ledger
    store.mark("1b", "running")  # killed in mid-run
    store.mark("2a", "done")  # its result was deleted
    store.mark("2b", "failed", error="why")
    leftover = store.folder / "results" / ".2a.parquet.123"
    leftover.touch()
    store.reconcile()
    states = {run: row.state for run, row in store.rows().items()}
    assert states == {"1a": "done", "1b": "pending", "2a": "pending", "2b": "failed"}
    assert store.rows()["1a"].wall_seconds == 2.5
    assert not leftover.exists()


def test_results_are_read_by_run(store):
    finish(store, "2b")
    assert store.read_results()["2b"]["y1"] == 1.5
    assert len(store.read_results()) == 1


def test_a_damaged_result_is_named(store):
    store.result_path("1a").write_bytes(b"nonsense")
    with pytest.raises(CampaignError, match=r"1a\.parquet.*delete it and resume"):
        store.read_results()


def test_folders_that_are_no_campaigns(tmp_path):
    with pytest.raises(CampaignError, match="no such folder"):
        Store(tmp_path / "nowhere")
    with pytest.raises(CampaignError, match="not a campaign folder"):
        Store(tmp_path)
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(CampaignError, match="damaged"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 99}), encoding="utf-8")
    with pytest.raises(CampaignError, match="layout 99"):
        read_manifest(tmp_path)


def test_a_missing_ledger_is_named(store):
    (store.folder / "ledger.sqlite").unlink()
    with pytest.raises(CampaignError, match="ledger"):
        store.rows()


def test_a_damaged_ledger_is_named(store):
    (store.folder / "ledger.sqlite").write_bytes(b"nonsense" * 1000)
    with pytest.raises(CampaignError, match="ledger"):
        store.rows()


def test_writing_is_all_or_nothing(tmp_path):
    target = tmp_path / "file"
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    with pytest.raises(CampaignError, match="cannot be written"):
        write_atomically(tmp_path / "nowhere" / "file", b"three")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_one_process_at_a_time(tmp_path):
    with lock(tmp_path), pytest.raises(CampaignError, match="another process"), lock(tmp_path):
        pass
    with lock(tmp_path):
        pass

"""The campaign folder: files decide."""

import errno
import fcntl
import json
import os
import random
import socket
import time

import polars as pl
import pytest

from mesonet.errors import CampaignError, DamageError, StorageError
from mesonet.store import (
    CELLS,
    LOCK,
    Files,
    Parts,
    Store,
    holder,
    lock,
    read_manifest,
)
from mesonet.store import parts as parts_module

CELL_ROWS = [
    (condition, position, alternative, replicate, 7, f"{condition}{alternative}{replicate}", 10.0)
    for condition in (1, 2)
    for position, alternative in enumerate("ba")
    for replicate in (1, 2)
]
SCHEMA = {"run": pl.String, "y": pl.Float64}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "campaign"


@pytest.fixture
def store(place):
    cells = pl.DataFrame(CELL_ROWS, schema=CELLS, orient="row")
    about = {"name": "x", "plan": {}, "responses": ["y1"]}
    store = Store.create(place, about, cells, pl.DataFrame({"condition": [1, 2]}))
    store.reconcile()
    return store


def finish(store, *runs):
    rows = [{"run": run, "seed": 7, "y1": 1.5, "packets": 3} for run in runs]
    store.record(rows, [{"run": run, "wall_seconds": 2.5} for run in runs])


def contents(files, folder):
    return {name: files.read(f"{folder}/{name}") for name in files.names(folder)}


def test_more_replicates_move_no_run(store):
    assert store.order == ["1b1", "1a1", "2b1", "2a1", "1b2", "1a2", "2b2", "2a2"]
    assert set(store.states().values()) == {"pending"}


def test_states_follow_from_the_files(store):
    finish(store, "1a1")
    store.record_log("1a1", printed="some words")
    store.record_log("2b1", error="ValueError: why\n\nTraceback", printed="some words")
    store.show({"running": [{"id": "1b1"}]})
    # Who began it was killed.
    assert store.counts() == {"done": 1, "failed": 1, "running": 0, "pending": 6}
    with lock(store.files):
        assert {run: state for run, state in store.states().items() if state != "pending"} == {
            "1a1": "done",
            "1b1": "running",
            "2b1": "failed",
        }
        assert store.reconcile() == []
        assert store.counts()["running"] == 0
    assert store.failures() == {"2b1": "ValueError: why\n\nTraceback"}
    assert "some words" in store.log("2b1")


@pytest.mark.parametrize("left", [b"", b"{", b"\xff"])
def test_half_a_word_of_progress_is_none(store, left):
    store.files.write("progress.json", left)
    with lock(store.files):
        assert store.progress() is None


def test_failures_are_forgotten_on_request_and_their_logs_kept(store):
    for attempt in ("first", "second"):
        store.record_log("1b1", error=attempt)
        assert set(store.failures()) == {"1b1"}
        store.forget_failures()
    assert store.states()["1b1"] == "pending"
    assert store.files.names("logs") == ["1b1.1.log", "1b1.2.log"]


def test_folders_that_are_no_campaigns(tmp_path):
    with pytest.raises(CampaignError):
        Store(tmp_path / "nowhere")
    with pytest.raises(CampaignError):
        Store(tmp_path)
    with pytest.raises(CampaignError):
        Store("nowhere://bucket")
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(DamageError):
        read_manifest(Files(tmp_path))
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 99}), encoding="utf-8")
    with pytest.raises(CampaignError, match="99"):
        read_manifest(Files(tmp_path))


# Parts


def rows(numbers):
    return [{"run": f"{number:04d}", "y": number / 7} for number in numbers]


ORDER = [f"{number:04d}" for number in range(200)]


def test_rows_come_back_however_many_parts_there_are(place):
    parts = Parts(Files(place), "results", SCHEMA)
    for number in range(100):
        parts.append(rows([number]))
    assert len(Files(place).names("results")) < 40
    assert parts.read().sort("run").equals(pl.DataFrame(rows(range(100)), schema=SCHEMA))
    assert Parts(Files(place), "results", SCHEMA).runs() == set(ORDER[:100])


def test_compacted_files_depend_on_the_rows_alone(place, monkeypatch):
    monkeypatch.setattr(parts_module, "COMPACTED_RUNS", 30)
    files, stored = Files(place), []
    for seed in range(3):
        parts = Parts(files, f"r{seed}", SCHEMA)
        numbers = list(range(100))
        random.Random(seed).shuffle(numbers)
        while numbers:
            size = seed + 1
            parts.append(rows(numbers[:size]))
            numbers = numbers[size:]
            if len(numbers) in (50, 51, 52):
                parts.compact(ORDER)
        parts.compact(ORDER)
        stored.append(contents(files, f"r{seed}"))
    assert stored[0] == stored[1] == stored[2]
    assert len(stored[0]) == 4
    assert list(parts.read()["run"]) == ORDER[:100]


def test_more_runs_leave_compacted_files_alone(place, monkeypatch):
    monkeypatch.setattr(parts_module, "COMPACTED_RUNS", 50)
    files = Files(place)
    parts = Parts(files, "r", SCHEMA)
    parts.append(rows(range(100)))
    parts.compact(ORDER[:100])
    before = contents(files, "r")
    parts.append(rows(range(100, 200)))
    parts.compact(ORDER)
    assert before.items() <= contents(files, "r").items()
    assert parts.read().height == 200


def test_a_merge_that_was_interrupted_doubles_no_row(place, monkeypatch):
    files = Files(place)
    parts = Parts(files, "r", SCHEMA)
    for number in range(20):
        parts.append(rows([number]))
    monkeypatch.setattr(type(files), "delete", lambda self, name: None)
    parts.compact(ORDER)
    monkeypatch.undo()
    assert len(files.names("r")) == 21
    again = Parts(files, "r", SCHEMA)
    assert again.read().height == 20
    again.append(rows([20]))
    again.compact(ORDER)
    assert len(files.names("r")) == 1
    assert again.read().height == 21


@pytest.mark.parametrize("deletions", range(3))
def test_compacting_that_was_killed_is_done_again(place, monkeypatch, deletions):
    files, delete, deleted = Files(place), Files.delete, []
    parts = Parts(files, "r", SCHEMA)
    parts.append(rows([0]))
    parts.compact(ORDER)
    parts.append(rows([1]))
    parts.append(rows([2]))

    def killed(self, name):
        if len(deleted) == deletions:
            raise KeyboardInterrupt
        deleted.append(name)
        delete(self, name)

    monkeypatch.setattr(Files, "delete", killed)
    with pytest.raises(KeyboardInterrupt):
        parts.compact(ORDER)
    monkeypatch.undo()
    Parts(files, "r", SCHEMA).compact(ORDER)
    assert len(files.names("r")) == 1


@pytest.mark.parametrize("kind", ["flipped", "cut", "emptied"])
def test_damage_is_seen_and_set_aside(place, kind):
    files = Files(place)
    parts = Parts(files, "r", SCHEMA)
    parts.append(rows(range(10)))
    parts.append(rows(range(10, 20)))
    first = f"r/{files.names('r')[0]}"
    content = bytearray(files.read(first))
    if kind == "flipped":
        content[len(content) // 3] ^= 1
    damaged = bytes(content) if kind == "flipped" else bytes(content[: 40 * (kind == "cut")])
    files.delete(first)
    files.write(first, damaged)
    with pytest.raises(DamageError):
        parts.read()
    assert parts.set_damaged_aside() == [first.removeprefix("r/")]
    assert parts.runs() == set(ORDER[10:20])
    assert [files.read(f"damaged/{name}") for name in files.names("damaged")] == [damaged]


# The lock


def test_one_process_at_a_time(place):
    files = Files(place)
    files.folder.mkdir()
    assert holder(files) is None
    with lock(files):
        assert holder(files)["pid"] == os.getpid()
        with (
            pytest.raises(CampaignError, match=str(os.getpid())),
            lock(files),
        ):
            pass
    assert holder(files) is None
    with lock(files):
        pass


def test_a_file_system_without_locks_is_not_another_process(place, monkeypatch):
    files = Files(place)
    files.folder.mkdir()
    files.write(LOCK, b"")

    def unknown(*_):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", unknown)
    assert holder(files) is None
    with pytest.raises(StorageError, match="no locks"), lock(files):
        pass


@pytest.mark.parametrize(
    ("host", "pid", "silent", "refused"),
    [
        # No process has this number; it is above what systems give out.
        ("elsewhere", 2**22 + 1, 5.0, True),
        ("elsewhere", 2**22 + 1, 500.0, False),
        (None, 2**22 + 1, 5.0, False),
        # The number of a dead process comes again, in a container at once.
        (None, 1, 500.0, False),
    ],
)
def test_a_holder_that_is_dead_holds_nothing(place, host, pid, silent, refused):
    files = Files(place)
    content = {"host": host or socket.gethostname(), "pid": pid, "since": 0.0}
    files.write(LOCK, json.dumps(content | {"beat": time.time() - silent}).encode())
    if refused:
        with pytest.raises(CampaignError), lock(files):
            pass
    else:
        with lock(files):
            pass

"""A disk that is full keeps what it has of a batch."""

import shutil

import pytest

from mesonet.campaign import Campaign, RunRecord
from mesonet.campaign.execution import _Keeper
from mesonet.errors import StorageError
from mesonet.store import Store
from mesonet.workers import Outcome


def test_runs_whose_series_are_whole_have_their_rows(tiny, tmp_path, monkeypatch):
    row = Store(tiny).results.read().row(0, named=True)
    store = Store(shutil.copytree(tiny, tmp_path / "out"))
    records = {name: RunRecord(row | {"run": name}, {}) for name in ("first", "second")}

    def full(run, _):
        if run == "second":
            raise StorageError("no space left")

    monkeypatch.setattr(store, "record_series", full)
    keeper = _Keeper(store, lambda: None, lambda _: None)
    with pytest.raises(StorageError):
        keeper.finished([Outcome(name, record) for name, record in records.items()])
    assert Campaign.open(tmp_path / "out").store.results.runs() == {row["run"], "first"}

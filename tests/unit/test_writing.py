"""Files are there in full or not at all."""

import io
import os

import polars as pl
import pytest

from mesonet.errors import InputError, StorageError
from mesonet.tables.tabular import table_bytes
from mesonet.writing import (
    PICTURES,
    name_problems,
    refuse_name,
    refuse_occupied,
    write_all,
    write_atomically,
)


def test_writing_is_all_or_nothing(tmp_path):
    target = tmp_path / "file"
    write_atomically(target, b"one")
    write_atomically(target, b"two")
    assert target.read_bytes() == b"two"
    with pytest.raises(StorageError):
        write_atomically(target / "below", b"three")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_no_file_takes_the_place_of_a_pipe_or_a_device(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        with pytest.raises(StorageError, match=name):
            write_atomically(tmp_path / name, b"table")
    # Standard output that goes into a file, by its name of a device.
    devices = tmp_path / "dev"
    devices.mkdir()
    (tmp_path / "output").write_text("so far")
    (devices / "stdout").symlink_to(tmp_path / "output")
    monkeypatch.setattr("mesonet.writing._DEVICES", devices)
    with pytest.raises(StorageError):
        write_atomically(devices / "stdout", b"table")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in devices.iterdir()] == ["stdout"]
    assert (devices / "stdout").is_symlink()


def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch):
    def interrupted(_descriptor):
        raise KeyboardInterrupt

    file = tmp_path / "page.html"
    write_atomically(file, b"before")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, b"after")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert file.read_bytes() == b"before"


def test_of_several_files_all_are_written_or_none_that_is_new(tmp_path):
    folder = tmp_path / "folder"
    assert write_all(folder, [("a", b"1"), ("b", b"2")]) == [folder / "a", folder / "b"]
    with pytest.raises(StorageError, match="b/below: "):
        write_all(folder, [("a", b"3"), ("new", b"4"), ("b/below", b"5")])
    assert sorted(path.name for path in folder.iterdir()) == ["a", "b"]
    with pytest.raises(StorageError):
        write_all(tmp_path / "other", [("c", b"6"), ("c/below", b"7")])
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("kind", "read"),
    [("csv", pl.read_csv), ("arrow", pl.read_ipc), ("parquet", pl.read_parquet)],
)
def test_tables_as_the_content_of_files(kind, read):
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert read(io.BytesIO(table_bytes(frame, kind))).equals(frame)


def test_what_is_occupied_is_refused(tmp_path):
    refuse_occupied(tmp_path)
    refuse_occupied(tmp_path / "new")
    (tmp_path / "file").touch()
    with pytest.raises(InputError):
        refuse_occupied(tmp_path)
    with pytest.raises(InputError):
        refuse_occupied(tmp_path / "file", loc="--out x")
    with pytest.raises(StorageError):
        refuse_occupied(tmp_path / ("a" * 300))


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("a.svg", []),
        ("a.txt", ["suffix"]),
        ("no/a.svg", ["folder"]),
        ("folder.svg", ["folder"]),
        ("old.svg", []),
    ],
)
def test_a_name_is_looked_at_before_there_is_anything_to_write(tmp_path, name, kinds):
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "old.svg").touch()
    problems = name_problems(tmp_path / name, "--out", PICTURES)
    assert [(problem.loc, problem.kind) for problem in problems] == [("--out", k) for k in kinds]
    if kinds:
        with pytest.raises(InputError):
            refuse_name(tmp_path / name, "--out", PICTURES)

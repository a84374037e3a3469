"""Tables that anybody may have made are read first by a process that may die of them."""

import io
import os
import signal
import subprocess
import sys
import threading

import polars as pl
import pytest

from mesonet.errors import DamageError
from mesonet.store import Columns, read_table
from mesonet.system import tables

SEEDS = Columns({"seed": pl.Int64}, empty=frozenset({"seed"}))


@pytest.fixture(autouse=True)
def _own_list(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def content(*seeds):
    buffer = io.BytesIO()
    pl.DataFrame({"seed": seeds}, schema={"seed": pl.Int64}).write_parquet(
        buffer, compression="uncompressed"
    )
    return buffer.getvalue()


def fatal():
    """A table whose page says that it has -62 values: Polars asks for 2^61 bytes."""
    whole = content(1, None, 3, 4)
    # Field 5 of a page's header is that of a data page, whose first field is the number of values.
    place = whole.index(b"\x2c\x15\x08") + 2
    return whole[:place] + b"\x7b" + whole[place + 1 :]


def test_the_fatal_table_ends_a_process_that_reads_it():
    code = "import io, sys, polars; polars.read_parquet(io.BytesIO(sys.stdin.buffer.read()))"
    ended = subprocess.run([sys.executable, "-c", code], input=fatal(), capture_output=True)
    assert ended.returncode == -signal.SIGABRT


def test_a_table_that_ends_its_reader_is_damaged_and_the_next_is_read():
    with pytest.raises(DamageError, match=r"a process that reads it ends with status -6"):
        read_table(fatal(), SEEDS, file="part", remedy="none")
    with pytest.raises(DamageError, match="no Parquet that can be read"):
        read_table(b"PAR1", SEEDS, file="part", remedy="none")
    assert read_table(content(1, 2), SEEDS, file="part", remedy="none").rows() == [(1,), (2,)]


def test_what_was_read_or_written_before_is_read_without_a_probe(monkeypatch):
    read_table(content(1, 2), SEEDS, file="part", remedy="none")
    tables.remember(content(3))
    # A new process of the same user.
    monkeypatch.setattr(tables, "_digests", {})
    monkeypatch.setattr(tables, "_ask", lambda _: pytest.fail("asked"))
    for seeds in ((1, 2), (3,)):
        assert read_table(content(*seeds), SEEDS, file="part", remedy="none").height == len(seeds)


def test_what_ended_its_reader_is_never_remembered(monkeypatch):
    for _ in range(2):
        with pytest.raises(DamageError):
            read_table(fatal(), SEEDS, file="part", remedy="none")
        monkeypatch.setattr(tables, "_digests", {})


def test_a_list_that_cannot_be_kept_has_tables_read_all_the_same(tmp_path):
    (tmp_path / "state").write_text("a file")
    assert read_table(content(1), SEEDS, file="part", remedy="none").height == 1


def test_a_reader_that_does_not_answer_is_left(monkeypatch):
    # A process that starts takes longer than no time.
    tables._end()
    monkeypatch.setattr(tables, "PATIENCE", 0.0)
    with pytest.raises(DamageError, match="not read within 0 s"):
        read_table(content(1), SEEDS, file="part", remedy="none")
    monkeypatch.undo()
    assert read_table(content(1), SEEDS, file="part", remedy="none").height == 1


def test_threads_take_turns():
    found = {}

    def read(number):
        try:
            table = read_table(content(number), SEEDS, file="part", remedy="none")
        except DamageError as error:
            table = error
        found[number] = table

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: found[number]["seed"].to_list() for number in range(8)} == {
        number: [number] for number in range(8)
    }


def test_too_many_rows_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(tables, "MAX_ROWS", 2)
    tables.remember(content(1, 2, 3))
    with pytest.raises(DamageError, match="expected at most 2 rows, got 3"):
        read_table(content(1, 2, 3), SEEDS, file="part", remedy="none")


def test_the_reader_ends_with_its_process():
    code = (
        "import io, os, polars\n"
        "from mesonet.system import tables\n"
        "buffer = io.BytesIO(); polars.DataFrame({'a': [1]}).write_parquet(buffer)\n"
        "tables.read_parquet(buffer.getvalue())\n"
        "print(tables._probe._process.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    probe = int(ended.stdout)
    for _ in range(200):
        try:
            os.kill(probe, 0)
        except ProcessLookupError:
            break
        threading.Event().wait(0.05)
    else:
        pytest.fail("still there")

"""A query has a process of its own, which ends with the command and answers Ctrl-C."""

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import psutil
import pytest

from mesonet.campaign import Campaign
from mesonet.campaign.query import ask
from mesonet.errors import DamageError, InputError, StorageError

pytestmark = pytest.mark.usefixtures("cold_processes")

FOREVER = "select count(*) as n from range(1000000000000) a where a.range % 7 = 3"


@pytest.fixture
def folder(tiny: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny, tmp_path / "out"))


def put_in_place(folder: Path, where: str, content: bytes) -> Path:
    """Puts a content in place of a table, under the name that belongs to it."""
    (path,) = folder.glob(where)
    if path.parent.name in ("results", "timings"):
        path.unlink()
        path = path.with_name(
            f"runs-00000000-{hashlib.blake2b(content, digest_size=8).hexdigest()}.parquet"
        )
    path.write_bytes(content)
    return path


def asked(folder: Path, query: str) -> subprocess.Popen[str]:
    """A process that asks, and says at its end how much memory it took itself [kB]."""
    # `ru_maxrss` would begin with the memory of the process that starts this one.
    code = (
        "import re\n"
        "from pathlib import Path\n"
        "from mesonet.cli import app\n"
        "status = Path('/proc/self/status')\n"
        f"try: app(['sql', {str(folder)!r}, {query!r}])\n"
        "finally: print(*re.findall(r'VmHWM:\\s*(\\d+) kB', status.read_text()))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_the_process_of_a_query_may_die(folder: Path) -> None:
    campaign = Campaign.open(folder)
    seen: list[BaseException] = []

    def query() -> None:
        try:
            ask(campaign, FOREVER)
        except BaseException as error:  # noqa: BLE001 - looked at below
            seen.append(error)

    before = {child.pid for child in psutil.Process().children()}
    thread = threading.Thread(target=query)
    thread.start()
    victim = executing(os.getpid(), before)
    victim.kill()
    thread.join(20)
    (error,) = seen
    assert isinstance(error, StorageError)
    assert "the process of the query was ended by signal 9 SIGKILL" in str(error)
    assert ask(campaign, "select 1 as a").rows() == [(1,)]


def executing(parent: int, before: set[int]) -> psutil.Process:
    """The process of a query, once it has begun to execute it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for child in psutil.Process(parent).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                new = child.pid not in before and "system.queries" in " ".join(child.cmdline())
                if new and child.cpu_times().user > 1.0:
                    return child
        time.sleep(0.02)
    raise AssertionError("no process executes the query")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_process_of_a_query_ends_with_the_command(folder: Path, number: int) -> None:
    process = asked(folder, FOREVER)
    child = executing(process.pid, set())
    begun = time.monotonic()
    process.send_signal(number)
    err = process.communicate()[1]
    if number == signal.SIGINT:
        assert time.monotonic() - begun < 2
        assert (process.returncode, err) == (130, "interrupted\n")
    assert psutil.wait_procs([child], timeout=5)[1] == []


@pytest.mark.parametrize("name", ["cells.parquet", "conditions.parquet", "results/*.parquet"])
def test_a_damaged_table_is_named(folder: Path, name: str) -> None:
    crafted = put_in_place(folder, name, b"PAR1 cut short")
    with pytest.raises(DamageError, match=crafted.name):
        ask(Campaign.open(folder), "from results")


@pytest.mark.parametrize("where", ["results", "timings"])
def test_rows_whose_hash_is_another_are_not_read(folder: Path, where: str) -> None:
    (part,) = (folder / where).iterdir()
    rows = pl.read_parquet(part)
    number = next(name for name, kind in rows.schema.items() if kind == pl.Float64)
    rows.with_columns(pl.col(number) + 1).write_parquet(part)
    with pytest.raises(DamageError, match=f"{part.name}: damaged; .*expected"):
        ask(Campaign.open(folder), "select 1")


def test_a_query_of_a_folder_behind_a_url_reads_copies(tiny: Path, tmp_path: Path) -> None:
    import fsspec

    url = f"memory://{tmp_path}/out"
    fsspec.filesystem("memory").put(str(tiny), url, recursive=True)
    campaign = Campaign.open(url)
    assert ask(campaign, "from results").equals(ask(Campaign.open(tiny), "from results"))
    with pytest.raises(InputError, match="expected only tables of the campaign"):
        ask(campaign, "from read_text('/etc/passwd')")

"""Queries read the tables of a campaign, and nothing else; they write nothing."""

import hashlib
import os
import shutil
import signal
import sys
import threading
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.campaign import query as sql
from mesonet.campaign.query import ask, tables
from mesonet.cli import app
from mesonet.errors import DamageError, InputError


@pytest.fixture(scope="module")
def campaign(tiny):
    return Campaign.open(tiny)


def content(folder):
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


OTHER = [
    "copy (select 1) to '{outside}/new.csv'",
    "copy (select 1) to '{inside}/manifest.json'",
    "attach '{outside}/new.db'",
    "export database '{outside}/new'",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "reset lock_configuration",
    "pragma profiling_output = '{inside}/runs/profile.json'",
    "call enable_logging(storage_path = '{inside}/runs')",
    "select 1; copy (select 1) to '{outside}/new.csv'",
    "explain analyze copy (select 1) to '{inside}/runs/new.csv'",
    "from read_csv('/etc/passwd')",
    "from read_text('{inside}/manifest.json')",
    "from read_blob('{outside}/secret')",
    "from glob('/etc/*')",
    "from read_parquet('https://127.0.0.1:9/a.parquet')",
    "from frames",
]


@pytest.mark.parametrize("query", OTHER)
def test_what_does_more_than_reading_tables_is_refused(campaign, tmp_path, query):
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    before = content(campaign.folder)
    with pytest.raises(InputError) as refused:
        ask(campaign, query.format(inside=campaign.folder, outside=tmp_path))
    (problem,) = refused.value.problems
    assert (problem.loc, problem.kind) == ("query", "sql")
    assert content(campaign.folder) == before
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


@pytest.mark.parametrize(
    "query",
    [
        "from results",
        "select run, count(*) as n from series group by run",
        "with a as (from cells) select * from a order by run",
        "describe results",
        "summarize conditions",
        "explain analyze select * from results",
        "pivot cells on replicate in (1) using count(*)",
    ],
)
def test_all_that_reads_is_answered(campaign, query):
    assert not ask(campaign, query).is_empty()


@pytest.mark.parametrize("form", ["--csv", "--json", "--all"])
def test_values_of_any_type_are_printed(campaign, form):
    values = {
        "'a'::blob": "a",
        "interval 1 day": "1 day",
        "map {'k': 1}": "k=1",
        "date 'infinity'": "infinity",
        "timetz '10:00:00+01'": "10:00:00+01",
        "union_value(u := 7)": "7",
        "'101'::bit": "101",
        "9::variant": "9",
        "[1, 2]::int[2]": "1",
        "[[1, 2], [3]]": "2",
        "{'k': [interval 2 day]}": "2 days",
        "[null, 3]": "3",
        "'nan'::double": "",
        "null": "",
    }
    query = f"select {', '.join(values)}, 1 as a, 2 as a"
    command = ["sql", str(campaign.folder), query, form]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert all(text in done.stdout for text in values.values())
    # As many columns as fit are no error, either.
    assert CliRunner().invoke(app, command[:-1]).exit_code == 0


def test_tables_are_listed(campaign):
    listed = dict(tables(campaign).iter_rows())
    assert {"results", "series"} <= set(listed)
    assert listed["series"].startswith("run varchar, time double")
    assert dict(ask(campaign, "SHOW tables;").iter_rows()) == listed


@pytest.mark.parametrize("name", ["cells.parquet", "results/*.parquet", "runs/*/series.parquet"])
def test_damage_of_a_table_that_is_named_is_said(tiny, tmp_path, name):
    folder = Path(shutil.copytree(tiny, tmp_path / "out"))
    (file,) = folder.glob(name)
    file.write_bytes(file.read_bytes()[:-9])
    table = file.stem if file.stem in ("cells", "series") else "results"
    with pytest.raises(DamageError) as refused:
        ask(Campaign.open(folder), f"from {table}")
    assert refused.value.file == str(file)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_ctrl_c_ends_a_query(campaign):
    for _ in range(3):
        timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask(campaign, "select count(*) as n from range(1000000000000) a where a.range % 7 = 3")
        timer.join()


def test_ctrl_c_while_a_table_is_read_ends_a_query(campaign, monkeypatch):
    """DuckDB reads tables from Python, and tells of what is raised there as an error of its own."""

    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "to_arrow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(campaign, "from results")


def test_what_is_undefined_is_null(campaign, monkeypatch):
    frame = campaign.results().with_columns(undefined=float("nan"))
    monkeypatch.setitem(sql.TABLES, "results", lambda _: frame)
    answer = ask(campaign, "select count(undefined) as n, count(*) as runs from results")
    assert answer.row(0) == (0, frame.height)

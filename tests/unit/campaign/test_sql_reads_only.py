"""Queries read the tables of a campaign and write nothing."""

import hashlib
import shutil
from pathlib import Path

import pytest

from mesonet.campaign import Campaign
from mesonet.campaign import query as sql
from mesonet.campaign.query import ask, tables
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
    "select 1; copy (select 1) to '{outside}/new.csv'",
    "insert into results values (1)",
    "from frames",
]


@pytest.mark.parametrize("query", OTHER)
def test_what_does_more_than_reading_is_refused(campaign, tmp_path, query):
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    before = content(campaign.folder)
    with pytest.raises(InputError) as refused:
        ask(campaign, query.format(inside=campaign.folder, outside=tmp_path))
    (problem,) = refused.value.problems
    assert (problem.loc, problem.kind, problem.message[-1] == ":") == ("query", "sql", False)
    assert content(campaign.folder) == before
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


@pytest.mark.parametrize(
    "query",
    [
        "from results",
        "select run, count(*) as n from series group by run",
        "with a as (from cells) select * from a order by run",
        "explain select * from results",
    ],
)
def test_all_that_reads_is_answered(campaign, query):
    assert not ask(campaign, query).is_empty()


def test_tables_are_listed(campaign):
    listed = dict(tables(campaign).iter_rows())
    assert {"results", "series"} <= set(listed)
    assert listed["series"].startswith("run string, time float64")


@pytest.mark.parametrize("name", ["cells.parquet", "results/*.parquet", "runs/*/series.parquet"])
def test_damage_of_a_table_that_is_named_is_said(tiny, tmp_path, name):
    folder = Path(shutil.copytree(tiny, tmp_path / "out"))
    (file,) = folder.glob(name)
    file.write_bytes(file.read_bytes()[:-9])
    table = file.stem if file.stem in ("cells", "series") else "results"
    with pytest.raises(DamageError) as refused:
        ask(Campaign.open(folder), f"from {table}")
    assert refused.value.file == str(file)


def test_what_is_undefined_is_null(campaign, monkeypatch):
    frame = campaign.results().with_columns(undefined=float("nan"))
    monkeypatch.setitem(sql.TABLES, "results", lambda _: frame)
    answer = ask(campaign, "select count(undefined) as n, count(*) as runs from results")
    assert answer.row(0) == (0, frame.height)

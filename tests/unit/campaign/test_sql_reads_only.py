"""Queries read the tables of a campaign, and nothing else; they write nothing."""

import csv
import hashlib
import io
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.campaign.query import ask, tables
from mesonet.cli import app
from mesonet.errors import InputError


@pytest.fixture(scope="module")
def campaign(tiny: Path) -> Campaign:
    return Campaign.open(tiny)


def content(folder: Path) -> dict[str, str]:
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


WRITING = [
    "copy (select 1) to '{outside}/new.csv'",
    "copy (select 1) to '{inside}/manifest.json'",
    "copy (select 1 as a) to '{inside}/runs/new.parquet'",
    "attach '{outside}/new.db'",
    "attach '{inside}/runs/new.db'",
    "export database '{outside}/new'",
    "install httpfs",
    "load httpfs",
    "set threads = 1",
    "set enable_external_access = true",
    "reset lock_configuration",
    "pragma enable_profiling",
    "pragma profiling_output = '{inside}/runs/profile.json'",
    "call enable_logging(storage_path = '{inside}/runs')",
    "create table mine as select 1",
    "drop view cells",
    "insert into failures values ('a', 'b')",
    "select 1; copy (select 1) to '{outside}/new.csv'",
    "explain analyze copy (select 1) to '{inside}/runs/new.csv'",
    "",
]
READING = [
    "from read_csv('/etc/passwd')",
    "from read_text('{inside}/manifest.json')",
    "from read_blob('{outside}/secret')",
    "from glob('/etc/*')",
    "from read_parquet('https://127.0.0.1:9/a.parquet')",
    "from enable_logging(storage_path = '{inside}/runs')",
    "from enable_profiling(format = 'json', save_location = '{inside}/runs/profile.json')",
]


@pytest.mark.parametrize("query", [*WRITING, *READING])
def test_what_does_more_than_reading_tables_is_refused(
    campaign: Campaign, tmp_path: Path, query: str
) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    before = content(campaign.folder)
    with pytest.raises(InputError) as refused:
        ask(campaign, query.format(inside=campaign.folder, outside=tmp_path))
    (problem,) = refused.value.problems
    assert problem.loc == "query"
    if query in WRITING:
        assert "expected one query that only reads" in problem.message
        assert "\n" not in str(refused.value)
    assert content(campaign.folder) == before
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_the_names_of_python_are_no_tables(campaign: Campaign) -> None:
    # `order` is a variable of the function that asks DuckDB: the only kind that it looks for.
    with pytest.raises(InputError, match="Table with name order does not exist"):
        ask(campaign, 'from "order"')


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
def test_all_that_reads_is_answered(campaign: Campaign, query: str) -> None:
    assert not ask(campaign, query).is_empty()


@pytest.mark.parametrize("form", ["--csv", "--json", None])
def test_values_of_any_type_are_printed(campaign: Campaign, form: str | None) -> None:
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
    command = ["sql", str(campaign.folder), query, *([form] if form else [])]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.stderr
    assert all(text in done.stdout for text in values.values())


@pytest.mark.parametrize(
    "value", ["'=1'", "['=1', 'b']", "{'=1': '=1'}", "'=1'::blob", "[{'a': '=1'}]"]
)
def test_no_csv_has_formulas(campaign: Campaign, value: str) -> None:
    query = f'select {value} as "=1"'
    done = CliRunner().invoke(app, ["sql", str(campaign.folder), query, "--csv"])
    assert done.exit_code == 0, done.stderr
    header, row = csv.reader(io.StringIO(done.stdout))
    assert header == ["'=1"]
    assert not row[0].startswith("=")
    assert "=1" in row[0]


def test_tables_are_listed(campaign: Campaign) -> None:
    assert {"results", "series"} <= set(tables(campaign)["table"])


def test_the_table_kept_by_duckdb_beside_memory_is_ours(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (row,) = ask(campaign, "select current_setting('temp_directory') as place").to_dicts()
    assert re.search("mesonet-", row["place"])
    assert list(tmp_path.iterdir()) == []

"""The command line: exit statuses, what goes where, and that bad input writes nothing."""

import json
import shutil
import subprocess
import sys

import polars as pl
import pytest
from commands import mesonet

from mesonet.campaign import Campaign

SCENARIO = """
kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "20 ms"
flows = ["reno"]
duration = "1 s"
"""
PLAN = """
name = "tiny"
question = "Does it work?"
scenario = "scenario.toml"
responses = ["utilization", "mean_queue"]

[factors.rate]
path = "rate"
low = "5 Mbit/s"
high = "10 Mbit/s"

[factors.rtt]
path = "rtt"
low = "20 ms"
high = "40 ms"

[[alternatives]]
label = "Reno"
set = { "flows[0].algorithm" = "reno" }

[[alternatives]]
label = "Scalable"
set = { "flows[0].algorithm" = "scalable" }

[analysis.main_effects]
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    (folder / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    result = mesonet("run", folder / "plan.toml", "--out", folder / "out", "--workers", "1")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{folder / 'out'}\n"
    assert "8/8 runs, finished" in result.stderr
    return folder / "out"


def test_simulate_prints_responses_and_writes_series(files):
    out = files / "run"
    result = mesonet("simulate", files / "scenario.toml", "--seed", "3", "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    responses = json.loads(result.stdout)
    assert 0 < responses["utilization"] <= 1
    assert responses["y9"] is None
    assert (out / "series.parquet").is_file()
    assert mesonet("simulate", files / "scenario.toml", "--out", out).exit_code == 2


def test_simulate_begins_with_five_numbers_and_a_row_for_each_flow(files):
    scenario = SCENARIO.replace("flows =", "flows = ['bic', 'bic'] #")
    (files / "two.toml").write_text(scenario, encoding="utf-8")
    shown = mesonet("simulate", files / "two.toml")
    numbers, flows = shown.stdout.split("\n\n")
    assert len(numbers.splitlines()) == 5
    assert {line.split()[-1] for line in numbers.splitlines()} == {"%", "Mbit/s", "ms"}
    assert [line.split()[0] for line in flows.splitlines()] == ["flow", "bic-1", "bic-2"]
    every = mesonet("simulate", files / "two.toml", "--all").stdout
    assert "jain_index" in every
    assert mesonet("simulate", files / "two.toml", "--quiet").stderr == ""


def test_connections_of_an_application_leave_the_rows_of_other_flows(files):
    rpc = '{ algorithm = "bic", application = { kind = "rpc", size = "9 kB", every = "1 s" } }'
    scenario = SCENARIO.replace("flows =", f"flows = ['reno', {rpc}] #")
    (files / "short.toml").write_text(scenario, encoding="utf-8")
    _, flows = mesonet("simulate", files / "short.toml").stdout.split("\n\n")
    assert [line.split()[0] for line in flows.splitlines()] == ["flow", "reno-1"]


def test_simulate_prints_what_users_see_first(files):
    film = '[{ algorithm = "reno", application = "video" }]'
    text = SCENARIO.replace('["reno"]', film)
    (files / "film.toml").write_text(text, encoding="utf-8")
    shown = mesonet("simulate", files / "film.toml").stdout.splitlines()
    assert "films" in shown[0]
    assert len(shown) == 2 + 5


def test_plan_shows_runs_and_runs_nothing(files):
    before = sorted(files.iterdir())
    result = mesonet("plan", files / "plan.toml")
    assert result.exit_code == 0, result.stderr
    assert "4 conditions x 2 alternatives x 1 replicates = 8 runs" in result.stdout
    assert "one replicate" in result.stdout
    data = json.loads(mesonet("plan", files / "plan.toml", "--json").stdout)
    assert len(data["runs"]) == 8
    assert data["runs"][0]["rate"] == "5 Mbit/s"
    assert data["runs"][0]["run"] not in result.stdout
    assert data["runs"][0]["run"] in mesonet("plan", files / "plan.toml", "--runs").stdout
    assert sorted(files.iterdir()) == before


def test_plan_shows_what_the_design_can_tell_apart(tmp_path):
    names = [chr(ord("a") + here) for here in range(5)]
    paths = ["rate", "rtt", "buffer", "loss", "warm_up"]
    levels = [
        ("5 Mbit/s", "9 Mbit/s"),
        ("9 ms", "20 ms"),
        ("1 bdp", "2 bdp"),
        (0.0, 0.1),
        (0.1, 0.2),
    ]
    factors = "".join(
        f"[factors.{name}]\npath = {json.dumps(path)}\n"
        f"low = {json.dumps(low)}\nhigh = {json.dumps(high)}\n"
        for name, path, (low, high) in zip(names, paths, levels, strict=True)
    )
    head = PLAN.partition("[factors")[0]
    text = head + factors + '[design]\nkind = "fractional_factorial"\nruns = 8\n'
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    result = mesonet("plan", tmp_path / "plan.toml")
    assert result.exit_code == 0, result.stderr
    for line in (
        "design: 2^(5-2), fractional factorial",
        "resolution: III",
        "word-length pattern: A3 = 2, A4 = 1",
        "generators: d = a*b, e = a*c",
        "defining relation: I = a*b*d = a*c*e = b*c*d*e",
        "balance: every level of a factor occurs equally often",
        "orthogonality: all main effects are orthogonal",
        "  a = b*d = c*e",
    ):
        assert line in result.stdout.splitlines()
    shown = " ".join(result.stdout.split())
    assert "packets per CPU-second (40 ns per event" in shown
    data = json.loads(mesonet("plan", tmp_path / "plan.toml", "--json").stdout)
    assert data["design"]["word_lengths"] == {"3": 2, "4": 1}
    assert data["design"]["aliases"]["a"] == ["b*d", "c*e"]
    assert data["cost"]["packets"] > 0
    assert len(list(tmp_path.iterdir())) == 2


def test_status_counts_runs(campaign):
    result = mesonet("status", campaign, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "name": "tiny",
        "total": 8,
        "done": 8,
        "failed": 0,
        "running": 0,
        "pending": 0,
        "failures": {},
        "executing": None,
    }
    assert "done     8" in mesonet("status", campaign).stdout


def test_analyze_prints_the_tables_of_the_plan(campaign):
    result = mesonet("analyze", campaign, "--json")
    assert result.exit_code == 0, result.stderr
    tables = json.loads(result.stdout)
    assert set(tables) == {"main_effects", "influence"}
    assert {row["response"] for row in tables["main_effects"]} == {
        "utilization",
        "mean_queue",
        "loss_rate",
    }
    shown = mesonet("analyze", campaign).stdout
    first, table = shown.splitlines()[1], shown.partition("main_effects\n")[2].partition("\n\n")[0]
    assert first.startswith("utilization")
    assert first.endswith("%")
    assert all(len(line) <= 80 for line in table.splitlines()[:-1])
    assert "| utilization" in mesonet("analyze", campaign, "--all").stdout


def test_analyze_says_how_to_get_long_tables_and_prints_those_that_are_named(campaign, monkeypatch):
    monkeypatch.setattr("mesonet.cli.analyses.SHORT", 3)
    shown = mesonet("analyze", campaign).stdout
    assert "\ninfluence\n" in shown
    assert f"3 more rows: mesonet analyze {campaign} --all" in shown
    for wanted in (["main_effects"], ["--all"]):
        assert "more rows" not in mesonet("analyze", campaign, *wanted).stdout
    # The plan does not ask for it.
    described = mesonet("analyze", campaign, "describe").stdout
    assert "\ndescribe\n" in described
    assert "influence" not in described
    refused = mesonet("analyze", campaign, "main_efects", "describ")
    assert refused.exit_code == 2
    assert 'did you mean "main_effects"' in refused.stderr
    assert 'did you mean "describe"' in refused.stderr


def test_report_writes_one_page_over_its_old_one(campaign, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old", encoding="utf-8")
    result = mesonet("report", campaign, "--out", page)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!")
    assert "Does it work?" in page.read_text(encoding="utf-8")


SMALL_DISK = """
import resource, sys
from mesonet.cli import app
resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
app(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "command",
    [
        "simulate {scenario} --out new/folder",
        "replay {campaign} {run} --out new",
        "export {campaign} --table timings --out new.csv",
    ],
)
def test_a_full_disk_is_said_in_one_line_and_nothing_is_left_in_part(
    command, campaign, files, monkeypatch
):
    monkeypatch.chdir(files)
    run = Campaign.open(campaign).results()["run"][0]
    text = command.format(campaign=campaign, run=run, scenario=files / "scenario.toml")
    before = sorted(files.iterdir())
    result = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, *text.split()], capture_output=True, text=True
    )
    assert result.returncode == 1
    assert result.stderr.startswith("error: new"), result.stderr
    assert result.stderr.count("\n") == 1
    assert [path for path in files.rglob("*") if path.is_file()] == [
        path for path in before if path.is_file()
    ]


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("controllers", "reno"),
        ("queues", "codel"),
        ("responses", "y45"),
        ("designs", "fractional_factorial"),
        ("topologies", "abilene"),
        ("paths", "starlink"),
        ("profiles", "linux-6.18"),
        ("analyses", "rank_matrix"),
        ("studies", "pocket"),
    ],
)
def test_list_names_what_files_can_name(what, name):
    result = mesonet("list", what)
    assert result.exit_code == 0
    assert any(line.split()[0] == name for line in result.stdout.splitlines())
    assert name in [row["name"] for row in json.loads(mesonet("list", what, "--json").stdout)]


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


BAD_FILES = [
    ("scenario", '"10 Mbit/s"', '"-10 Mbit/s"', "rate: "),
    ("scenario", 'rtt = "20 ms"', 'rtt = 20 ms"', ""),
    ("scenario", '["reno"]', '["reno", "rino"]', ".toml, line "),
    ("plan", 'path = "rate"', 'path = "rat"', "factors.rate.path: "),
    ("plan", '"scenario.toml"', '"nowhere.toml"', "scenario"),
    ("plan", '= "scalable"', '= "scalabel"', "condition 1, Scalable: "),
    ("plan", "[analysis.main_effects]", "[analysis.main_effect]", "analysis.main_effect: "),
]


@pytest.mark.parametrize(("file", "old", "new", "place"), BAD_FILES)
@pytest.mark.parametrize("command", ["simulate", "run", "plan"])
def test_bad_files_name_their_place_and_write_nothing(files, command, file, old, new, place):
    if command == "simulate" and file == "plan":
        return
    edit(files / f"{file}.toml", old, new)
    before = sorted(files.rglob("*"))
    subject = "scenario.toml" if command == "simulate" else "plan.toml"
    options = () if command == "plan" else ("--out", files / "out")
    result = mesonet(command, files / subject, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(line.startswith("error: ") for line in result.stderr.splitlines() if line)
    assert place in result.stderr
    assert sorted(files.rglob("*")) == before


def test_bad_commands_are_one_error_and_write_nothing(campaign, files, monkeypatch):
    before = sorted(files.rglob("*"))
    monkeypatch.chdir(files)
    for arguments in (
        ("plan", "no.toml"),
        ("run", "plan.toml"),
        ("run", "no.toml", "--out", "out"),
        ("run", "plan.toml", "--out", "out", "--workers", "0"),
        ("study", "lab-reno", "--algorithms", "reno,,cubic"),
        ("status", "no"),
        ("analyze", "no"),
        ("replay", "no", "abc"),
        ("study", "poket", "--out", "out"),
        ("sql", campaign, "select colour from results"),
        ("sql", campaign, "drop table"),
        ("export", campaign, "--out", "run.qlog"),
        ("export", campaign, "--out", "s3://bucket/x.csv"),
        ("export", campaign, "--out", "."),
        ("export", campaign, "--table", "main_effect"),
    ):
        result = mesonet(*arguments)
        assert result.exit_code == 2, arguments
        assert "rror" in result.stderr, arguments
        assert "Traceback" not in result.stderr
        assert sorted(files.rglob("*")) == before, arguments


def test_failed_runs_give_exit_status_1(campaign, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(campaign, copy)
    opened = Campaign.open(copy)
    run = opened.results()["run"][0]
    opened.store.results.set_runs_aside([run])
    opened.store.record_log(run, error="ValueError: because\n\nTraceback")
    result = mesonet("status", copy)
    assert result.exit_code == 1
    assert f"failed: {run}: ValueError: because\n" in result.stderr


def test_the_words_of_a_plan_command_no_terminal(campaign, tmp_path):
    folder = shutil.copytree(campaign, tmp_path / "out")
    text = PLAN.replace('"Does it work?"', '"Does it\\u001b[2J work?"')
    (tmp_path / "plan.toml").write_text('title = "\\u001b[31mred"\n' + text, encoding="utf-8")
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    said = mesonet("plan", tmp_path / "plan.toml")
    assert "work?" in said.stdout
    mesonet("run", tmp_path / "plan.toml", "--out", folder)
    shown = mesonet("status", folder)
    assert "[31mred" in shown.stdout
    assert "\x1b" not in said.stdout + shown.stdout


def test_series_of_runs_that_are_finished_are_not_promised(campaign, tmp_path):
    folder = shutil.copytree(campaign, tmp_path / "out")
    for stem in ("plan", "scenario"):
        shutil.copy(campaign.parent / f"{stem}.toml", tmp_path)
    run = ("run", tmp_path / "plan.toml", "--out", folder)
    assert "8 runs" in mesonet(*run, "--series").stderr
    assert "8 runs" not in mesonet(*run).stderr.replace("8/8 runs", "")


def test_sql_and_export_answer_from_the_parquet_files(campaign, tmp_path):
    query = "select alternative, count(*) as n, avg(utilization) as u from results group by all"
    rows = json.loads(mesonet("sql", campaign, query, "--json").stdout)
    assert {row["alternative"]: row["n"] for row in rows} == {"Reno": 4, "Scalable": 4}
    frame = Campaign.open(campaign).results()
    mean = frame.filter(pl.col("alternative") == "Reno")["utilization"].mean()
    assert next(row["u"] for row in rows if row["alternative"] == "Reno") == pytest.approx(mean)
    whole = mesonet("sql", campaign, "from results", "--csv").stdout
    assert whole == frame.write_csv()
    listed = mesonet("sql", campaign, "tables").stdout
    assert "cpu_seconds float64" in listed
    for kind, read in (("csv", None), ("arrow", pl.read_ipc), ("parquet", pl.read_parquet)):
        out = tmp_path / f"results.{kind}"
        result = mesonet("export", campaign, "--out", out)
        assert result.stdout == f"{out}\n", result.stderr
        if read:
            assert read(out).equals(frame, null_equal=True)
        else:
            assert out.read_text("utf-8") == whole


def test_export_takes_the_format_from_the_name_and_tables_of_analyses(campaign, tmp_path):
    out = tmp_path / "results.parquet"
    assert mesonet("export", campaign, "--out", out).exit_code == 0
    opened = Campaign.open(campaign)
    assert pl.read_parquet(out).equals(opened.to_frame(), null_equal=True)
    told = json.loads(pl.read_parquet_metadata(out)["mesonet"])
    assert told["columns"]["utilization"]["meaning"].startswith("utilization of the bottleneck: ")
    assert told["campaign"] == opened.plan.name
    described = tmp_path / "describe.csv"
    result = mesonet("export", campaign, "--table", "describe", "--out", described)
    assert result.exit_code == 0, result.stderr
    assert "response" in pl.read_csv(described).columns

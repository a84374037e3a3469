"""The command line: exit statuses, what goes where, and that bad input writes nothing."""

import json
import re
import shutil
import subprocess
import sys

import polars as pl
import pytest
import warm
from typer.testing import CliRunner

from mesonet.campaign import Campaign
from mesonet.cli import app

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


def mesonet(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


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


def test_simulate_prints_names_and_units(files):
    result = mesonet("simulate", files / "scenario.toml")
    line = next(line for line in result.stdout.splitlines() if line.startswith("utilization"))
    assert line.endswith("utilization of the bottleneck")
    assert "y9" not in result.stdout


def test_plan_shows_runs_and_runs_nothing(files):
    before = sorted(files.iterdir())
    result = mesonet("plan", files / "plan.toml")
    assert result.exit_code == 0, result.stderr
    assert "4 conditions x 2 alternatives x 1 replicates = 8 runs" in result.stdout
    assert "one replicate" in result.stdout
    data = json.loads(mesonet("plan", files / "plan.toml", "--json").stdout)
    assert len(data["runs"]) == 8
    assert data["runs"][0]["rate"] == "5 Mbit/s"
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
    assert "packets per CPU-second (55 ns per event, as measured in" in result.stdout
    given = mesonet("plan", tmp_path / "plan.toml", "--speed", "1000").stdout
    assert "1e+03 packets per CPU-second (as given by --speed)" in given
    data = json.loads(mesonet("plan", tmp_path / "plan.toml", "--json").stdout)
    assert data["design"]["word_lengths"] == {"3": 2, "4": 1}
    assert data["design"]["aliases"]["a"] == ["b*d", "c*e"]
    assert data["cost"]["packets"] > 0
    assert len(list(tmp_path.iterdir())) == 2


def test_what_the_file_of_a_topology_leaves_open_is_noted_aside(tmp_path):
    nodes = "".join(f"node [ id {name} ] " for name in range(3))
    edges = "edge [ source 0 target 1 ] edge [ source 1 target 2 delay 4 ]"
    (tmp_path / "net.gml").write_text(f"graph [ {nodes}{edges} ]")
    scenario = (
        'kind = "internet"\ntopology = "net.gml"\nlong_flows = "none"\n'
        'scale = 0.01\nduration = "1 s"\n'
    )
    (tmp_path / "world.toml").write_text(scenario)
    (tmp_path / "plan.toml").write_text('name = "p"\nscenario = "world.toml"\n')
    run = mesonet("simulate", tmp_path / "world.toml")
    assert run.exit_code == 0, run.stderr
    assert "note: net.gml: " in run.stderr
    assert "net.gml" not in run.stdout
    assert mesonet("plan", tmp_path / "plan.toml").stdout.count("note: net.gml: ") == 1


def test_the_codes_of_a_plan_are_a_custom_design(files):
    printed = mesonet("plan", files / "plan.toml", "--csv")
    assert printed.exit_code == 0, printed.stderr
    (files / "mine.csv").write_text(printed.stdout, encoding="utf-8")
    text = (files / "plan.toml").read_text(encoding="utf-8")
    custom = text + '\n[design]\nkind = "custom"\nfile = "mine.csv"\n'
    (files / "custom.toml").write_text(custom, encoding="utf-8")
    plans = [
        json.loads(mesonet("plan", files / name, "--json").stdout)
        for name in ("plan.toml", "custom.toml")
    ]
    assert plans[0]["runs"] == plans[1]["runs"]


def test_analyze_says_one_replicate_with_every_table(campaign):
    shown = mesonet("analyze", campaign).stdout
    assert shown.count("note: n = 1") == shown.count("\n\n") + 1 == 2
    as_json = mesonet("analyze", campaign, "--json")
    assert "note: n = 1" in as_json.stderr


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
    assert "| utilization" in mesonet("analyze", campaign).stdout


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


def test_report_writes_one_page(campaign, tmp_path):
    result = mesonet("report", campaign, "--out", tmp_path / "page.html")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{tmp_path / 'page.html'}\n"
    assert "Does it work?" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_report_writes_over_its_own_pages(campaign, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old", encoding="utf-8")
    assert mesonet("report", campaign, "--out", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!")


@pytest.mark.parametrize(
    ("name", "why"), [(".", ".html"), ("a.json", ".html"), ("no/a.html", "no")]
)
def test_report_wants_the_name_of_a_page(name, why, campaign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = mesonet("report", campaign, "--out", name)
    assert result.exit_code == 2
    assert why in result.stderr
    assert not list(tmp_path.iterdir())


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
        "replay {campaign} {run} --out new --trace cwnd,series --format csv",
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
    result = warm.run(SMALL_DISK, *text.split())
    assert result.returncode == 1
    error = result.stderr.strip().splitlines()[-1]
    assert re.fullmatch(r"error: new\S*: cannot be written: File too large", error), result.stderr
    assert "Traceback" not in result.stderr
    assert [path for path in files.rglob("*") if path.is_file()] == [
        path for path in before if path.is_file()
    ]


def test_replay_gives_the_recorded_responses(campaign, tmp_path):
    run = Campaign.open(campaign).results()["run"][0]
    result = mesonet("replay", campaign, run, "--out", tmp_path / "run", "--json")
    assert result.exit_code == 0, result.stderr
    assert "as recorded" in result.stderr
    assert set(json.loads(result.stdout)) == {"utilization", "mean_queue", "loss_rate"}
    assert (tmp_path / "run" / "series.parquet").is_file()


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("controllers", "reno"),
        ("queues", "codel"),
        ("responses", "y45"),
        ("designs", "fractional_factorial"),
        ("topologies", "abilene"),
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


BAD_SCENARIOS = [
    ('rate = "10 Mbit/s"', 'rate = "-10 Mbit/s"', "rate: "),
    ('rate = "10 Mbit/s"', 'rate = "10 parsec"', "rate: "),
    ('rate = "10 Mbit/s"', 'rate = "10 Mbit/s"\nbuffer = "0 packets"', "buffer: "),
    ('rate = "10 Mbit/s"', 'rate = "10 Mbit/s"\nloss = 1.5', "loss: "),
    ('rate = "10 Mbit/s"', 'rate = "10 Mbit/s"\ncolour = "blue"', "colour: unknown key"),
    ('flows = ["reno"]', 'flows = ["rno"]', 'flows[0].algorithm: .*"reno"'),
    ('kind = "dumbbell"', 'kind = "dumbel"', 'kind: .*did you mean "dumbbell"'),
    ('rtt = "20 ms"', 'rtt = 20 ms"', "is not a TOML file"),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD_SCENARIOS)
@pytest.mark.parametrize("command", ["simulate", "run", "plan"])
def test_bad_scenarios_are_one_clear_error_and_write_nothing(files, command, old, new, message):
    edit(files / "scenario.toml", old, new)
    before = sorted(files.rglob("*"))
    given = {
        "simulate": ("simulate", files / "scenario.toml", "--out", files / "out"),
        "run": ("run", files / "plan.toml", "--out", files / "out"),
        "plan": ("plan", files / "plan.toml"),
    }[command]
    result = mesonet(*given)
    if command != "simulate" and "flows[0]" in message:
        # The alternatives of the plan replace the algorithm, so that the base is never simulated.
        assert result.exit_code == 0
        return
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line]
    assert all(line.startswith("error: ") for line in lines)
    assert len(lines) == 1

    assert re.search(message.replace("[0]", r"\[0\]"), lines[0])
    assert sorted(files.rglob("*")) == before


BAD_PLANS = [
    ('path = "rate"', 'path = "rat"', "factors.rate.path: rat: unknown key"),
    ('low = "5 Mbit/s"', 'low = "5 Mbits"', "factors.rate.low: "),
    ('name = "tiny"', 'name = "tiny"\nreplicates = 0', "replicates: "),
    ('name = "tiny"', 'name = "tiny"\nrepliactes = 3', 'repliactes: .*"replicates"'),
    ('"utilization"', '"utilisation"', 'responses.0.: .*"utilization"'),
    ('"scenario.toml"', '"nowhere.toml"', "scenario.*cannot be read"),
    ('= "scalable"', '= "scalabel"', 'condition 1, Scalable: .*"scalable"'),
    ("[analysis.main_effects]", "[analysis.main_effect]", 'analysis.main_effect: .*"main_effects"'),
]


@pytest.mark.parametrize(("old", "new", "message"), BAD_PLANS)
@pytest.mark.parametrize("command", ["run", "plan"])
def test_bad_plans_name_their_place_and_write_nothing(files, command, old, new, message):
    edit(files / "plan.toml", old, new)
    before = sorted(files.rglob("*"))
    options = ("--out", files / "out") if command == "run" else ()
    result = mesonet(command, files / "plan.toml", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr

    assert re.search(f"error: {message}", result.stderr), result.stderr
    assert sorted(files.rglob("*")) == before


def test_missing_files_and_folders(tmp_path):
    for arguments in (
        ("simulate", tmp_path / "no.toml"),
        ("plan", tmp_path / "no.toml"),
        ("run", tmp_path / "no.toml", "--out", tmp_path / "out"),
        ("status", tmp_path / "no"),
        ("analyze", tmp_path / "no"),
        ("report", tmp_path / "no"),
        ("replay", tmp_path / "no", "abc"),
        ("study", "poket", "--out", tmp_path / "out"),
    ):
        result = mesonet(*arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("error: ")
        assert not list(tmp_path.iterdir())


def test_another_plans_folder_is_refused(campaign, files):
    edit(files / "plan.toml", 'name = "tiny"', 'name = "tiny"\nseed = 99')
    before = {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()}
    result = mesonet("run", files / "plan.toml", "--out", campaign)
    assert result.exit_code == 2
    assert "holds another plan" in result.stderr
    assert {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()} == before


def test_bad_options_are_refused(files):
    for arguments in (
        ("run", files / "plan.toml"),
        ("run", files / "plan.toml", "--out", files / "out", "--workers", "0"),
        ("simulate", files / "scenario.toml", "--seed", "-1"),
        ("list", "colours"),
        ("fly",),
    ):
        assert mesonet(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--size", "population", "--duration", "0 s"), "expected more than nothing"),
        (("--size", "population", "--duration", "long"), "--duration"),
        (("--size", "pocket", "--duration", "9 s"), "runs of size pocket have a fixed one"),
        (("--conditions", "1,x"), "expected numbers separated by commas, got x"),
        (("--conditions", "1,33"), "expected numbers from 1 to 32, got 33"),
    ],
)
def test_durations_and_conditions_that_do_not_fit_a_study_are_refused(tmp_path, options, words):
    result = mesonet("study", "nist-2a", "--out", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_an_unknown_run_is_refused(campaign):
    result = mesonet("replay", campaign, "zzz")
    assert result.exit_code == 2
    assert '"zzz" is no run' in result.stderr


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


def test_sql_and_export_answer_from_the_parquet_files(campaign, tmp_path):
    query = "select alternative, count(*) as n, avg(utilization) as u from results group by all"
    rows = json.loads(mesonet("sql", campaign, query, "--json").stdout)
    assert {row["alternative"]: row["n"] for row in rows} == {"Reno": 4, "Scalable": 4}
    frame = Campaign.open(campaign).results()
    mean = frame.filter(pl.col("alternative") == "Reno")["utilization"].mean()
    assert next(row["u"] for row in rows if row["alternative"] == "Reno") == pytest.approx(mean)
    whole = mesonet("sql", campaign, "from results", "--csv").stdout
    assert whole == frame.write_csv()
    assert "cpu_seconds double" in mesonet("sql", campaign, "tables").stdout
    for kind, read in (("csv", None), ("arrow", pl.read_ipc), ("parquet", pl.read_parquet)):
        out = tmp_path / f"results.{kind}"
        result = mesonet("export", campaign, "--format", kind, "--out", out)
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


def test_bad_exports_are_one_line_each_and_write_nothing(campaign, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        (("--out", "run.qlog"), "`mesonet replay DIR RUN --qlog FILE`"),
        (("--out", "s3://bucket/x.csv"), "expected a file in a folder that exists"),
        (("--out", "."), "expected the name of a file"),
        (("--table", "main_effect"), 'did you mean "main_effects"'),
    ):
        result = mesonet("export", campaign, *arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
        assert message in result.stderr
        assert list(tmp_path.iterdir()) == []


def test_a_campaign_shows_its_answer_in_notebooks(campaign):
    opened = Campaign.open(campaign)
    found = opened._repr_mimebundle_()
    found = found[0] if isinstance(found, tuple) else found
    assert found["text/plain"] == repr(opened) == f"Campaign({campaign}: 8 of 8 runs are done)"
    assert f"<p>{campaign}: 8 of 8 runs are done</p>" in found["text/html"]
    assert opened.plot() is not None
    assert opened.to_frame("timings").height == 8
    plan = opened.plan._repr_mimebundle_()
    plan = plan[0] if isinstance(plan, tuple) else plan
    assert "8 runs: Reno, Scalable." in plan["text/html"]


def test_sql_says_nothing_but_the_answer(campaign):
    command = [sys.executable, "-m", "mesonet", "sql", str(campaign), "select 1 as a", "--csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("a\n1\n", "")


def test_bad_questions_are_refused(campaign, files):
    for arguments, message in (
        (("sql", campaign, "select colour from results"), 'query: .*"colour"'),
        (("sql", campaign, "drop table"), "query: "),
        (("export", campaign, "--table", "result"), 'did you mean "results"'),
        (("replay", campaign, "0", "--trace", "cwdn,que"), "(?s)cwnd.*queue"),
        (
            (
                *("run", files / "plan.toml", "--out", files / "out"),
                *("--max-time", "2", "--max-memory", "5 packets"),
            ),
            "(?s)--max-time: .*--max-memory: expected bytes",
        ),
        (
            (
                *("run", files / "plan.toml", "--out", files / "out"),
                *("--workers", "2", "--cluster", "tcp://nowhere:1"),
            ),
            "--workers: ",
        ),
    ):
        result = mesonet(*arguments)
        assert result.exit_code == 2, arguments
        assert re.search(message, result.stderr), result.stderr
    assert not (files / "out").exists()


def test_replay_writes_the_traces_that_are_named(campaign, tmp_path):
    run = Campaign.open(campaign).results()["run"][0]
    out = tmp_path / "traces"
    result = mesonet(
        "replay", campaign, run, "--trace", "cwnd,queue", "--format", "csv", "--out", out
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{out / 'cwnd.csv'}\n{out / 'queue.csv'}\n"
    assert "as recorded" in result.stderr
    cwnd = pl.read_csv(out / "cwnd.csv")
    assert cwnd.columns == ["time", "flow", "cwnd"]
    assert cwnd["cwnd"].max() > 1


def test_series_that_were_kept_can_be_asked(files):
    (files / "small.toml").write_text(PLAN.replace('"tiny"', '"tiny"\nseed = 3'), "utf-8")
    out = files / "out"
    result = mesonet("run", files / "small.toml", "--out", out, "--workers", "1", "--series")
    assert result.exit_code == 0, result.stderr
    rows = json.loads(
        mesonet("sql", out, "select run, max(cwnd) as w from flows group by run", "--json").stdout
    )
    assert {row["run"] for row in rows} == set(Campaign.open(out).results()["run"])
    run = rows[0]["run"]
    assert Campaign.open(out).traces(run)["flows"]["cwnd"].max() == rows[0]["w"]


def test_watch_ends_when_nobody_executes(campaign):
    result = mesonet("watch", campaign)
    assert result.exit_code == 0
    assert "8/8 runs, finished" in result.stderr

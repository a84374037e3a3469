"""Options that cannot be honoured are refused at once, and nothing is written."""

import socket

import pytest
from commands import mesonet

SCENARIO = """
kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "20 ms"
flows = ["reno"]
duration = "1 s"
"""
PLAN = """
name = "tiny"
scenario = "scenario.toml"
responses = ["utilization"]
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(here, *arguments):
    """Lines of errors of a command that is refused and leaves nothing."""
    before = sorted(here.rglob("*"))
    result = mesonet(*arguments)
    assert result.exit_code == 2, result.output
    assert sorted(here.rglob("*")) == before
    return result.stderr.splitlines()


@pytest.mark.parametrize("command", [("run", "plan.toml", "--out", "out"), ("study", "lab-reno")])
def test_a_cluster_is_looked_for_before_anything_is_written(here, command):
    (line,) = refused(here, *command, "--cluster", "nowhere")
    assert line.startswith("error: --cluster nowhere: not an address")


@pytest.mark.parametrize("address", ["nowhere", "tcp://here:port", "tcp://here", "what://is:1"])
def test_what_is_no_address_makes_no_client(here, address, monkeypatch):
    """A client that cannot connect goes on trying to end itself, and says so in a traceback."""
    monkeypatch.setattr("mesonet.workers.cluster.Client", None)
    (line,) = refused(here, "run", "plan.toml", "--out", "out", "--cluster", address)
    assert line.startswith(f"error: --cluster {address}: not an address such as tcp://HOST:8786: ")


@pytest.mark.parametrize("text", ["3", "5 packets", "0.4 B", "much"])
def test_a_budget_of_memory_is_in_bytes(here, text):
    (line,) = refused(here, "run", "plan.toml", "--out", "out", "--max-memory", text)
    assert line == f'error: --max-memory: expected bytes, such as "4 GB", got "{text}"'


def test_a_cluster_is_looked_for_where_nothing_is_left_to_run(here):
    assert mesonet("run", "plan.toml", "--out", "out", "--workers", "1").exit_code == 0
    (line,) = refused(here, "run", "plan.toml", "--out", "out", "--cluster", "nowhere")
    assert line.startswith("error: --cluster nowhere: not an address")


def places(lines):
    """Places of errors."""
    return [line.split(": ")[1] for line in lines]


def test_compare_names_everything_that_is_wrong_at_once(here):
    wrong = "--rate 10 --rtt 40 --loss 2 --queue foo --duration 1 --with zz --out x.txt"
    named = places(refused(here, "compare", "cubic", "bbr9", *wrong.split()))
    values = ["--duration", "--rate", "--loss", "--queue", "--rtt", "algorithms", "algorithms"]
    assert named == ["--out", *values]
    lines = refused(here, "compare", "cubic", "--loss", "much", "--flows", "0", "--out", "a.txt")
    assert places(lines) == ["--out", "--loss", "--flows"]


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("list queues --library mine.so", "--library"),
        ("compare cubic bbr3,cubic", "algorithms"),
    ],
)
def test_what_would_have_no_effect_is_refused(here, command, place):
    assert places(refused(here, *command.split())) == [place]


def test_a_port_that_is_taken_is_named(here):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert places(refused(here, "lab", "--no-browser", "--port", port)) == ["--port"]


@pytest.mark.parametrize("command", ["status", "verify", "report", "sql"])
def test_a_plan_is_no_campaign_folder(here, command):
    query = ["select 1"] if command == "sql" else []
    *_, line = refused(here, command, "plan.toml", *query)
    assert line.startswith("error: plan.toml: is a plan, expected a campaign folder; `mesonet run`")
    *_, line = refused(here, command, "scenario.toml", *query)
    assert line == "error: scenario.toml: is a file, expected a campaign folder"


def test_a_query_that_names_no_table_is_told_those_of_the_campaign(here):
    assert mesonet("run", "plan.toml", "--out", "out", "--workers", "1").exit_code == 0
    ours = "there are results, timings, failures, cells, conditions"
    assert ours in " ".join(refused(here, "sql", "out", "select * from nope"))


def test_proposed_commands_quote_the_folder(here):
    """They can be copied whatever the folder is called."""
    assert mesonet("run", "plan.toml", "--out", "my runs", "--workers", "1").exit_code == 0
    (line,) = refused(here, "replay", "my runs", "zzz")
    assert "`mesonet sql 'my runs' 'select run from cells'` lists them" in line


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("plan plan.toml --csv", ["--csv"]),
        ("plan plan.toml --csv --json --runs --screen", ["--json", "--runs", "--screen"]),
        ("check-controller reno --pack bbr --no-response", ["--response"]),
        ("check-controller reno --pack bbr --steps 9 --set gain=2", ["--steps", "--set"]),
        ("replay out 1 --show --pcapng a.pcapng -o a -j 2", ["--out", "--threads", "--pcapng"]),
        ("simulate scenario.toml --flow reno-1", ["--flow"]),
        ("simulate scenario.toml --qlog a.qlog --vantage receiver", ["--vantage"]),
    ],
)
def test_what_would_be_without_effect_is_refused(here, command, named):
    assert places(refused(here, *command.split())) == named

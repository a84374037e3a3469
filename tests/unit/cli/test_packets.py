"""Files of packets from the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mesonet.campaign import run_campaign
from mesonet.cli import app
from mesonet.plan import load_plan

SCENARIO = """
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "40 ms"
flows = ["cubic", "reno"]
duration = "1 s"
"""
PLAN = """
name = "small"
responses = ["utilization"]

[scenario]
kind = "dumbbell"
rate = "5 Mbit/s"
rtt = "40 ms"
flows = ["cubic"]
duration = "1 s"

[factors.buffer]
path = "buffer"
levels = ["10 packets", "20 packets"]
"""


def mesonet(*arguments):
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


def test_flows_without_packets_are_named(folder):
    udp = 'kind = "call", rate = "1 Mbit/s", over = "udp"'
    call = f'{{ algorithm = "cubic", name = "talk", application = {{ {udp} }} }}'
    text = SCENARIO.replace('["cubic", "reno"]', f'["reno", {call}]')
    (folder / "udp.toml").write_text(text, encoding="utf-8")
    status, _, told = mesonet("simulate", "udp.toml", "--qlog", "a.qlog")
    assert status == 0
    (line,) = [line for line in told.splitlines() if "talk" in line]
    assert "reno" not in line


def test_simulate_writes_packets_and_prints_the_same_numbers():
    status, plain, _ = mesonet("simulate", "lab.toml", "--json")
    assert status == 0
    status, said, told = mesonet(
        "simulate", "lab.toml", "--json", "--pcapng", "a.pcapng", "--qlog", "a.qlog"
    )
    assert status == 0
    assert json.loads(said) == json.loads(plain)
    assert "packets: a.pcapng" in told
    assert "congestion state: a.qlog" in told
    assert len(json.loads(Path("a.qlog").read_text(encoding="utf-8"))["traces"]) == 2
    whole = Path("a.pcapng").stat().st_size
    # The command may be given again, for one flow at the other host.
    assert mesonet("simulate", "lab.toml", "--pcapng", "a.pcapng", "--flow", "reno-1",
                   "--vantage", "receiver")[0] == 0  # fmt: skip
    assert 0 < Path("a.pcapng").stat().st_size < whole


def test_every_problem_is_told_and_nothing_is_written(folder):
    status, _, told = mesonet(
        "simulate", "lab.toml", "--pcapng", "a.pcap", "--qlog", "no/a.qlog", "--flow", "cubic-2",
    )  # fmt: skip
    assert status == 2
    lines = told.splitlines()
    assert lines == [
        'error: --pcapng: expected a name that ends with .pcapng, got "a.pcap"',
        'error: --qlog: expected a file in a folder that exists, there is no "no"',
        'error: --flow: expected cubic-1 or reno-1, got "cubic-2" (did you mean "cubic-1"?)',
    ]
    assert [path.name for path in folder.iterdir()] == ["lab.toml"]


def test_a_scenario_without_named_flows_has_no_packets():
    world = 'kind = "internet"\nlong_flows = "none"\nbase_sources = 1\nduration = "1 s"\n'
    Path("world.toml").write_text(world, encoding="utf-8")
    status, _, told = mesonet("simulate", "world.toml", "--pcapng", "a.pcapng")
    assert status == 2
    assert "the scenario has no named flows" in told


def test_a_replayed_run_has_packets_and_the_recorded_numbers():
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    campaign = run_campaign(load_plan(Path("plan.toml")), out=Path("results"), workers=1)
    run = campaign.results()["run"][0]
    status, _, told = mesonet("replay", "results", run, "--pcapng", "a.pcapng", "--qlog", "a.qlog")
    assert status == 0, told
    assert "responses are as recorded" in told
    assert Path("a.pcapng").stat().st_size > 10_000
    assert Path("a.qlog").stat().st_size > 10_000

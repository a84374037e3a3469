"""Knobs: what addresses hold, what is refused, and the copies that make the same run."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from refusals import refused

import mesonet
from mesonet.errors import InputError
from mesonet.lab.copies import copies
from mesonet.lab.setting import Setting

OWN = """
import mesonet


class Plain(mesonet.Controller):
    cadence = "round"

    def on_round(self, round, flow):
        self.cwnd += flow.smss

    def on_congestion(self, event, flow):
        if event.kind == "enter_recovery":
            self.cwnd /= 2
"""
SETTINGS = [
    Setting(),
    Setting(first="reno", second="none", queue="codel", ecn="on", loss=0.1, seed=3),
    Setting(second="cubic", second_rtt=160, second_start=5, second_flows=3, rate=12.5, duration=20),
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_query_holds_a_setting(setting):
    assert Setting.read(parse_qsl(urlencode(setting.model_dump()))) == setting


def test_all_that_is_wrong_is_said_at_once():
    with pytest.raises(InputError) as caught:
        Setting.read({"rate": "5000", "first": "cubik", "queue": "long", "rtd": "3", "seed": "x"})
    assert {it.loc for it in caught.value.problems} == {"rate", "first", "queue", "rtd", "seed"}


@pytest.mark.parametrize("name", ["python:os.Path", "library:/tmp/x.so:x", "xcp"])
def test_an_address_names_no_code_and_no_algorithm_that_needs_routers(name):
    with pytest.raises(InputError) as caught:
        Setting.read({"first": name})
    assert [it.loc for it in caught.value.problems] == ["first"]


def test_a_world_has_a_largest_size():
    Setting.read({"rate": "500", "duration": "30"})
    with refused(InputError, ("duration", "too_large")):
        Setting.read({"rate": "500", "duration": "60"})


@pytest.mark.parametrize("setting", SETTINGS)
def test_copies_are_of_the_scenario_that_runs(setting, tmp_path):
    texts = copies(setting, "", "")
    (tmp_path / "lab.toml").write_text(texts["toml"], encoding="utf-8")
    assert mesonet.load_scenario(tmp_path / "lab.toml") == setting.scenario()
    names = {}
    exec(texts["python"].partition("run =")[0], names)
    assert names["scenario"] == setting.scenario()
    assert f"seed={setting.seed}" in texts["python"]


def test_the_command_runs_a_program_of_the_editor(tmp_path):
    setting = Setting(first="own", second="none", duration=2)
    command = copies(setting, "python:own.Plain", OWN)["command"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["bash", "-ec", command], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
    )
    assert (tmp_path / "lab.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("knobs", "warm_up"),
    [
        ({}, 0.25),
        ({"second": "cubic", "second_start": 20.0}, 25 / 60),
        ({"second": "none", "second_start": 20.0}, 0.25),
        ({"second": "cubic", "second_start": 20.0, "duration": 30.0}, 0.75),
    ],
)
def test_numbers_are_of_the_time_in_which_all_flows_send(knobs, warm_up):
    setting = Setting(**({"duration": 60.0} | knobs))
    assert setting.keywords("")["warm_up"] == pytest.approx(warm_up)

"""Studies from the runs to the page: sizes, verdicts, files, and what is refused."""

import datetime as dt
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from refusals import refused
from study_folders import change

from mesonet.controller import fingerprints
from mesonet.errors import InputError, PlanError
from mesonet.studies import run_study

STUDY = """
name = "tried"
title = "A study that is tried"
question = "Does it work?"
source = "nowhere"

[algorithms]
own = ["reno", "cubic"]

[settings]
Rate = "1 packet/ms"

[sizes.pocket]
words = "two runs"

[sizes.full]
words = "all"
"""
CODE = """
import polars as pl

from mesonet import dumbbell
from mesonet.studies import Item, table


def acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def runs(options):
    for name in options.chosen:
        scenario = dumbbell(
            rate="1 p/ms", rtt="20 ms", buffer="20 packets", flows=[name], duration="2 s"
        )
        yield Item(name, scenario, acked)


def figures(run):
    return {"plain": 3.0, "missing": None} | {
        name: float(result["acked"]) for name, result in run.results.items()
    }


def facts(run):
    return {"Conditions": "2"}


@table
def gains(run):
    return pl.DataFrame({"who": ["a", "b"], "gain": [0.123456789, None]})
"""
PLAN = """
name = "small"

[scenario]
kind = "dumbbell"
rate = "1 p/ms"
rtt = "20 ms"
buffer = "20 packets"
flows = ["reno"]
duration = "2 s"

[factors]
rtt = { path = "rtt", low = "10 ms", high = "40 ms" }
"""
PAGE = """
## What it says {#said}

All is well.

{{ table("gains") }}
Gains

> As far as it goes.
"""
CLAIM = """
[[claim]]
id = "{0}"
text = "Something"
published = "much"
source = "page 1"
rule = {1}
"""
MUCH = '{ kind = "between", figure = "reno", low = 1000 }'
ORDER = '{ kind = "ordered", figures = ["plain", "reno"] }'
LACKING = '{ kind = "between", figure = "missing", low = 0 }'


@pytest.fixture
def tried(tmp_path):
    """Makes the folder of a study with these claims."""

    def install(plan=False, **claims):
        folder = tmp_path / "tried"
        folder.mkdir()
        texts = {"study.toml": STUDY, "measure.py": CODE, "page.md": PAGE}
        texts |= {"plan-lab.toml": PLAN} if plan else {}
        texts["claims.toml"] = "".join(CLAIM.format(*each) for each in claims.items())
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
        return folder

    return install


def test_a_study_writes_its_page_its_scorecard_and_the_reports(tmp_path, tried):
    done = run_study(tried(plan=True, all=MUCH, none=ORDER), out=tmp_path / "out")
    assert done.page == tmp_path / "out" / "tried.html"
    assert not done.failures
    assert done.scorecard.counts()["agrees"] == 1
    page = done.page.read_text()
    for shown in ("two runs", "Rate", "Conditions", "lab/report.html", "Published versus measured"):
        assert shown in page
    assert (tmp_path / "out" / "lab" / "report.html").exists()
    card = json.loads((tmp_path / "out" / "tried.json").read_text())
    assert [row["verdict"] for row in card["claims"]] == ["agrees", "disagrees"]


def test_the_page_says_what_made_it_and_is_there_as_data(tmp_path, tried, monkeypatch):
    examples = Path(__file__).resolve().parents[3] / "examples" / "controllers"
    monkeypatch.syspath_prepend(str(examples))
    monkeypatch.setitem(sys.modules, "reno", None)  # Forgotten again at the end.
    del sys.modules["reno"]
    done = run_study(tried(), out=tmp_path / "out", algorithms=["reno", "python:reno.Reno"])
    data = json.loads((tmp_path / "out" / "tried.json").read_text())
    settings = data["settings"]
    digest = fingerprints(["python:reno.Reno"])["python:reno.Reno"]
    assert settings["Controllers (SHA-256)"] == f"python:reno.Reno: {digest} (reno.py)"
    assert f"mesonet {version('mesonet')}" in settings["Versions"]
    assert f"python {platform.python_version()}" in settings["Versions"]
    assert settings["Platform"] == platform.platform()
    assert dt.datetime.fromisoformat(settings["Last run finished"]).tzinfo is not None
    page = done.page.read_text()
    for shown in (digest, settings["Versions"], settings["Last run finished"]):
        assert shown in page
    section = data["sections"]["said"]
    assert (section["text"], section["notes"]) == (["All is well."], ["As far as it goes."])
    columns = {"who": ["a", "b"], "gain": [0.123456789, None]}
    assert section["tables"]["gains"] == {"title": "Gains", "columns": columns}


def test_claims_that_other_algorithms_cannot_decide_are_left_out(tmp_path, tried):
    folder = tried(none=ORDER.replace("plain", "missing"), all=LACKING)
    own = run_study(folder, out=tmp_path / "own")
    assert own.scorecard.counts()["not computable"] == 2
    assert "Published versus measured" in own.page.read_text()
    other = run_study(folder, out=tmp_path / "other", algorithms=["reno"])
    assert other.scorecard is None
    assert "Published versus measured" not in other.page.read_text()
    assert "published results" not in other.page.read_text()
    assert "claims" not in json.loads((tmp_path / "other" / "tried.json").read_text())


def test_the_same_command_gives_the_same_bytes(tmp_path, tried):
    folder = tried(all=MUCH)
    first, second = (run_study(folder, out=tmp_path / "out").page.read_bytes() for _ in range(2))
    assert first == second


def test_a_size_that_a_study_does_not_have_is_refused(tmp_path, tried):
    with refused(PlanError, ("size", "unknown_size")):
        run_study(tried(), out=tmp_path / "new", size="desk")
    assert not (tmp_path / "new").exists()


def test_nothing_is_written_if_any_part_cannot_be_run(tmp_path, tried):
    folder = tried(plan=True)
    change(folder, "plan-lab.toml", 'flows = ["reno"]', 'flows = ["renno"]')
    with refused(InputError, ("condition 1, base", "unknown_algorithm")):
        run_study(folder, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_study_without_output_shows_its_report(tmp_path, tried):
    folder = tried(plan=True)
    for name in ("measure.py", "page.md", "claims.toml"):
        (folder / name).unlink()
    (folder / "plan-lab.toml").rename(folder / "plan.toml")
    done = run_study(folder, out=tmp_path / "out", workers=1)
    assert done.page == tmp_path / "out" / "report.html"
    assert done.scorecard is None


def test_of_some_conditions_the_page_says_how_many_of_all_runs_are_done(tried, tmp_path):
    page = run_study(tried(plan=True), out=tmp_path / "out", conditions=[1]).page
    assert "3 of 4" in page.read_text("utf-8")
    page = run_study(tmp_path / "tried", out=tmp_path / "out").page
    assert "3 of 4" not in page.read_text("utf-8")

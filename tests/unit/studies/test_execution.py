"""Studies from the runs to the page: sizes, verdicts, files, and what is refused."""

import datetime as dt
import json
import math
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest

from mesonet.controller import fingerprints
from mesonet.errors import InputError, PlanError
from mesonet.page.blocks import Notes, Paragraph, TitledTable
from mesonet.page.tables import table, words
from mesonet.plan import plan_from_dict
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import execution
from mesonet.studies.bench import Item
from mesonet.studies.execution import run_study
from mesonet.studies.page import Section
from mesonet.studies.rules import between, ordered
from mesonet.studies.scorecard import Claim
from mesonet.studies.study import Prepared, Study, StudyOutput


def acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def item(algorithm):
    scenario = dumbbell(
        rate="1 p/ms", rtt="20 ms", buffer="20 packets", flows=[algorithm], duration="2 s"
    )
    # Run in this process: workers could not import this file.
    return Item(algorithm, scenario, acked)


PLAN = {
    "name": "small",
    "scenario": {
        "kind": "dumbbell",
        "rate": "1 p/ms",
        "rtt": "20 ms",
        "buffer": "20 packets",
        "flows": ["reno"],
        "duration": "2 s",
    },
    "factors": {"rtt": {"path": "rtt", "low": "10 ms", "high": "40 ms"}},
}


def study(*, claims=(), plans=None, items=True, sections=(), figures=None):
    def prepare(options):
        names = options.algorithms or ("reno", "cubic")

        def evaluate(run_results):
            found = {"plain": 3.0, **(figures or {})} | {
                name: float(result["acked"]) for name, result in run_results.results.items()
            }
            return StudyOutput(found, sections, facts={"Conditions": "2"})

        return Prepared(
            evaluate,
            items=[item(name) for name in names] if items else [],
            plans={name: plan_from_dict(PLAN) for name in plans or ()},
            settings={"Rate": "1 packet/ms"},
        )

    return Study(
        "tried",
        "A study that is tried",
        "Does it work?",
        "nowhere",
        {"pocket": "two runs", "full": "all"},
        prepare,
        claims,
    )


def claim(identifier, rule):
    return Claim(identifier, "Something", "much", "page 1", rule)


@pytest.fixture
def tried(monkeypatch):
    def install(**parts):
        monkeypatch.setattr(execution, "find_study", lambda *_, **__: study(**parts))

    return install


pytestmark = pytest.mark.usefixtures("in_process")


def test_a_study_writes_its_page_its_scorecard_and_the_reports(tmp_path, tried):
    tried(
        claims=[claim("all", between("reno", low=1000)), claim("none", ordered(("plain", "reno")))],
        plans=["lab"],
    )
    done = run_study("tried", out=tmp_path)
    assert done.page == tmp_path / "tried.html"
    assert not done.failures
    assert done.scorecard.counts()["agrees"] == 1
    page = done.page.read_text()
    for shown in ("two runs", "Rate", "Conditions", "lab/report.html", "Published beside measured"):
        assert shown in page
    assert (tmp_path / "lab" / "report.html").exists()
    kept = json.loads((tmp_path / "tried.json").read_text())
    assert [row["verdict"] for row in kept["claims"]] == ["agrees", "disagrees"]


def test_the_page_says_what_made_it_and_is_there_as_data(tmp_path, tried, monkeypatch):
    examples = Path(__file__).resolve().parents[3] / "examples" / "controllers"
    monkeypatch.syspath_prepend(str(examples))
    monkeypatch.setitem(sys.modules, "reno", None)  # Forgotten again at the end.
    del sys.modules["reno"]
    frame = pl.DataFrame({"who": ["a", "b"], "gain": [0.123456789, math.nan]})
    told = Section(
        "said",
        "What it says",
        (
            Paragraph("All is well.", "All is well."),
            TitledTable("Gains", table("gains", frame, (words("who", "Who"),))),
            Notes((Paragraph("As far as it goes.", "As far as it goes."),)),
        ),
    )
    tried(sections=[told])
    done = run_study("tried", out=tmp_path, algorithms=["reno", "python:reno.Reno"])
    data = json.loads((tmp_path / "tried.json").read_text())
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
    assert data["sections"]["said"]["text"] == ["All is well."]
    assert data["sections"]["said"]["notes"] == ["As far as it goes."]
    assert data["sections"]["said"]["tables"]["gains"] == {
        "title": "Gains",
        "columns": {"who": ["a", "b"], "gain": [0.123456789, None]},
    }


def test_claims_that_other_algorithms_cannot_decide_are_left_out(tmp_path, tried):
    claims = [claim("none", ordered(("missing", "reno"))), claim("all", between("missing", low=0))]
    tried(claims=claims, figures={"missing": math.nan})
    own = run_study("tried", out=tmp_path / "own")
    assert own.scorecard.counts()["not computable"] == 2
    assert "Published beside measured" in own.page.read_text()
    other = run_study("tried", out=tmp_path / "other", algorithms=["reno"])
    assert other.scorecard is None
    assert "Published beside measured" not in other.page.read_text()
    assert "published results" not in other.page.read_text()
    assert "claims" not in json.loads((tmp_path / "other" / "tried.json").read_text())


def test_the_same_command_gives_the_same_bytes(tmp_path, tried):
    tried(claims=[claim("all", between("reno", low=1000))])
    first, second = (run_study("tried", out=tmp_path).page.read_bytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("name", ["tried.html", "tried.json", "lab/report.html", "lab/report.json"])
def test_a_study_writes_over_nothing_that_mesonet_did_not_write(name, tmp_path, tried):
    tried(claims=[claim("all", between("reno", low=1000))], plans=["lab"])
    (tmp_path / "lab").mkdir()
    (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match=f"{name}: exists and was not written by mesonet"):
        run_study("tried", out=tmp_path)
    assert (tmp_path / name).read_text() == "{}"
    assert not (tmp_path / "runs").exists()


def test_a_size_that_a_study_does_not_have_is_refused(tmp_path, tried):
    tried()
    with pytest.raises(PlanError, match="desk"):
        run_study("tried", out=tmp_path / "new", size="desk")
    assert not (tmp_path / "new").exists()


def test_nothing_is_written_if_any_part_cannot_be_run(tmp_path, tried, monkeypatch):
    tried(plans=["lab"])
    with pytest.raises(InputError, match="renno"):
        run_study("tried", out=tmp_path / "new", algorithms=["renno"])
    assert not (tmp_path / "new").exists()


def test_a_study_without_output_shows_its_report(tmp_path, monkeypatch):
    plain = Study(
        "plain",
        "",
        "",
        "",
        {"pocket": "two runs"},
        lambda _: Prepared(plans={"": plan_from_dict(PLAN)}),
    )
    monkeypatch.setattr(execution, "find_study", lambda *_, **__: plain)
    done = run_study("plain", out=tmp_path / "out", workers=1)
    assert done.page == tmp_path / "out" / "report.html"
    assert done.scorecard is None

"""An evaluation from end to end at a tiny size, and what is refused."""

import json
import re
import shutil
from pathlib import Path

import pytest
from jsonschema import validate
from refusals import refused
from tiny_criteria import CRASHING, TINY, tiny_criteria
from typer.testing import CliRunner

import mesonet
from mesonet.campaign import Campaign
from mesonet.cli import app
from mesonet.errors import InputError
from mesonet.evaluation import execution
from mesonet.evaluation.execution import evaluate, failures
from mesonet.evaluation.regression import read_evaluation
from mesonet.evaluation.result import SCHEMA, schema


@pytest.fixture
def tiny(tmp_path_factory):
    """Criteria of their own, small enough for a test."""
    with tiny_criteria(tmp_path_factory.mktemp("criteria")) as folder:
        yield folder


def test_bbr_takes_from_reno_in_shallow_buffers_and_the_command_says_so(tiny, tmp_path):
    """RFC 9743 section 5.1.3 and Ware and others, IMC 2019."""
    out = tmp_path / "out"
    command = ["evaluate", "bbr1", "--baseline", "reno", "--workers", "1", "--out", str(out)]
    outcome = CliRunner().invoke(app, command)
    assert outcome.exit_code == 0
    _, said, page = outcome.stdout.splitlines()
    assert page == str(out / "index.html")
    assert said.startswith("5.2.1 Two flows: where buffer = 0.5 BDP: others' goodput (reno: harm ")
    data = json.loads((out / "evaluation.json").read_text("utf-8"))
    cells = data["criteria"][0]["experiments"][0]["cells"]
    goodput = {cell["levels"]["buffer"]: cell for cell in cells if cell["words"] == "goodput"}
    assert goodput["0.5 BDP"]["state"] == "worse"
    assert goodput["0.5 BDP"]["excess"] > 0.3


def test_ledbat_yields(tiny, tmp_path):
    """RFC 6817 and draft-irtf-iccrg-ledbat-plus-plus: less than best effort, in long buffers."""
    evaluation = evaluate("ledbat++", baseline=["reno"], out=tmp_path / "ledbat", workers=1)
    cells = evaluation.criteria[0].experiments[0].cells
    goodput = {cell.levels["buffer"]: cell for cell in cells if cell.words == "goodput"}
    assert goodput["4 BDP"].state == "better"
    assert not [cell for cell in goodput.values() if cell.state == "worse"]


def test_the_delay_of_reno_grows_with_the_buffer(tiny, tmp_path):
    """Whoever fills the buffer has a power of one; beside Reno both sides do."""
    evaluation = evaluate("cubic", baseline=["reno"], out=tmp_path / "cubic", workers=1)
    slopes = {it.words: it for it in evaluation.criteria[0].experiments[0].slopes}
    assert 0.5 < slopes["delay"].reference < 1.2
    assert slopes["delay"].low < slopes["delay"].candidate < slopes["delay"].high


def test_dctcp_takes_from_reno_where_queues_mark_both(tiny, tmp_path):
    """RFC 8257 section 5: it must not be deployed where it shares queues with classic flows.

    Half a product of buffer holds eight packets, so that losses limit DCTCP as well.
    """
    marks = 'queue = { kind = "codel", ecn = true }\ntransport = { ecn = true }\n'
    (tiny / "5.2.1.toml").write_text(
        TINY.replace("record_queues = true\n", f"record_queues = true\n{marks}")
    )
    evaluation = evaluate("dctcp", baseline=["reno"], out=tmp_path / "dctcp", workers=1)
    cells = evaluation.criteria[0].experiments[0].cells
    goodput = {cell.levels["buffer"]: cell for cell in cells if cell.words == "goodput"}
    assert all(cell.excess > 0.1 for cell in goodput.values())
    assert {goodput[buffer].state for buffer in ("1.41 BDP", "4 BDP")} == {"worse"}


def test_the_same_algorithm_by_another_name_does_no_harm(tiny, tmp_path):
    """An algorithm against itself: no excess in any replicate."""
    evaluation = evaluate("aimd", baseline=["reno"], out=tmp_path / "aimd", workers=1)
    cells = evaluation.criteria[0].experiments[0].cells
    assert {cell.state for cell in cells} == {"no worse"}
    assert {cell.excess for cell in cells} == {0.0}


def test_a_folder_has_the_evaluation_as_data_and_as_a_page(tiny, tmp_path):
    out = tmp_path / "found"
    first = evaluate("vegas", baseline=["reno"], packs=["l4s"], out=out, workers=1)
    text = (out / "evaluation.json").read_text("utf-8")
    data = json.loads(text)
    validate(data, schema())
    assert f"--out {out}" in data["command"]
    assert {each["status"] for each in data["criteria"]} == {"run", "not modelled"}
    page = (out / "index.html").read_text("utf-8")
    assert 'id="s-5-2-1"' in page
    assert 'id="pack-l4s"' in page
    assert {each["verdict"] for each in data["packs"][0]["statements"]} > {"agrees", "disagrees"}
    assert "compliant" not in page.lower()
    assert "national network was not run" in page
    # Nothing is left to do, and the same comes of it.
    again = evaluate("vegas", baseline=["reno"], packs=["l4s"], out=out, workers=1)
    assert again == first
    assert (out / "evaluation.json").read_text("utf-8") == text
    cell = data["criteria"][0]["experiments"][0]["cells"][0]
    replayed = CliRunner().invoke(app, ["replay", str(out / "criteria/5.2.1"), cell["run"]])
    assert replayed.exit_code == 0
    # A deployment that was run is on the page; sizes desk and full run that study.
    sections = {"rfc-9743-1": {"text": ["Nobody gains."]}, "signs": {"text": ["Some do."]}}
    (out / "deployment-mix").mkdir()
    file = out / "deployment-mix" / "deployment-mix.json"
    file.write_text(json.dumps({"sections": sections}))
    evaluation = evaluate("vegas", baseline=["reno"], packs=["l4s"], out=out, workers=1)
    assert evaluation.deployment == ("Nobody gains.",)
    page = (out / "index.html").read_text("utf-8")
    assert 'href="deployment-mix/deployment-mix.html"' in page
    assert "national network was not run" not in page


def test_replicates_go_on_where_a_cell_is_undecided(tiny, tmp_path):
    """And the same comes of it again, when nothing is left to do."""
    file = tiny / "5.2.1.toml"
    file.write_text(TINY.replace("replicates = 4", "replicates = 4, most = 6"))
    evaluation = evaluate("bbr1", baseline=["reno"], out=tmp_path / "out", workers=1)
    cells = evaluation.criteria[0].experiments[0].cells
    replicates = {
        cell.condition: {it.n for it in cells if it.condition == cell.condition} for cell in cells
    }
    assert sorted(replicates.values(), key=sum) == [{4}, {6}, {6}]
    assert evaluate("bbr1", baseline=["reno"], out=tmp_path / "out", workers=1) == evaluation


def test_what_was_interrupted_is_no_evidence(tiny, tmp_path, monkeypatch):
    """Runs that are missing are no runs without a value."""
    (tiny / "5.2.2.toml").write_text(TINY.replace("5.2.1", "5.2.2"))
    common = {"baseline": ["reno"], "out": tmp_path / "out", "workers": 1}
    whole = execution.run_campaign

    def stopped(*plan, **options):
        whole(*plan, **options, conditions=[1])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(execution, "run_campaign", stopped)
        with pytest.raises(KeyboardInterrupt):
            evaluate("bbr1", criteria=["5.2.1"], **common)
    evaluation = evaluate("bbr1", criteria=["5.2.2"], **common)
    assert [it.status for it in evaluation.criteria] == ["not asked for", "run", "not modelled"]
    assert evaluate("bbr1", **common).criteria[0].status == "run"


def test_runs_of_baselines_are_taken_from_another_evaluation(tiny, tmp_path):
    """Own kind and alone are the same for every candidate, and so is all that is made of them."""
    first, second, whole = tmp_path / "bbr1", tmp_path / "vegas", tmp_path / "whole"
    evaluate("bbr1", baseline=["reno"], out=first, workers=1)
    mixed = evaluate("vegas", baseline=["reno"], out=second, reuse=first, workers=1)
    begun = [
        set(Campaign.open(it / "criteria/5.2.1").timings()["started"]) for it in (first, second)
    ]
    # Two arms of three, in three conditions with four replicates each.
    assert len(begun[0] & begun[1]) == 24
    assert len(begun[1] - begun[0]) == 12
    simulated = evaluate("vegas", baseline=["reno"], out=whole, workers=1)
    assert mixed.criteria == simulated.criteria
    with refused(InputError, ("reuse", "other_question")):
        evaluate("vegas", baseline=["reno"], out=tmp_path / "no", reuse=first, seed=2)
    with refused(InputError, ("reuse", "no_evaluation")):
        evaluate("vegas", baseline=["reno"], out=tmp_path / "no", reuse=tmp_path)


def test_a_candidate_with_other_parameters_is_another(tiny, tmp_path):
    """A window that is hardly reduced takes more from Reno than CUBIC's own."""
    common = {"baseline": ["reno"], "workers": 1}
    usual = evaluate("cubic", out=tmp_path / "usual", **common)
    with pytest.raises(InputError, match="baselines reno, not reno,vegas; choose"):
        evaluate("cubic", out=tmp_path / "usual", baseline=["reno", "vegas"])
    with refused(InputError, ("out", "other_question")):
        evaluate("cubic", parameters={"beta": 0.9}, out=tmp_path / "usual", **common)
    options = ["--set", "beta=0.9", "--reuse", str(tmp_path / "usual"), "--baseline", "reno"]
    out = tmp_path / "gentle"
    result = CliRunner().invoke(app, ["evaluate", "cubic", *options, "--out", str(out)])
    assert result.exit_code == 0, result.stderr
    gentle = read_evaluation(out / "evaluation.json")
    both = zip(usual.criteria[0].cells, gentle.criteria[0].cells, strict=True)
    goodput = [(a, b) for a, b in both if a.words == "goodput"]
    assert all(a.reference == b.reference for a, b in goodput)
    assert sum(b.candidate - a.candidate for a, b in goodput) > 0
    assert gentle.command.startswith(f"mesonet evaluate cubic --set beta=0.9 --out {out} ")
    assert "(beta = 0.9)" in (out / "index.html").read_text("utf-8")


@pytest.mark.parametrize("name", ["evaluation.json", "inputs.json"])
def test_a_damaged_file_is_told_before_anything_is_run(tiny, tmp_path, name):
    out = tmp_path / "out"
    evaluate("bbr1", baseline=["reno"], out=out, workers=1)
    shutil.rmtree(out / "criteria")
    (out / name).write_text("{")
    with pytest.raises(InputError, match=name):
        evaluate("bbr1", baseline=["reno"], out=out, workers=1)
    assert not (out / "criteria").exists()


def test_the_published_schema_is_that_of_the_results():
    assert json.loads(SCHEMA.read_text("utf-8")) == schema()


def test_runs_of_the_deployment_that_failed_are_told(tiny, tmp_path):
    evaluation = evaluate("vegas", baseline=["reno"], out=tmp_path / "out", workers=1)
    assert failures(evaluation) == {}
    broken = evaluation.model_copy(update={"deployment_errors": {"mix 30 %": "out of range"}})
    assert [*failures(broken).values()] == ["out of range"]


def test_runs_that_failed_where_there_are_no_cells_are_told(tiny, tmp_path):
    """Those of every share of some flows."""
    evaluation = evaluate("vegas", baseline=["reno"], out=tmp_path / "out", workers=1)
    (experiment,) = evaluation.criteria[0].experiments
    bare = experiment.model_copy(update={"cells": (), "failed": 3})
    criterion = evaluation.criteria[0].model_copy(update={"experiments": (bare,)})
    broken = evaluation.model_copy(update={"criteria": (criterion,)})
    assert failures(broken) == {"criteria/5.2.1": "3 runs"}


def test_a_controller_that_fails_in_a_cell_is_evidence(tiny, tmp_path, monkeypatch):
    (tmp_path / "crash.py").write_text(CRASHING)
    monkeypatch.chdir(tmp_path)
    command = ["evaluate", "crash.py", "--baseline", "reno", "--workers", "1", "--json"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["candidate"]["name"] == "python:crash.Crash"
    assert len(data["candidate"]["sha256"]) == 64
    assert data["command"].startswith("mesonet evaluate crash.py ")
    cells = data["criteria"][0]["experiments"][0]["cells"]
    errors = {cell["levels"]["buffer"]: cell["errors"] for cell in cells}
    assert "out of range" in errors["4 BDP"][0]
    assert errors["0.5 BDP"] == []
    assert {it["levels"]["buffer"] for it in cells if it["state"] == "no value"} == {"4 BDP"}
    page = (tmp_path / "Crash-evaluation" / "index.html").read_text("utf-8")
    assert "no value in" in page
    # Its line for a replay is one that replays: with trust, for the code is somebody's.
    (line,) = re.findall(r"mesonet (replay criteria/\S+ \w+.*?)<", page)
    monkeypatch.chdir(tmp_path / "Crash-evaluation")
    monkeypatch.syspath_prepend(tmp_path)
    assert CliRunner().invoke(app, line.split()).exit_code == 0


CHANCE = """\
import os
import mesonet


class Chance(mesonet.Controller):
    cadence = "round"

    def on_round(self, round, flow):
        if os.environ.get("AGAIN"):
            {then}

    def on_congestion(self, event, flow):
        pass
"""


@pytest.mark.parametrize("then", ["raise ValueError('by chance')", "self.cwnd = 2 * flow.smss"])
def test_a_candidate_that_is_another_the_second_time_keeps_its_evaluation(
    tiny, tmp_path, monkeypatch, then
):
    replay = Campaign.replay

    def again(*args, **options):
        monkeypatch.setenv("AGAIN", "1")
        return replay(*args, **options)

    monkeypatch.setattr(Campaign, "replay", again)
    (tmp_path / "by_chance.py").write_text(CHANCE.format(then=then))
    told, out = [], tmp_path / "out"
    common = {"baseline": ["reno"], "out": out, "workers": 1, "before": told.append}
    done = evaluate(str(tmp_path / "by_chance.py"), **common)
    assert failures(done) == {}
    assert (out / "index.html").is_file()
    assert (out / "evaluation.json").is_file()
    assert sum("a second time" in it for it in told) == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"packs": ["l5s"]}, [("packs", "unknown_pack")]),
        (
            {"packs": ["l5s"], "reuse": "nowhere", "criteria": ["5.9"]},
            [
                ("packs", "unknown_pack"),
                ("reuse", "no_evaluation"),
                ("criteria", "unknown_criterion"),
            ],
        ),
        ({"parameters": {"gane": 2.0}}, [("parameters.bbr1.gane", "unknown_key")]),
        ({"baseline": ["bbr1"]}, [("baseline", "same_algorithm")]),
        ({"baseline": ["reno", "reno"]}, [("baseline", "duplicate")]),
        ({"baseline": ["renoo"]}, [("baseline", "unknown_algorithm")]),
        ({"size": "huge"}, [("size", "unknown_size")]),
        (
            {"criteria": ["7.10"], "baseline": ["bbr1"]},
            [("baseline", "same_algorithm"), ("criteria", "no_experiment")],
        ),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(tiny, tmp_path, options, expected):
    with refused(InputError, *expected):
        evaluate("bbr1", out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (None, "controller"),
        ("def f(:\n", "controller"),
        ("class A:\n    pass\n", "several"),
        (
            "import mesonet\nclass A(mesonet.Controller): ...\nclass B(mesonet.Controller): ...\n",
            "several",
        ),
    ],
)
def test_a_file_has_to_have_one_controller(tiny, tmp_path, text, kind):
    file = tmp_path / "counted.py"
    if text is not None:
        file.write_text(text)
    with refused(InputError, (str(file), kind)):
        evaluate(str(file), out=tmp_path / "out")


def test_a_folder_with_other_files_is_refused(tiny, tmp_path):
    Path(tmp_path / "notes.txt").write_text("mine")
    with refused(InputError, ("out", "occupied")):
        mesonet.evaluate("vegas", baseline=["reno"], out=tmp_path)

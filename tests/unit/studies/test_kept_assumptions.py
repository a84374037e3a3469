"""Verdicts under other assumptions: kept ones fit the claims, and the manual says what they say."""

import json

import polars as pl
import pytest

from mesonet.campaign import Campaign, run_campaign
from mesonet.plan import plan_from_dict
from mesonet.store import Parts, open_files
from mesonet.studies import find_study
from mesonet.studies.sharing import take_over

PLAN = {
    "name": "two",
    "scenario": {
        "kind": "dumbbell",
        "rate": "2 Mbit/s",
        "rtt": "20 ms",
        "buffer": "20 packets",
        "flows": [{"algorithm": "reno"}],
        "duration": "1 s",
    },
    "responses": ["loss_rate"],
    "alternatives": [
        {"label": "reno", "set": {"flows[0].algorithm": "reno"}},
        {"label": "fast", "set": {"flows[0].algorithm": "fast"}},
    ],
}
FAST = {"flows[0].algorithm": "fast", "parameters": {"fast": {"alpha": 20}}}
OTHER = [PLAN["alternatives"][0], {"label": "fast", "set": FAST}]


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("assumptions")


@pytest.fixture
def table(tool):
    """Made up: ours agrees with every claim but the first and the last."""
    ids = [claim.id for claim in find_study("nist-2a").claims]
    ours = dict.fromkeys(ids, "agrees") | {ids[0]: "disagrees", ids[-1]: "not computable"}
    other = ours | {ids[0]: "agrees", ids[1]: "disagrees", ids[2]: "not computable"}
    return {
        "study": "nist-2a",
        "size": "pocket",
        "result_version": "3",
        "ours": ours,
        "others": {"seed": other},
    }


def test_the_manual_is_written_from_what_is_kept(tool):
    assert tool.PAGE.read_text("utf-8") == tool.page(), "run tools/manual/assumptions.py write"


@pytest.mark.parametrize("study", ["nist-2a"])
def test_assumptions_are_kept_at_pocket_size(tool, study):
    kept = json.loads(tool.file_of(study, "pocket").read_text("utf-8"))
    assert (kept["study"], kept["size"]) == (study, "pocket")
    assert "seed" in kept["others"], "without it nobody knows what chance changes"


def test_changes_are_told_both_ways(tool, table):
    study = find_study("nist-2a")
    ids = [claim.id for claim in study.claims]
    found = tool.compared(study, table)
    (row,) = found["rows"]
    assert (row["gained"], row["lost"]) == ([ids[0]], [ids[1]])
    assert row["other"] == [f"{ids[2]} (agrees → not computable)"]
    scored = len(ids) - 1
    assert found["ours"] == {"agrees": scored - 1, "scored": scored}
    assert row["counts"] == {"agrees": scored - 2, "scored": scored - 1}
    assert [claim.id for claim in found["moved"]] == ids[:3]
    assert found["steady"] == len(ids) - 3


def test_claims_and_assumptions_that_changed_are_not_passed_over(tool, table):
    study = find_study("nist-2a")
    verdicts = dict(list(table["ours"].items())[1:])
    for wrong in ({"others": {"seed": verdicts}}, {"ours": verdicts}, {"others": {"gone": {}}}):
        with pytest.raises(ValueError, match="run it again"):
            tool.compared(study, table | wrong)


def test_runs_that_are_the_same_are_taken_over(tmp_path):
    plans = [plan_from_dict(PLAN), plan_from_dict(PLAN | {"alternatives": OTHER})]
    run_campaign(plans[0], out=tmp_path / "ours", workers=1)
    take_over(plans[1], tmp_path / "ours", tmp_path / "other")
    taken = Campaign.open(tmp_path / "ours").results().filter(alternative="reno")["run"].to_list()
    assert Parts(open_files(tmp_path / "other"), "results", {"run": pl.String}).runs() == set(taken)
    finished = run_campaign(plans[1], out=tmp_path / "other", workers=1)
    assert finished.status()["done"] == 2
    # A folder that has begun is left alone.
    take_over(plans[1], tmp_path / "gone", tmp_path / "other")


def test_unknown_assumptions_and_studies_without_scorecard(tool, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="no assumption fast-21; there are seed, "):
        tool.run("nist-2a", "pocket", out=tmp_path, names=["fast-21"])
    monkeypatch.setattr(tool, "KEPT", tmp_path)
    with pytest.raises(ValueError, match="keep the study's own scorecard first"):
        tool.run("nist-2a", "pocket", out=tmp_path)

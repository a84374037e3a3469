"""Campaign folders: what they hold, and what they refuse."""

import json

import fakes
import polars as pl
import pytest
from refusals import refused

from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.provenance import what_changed
from mesonet.errors import CampaignError, PlanError
from mesonet.scenario.transport import PROFILES


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    return run_campaign(fakes.plan(), out=folder, workers=1, execute=fakes.quick)


def content(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_results_are_one_row_per_cell_in_order(done):
    frame = done.results()
    assert frame.columns == [
        "run",
        "condition",
        "alternative",
        "replicate",
        "seed",
        "rate",
        "rtt",
        "rate_level",
        "rtt_level",
        "utilization",
        "jain_index",
        "loss_rate",
        "packets",
    ]
    assert frame["condition"].to_list() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert frame["replicate"].to_list() == [1, 2] * 4
    assert frame["seed"].to_list() == [1, 2] * 4
    assert frame["rate"].to_list() == [-1, -1, 1, 1] * 2
    assert frame["rate_level"].to_list()[:4] == ["10 Mbit/s"] * 2 + ["20 Mbit/s"] * 2
    assert frame["jain_index"].is_nan().all()
    assert frame.schema["packets"] == pl.Int64


def test_an_opened_campaign_is_the_one_that_was_run(done):
    opened = Campaign.open(done.folder)
    assert opened.plan == done.plan
    assert opened.results().equals(done.results(), null_equal=True)
    assert (opened.timings()["wall_seconds"] > 0).all()
    assert (opened.timings()["memory"] > 1e6).all()
    assert opened.timings()["state"].to_list() == ["done"] * 8


def test_the_manifest_says_where_the_results_come_from(done):
    manifest = done.manifest
    assert manifest["name"] == "fake"
    assert manifest["seeds"] == [1, 2]
    assert manifest["runs"] == 8
    assert "polars" in manifest["versions"]
    assert manifest["result_version"]
    assert json.loads((done.folder / "manifest.json").read_text()) == manifest


def test_runs_are_found_by_the_beginning_of_their_id(done):
    row = done.results().row(3, named=True)
    scenario, cell = done.find(row["run"][:10])
    assert (cell.condition, cell.replicate, cell.seed) == (2, 2, 2)
    assert (scenario.rate.value, scenario.rtt) == (20e6, 0.02)
    with pytest.raises(CampaignError, match="zzz"):
        done.find("zzz")
    with pytest.raises(CampaignError, match=r"\b8\b"):
        done.find("")


def test_a_default_that_has_changed_is_named(done, monkeypatch):
    run = done.results()["run"][0]
    assert what_changed(done, run) == []
    monkeypatch.setitem(PROFILES, "rfc", PROFILES["rfc"] | {"dup_thresh": 4})
    (why,) = what_changed(done, run)
    assert why.startswith("a default that its scenario leaves open")
    with pytest.raises(CampaignError):
        run_campaign(fakes.plan(), out=done.folder, workers=1, execute=fakes.quick)


def test_another_result_version_is_named(done, monkeypatch):
    monkeypatch.setitem(done.manifest, "result_version", "0")
    (why,) = what_changed(done, done.results()["run"][0])
    assert why.startswith("the engine's result version was 0 and is ")


def test_a_finished_campaign_runs_nothing_again(done):
    before = content(done.folder / "results")
    run_campaign(fakes.plan(), out=done.folder, workers=1, execute=fakes.failing)
    assert content(done.folder / "results") == before


def test_what_changes_no_run_may_change(done):
    plan = fakes.plan(title="A better title", analysis={"main_effects": {}})
    again = run_campaign(plan, out=done.folder, workers=1, execute=fakes.failing)
    assert again.status()["done"] == 8
    assert Campaign.open(done.folder).plan.title == "A better title"


@pytest.mark.parametrize("changes", [{"seed": 5}, {"responses": ["mean_queue"]}, {"factors": {}}])
def test_the_folder_of_another_plan_is_refused_untouched(done, changes):
    before = content(done.folder)
    with pytest.raises(CampaignError):
        run_campaign(fakes.plan(**changes), out=done.folder, execute=fakes.quick)
    assert content(done.folder) == before


def test_another_result_version_is_refused_untouched(done, monkeypatch):
    before = content(done.folder)
    monkeypatch.setattr("mesonet.campaign.manifest.result_version", lambda: "another")
    monkeypatch.setattr("mesonet.plan.model.result_version", lambda: "another")
    with pytest.raises(CampaignError):
        run_campaign(fakes.plan(), out=done.folder, execute=fakes.quick)
    assert content(done.folder) == before
    assert Campaign.open(done.folder).results().height == 8


def test_folders_with_other_things_are_refused_untouched(tmp_path):
    (tmp_path / "thesis.tex").write_text("precious", encoding="utf-8")
    with pytest.raises(CampaignError, match=r"thesis\.tex"):
        run_campaign(fakes.plan(), out=tmp_path, execute=fakes.quick)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(CampaignError):
        run_campaign(fakes.plan(), out=tmp_path / "thesis.tex", execute=fakes.quick)


def test_a_plan_that_cannot_run_writes_nothing(tmp_path):
    broken = fakes.plan(alternatives=[{"label": "x", "set": {"flows[0].algorithm": "nix"}}])
    with refused(PlanError, ("condition 1, x", "unknown_algorithm")):
        run_campaign(broken, out=tmp_path / "campaign", execute=fakes.quick)
    assert not list(tmp_path.iterdir())


def test_a_folder_without_manifest_is_begun_again(tmp_path):
    (tmp_path / "progress.json").write_bytes(b"half a word")
    (tmp_path / "results").mkdir()
    campaign = run_campaign(fakes.plan(), out=tmp_path, workers=1, execute=fakes.quick)
    assert campaign.status()["done"] == 8

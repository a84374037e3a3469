"""Campaigns that grow replicate by replicate until their stopping rule is content."""

import json

import pytest
from dumbbells import LITTLE
from typer.testing import CliRunner

from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.sequential import stopping_of
from mesonet.cli import app
from mesonet.plan import plan_from_dict
from mesonet.report import ReportInputs, build

DATA = {
    "name": "growing",
    "scenario": LITTLE | {"loss": 0.002},
    "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
    "responses": ["utilization"],
}


def test_a_folder_grows_until_the_rule_is_content_and_is_that_of_a_longer_plan(tmp_path):
    # No half-width is this small, so that it ends at the largest number.
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    plan = plan_from_dict(DATA | {"stopping": rule})
    told = []
    campaign = run_campaign(
        plan, out=tmp_path / "a", workers=1, more=lambda replicate, _: told.append(replicate)
    )
    assert told == [3, 4]
    assert Campaign.open(tmp_path / "a").plan.replicates == 4
    longer = plan_from_dict(DATA | {"replicates": 4})
    at_once = run_campaign(longer, out=tmp_path / "b", workers=1)
    assert campaign.results().equals(at_once.results())


def test_the_same_call_again_does_nothing_more(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 3}
    plan = plan_from_dict(DATA | {"stopping": rule})
    first = run_campaign(plan, out=tmp_path, workers=1).timings()
    assert run_campaign(plan, out=tmp_path, workers=1).timings().equals(first)


def test_a_stopped_campaign_goes_on_where_it_was(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    plan = plan_from_dict(DATA | {"stopping": rule})
    run_campaign(plan_from_dict(DATA | {"replicates": 3}), out=tmp_path, workers=1)
    told = []
    campaign = run_campaign(plan, out=tmp_path, workers=1, more=lambda *it: told.append(it))
    assert told == [(4, 2)]
    assert campaign.results()["replicate"].max() == 4


def test_a_campaign_that_was_killed_within_a_block_ends_with_as_many_replicates(tmp_path):
    rule = {"responses": {"utilization": "10 %"}, "max_replicates": 20}
    plan = plan_from_dict(DATA | {"stopping": rule})
    whole = run_campaign(plan, out=tmp_path / "a", workers=1).results()
    last = whole["replicate"].max()
    assert 2 < last < 20
    before, within = (plan_from_dict(DATA | {"replicates": n}) for n in (last - 1, last))
    run_campaign(before, out=tmp_path / "b", workers=1)
    run_campaign(within, out=tmp_path / "b", workers=1, conditions=[1])
    assert run_campaign(plan, out=tmp_path / "b", workers=1).results().equals(whole)


def test_commands_and_report_say_that_a_campaign_ended_at_its_limit(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 3}
    plan = tmp_path / "plan.toml"
    plan.write_text(plan_from_dict(DATA | {"stopping": rule}).to_toml())
    command = ["run", str(plan), "--out", str(tmp_path / "a"), "--workers", "1"]
    text = "After 3 of at most 3 replicates 2 of 2 cells are not known as precisely"
    for _ in range(2):
        assert text in CliRunner().invoke(app, command).stderr
    assert text in CliRunner().invoke(app, ["status", str(tmp_path / "a")]).stdout
    status = CliRunner().invoke(app, ["status", str(tmp_path / "a"), "--json"])
    assert json.loads(status.stdout)["stopping"]["asking"] == 2
    page = build(ReportInputs.from_campaign(Campaign.open(tmp_path / "a")), tmp_path / "a.html")
    assert text in page.read_text()
    assert json.loads((tmp_path / "a.json").read_text())["stopping"]["content"] is False


def test_a_campaign_that_was_killed_between_two_blocks_is_not_called_finished(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    plan = plan_from_dict(DATA | {"stopping": rule})

    def killed(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_campaign(plan, out=tmp_path, workers=1, more=killed)
    campaign = Campaign.open(tmp_path)
    assert campaign.status()["pending"] == 0
    assert stopping_of(campaign).text.endswith("`mesonet run` goes on.")


def test_a_limit_below_what_the_folder_has_forgets_nothing_and_runs_nothing(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    first = run_campaign(plan_from_dict(DATA | {"stopping": rule}), out=tmp_path, workers=1)
    results = first.results()
    lower = plan_from_dict(DATA | {"stopping": rule | {"max_replicates": 3}})
    assert run_campaign(lower, out=tmp_path, workers=1).results().equals(results)
    assert "After 4 of at most 4 replicates" in stopping_of(Campaign.open(tmp_path)).text

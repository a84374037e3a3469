"""Campaigns that grow replicate by replicate until their stopping rule is content."""

from mesonet.campaign import Campaign, run_campaign
from mesonet.campaign.sequential import run_plan
from mesonet.plan import plan_from_dict

DATA = {
    "name": "growing",
    "scenario": {
        "kind": "dumbbell",
        "rate": "10 Mbit/s",
        "rtt": "40 ms",
        "flows": ["reno"],
        "duration": "2 s",
        "loss": 0.002,
    },
    "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
    "responses": ["utilization"],
}


def test_a_folder_grows_until_the_rule_is_content_and_is_that_of_a_longer_plan(tmp_path):
    # No half-width is this small, so that it ends at the largest number.
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    plan = plan_from_dict(DATA | {"stopping": rule})
    told = []
    campaign = run_plan(
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
    first = run_plan(plan, out=tmp_path, workers=1).timings()
    assert run_plan(plan, out=tmp_path, workers=1).timings().equals(first)


def test_a_stopped_campaign_goes_on_where_it_was(tmp_path):
    rule = {"responses": {"utilization": 1e-9}, "max_replicates": 4}
    plan = plan_from_dict(DATA | {"stopping": rule})
    run_campaign(plan.with_replicates(3), out=tmp_path, workers=1)
    campaign = run_plan(plan, out=tmp_path, workers=1)
    assert campaign.results()["replicate"].max() == 4

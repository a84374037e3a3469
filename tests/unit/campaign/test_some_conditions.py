"""Some conditions of a plan are run now, and the folder takes the others later."""

from refusals import refused

from mesonet.campaign import run_campaign, verify
from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict

TINY = {
    "name": "tiny",
    "responses": ["loss_rate"],
    "scenario": {
        "kind": "dumbbell",
        "rate": "1 p/ms",
        "rtt": "20 ms",
        "buffer": "10 packets",
        "flows": ["reno"],
        "duration": "1 s",
    },
    "factors": {
        "rate": {"path": "rate", "low": "1 p/ms", "high": "2 p/ms"},
        "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
    },
}


def test_conditions_are_run_now_and_the_others_later(tmp_path):
    plan = plan_from_dict(TINY)
    first = run_campaign(plan, out=tmp_path / "parts", conditions=[2, 4], workers=1)
    assert sorted(first.results()["condition"]) == [2, 4]
    assert first.status()["pending"] == 2
    begun = {row["run"]: row["finished"] for row in first.timings().to_dicts()}
    rest = run_campaign(plan, out=tmp_path / "parts", workers=1)
    assert sorted(rest.results()["condition"]) == [1, 2, 3, 4]
    again = [
        row["run"] for row in rest.timings().to_dicts() if row["finished"] == begun[row["run"]]
    ]
    assert len(again) == 2
    whole = run_campaign(plan, out=tmp_path / "whole", workers=1)
    assert rest.results().sort("condition").equals(whole.results().sort("condition"))


def test_more_replicates_in_some_conditions_leave_the_others_as_they_are(tmp_path):
    plan, out = plan_from_dict({**TINY, "spread": {"rtt": 0.1}}), tmp_path / "out"
    run_campaign(plan, out=out, workers=1)
    more = run_campaign(plan.with_replicates(3), out=out, conditions=[2], workers=1)
    replicates = {1: [1], 2: [1, 2, 3], 3: [1], 4: [1]}
    assert _replicates(more) == replicates
    assert more.plan.replicates == 3
    assert verify(out, sample=0).sound
    assert _replicates(run_campaign(plan, out=out, workers=1)) == replicates
    whole = run_campaign(plan.with_replicates(3), out=out, workers=1)
    assert whole.status()["done"] == 12


def _replicates(campaign):
    cells = campaign.store.cells.group_by("condition").agg("replicate").sort("condition")
    return {condition: sorted(each) for condition, each in cells.iter_rows()}


def test_conditions_that_the_plan_does_not_have_are_refused(tmp_path):
    with refused(PlanError, ("conditions", "range")):
        run_campaign(plan_from_dict(TINY), out=tmp_path / "out", conditions=[0, 2, 5])
    assert not (tmp_path / "out").exists()

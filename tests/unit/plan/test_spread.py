"""Replicates of a plan that differ in round-trip times and starts."""

import pytest

from mesonet.campaign import Campaign, run_campaign
from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict
from mesonet.responses import compute

TABLE = {
    "name": "spread",
    "scenario": {
        "kind": "dumbbell",
        "rate": "5 Mbit/s",
        "rtt": "40 ms",
        "flows": [{"algorithm": "reno", "count": 2}, {"algorithm": "cubic", "rtt": "80 ms"}],
        "duration": "2 s",
    },
    "factors": {"loss": {"path": "loss", "levels": [0.0, 0.001]}},
    "replicates": 3,
    "spread": {"rtt": 0.1, "start": "200 ms"},
    "responses": ["flow_goodput:reno"],
}


def test_replicates_draw_times_that_conditions_share():
    runs = plan_from_dict(TABLE).runs()
    drawn = [(run.scenario.rtt, *(flow.start for flow in run.scenario.flows)) for run in runs]
    assert drawn[:3] == drawn[3:]
    assert len(set(drawn)) == 3
    for run in runs:
        names = [flow.name for flow in run.scenario.flows]
        assert names == ["reno-1", "reno-2", "cubic-1"]
        assert 0.036 <= run.scenario.rtt <= 0.044
        assert run.scenario.flows[2].rtt == pytest.approx(2 * run.scenario.rtt)
        assert all(0 <= flow.start <= 0.2 for flow in run.scenario.flows)
    longer = plan_from_dict(TABLE).with_replicates(4).runs()
    assert {run.id for run in runs} < {run.id for run in longer}


def test_laboratories_of_other_kinds_are_spread_too():
    link = {"ends": ["a", "b"], "rate": "9 Mbit/s", "delay": "10 ms", "reverse_delay": "30 ms"}
    flow = {"algorithm": "reno", "source": "a", "receiver": "b", "count": 2, "rtt": "40 ms"}
    kinds = {
        "custom": {"links": [link], "flows": [flow]},
        "parking_lot": {"rate": "9 Mbit/s", "rtt": "40 ms", "flows": ["reno"], "cross": ["reno"]},
    }
    for kind, world in kinds.items():
        scenario = {"kind": kind, "duration": "2 s", **world}
        runs = plan_from_dict(TABLE | {"scenario": scenario, "factors": {}}).runs()
        rtts = [run.scenario.named_flows().values() for run in runs]
        assert len({flow.base_rtt for flows in rtts for flow in flows}) == 3, kind
        assert all(0.036 <= flow.base_rtt <= 0.044 for flows in rtts for flow in flows)
        starts = [it["start"] for run in runs for it in run.scenario.resolve()["flows"]]
        assert len(set(starts)) == 6, kind


def test_an_application_starts_as_a_whole():
    web = {"kind": "web", "objects": 5, "size": "9 kB", "pause": "1 s", "connections": 4}
    flows = [{"algorithm": "reno", "count": 2, "application": web}]
    runs = plan_from_dict(TABLE | {"scenario": TABLE["scenario"] | {"flows": flows}}).runs()
    for run in runs:
        starts = [it["start"] for it in run.scenario.resolve()["flows"]]
        assert len(starts) == 2 * 4, "connections of two applications"
        assert len(set(starts)) == 2


def test_a_campaign_finds_the_scenarios_of_its_replicates_again(tmp_path):
    plan = plan_from_dict(TABLE)
    campaign = run_campaign(plan, out=tmp_path / "kept", workers=1)
    assert Campaign.open(tmp_path / "kept").plan == plan
    for run in plan.runs():
        assert campaign.find(run.id)[0] == run.scenario
    third = plan.runs()[2].id
    replayed = campaign.replay(third)
    assert compute(replayed.measurements, plan.responses) == campaign.recorded(third)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"spread": {"rtt": 1.0}}, "spread.rtt"),
        ({"spread": {"start": "2 s"}}, "spread.start"),
        ({"spread": {"stop": "2 s"}}, "spread.stop"),
        ({"scenario": {"kind": "internet"}, "factors": {}, "responses": ["y1"]}, "spread"),
    ],
)
def test_spreads_that_cannot_be_are_refused(changes, place):
    with pytest.raises(PlanError) as caught:
        plan_from_dict(TABLE | changes)
    assert [problem.loc for problem in caught.value.problems] == [place]

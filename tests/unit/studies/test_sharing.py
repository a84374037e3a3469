"""Runs that campaigns share: finished ones are taken over, and a begun folder is left alone."""

import polars as pl

from mesonet.campaign import Campaign, run_campaign
from mesonet.plan import plan_from_dict
from mesonet.store import Files, Parts
from mesonet.studies.execution import take_over

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


def test_runs_that_are_the_same_are_taken_over(tmp_path):
    plans = [plan_from_dict(PLAN), plan_from_dict(PLAN | {"alternatives": OTHER})]
    run_campaign(plans[0], out=tmp_path / "ours", workers=1)
    take_over(plans[1], tmp_path / "ours", tmp_path / "other")
    taken = Campaign.open(tmp_path / "ours").results().filter(alternative="reno")["run"].to_list()
    assert Parts(Files(tmp_path / "other"), "results", {"run": pl.String}).runs() == set(taken)
    finished = run_campaign(plans[1], out=tmp_path / "other", workers=1)
    assert finished.status()["done"] == 2
    # A folder that has begun is left alone.
    take_over(plans[1], tmp_path / "gone", tmp_path / "other")

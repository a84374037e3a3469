"""Ids of runs stay what they were: a campaign folder finds its runs by them."""

import pytest

from mesonet.plan.model import run_id
from mesonet.scenario import scenario_from_dict
from mesonet.tables import result_version

DUMBBELL = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"}
IDS = [
    ("edfeb69376c4886a", {**DUMBBELL, "flows": ["reno", "cubic"]}),
    (
        "8acb3e92d44e05b3",
        {
            "kind": "dumbbell",
            "rate": "21 p/ms",
            "rtt": "162 ms",
            "buffer": "0.2 bdp",
            "flows": ["fast"],
            "queue": {"kind": "vcp", "mark_above": 5},
            "profile": "linux-4.18",
            "record_segments": True,
            "transport": {"recovery": "newreno", "dup_thresh": 4},
        },
    ),
    (
        "e1cf858c811a2666",
        {
            **DUMBBELL,
            "flows": ["bbr3"],
            "initial_ssthresh": 64,
            "transport": {
                "receive_window": "inf",
                "syn_loss_window": "inf",
                "recovery": "tahoe-1988",
            },
        },
    ),
    ("ba9b9cb000b64b06", {"kind": "internet"}),
    (
        "062fc179c0e35766",
        {
            "kind": "internet",
            "topology": "isp",
            "queue": "xcp",
            "algorithms": "xcp",
            "long_flows": "none",
        },
    ),
]


@pytest.mark.parametrize(("known", "scenario"), IDS)
def test_ids_of_runs_are_kept(known, scenario):
    assert result_version() == "1", "a new result version gives all runs new ids: put them here"
    assert run_id(scenario_from_dict(scenario), 7) == known

"""What no file can hold: infinities, quantities and nothing, in the levels of a plan."""

import json
import math
import tomllib

import pytest

from mesonet.plan import plan_from_dict
from mesonet.units import Rate, Size

BASE = {
    "name": "test",
    "scenario": {"kind": "dumbbell", "rate": "9 Mbit/s", "rtt": "40 ms", "flows": ["reno"]},
}


@pytest.mark.parametrize(
    "changes",
    [
        {"factors": {"s": {"path": "initial_ssthresh", "levels": [10.0, math.inf]}}},
        {"factors": {"r": {"path": "rate", "low": Rate(5e6, "bits"), "high": "8 Mbit/s"}}},
        {"factors": {"b": {"path": "buffer", "levels": [Size(9, "packets"), "1 bdp"]}}},
        {"alternatives": [{"label": "late", "set": {"initial_ssthresh": math.inf}}]},
        {"alternatives": [{"label": "lte", "set": {"rate": Rate(5e6, "bits")}}]},
    ],
)
def test_what_no_file_can_hold_survives_a_manifest(changes):
    """JSON has no infinity, and neither file has our quantities."""
    plan = plan_from_dict(BASE | changes)
    for again in (json.loads(json.dumps(plan.to_dict())), tomllib.loads(plan.to_toml())):
        assert plan_from_dict(again).runs() == plan.runs()


def test_what_is_set_to_none_is_left_out_of_toml():
    plan = plan_from_dict(BASE | {"alternatives": [{"label": "a", "set": {"access_rate": None}}]})
    assert plan_from_dict(json.loads(json.dumps(plan.to_dict()))).runs() == plan.runs()
    assert plan_from_dict(tomllib.loads(plan.to_toml())).runs() == plan.runs()

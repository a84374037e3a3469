"""Texts of resolved scenarios, which run ids hash."""

import json

import pytest

import mesonet
from mesonet.checked import checked


@pytest.mark.parametrize(
    "scenario",
    [
        mesonet.internet(scale=0.01),
        mesonet.internet(scale=0.01, topology="isp", delay_multiplier=1.3),
        mesonet.dumbbell(rate="5 Mbit/s", rtt="40 ms", buffer="1 bdp", flows=["reno"]),
    ],
    ids=["abilene", "isp", "dumbbell"],
)
def test_a_text_is_json_with_sorted_keys(scenario):
    accepted = checked(scenario)
    assert accepted.text == json.dumps(accepted.spec, sort_keys=True)

"""Texts of resolved scenarios, which run ids hash."""

import json

import pytest

import mesonet
from mesonet.checked import Texts, checked
from mesonet.scenario.base import ScenarioBase


@pytest.mark.parametrize(
    "scenario",
    [
        mesonet.internet(scale=0.01),
        mesonet.internet(scale=0.01, topology="isp", delay_multiplier=1.3),
        mesonet.dumbbell(rate="5 Mbit/s", rtt="40 ms", buffer="1 bdp", flows=["reno"]),
    ],
    ids=["abilene", "isp", "dumbbell"],
)
def test_a_text_is_that_of_json_also_when_its_routes_are_known(scenario: ScenarioBase):
    for _ in range(2):
        found = checked(scenario)
        assert found.text == json.dumps(found.spec, sort_keys=True, allow_nan=False)


def test_another_table_of_routes_has_another_text():
    texts = Texts(tables=1)
    for table in ([[1, -1]], [[-1, 1]], [[1, -1]]):
        assert texts.of({"next_link": table, "a": 1.0}) == f'{{"a": 1.0, "next_link": {table}}}'


def test_numbers_that_are_not_finite_have_no_text():
    with pytest.raises(ValueError, match="JSON"):
        Texts().of({"duration": float("nan")})

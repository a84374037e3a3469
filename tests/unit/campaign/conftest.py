"""A finished campaign of one short run, for tests that only read it, or a copy of it."""

import pytest

from mesonet.campaign import run_campaign
from mesonet.plan import plan_from_dict

TINY = {
    "name": "tiny",
    "scenario": {
        "kind": "dumbbell",
        "rate": "5 Mbit/s",
        "rtt": "20 ms",
        "flows": ["reno"],
        "duration": "1 s",
    },
    "responses": ["utilization"],
}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny") / "out"
    run_campaign(plan_from_dict(TINY), out=folder, workers=1, series=True)
    return folder

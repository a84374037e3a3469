"""Small runs whose packets are recorded."""

import pytest

import mesonet


@pytest.fixture(scope="module")
def lab():
    """Simulates flows over 5 Mbit/s and 40 ms whose buffer is too small, recorded."""

    def simulated(*flows, seed=3, **changes):
        options = {
            "rate": "5 Mbit/s",
            "rtt": "40 ms",
            "buffer": "0.5 bdp",
            "duration": "4 s",
            "profile": "linux",
            "record_packets": True,
        }
        scenario = mesonet.dumbbell(flows=list(flows), **(options | changes))
        return mesonet.simulate(scenario, seed=seed)

    return simulated

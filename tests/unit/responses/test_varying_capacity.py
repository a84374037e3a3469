"""Utilization and queueing delay where a model, switches or changes make the capacity."""

import numpy as np
import polars as pl
import pytest

import mesonet
from mesonet.checked import varying_rate

PATHS = {
    "cellular": {"path": {"model": "cellular"}},
    "leo": {
        "path": {
            "model": {
                "kind": "leo",
                "period": "3 s",
                "interruption": ["0.2 s", "0.4 s"],
                # So that the flow fills its link.
                "loss": 0,
                "handover_loss": 0,
            }
        }
    },
    "suspended": {"path": {"model": {"kind": "wifi", "jitter": "1 ms", "suspended": "0.3 s"}}},
    "switches": {"path": {"on_changes": [["2 s", False], ["2.7 s", True]], "period": "5 s"}},
    "both": {
        "path": {"model": "cellular", "on_changes": [["2 s", False], ["2.7 s", True]]},
        "rate_changes": [["4 s", "5 Mbit/s"], ["9 s", "20 Mbit/s"]],
        "rate_period": "11 s",
    },
}


def rate_of(run):
    return varying_rate(run.scenario, run.seed)


def lab(name, **changes):
    keys = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "200 packets", "flows": ["cubic"]}
    times = {"interval": "10 ms", "duration": "30 s", "profile": "linux"}
    return mesonet.simulate(mesonet.dumbbell(**keys | times | PATHS[name] | changes), seed=5)


@pytest.mark.parametrize("name", PATHS)
def test_utilization_is_what_departed_over_what_the_link_could_carry(name):
    run = lab(name)
    rate = rate_of(run)
    assert rate is not None
    (carried,) = rate.carried(np.array([30.0]))
    departed = run.stations["departures"][0]
    assert run.responses["utilization"] == pytest.approx(departed / carried, abs=2e-3)


# A jitter of 20 ms keeps CUBIC from filling the queue of the satellite.
@pytest.mark.parametrize("name", sorted(PATHS.keys() - {"leo"}))
def test_a_queue_that_nobody_joins_takes_as_long_as_its_delay(name):
    """From 10 s on nothing is sent, and what was sent has come to the queue by 10.03 s."""
    run = lab(name, flows=[mesonet.flow("cubic", stop="10 s")])
    rate = rate_of(run)
    assert rate is not None
    queue = run.queues.filter(pl.col("station") == run.queues["station"][0], pl.col("time") > 10.03)
    time, packets = queue["time"][0], queue["packets"][0]
    (empty,) = rate.drained(rate.carried(np.array([time])) + packets)
    seen = queue.filter(pl.col("packets") == 0)["time"][0]
    assert packets > 5
    assert seen == pytest.approx(empty, abs=0.021)


def test_a_delay_in_an_outage_ends_after_it():
    """From 2 s to 2.7 s nothing leaves: whoever waits at 2.2 s waits for 0.5 s at least."""
    run = lab("switches", duration="3 s", warm_up=0.7, periods=1)
    # Of 90 intervals from 2.1 s on 60 end in the outage.
    assert 0.6 < run.responses["bottleneck_delay_p95"] < 0.7
    assert 0.15 < run.responses["bottleneck_delay_p50"] < 0.5


def test_a_path_that_leaves_the_rate_alone_has_no_varying_rate():
    for path in (
        {"model": "gilbert_elliott"},
        {"while_off": "lose", "on_changes": [["1 s", False]]},
    ):
        scenario = mesonet.dumbbell(
            rate="20 Mbit/s", rtt="40 ms", flows=["cubic"], duration="2 s", path=path
        )
        assert rate_of(mesonet.simulate(scenario)) is None

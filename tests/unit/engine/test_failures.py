"""Links that fail, and routes around them, beside round trips and losses worked out by hand."""

import polars as pl
import pytest
from labs import shortest
from refusals import refused

import mesonet
from mesonet.errors import ScenarioError


def link(a, b, delay):
    return {"ends": [a, b], "rate": "100 Mbit/s", "delay": delay}


def square(failures, **changes):
    """A short way from a to b by way of n, and a long one by way of s."""
    keys = {
        "links": [
            link("w", "n", "5 ms"),
            link("n", "e", "5 ms"),
            link("w", "s", "20 ms"),
            link("s", "e", "20 ms"),
            link("a", "w", "1 ms"),
            link("e", "b", "1 ms"),
        ],
        "flows": [{"algorithm": "cubic", "source": "a", "receiver": "b"}],
        # A window that fills neither way: no packet waits.
        "transport": {"receive_window": 20},
        "duration": "12 s",
        "failures": failures,
    }
    return mesonet.custom(**keys | changes)


FAILURE = {"link": ["n", "e"], "at": "4 s", "until": "8 s"}


def test_routes_lead_around_a_failure_and_back():
    """Two ways of 12 ms and of 42 ms; four packets of 20 µs take the rest."""
    run = mesonet.simulate(square([FAILURE | {"rerouted_after": "500 ms"}]))
    assert shortest(run, 2, 4) == pytest.approx(0.024, abs=1e-3)
    assert shortest(run, 6, 8) == pytest.approx(0.084, abs=1e-3)
    assert shortest(run, 9, 12) == pytest.approx(0.024, abs=1e-3)


def test_what_is_on_a_dead_link_is_lost_and_counted():
    """Without other routes nothing comes for 4 s, but for what had passed the link."""
    run = mesonet.simulate(square([FAILURE]))
    silent = run.flows.filter(pl.col("time").is_between(4.15, 8.0))
    assert silent["acked"].sum() == 0
    # What was on the link, and probes and timeouts that double: 0.2, 0.4, 0.8 and 1.6 s, or so.
    totals = run.totals
    assert 5 <= totals["dropped"] <= 20
    assert totals["injected"] == totals["delivered"] + totals["dropped"] + totals["in_flight"]
    assert run.flows.filter(pl.col("time") > 9)["acked"].sum() > 500


@pytest.mark.parametrize(("at", "until", "lost"), [(250, 251, 10), (202, 203, 10), (310, 320, 0)])
def test_packets_are_in_the_air_for_the_delay_of_their_link(at, until, lost):
    """Ten packets of 0.12 ms are sent after a handshake of 200 ms, over a link of 100 ms."""
    scenario = mesonet.custom(
        links=[link("a", "w", "0 ms"), link("w", "b", "100 ms")],
        flows=[{"algorithm": "cubic", "source": "a", "receiver": "b", "size": "10 packets"}],
        initial_window=10,
        duration="350 ms",
        interval="50 ms",
        failures=[{"link": ["w", "b"], "at": f"{at} ms", "until": f"{until} ms"}],
    )
    run = mesonet.simulate(scenario)
    assert (run.totals["dropped"], run.totals["delivered"]) == (lost, 11 - lost)


def test_a_backbone_link_fails():
    """Seattle to Washington by Denver, and without that link by Sunnyvale and Denver."""
    scenario = mesonet.internet(
        duration="12 s",
        scale=0.005,
        jumbo="none",
        long_flows=[{"name": "L", "source": "A1a", "receiver": "K1a", "start": 0.1}],
        failures=[{"link": ["STTL", "DNVR"], "at": "4 s", "until": "8 s", "rerouted_after": "0 s"}],
        think_time="1000 s",
        transport={"receive_window": 4},
        profile="rfc",
    )
    run = mesonet.simulate(scenario)
    before, during, after = (shortest(run, *span) for span in ((2, 4), (6, 8), (10, 12)))
    assert after == pytest.approx(before, abs=5e-4)
    # 14 and 11 ms in the place of 22 ms each way, and a router more.
    assert during - before == pytest.approx(0.006, abs=5e-4)


@pytest.mark.parametrize(
    ("failure", "loc", "kind"),
    [
        ({"link": ["n", "x"], "at": "1 s"}, "failures[0].link", "unknown"),
        ({"link": ["n", "s"], "at": "1 s"}, "failures[0].link", "unknown"),
        ({"link": ["n", "e"], "at": "12 s"}, "failures[0].at", "too_large"),
        ({"link": ["n", "e"], "at": "2 s", "until": "2 s"}, "failures[0].until", "too_small"),
        ({"link": ["n"], "at": "2 s"}, "failures[0].link[1]", "missing"),
    ],
)
def test_failures_of_nothing_are_refused(failure, loc, kind):
    with refused(ScenarioError, (loc, kind)):
        square([failure])


def test_hosts_have_one_link_that_routes_begin_at():
    with refused(ScenarioError, *([("flows[0]", "conflict")] * 2)):
        square(
            [FAILURE | {"rerouted_after": "0 s"}],
            flows=[{"algorithm": "cubic", "source": "n", "receiver": "b"}],
        )

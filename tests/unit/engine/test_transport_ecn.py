"""ECN as users meet it: options of the transport, and what they lead to."""

import pytest
from refusals import refused

from mesonet import ScenarioError, dumbbell, simulate

MARKED = {"kind": "droptail", "mark_above": 20}
MARKING = {"rate": "40 Mbit/s", "rtt": "20 ms", "buffer": "2 bdp", "queue": MARKED}
"""A queue that has room for twice its path and marks from 20 packets on."""


def run(algorithm="reno", **transport):
    scenario = dumbbell(
        **MARKING,
        flows=[algorithm],
        initial_ssthresh=30,
        transport=transport,
        duration="20 s",
    )
    return simulate(scenario)


@pytest.mark.parametrize("profile", ["mesonet", "rfc", "linux-4.18", "linux-6.18", "quic"])
def test_every_profile_takes_the_options(profile):
    scenario = dumbbell(**MARKING, profile=profile, flows=["reno"], transport={"ecn": True})
    assert scenario.transport_options()["ecn"] is True


def test_wrong_values_are_named_together():
    with pytest.raises(ScenarioError) as caught:
        dumbbell(**MARKING, flows=["reno"], transport={"ecn": "on", "echo": "exact", "ecn+": True})
    text = str(caught.value)
    assert all(place in text for place in ("transport.ecn", "transport.echo", "transport.ecn+"))
    assert "accurate" in text


def test_an_echo_that_would_do_nothing_is_an_error():
    """No flow has ECN; DCTCP would, and so might a controller that is not built in."""
    with refused(ScenarioError, ("transport.echo", "conflict")):
        run(echo="dctcp")
    run("dctcp", echo="dctcp")
    run(echo="dctcp", ecn=True)


def test_dctcp_does_not_wait_for_the_switch():
    assert run("dctcp").flows["ce_marked"].sum() > 0

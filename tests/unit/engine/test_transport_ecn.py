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


def test_defaults_of_ecn_stay_out_of_the_resolved_transport():
    plain = dumbbell(**MARKING, flows=["reno"]).transport_options()
    defaults = {"ecn": False, "echo": "auto"}
    named = dumbbell(**MARKING, flows=["reno"], transport=defaults)
    assert named.transport_options() == plain
    assert not plain.keys() & defaults.keys()
    for name, value in {"ecn": True, "echo": "accurate"}.items():
        options = dumbbell(**MARKING, flows=["reno"], transport={name: value}).transport_options()
        assert options == plain | {name: value}


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


@pytest.mark.parametrize("echo", ["auto", "classic", "dctcp", "accurate"])
def test_reno_with_ecn_is_marked_and_loses_nothing(echo):
    """RFC 3168: marks take the place of losses, whatever tells of them."""
    without, with_ecn = run(), run(ecn=True, echo=echo)
    assert without.flows["ce_marked"].sum() == 0
    assert without.totals["dropped"] > 0
    assert with_ecn.flows["ce_marked"].sum() > 0
    assert with_ecn.totals["dropped"] == with_ecn.totals["retransmitted"] == 0


def test_dctcp_does_not_wait_for_the_switch():
    assert run("dctcp").flows["ce_marked"].sum() > 0

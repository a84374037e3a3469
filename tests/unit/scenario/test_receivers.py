"""Receivers of flows that break the rules."""

import pytest
from refusals import refused

import mesonet


def pair(receiver, **options):
    return mesonet.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        duration="10 s",
        flows=[
            mesonet.flow("reno", name="attacker", conduct=receiver),
            mesonet.flow("reno", name="other", start="0.2 s"),
        ],
        **options,
    )


@pytest.mark.parametrize("receiver", ["hides_losses", "hides_marks", "repeats_acks", "acks_ahead"])
def test_the_engine_knows_each_word(receiver):
    scenario = pair(receiver, transport={"receive_window": 200})
    assert [flow.get("conduct") for flow in scenario.resolve()["flows"]] == [receiver, None]
    assert mesonet.simulate(scenario, seed=1).totals["delivered"] > 0


def test_others_get_less_beside_a_receiver_that_hides_losses():
    """Savage and others, CCR 29(5), 1999, section 2.3."""
    window = {"transport": {"receive_window": 200}}
    fair, unfair = (
        mesonet.simulate(pair(receiver, **window), seed=1).flows.filter(flow="other")["acked"].sum()
        for receiver in ("honest", "hides_losses")
    )
    assert unfair < fair / 2


@pytest.mark.parametrize(
    ("receiver", "options"),
    [
        ("hides_losses", {}),
        ("acks_ahead", {}),
        ("acks_ahead", {"profile": "quic", "transport": {"receive_window": 200}}),
    ],
)
def test_a_sender_that_never_hears_of_a_loss_needs_a_receive_window_and_acks_ahead_those_of_tcp(
    receiver, options
):
    with refused(mesonet.ScenarioError, ("flows[0].conduct", "conflict")):
        pair(receiver, **options)


def test_an_unknown_word_is_refused():
    with pytest.raises(mesonet.ScenarioError) as raised:
        pair("lies")
    assert raised.value.problems[0].loc == "conduct"

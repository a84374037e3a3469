"""Definitions say what is in a number beside what its name says."""

import pytest

from mesonet import dumbbell, flow, simulate
from mesonet.responses import lookup


def ran(*flows, **options):
    return simulate(dumbbell(rtt="20 ms", flows=list(flows), record_queues=True, **options), seed=1)


@pytest.mark.parametrize("percent", [50, 95, 99])
def test_the_wait_of_a_delayed_ack_is_in_queueing_delays(percent):
    # RFC 7323 section 4.3: "The data-sender TCP must measure the effective RTT, including the
    # additional time due to delayed ACKs".
    window = {"receive_window": 1}
    run = ran("reno", rate="100 Mbit/s", duration="20 s", profile="rfc", transport=window)
    assert run.responses[f"sojourn_p{percent}"] < 1e-6
    assert run.responses[f"queueing_delay_p{percent}"] == pytest.approx(0.2, rel=0.03)
    for name in (f"queueing_delay_p{percent}", f"network_queueing_delay_p{percent}", "y8"):
        assert "delayed ACK" in lookup(name).response.definition


def test_marked_acks_are_in_the_mark_rate():
    queue = {"kind": "random", "probability": 0.1, "ecn": True}
    both, forward = (
        ran("dctcp", rate="100 Mbit/s", duration="10 s", queue=queue, profile="linux", **reverse)
        for reverse in ({}, {"reverse_queue": "droptail"})
    )
    assert forward.responses["mark_rate"] == pytest.approx(0.1, rel=0.1)
    assert both.responses["mark_rate"] > 0.13
    assert "Marked ACKs count above" in lookup("mark_rate").response.definition


def test_acks_of_the_other_direction_count_as_segments_at_the_bottleneck():
    flows = [flow("cubic"), flow("cubic", name="back", count=8, reverse=True)]
    run = ran(*flows, rate="20 Mbit/s", buffer="250 kB", duration="20 s", profile="linux")
    assert run.responses["bottleneck_delay_p50"] > 1.2 * run.responses["sojourn_p50"] > 0
    assert "count as full segments" in lookup("bottleneck_delay_p50").response.definition


def test_a_full_queue_is_occupied_by_slightly_more_than_its_room():
    run = ran("aiad", rate="10 Mbit/s", buffer="20 packets", duration="20 s", warm_up=0.5)
    assert run.queues["packets"].max() == 21
    assert "slightly above 1" in lookup("queue_occupancy").response.definition


def test_times_of_flows_begin_with_the_interval_in_which_they_first_send():
    # It connects at 1.05 s and sends from 1.45 s on, which belongs to the interval from 1.4 s.
    late = flow("reno", name="one", start="1.05 s", rtt="400 ms")
    window = {"receive_window": 10}
    run = ran(late, rate="10 Mbit/s", duration="20 s", profile="mesonet", transport=window)
    first = run.flows.filter(run.flows["phase"] >= 0)["time"][0]
    assert first == pytest.approx(1.5)
    acked = run.flows["acked"].cast(float).to_list()
    sums = [sum(acked[at : at + 40]) for at in range(len(acked) - 39)]
    reached = next(at for at, count in enumerate(sums) if count >= 0.9 * max(sums))
    expected = (reached + 40) * 0.1 - 1.4
    assert run.responses["goodput_latency"] == pytest.approx(expected)
    for name in ("goodput_latency", "convergence_time"):
        definition = lookup(name).response.definition
        assert "first sends" in definition
        assert "interval in which" in definition

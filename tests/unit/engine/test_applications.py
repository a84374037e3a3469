"""Applications over the engine, beside examples worked by hand and processor sharing."""

import numpy as np
import pytest

import mesonet


def _lab(application, **fields):
    flows = [mesonet.flow("cubic", name="app", application=application)]
    return mesonet.dumbbell(**({"rate": "12 Mbit/s", "rtt": "40 ms", "flows": flows} | fields))


@pytest.mark.parametrize(
    "size",
    [
        {"law": "exponential", "mean": "1 MB"},
        {"law": "pareto", "mean": "1 MB", "shape": 1.8},
    ],
    ids=["exponential", "pareto"],
)
def test_short_flows_share_as_processors_do(size):
    """M/G/1-PS: the mean slowdown is 1/(1-rho) for every law of sizes (Kleinrock, volume 2, 4.4).

    Fair queues share a path that is short beside the sizes: 1.4 segments of 685 fit into it.
    """
    load, segments, rate = 0.3, 1e6 / 1460 + 0.5, 100e6 / 12000
    every = f"{segments / rate / load} s"
    lab = _lab(
        {"kind": "rpc", "size": size, "every": every, "connections": 60},
        rate="100 Mbit/s",
        rtt="0.2 ms",
        buffer="10000 packets",
        queue={"kind": "fq_codel", "target": "10 s", "interval": "100 s"},
        duration="1000 s",
        interval="10 s",
    )
    run = mesonet.simulate(lab)
    assert run.requests.height > 3000
    assert run.totals["dropped"] == 0
    assert run.responses["utilization"] == pytest.approx(load, rel=0.1)
    assert run.responses["slowdown"] == pytest.approx(1 / (1 - load), rel=0.05)


def test_frames_arrive_after_half_a_round_trip_and_their_service():
    """1.168 Mbit/s are two segments in each frame of 20 ms; each takes a ms at 12 Mbit/s."""
    call = {"kind": "call", "rate": "1.168 Mbit/s", "deadline": "25 ms"}
    run = mesonet.simulate(_lab(call, duration="10 s"))
    delays = (run.requests["received"] - run.requests["asked"]).to_numpy()[10:-2]
    assert delays == pytest.approx(0.022)
    assert run.responses["call_delay_p95"] == pytest.approx(0.022)
    assert run.responses["call_late_share"] < 0.01
    tight = mesonet.simulate(_lab(call | {"deadline": "21 ms"}, duration="10 s"))
    assert tight.responses["call_late_share"] == 1.0


def test_a_call_over_udp_loses_frames_and_delays_none():
    """Of two packets in a frame one or both are lost: 1 - 0.95 ** 2 is 0.0975 (RFC 8085, 3.1)."""
    call = {"kind": "call", "rate": "1.168 Mbit/s", "deadline": "25 ms", "over": "udp"}
    run = mesonet.simulate(_lab(call, duration="100 s", loss=0.05))
    received = run.requests["received"].to_numpy()
    delays = (received - run.requests["asked"].to_numpy())[~np.isnan(received)]
    assert delays == pytest.approx(0.022)
    assert run.responses["call_late_share"] == pytest.approx(0.0975, abs=0.013)
    assert run.totals["acks_sent"] == run.totals["retransmitted"] == run.totals["syns"] == 0
    # What arrived is the goodput of the flow.
    assert run.responses["flow_goodput"] == pytest.approx(0.95 * 100, rel=0.02)
    assert run.flows["acked"].sum() == run.totals["delivered"]


def test_a_call_over_udp_in_a_full_queue_is_late_and_in_one_of_its_own_is_not():
    """RFC 8867, 5.6: media beside a long TCP flow over 2 Mbit/s, with a queue of 300 ms."""
    call = {"kind": "call", "rate": "0.584 Mbit/s", "over": "udp"}
    flows = [mesonet.flow("cubic", name="app", application=call), mesonet.flow("cubic")]
    late = [
        mesonet.simulate(
            _lab(call, rate="2 Mbit/s", buffer="50 packets", queue=queue, flows=flows)
        ).responses["call_late_share"]
        for queue in ("droptail", "fq_codel")
    ]
    assert late[0] > 0.5
    assert late[1] < 0.02


def test_a_film_stalls_through_an_outage():
    """Segments of 400 packets, 0.4 s at 12 Mbit/s, for each 4 s; an outage from 10 s to 30 s.

    The client holds 12 s, so it has asked for three segments at once and one every 4 s after:
    five by 10 s, which play until 20.5 s. A sixth asked for in the outage comes after it.
    """
    film = {"kind": "video", "rates": ["1.168 Mbit/s"], "buffer": "12 s"}
    changes = [("10 s", "0 Mbit/s"), ("30 s", "12 Mbit/s")]
    run = mesonet.simulate(_lab(film, rate_changes=changes, duration="40 s", profile="linux"))
    received = run.requests["received"].to_numpy()
    startup = 0.04 + 0.02 + 0.4
    assert run.responses["video_startup"] == pytest.approx(startup, abs=0.15)
    assert np.count_nonzero(received < 10) == 5
    stall = received[5] - (received[0] + 20)
    assert 9 < stall < 15
    assert run.responses["video_stall_share"] == pytest.approx(stall / (40 - received[0]))
    assert run.responses["video_bitrate"] == pytest.approx(1.168e6)


def test_pages_come_over_connections_that_stay():
    """Six objects of ten segments fit the initial windows: half a round trip and 60 ms."""
    web = {"kind": "web", "objects": 6, "size": "10 packets", "pause": "1 s"}
    run = mesonet.simulate(_lab(web, duration="30 s", buffer="100 packets"))
    pages = run.requests.partition_by("unit", maintain_order=True)[1:-1]
    times = [page["received"].max() - page["asked"][0] for page in pages]
    assert times == pytest.approx([0.08] * len(times))
    assert run.responses["page_load_time_p50"] == pytest.approx(0.08)
    assert run.totals["connections"] == 6


def test_alternatives_see_the_same_requests():
    rpc = {
        "kind": "rpc",
        "size": {"law": "lognormal", "mean": "50 kB", "shape": 1},
        "every": "90 ms",
    }
    one, other = (
        mesonet.simulate(
            mesonet.dumbbell(
                rate="5 Mbit/s", rtt="40 ms", flows=[mesonet.flow(name, name="a", application=rpc)]
            )
        ).requests
        for name in ("reno", "bbr3")
    )
    assert one.select("unit", "size", "asked").equals(other.select("unit", "size", "asked"))
    assert not one["received"].equals(other["received"])


def test_transfers_of_a_trace_begin_when_it_says():
    trace = {"kind": "trace", "times": [0.25, 2], "bytes": [14600, 1]}
    run = mesonet.simulate(_lab(trace, duration="5 s"))
    assert run.requests["asked"].to_list() == [0.25, 2.0]
    taken = (run.requests["received"] - run.requests["asked"]).to_list()
    # A handshake with packets of 40 bytes, half a round trip, and a ms for each segment.
    assert taken == pytest.approx([0.07, 0.061], abs=1e-3)
    assert run.responses["slowdown"] == pytest.approx(1.0, abs=0.01)

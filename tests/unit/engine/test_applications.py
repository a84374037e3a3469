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
    assert run.responses["goodput"] == pytest.approx(0.95 * 100, rel=0.02)
    # A lost frame is late and has no delay.
    assert run.responses["call_delay_p99"] == pytest.approx(0.022)
    assert run.responses["call_rate"] == pytest.approx(0.9025 * 1.168e6, rel=0.02)
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


def _rmcat(*flows, **fields):
    """A path of RFC 8867: 50 ms each way, a queue of 300 ms at 1 Mbit/s."""
    path = {"rate": "1 Mbit/s", "rtt": "100 ms", "buffer": "25 packets", "duration": "120 s"}
    return mesonet.simulate(mesonet.dumbbell(flows=flows, **({"warm_up": 0.25} | path | fields)))


def _nada(name="call", rate="1.5 Mbit/s", **fields):
    call = {"kind": "call", "rate": rate, "adaptation": "nada", "over": "udp"}
    return mesonet.flow("reno", name=name, application=call, **fields)


def test_a_call_that_adapts_fills_a_path_with_the_queue_of_the_equations():
    """RFC 8867, 5.1; RFC 8698, 4.3: x = XREF RMAX / R, 15 ms at 1460/1500 of 1 Mbit/s."""
    responses = _rmcat(_nada()).responses
    assert responses["call_rate"] == pytest.approx(1e6 * 1460 / 1500, rel=0.01)
    assert responses["loss_rate"] == 0
    wait = responses["call_delay_p50"] - 0.05 - 0.012
    # Beside the queue, a frame of 20 ms is spread over its time.
    assert 0.0154 < wait < 0.0154 + 0.02
    alone = _rmcat(_nada(), rate="10 Mbit/s").responses
    assert alone["call_rate"] == pytest.approx(1.5e6, rel=0.01)


def test_a_call_that_adapts_follows_the_capacity():
    """RFC 8867, 5.1: 1, 2.5, 0.6 and 1 Mbit/s, of which the frames have 1460/1500."""
    changes = [("40 s", "2.5 Mbit/s"), ("60 s", "0.6 Mbit/s"), ("80 s", "1 Mbit/s")]
    run = _rmcat(
        _nada(rate="2 Mbit/s"), rate_changes=changes, duration="100 s", interval="5 s", warm_up=0
    )
    rates = run.flows["acked"].to_numpy() * 1460 * 8 / 5
    assert rates[[7, 11, 15, 19]] == pytest.approx([0.973e6, 2e6, 0.584e6, 0.973e6], rel=0.02)
    assert run.responses["loss_rate"] < 0.02


def test_a_call_that_adapts_holds_out_beside_reno():
    """RFC 8867, 5.6: the queue is Reno's, and the call keeps more than its least rate."""
    responses = _rmcat(_nada(), mesonet.flow("reno")).responses
    assert 0.2e6 < responses["call_rate"] < 0.6e6
    assert responses["call_delay_p50"] > 0.2


def test_two_calls_that_adapt_share_a_path():
    """RFC 8867, 5.4, also where one is 20 s late."""
    responses = _rmcat(_nada("a"), _nada("b", start="20 s"), rate="2 Mbit/s").responses
    assert responses["utilization"] > 0.99
    assert responses["jain_index"] > 0.98


def test_calls_have_one_rate_whatever_their_round_trips_but_not_after_a_late_start():
    """RFC 8867, 5.5: 20 to 300 ms; the last to begin takes the others' queue for the path."""
    rtts = [f"{rtt} ms" for rtt in (20, 50, 100, 200, 300)]

    def jain(apart):
        calls = [_nada(f"{at}", rtt=rtt, start=f"{at * apart} s") for at, rtt in enumerate(rtts)]
        return _rmcat(*calls, rate="4 Mbit/s", warm_up=0.6).responses["jain_index"]

    assert jain(0.1) > 0.995 > jain(10)


def test_a_call_that_adapts_answers_marks():
    """RFC 8698, 4.2: with ECN on, marks hold the rate where loss would, and nothing is lost."""
    run = _rmcat(_nada(), mesonet.flow("reno"), queue="fq_codel", transport={"ecn": True})
    assert run.flows.filter(flow="call")["ce_marked"].sum() > 0
    assert run.responses["loss_rate"] == 0
    assert 0.4e6 < run.responses["call_rate"] < 0.6e6


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
    reno, other = (
        mesonet.simulate(
            mesonet.dumbbell(
                rate="5 Mbit/s", rtt="40 ms", flows=[mesonet.flow(name, name="a", application=rpc)]
            )
        ).requests
        for name in ("reno", "bbr3")
    )
    assert reno.select("unit", "size", "asked").equals(other.select("unit", "size", "asked"))
    assert not reno["received"].equals(other["received"])


def test_transfers_of_a_trace_begin_when_it_says():
    trace = {"kind": "trace", "times": [0.25, 2], "bytes": [14600, 1]}
    run = mesonet.simulate(_lab(trace, duration="5 s"))
    assert run.requests["asked"].to_list() == [0.25, 2.0]
    taken = (run.requests["received"] - run.requests["asked"]).to_list()
    # A handshake with packets of 40 bytes, half a round trip, and a ms for each segment.
    assert taken == pytest.approx([0.07, 0.061], abs=1e-3)
    assert run.responses["slowdown"] == pytest.approx(1.0, abs=0.01)

"""Loss recovery as algorithms and users meet it: timers, rounds, what a controller is told."""

from itertools import pairwise

import pytest
from losses import LOST

from mesonet import dumbbell, flow, simulate
from mesonet.controller import Controller

LONG = {"rate": "4 Mbit/s", "rtt": "100 ms", "buffer": "1 bdp", "initial_ssthresh": 30}
"""A path whose full buffer makes round trips of 200 ms, the floor of Linux's timeout."""


@pytest.mark.parametrize("recovery", ["sack", "rack"])
@pytest.mark.parametrize("algorithm", ["reno", "cubic:linux"])
def test_linux_does_not_time_out_where_no_repair_is_lost(algorithm, recovery):
    """`tcp_rtt_estimator` keeps 200 ms between the smoothed RTT and the timeout."""
    scenario = dumbbell(
        **LONG,
        profile="linux",
        transport={"recovery": recovery},
        duration="120 s",
        flows=[flow(algorithm)],
    )
    totals = simulate(scenario).totals
    assert totals["recoveries"] > 10
    assert totals["timeouts"] == 0
    # The last loss may not have been noticed yet.
    assert totals["dropped"] - totals["retransmitted"] in (0, 1)
    by_the_rfc = dumbbell(
        **LONG,
        profile="linux",
        transport={"recovery": "sack", "rto_rule": "rfc6298"},
        duration="120 s",
        flows=[flow(algorithm)],
    )
    assert simulate(by_the_rfc).totals["timeouts"] > 10


class Rounds(Controller):
    """Keeps one segment per round trip after a timeout, and counts rounds."""

    cadence = "round"

    def __init__(self, initial):
        super().__init__(initial)
        self.cwnd = 400.0 * initial.smss
        LOG.clear()

    def on_round(self, _round, flow):
        LOG.append(flow.now)

    def on_congestion(self, event, flow):
        if event.kind == "rto":
            self.cwnd = float(flow.smss)
            LOG[:] = [flow.now]


LOG = []


def test_a_segment_retransmitted_ends_a_round():
    """After a timeout with a window of one segment every delivered repair is a round trip."""
    scenario = dumbbell(
        rate="8 Mbit/s",
        rtt="50 ms",
        buffer="20 packets",
        initial_window=400,
        flows=[flow(f"python:{__name__}.Rounds")],
        duration="12 s",
    )
    assert simulate(scenario).totals["timeouts"] > 0
    gaps = [later - earlier for earlier, later in pairwise(LOG)]
    # Of 50 ms each, for ten seconds.
    assert len(gaps) > 150
    assert max(gaps) < 0.1


@pytest.mark.parametrize("recovery", ["newreno", "sack"])
def test_a_controller_hears_of_every_lost_segment(recovery):
    scenario = dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        loss=0.002,
        transport={"recovery": recovery, "ack_every": 1},
        flows=[flow("python:losses.CountsLosses")],
        duration="20 s",
    )
    totals = simulate(scenario).totals
    assert totals["dropped"] > 20
    assert totals["timeouts"] == 0
    assert sum(LOST) == pytest.approx(totals["dropped"], abs=2)


@pytest.mark.parametrize(("profile", "first"), [("rfc", 1), ("linux", 1), ("mesonet", 2)])
def test_after_two_lost_syns_a_flow_starts_with_one_segment(profile, first):
    """RFC 6928, section 2; MesoNet has no such rule."""
    scenario = dumbbell(
        rate="20 Mbit/s",
        rtt="100 ms",
        loss=0.6,
        profile=profile,
        flows=[flow("reno", size="20 packets")],
        duration="60 s",
        record_segments=True,
    )
    for seed in range(1, 200):
        run = simulate(scenario, seed=seed)
        sent = run.segments.filter(fate="sent")
        if run.totals["syns"] >= 3 and sent.height:
            begun = sent["time"].min()
            assert sent.filter(time=begun).height <= first
            burst = sent.filter(sent["time"] < begun + 0.05).height
            assert burst == first
            return
    pytest.fail("no run loses two SYNs and gets through")


def test_the_window_stands_while_only_later_segments_are_reported():
    """RFC 5681, section 3.1: after a timeout "each ACK that cumulatively acknowledges new data"."""
    scenario = dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        buffer="0.5 bdp",
        loss=1e-5,
        duration="10 s",
        flows=[flow("reno", count=4)],
    )
    run = simulate(scenario)
    assert run.responses["loss_rate"] < 0.05
    assert run.totals["retransmitted"] < 1.1 * run.totals["dropped"]


def test_bbr_keeps_to_its_window_when_repairs_are_lost():
    """A sample over less than the least round trip is none: it would say eight times the rate."""
    scenario = dumbbell(
        rate="4 Mbit/s",
        rtt="200 ms",
        buffer="1 bdp",
        loss=0.01,
        profile="linux",
        flows=[flow("bbr1")],
        duration="120 s",
        interval="0.1 s",
    )
    run = simulate(scenario)
    bdp = 4e6 * 0.2 / 8 / 1500
    assert run.flows["cwnd"].max() < 3.2 * bdp
    assert run.responses["utilization"] > 0.95


def test_bbr_leaves_probe_rtt_while_many_holes_are_repaired():
    """A round in which only repairs are delivered is one, as for the draft's IsNewestPacket."""
    scenario = dumbbell(
        rate="10 Mbit/s",
        rtt="2 s",
        buffer="1 bdp",
        profile="rfc",
        flows=[flow("bbr1")],
        duration="120 s",
    )
    # Without samples of repairs it used a thousandth of the path.
    assert simulate(scenario).responses["utilization"] > 0.5


def test_the_base_of_vegas_is_what_data_can_reach():
    """The handshake's small packets take less time on a slow path, without any queue."""
    scenario = dumbbell(
        rate="10 Mbit/s", rtt="40 ms", buffer="1 bdp", flows=[flow("vegas")], duration="40 s"
    )
    # With the handshake's round trip as its base it used 0.56.
    assert simulate(scenario).responses["utilization"] > 0.98


@pytest.mark.parametrize(
    ("options", "windows"),
    [({}, 1), ({"growth": "cumulative"}, 1), ({"growth": "delivered"}, 3)],
)
def test_duplicate_acks_do_not_open_the_window_of_the_rfcs(options, windows):
    """RFC 5681 section 3.1: each ACK "that cumulatively acknowledges new data" opens it.

    An ACK arrives every 10 ms. The third duplicate halves the window, so that the two before it
    arrive in the 25 ms before.
    """
    scenario = dumbbell(
        rate="1.2 Mbit/s",
        rtt="100 ms",
        buffer="10 packets",
        initial_ssthresh=10,
        profile="rfc",
        transport={"ack_every": 1, **options},
        interval="1 ms",
        duration="4 s",
        flows=[flow("reno")],
    )
    cwnd = simulate(scenario).flows["cwnd"].to_numpy()
    halved = next(at for at, (before, now) in enumerate(pairwise(cwnd)) if now < 0.7 * before)
    assert cwnd[halved] > 20
    assert len(set(cwnd[halved - 25 : halved + 1])) == windows

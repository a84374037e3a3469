"""Figures that pages of the manual state, and that a moment of simulation repeats.

A page goes wrong in silence where the engine moves and nothing repeats what it says.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mesonet import conformance, dumbbell, flow, simulate

DOCS = Path(__file__).resolve().parents[3] / "docs"
PACKET = 12_000
"""A full packet [bit]."""


def says(page, sentence):
    """Tells if a page has a sentence, however its lines are broken."""
    return sentence in " ".join((DOCS / page).read_text("utf-8").split())


def used(run, rate, *, since=0.0, both=False):
    """Part of the links that was used [%], of one direction or of both."""
    rows = run.flows.filter(pl.col("time") > since)
    acked = rows["acked"].sum() * PACKET / (rows["time"].max() - since)
    return round(100 * acked / rate / (2 if both else 1))


def waiting(run, since):
    """Mean number of packets at the forward link, the one in service included."""
    rows = run.queues.filter(pl.col("time") > since)
    return float(rows.filter(station=rows["station"][0])["packets"].mean())


def jain(run, since):
    """Jain's index of what the flows delivered."""
    rows = run.flows.filter(pl.col("time") > since).group_by("flow").agg(pl.col("acked").sum())
    shares = rows["acked"].to_numpy().astype(float)
    return float(shares.sum() ** 2 / len(shares) / np.square(shares).sum())


def dropped(**path):
    """Part of the data sent that queues dropped [%]."""
    totals = simulate(dumbbell(**path)).totals
    return 100 * totals["dropped"] / totals["data_sent"]


def timeouts(algorithm, **settings):
    """Timeouts of two flows in a minute, over a fifth of a bandwidth-delay product."""
    flows = [flow(algorithm, count=2)]
    path = dumbbell(rate="50 Mbit/s", rtt="40 ms", buffer="0.2 bdp", flows=flows, **settings)
    return int(simulate(path).totals["timeouts"])


def test_paced_flows_over_short_buffers_time_out_as_often_as_is_said():
    first, third = timeouts("bbr1"), timeouts("bbr3")
    assert timeouts("bbr1", profile="linux") == timeouts("bbr3", profile="linux") == 0
    assert says(
        "models/transport.md",
        f"time out {first} times a minute with BBR 1. With BBR 3 it is {third} times, and never",
    )


@pytest.mark.parametrize("algorithm", ["bbr1", "bbr3"])
def test_so_they_do_with_all_of_linux_but_rack(algorithm):
    rate = timeouts(algorithm, profile="linux", transport={"recovery": "sack"})
    sentence = f"time out {rate} times a minute, with Linux's other options"
    assert says(f"models/{algorithm}.md", sentence)


@pytest.mark.parametrize("algorithm", ["bbr1", "bbr3"])
def test_without_sack_linuxs_forms_lose_as_much_as_is_said(algorithm):
    def lost(recovery):
        path = {"rate": "50 Mbit/s", "rtt": "40 ms", "flows": [f"{algorithm}:linux"]}
        return f"{dropped(**path, transport={'recovery': recovery}):.2g}"

    sentence = (
        f"loses {lost('newreno')} % of its packets with `newreno`, and {lost('tahoe')} % with"
    )
    assert says(f"models/{algorithm}.md", sentence)


def test_late_packets_slow_reno_down_as_much_as_is_said():
    def opened(**path):
        """Growth of the window per round trip [segments], from the fifth second on."""
        settings = {"rate": "100 Mbit/s", "rtt": "100 ms", "buffer": "2 bdp", "duration": "20 s"}
        starts = {"initial_ssthresh": 50, "interval": "1 s", "profile": "rfc"}
        run = simulate(dumbbell(flows=["reno"], **settings, **starts, **path))
        windows = run.flows["cwnd"].to_list()
        return f"{(windows[-1] - windows[4]) / 150:.2g}"

    late = opened(path={"reordering": {"probability": 0.2, "depth": 2}})
    sentence = f"Reno opens by {late} segments per round trip at 100 Mbit/s and 100 ms"
    assert says("models/transport.md", f"{sentence}, and by {opened()} in order.")


def test_of_two_bbr_flows_the_near_one_gets_what_its_least_window_gives():
    def shares(algorithm):
        """Rates of flows of 10 and 50 ms [Mbit/s], and the RTT of the first [s]."""
        flows = [flow(algorithm, rtt="10 ms"), flow(algorithm, rtt="50 ms", start="1.37 s")]
        host = {"profile": "linux-6.18", "transport": {"host_jitter": "50 us"}}
        path = dumbbell(rate="50 Mbit/s", rtt="10 ms", buffer="500 packets", flows=flows, **host)
        rows = simulate(path).flows.filter(pl.col("time") > 20)
        near, far = (rows.filter(flow=f"{algorithm}-{number}") for number in (1, 2))
        return *(each["acked"].sum() * PACKET / 40e6 for each in (near, far)), near["srtt"].mean()

    (near, far, delay), linux = shares("bbr1"), shares("bbr1:linux")
    # w = 2 r R + 3 of r (R + q) in flight, and a little more, as the largest rate counts.
    assert 1 <= near / (3 / (delay - 0.02) * PACKET / 1e6) <= 1.25
    assert 40.5 <= far / near <= 45.5
    assert 8.5 <= linux[1] / linux[0] <= 10.5
    assert says("models/bbr1.md", "| 50 | 1.0 | 1.1 to 1.2 | 41 to 45 | 8 to 9 | 4 to 13 |")


@pytest.mark.parametrize("algorithm", ["copa", "copa:default-mode"])
def test_copa_loses_over_three_packets_of_buffer_as_much_as_is_said(algorithm):
    def lost(rtt, count):
        lab = {"rate": "20 Mbit/s", "buffer": "3 packets", "duration": "30 s", "profile": "linux"}
        return f"{dropped(rtt=rtt, flows=[flow(algorithm, count=count)], **lab):.0f}"

    one, two, far, both = (lost(rtt, n) for rtt in ("40 ms", "300 ms") for n in (1, 2))
    assert says("models/copa.md", f"drops {one} % of what it sends at 40 ms and two drop {two} %.")
    assert says("models/copa.md", f"At 300 ms they drop {far} and {both} %.")


def test_small_buffers_keep_blue_at_work():
    path = {"rate": "20 Mbit/s", "rtt": "40 ms", "queue": "cake", "flows": ["reno"]}
    buffers = ("1 bdp", "4 bdp")
    small, large = (used(simulate(dumbbell(buffer=size, **path)), 20e6) for size in buffers)
    sentence = f"uses {small} % of the link in a minute with a buffer of 1 BDP, and {large} %"
    assert says("models/cake.md", f"{sentence} with 4 BDP")


def test_vcp_loses_much_on_slow_links():
    def lost(rate, flows):
        lab = {"rtt": "100 ms", "buffer": "20 packets", "queue": "vcp", "duration": "120 s"}
        return round(dropped(rate=rate, flows=[flow("vcp", count=flows)], **lab))

    alone = f"one flow loses {lost('1 Mbit/s', 1)} % at 1 Mbit/s and {lost('100 kbit/s', 1)} % at"
    assert says("models/vcp.md", alone)
    ten = [lost(rate, 10) for rate in ("1 Mbit/s", "100 kbit/s")]
    assert says("models/vcp.md", f"Ten flows lose {ten[0]} and {ten[1]} %.")


def both_ways(algorithm):
    """Use of both links [%] and packets at one, ten flows each way, from 10 to 60 s."""
    flows = [flow(algorithm, count=10), flow(algorithm, count=10, reverse=True)]
    run = simulate(dumbbell(rate="100 Mbit/s", rtt="80 ms", queue=algorithm, flows=flows))
    return used(run, 100e6, since=10, both=True), round(waiting(run, 10))


def test_explicit_feedback_bunches_where_acks_wait_behind_data():
    use, queue = both_ways("xcp")
    assert says("models/xcp.md", f"they use {use} % of the link and keep {queue} packets")
    use, queue = both_ways("vcp")
    assert says("models/vcp.md", f"use {use} % of the link and keep {queue} packets in the queue")


def prague(flows, transport, **parameters):
    """Jain's index and queue of flows of Prague over a step, in the second half of a minute."""
    path = dumbbell(
        rate="10 Mbit/s",
        rtt="10 ms",
        buffer="1000 packets",
        queue={"kind": "step", "threshold": 4},
        flows=[flow("prague", count=flows)],
        transport=transport,
        parameters={"prague": parameters} if parameters else {},
    )
    run = simulate(path)
    return f"{jain(run, 30):.2f}", round(waiting(run, 30))


def test_the_least_window_of_prague_decides_between_queue_and_fairness():
    each = {"ack_every": 1}
    least = [prague(flows, each, min_cwnd=1 / 1024)[0] for flows in (40, 100)]
    assert says("models/prague.md", f"Jain's index is {least[0]} and {least[1]}. With 1/16 it is")
    (few, short), (many, longer) = (prague(flows, each) for flows in (40, 100))
    sentence = f"With 1/16 it is {few} and {many}, at queues of {short} and {longer} packets."
    assert says("models/prague.md", sentence)
    (few, short), (many, longer) = (prague(flows, each, min_cwnd=2) for flows in (40, 100))
    assert few == many == "1.00"
    assert says("models/prague.md", f"it is {few}, and {short} and {longer} packets wait.")
    assert says("models/prague.md", f"falls to {prague(40, {})[0]} with profile `rfc`")


def test_windows_under_random_losses_are_those_of_the_guide():
    cubic, scalable = (conformance.response_function(name) for name in ("cubic", "scalable"))
    first, second = (
        [f"{points[at].window / points[at].reno:.1f}" for at in (2, 0)]
        for points in (cubic, scalable)
    )
    sentence = (
        f"CUBIC takes {first[0]} times Reno's window at 1e-2 and {first[1]} times at 1e-4, "
        f"Scalable {second[0]} and {second[1]} times."
    )
    assert says("howto/own-controller.md", sentence)

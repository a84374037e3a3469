"""QUIC as users meet it: ACKs, and what controllers are told."""

import re
from pathlib import Path
from statistics import median

import pytest
from losses import LOST

from mesonet import dumbbell, flow, simulate
from mesonet.controller import Controller

PATH = {"rate": "10 Mbit/s", "rtt": "40 ms", "profile": "quic"}
HEARD = []


class OnePacket(Controller):
    """A window of one packet, which hears of round trips and one-way delays."""

    def __init__(self, initial):
        super().__init__(initial)
        self.cwnd = float(initial.smss)
        HEARD.clear()

    def on_ack(self, ack, flow):
        HEARD.append((ack.rtt, flow.srtt, ack.forward_delay))

    def on_congestion(self, event, flow):
        """Nothing: the window stays."""


def test_receivers_acknowledge_every_second_packet_and_the_last():
    """RFC 9000 section 13.2: after two packets, or 25 ms."""
    flows = [flow("cubic", size="1001 packets")]
    lab = dumbbell(**PATH, initial_ssthresh=20, duration="5 s", flows=flows, record_packets=True)
    packets = simulate(lab).packets.filter(host="receiver", kind="ack")
    assert len(packets) == 501


def test_delays_of_acks_are_no_part_of_the_smoothed_round_trip():
    """RFC 9002 section 5.3. Every packet waits 25 ms for a second one; 1.2 ms are its service."""
    simulate(dumbbell(**PATH, duration="5 s", flows=[flow(f"python:{__name__}.OnePacket")]))
    rtt, srtt, forward_delay = HEARD[-1]
    assert rtt == pytest.approx(0.0662, abs=1e-4)
    assert srtt == pytest.approx(0.0412, abs=1e-4)
    assert forward_delay == pytest.approx(0.0212, abs=1e-4)


def test_a_controller_hears_of_every_lost_packet():
    flows = [flow("python:losses.CountsLosses")]
    totals = simulate(dumbbell(**PATH, loss=0.002, duration="30 s", flows=flows)).totals
    assert totals["dropped"] > 20
    assert totals["timeouts"] == 0
    assert sum(LOST) == pytest.approx(totals["dropped"], abs=2)


PROFILES = ("rfc", "linux", "quic")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "models" / "quic.md"


def table():
    """Rows of the page's table of profiles, by loss and quantity."""
    section = PAGE.read_text("utf-8").split("## What it changes")[1]
    rows = [row.split("|") for row in re.findall(r"^\| (.*) \|$", section, re.M)]
    cells = [[cell.strip() for cell in row] for row in rows]
    return {(row[0], row[1]): row[2:] for row in cells if len(row) == 5}


def test_the_page_has_what_profiles_do_to_one_flow():
    for words, loss in [("none", 0.0), ("1 %", 0.01), ("5 %", 0.05)]:
        runs = [
            simulate(
                dumbbell(
                    rate="20 Mbit/s",
                    rtt="40 ms",
                    buffer="1 bdp",
                    loss=loss,
                    duration="60 s",
                    profile=profile,
                    flows=[flow("cubic")],
                ),
                seed=1,
            ).totals
            for profile in PROFILES
        ]
        goodput = [f"{run['acked'] * 1460 * 8 / 60e6:.2f}" for run in runs]
        assert table()[words, "goodput [Mbit/s]"] == goodput
        assert table()[words, "recoveries"] == [str(run["recoveries"]) for run in runs]
    assert table()["5 %", "timeouts"] == [str(run["timeouts"]) for run in runs]


def test_the_page_has_what_profiles_do_to_short_transfers():
    flows = [flow("cubic", size="20 packets", start=f"{k / 2} s", name=f"{k}") for k in range(500)]
    times = []
    for profile in PROFILES:
        lab = dumbbell(
            rate="100 Mbit/s",
            rtt="40 ms",
            loss=0.02,
            duration="300 s",
            profile=profile,
            flows=flows,
            record_transfers=True,
        )
        times.append(sorted(simulate(lab, seed=1).transfers["duration"]))
    assert table()["2 %", "median of the transfers [ms]"] == [
        f"{median(each) * 1e3:.0f}" for each in times
    ]
    assert table()["2 %", "99th percentile [ms]"] == [f"{each[495] * 1e3:.0f}" for each in times]


def test_the_page_has_what_a_gentle_controller_has_in_flight():
    """AIMD(1, 0.1) by its rule: sqrt((2 - 0.1) / (2 x 0.1 p)) segments at a loss of p."""
    section = PAGE.read_text("utf-8").split("## What it changes")[1]
    printed = re.search(
        r"With `rfc` it had (\S+), with `linux` (\S+) and with `quic` (\S+)\.\n", section
    )
    for profile, text in zip(PROFILES, printed.groups(), strict=True):
        lab = dumbbell(
            rate="100 Mbit/s",
            rtt="40 ms",
            loss=0.1,
            duration="120 s",
            profile=profile,
            flows=[flow("aimd")],
            parameters={"aimd": {"decrease": 0.1}},
        )
        assert f"{simulate(lab).totals['data_sent'] * 0.04 / 120:.1f}" == text

"""Reductions that answered no loss are taken back, in whole runs."""

import pytest
from refusals import refused

from mesonet import Controller, dumbbell, flow, simulate
from mesonet.errors import ScenarioError

UNDONE = []


class Cautious(Controller):
    """Ten segments, one after a timeout, and back again where that was for nothing."""

    def __init__(self, initial):
        super().__init__(initial)
        self.cwnd = 10.0 * initial.smss

    def on_ack(self, ack, flow):
        pass

    def on_congestion(self, event, flow):
        if event.kind == "rto":
            self.cwnd = float(flow.smss)

    def on_undo(self, cwnd, ssthresh, flow):
        UNDONE.append((cwnd, ssthresh))
        self.cwnd = cwnd


def crowded(algorithm, **transport):
    """One flow, and after 20 s a burst of 300 segments that delays it for three seconds."""
    scenario = dumbbell(
        rate="1 Mbit/s",
        rtt="100 ms",
        buffer="10000 packets",
        duration="40 s",
        profile="linux-4.18",
        initial_window=300,
        transport={"receive_window": 300, **transport},
        flows=[
            flow(algorithm, name="first", start="0 s"),
            flow("reno", name="burst", start="20 s", size="300 packets"),
        ],
    )
    return simulate(scenario)


def test_a_controller_in_python_hears_of_it():
    """Its window is as before, where it says so."""
    UNDONE.clear()
    plain = crowded(Cautious)
    assert not UNDONE
    assert plain.totals["timeouts"] > 0
    undone = crowded(Cautious, undo="linux", frto=True)
    assert UNDONE
    assert all(seen == (10 * 1460.0, None) for seen in UNDONE)
    assert undone.totals["retransmitted"] < plain.totals["retransmitted"]


@pytest.mark.parametrize(
    ("options", "place", "kind"),
    [
        ({"recovery": "sack", "undo": "linux"}, "transport.undo", "rack"),
        ({"recovery": "sack", "reo_wnd": "adaptive"}, "transport.reo_wnd", "rack"),
        ({"frto": True}, "transport.frto", "undo"),
    ],
)
def test_options_that_need_others_are_refused(options, place, kind):
    with refused(ScenarioError, (place, kind)):
        crowded("reno", **options)

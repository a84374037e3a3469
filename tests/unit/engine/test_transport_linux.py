"""Pieces of Linux's start and recovery, beside what a kernel did.

Linux 6.18, unmodified, between two network namespaces over an emulated link: payload 1448, no
offload, initial window 10, `hystart` with both detectors, 250 ticks per second.
"""

import pytest
from refusals import refused

from mesonet import dumbbell, flow, simulate
from mesonet.errors import ScenarioError

START = {"prr": "linux", "quick_acks": 16, "growth": "cumulative"}
WIRE = {"smss": 1448, "header": 52}


def retransmitted(algorithm, parameters, **path):
    """Segments retransmitted by one flow with the pieces of Linux."""
    scenario = dumbbell(
        **path,
        packet=WIRE,
        profile="linux-4.18",
        transport=START,
        parameters={algorithm: parameters} if parameters else {},
        flows=[flow(algorithm)],
    )
    return simulate(scenario).totals["retransmitted"]


@pytest.mark.parametrize(
    ("path", "kernel"),
    [
        ({"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "100 packets", "duration": "100 s"}, 44),
        ({"rate": "20 Mbit/s", "rtt": "100 ms", "buffer": "167 packets", "duration": "180 s"}, 118),
    ],
)
def test_cubic_loses_as_much_as_in_a_kernel(path, kernel):
    """Its initial slow start ends before the queue is full, and recoveries lose nothing more."""
    linux = {"hystart_linux": 1.0}
    assert retransmitted("cubic:linux", linux, **path) == pytest.approx(kernel, rel=0.1)
    assert retransmitted("cubic:linux", {}, **path) > 1.3 * kernel


def test_prr_needs_sacks():
    """RFC 9937: without them nothing tells what is delivered."""
    scenario = dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        buffer="1 bdp",
        duration="1 s",
        profile="rfc",
        transport={"recovery": "newreno", "prr": "rfc9937"},
        flows=[flow("reno")],
    )
    with refused(ScenarioError, ("transport.prr", "sack")):
        simulate(scenario)

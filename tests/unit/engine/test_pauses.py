"""Bursts with pauses: which controllers have a clock that runs while nothing is sent."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from mesonet import dumbbell, flow, simulate
from mesonet.controller import built_in

PROFILES = ("rfc", "linux", "mesonet")

COUNTS_PAUSES = {
    # draft-leith-tcp-htcp-06, section 3: Delta is the time since the last congestion event; Linux,
    # htcp_cong_time: jiffies - ca->last_cong, and no cwnd_event. Neither knows of idle time.
    "htcp",
    "htcp:nist",
}
"""A pause is time like any other: the longer, the more the window grows after it, and overflows."""

KEEPS_TIME = {
    # draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4.3; draft-ietf-ccwg-bbr, section
    # 5.3.3.5; Linux, bbr_is_next_cycle_phase: phases of probing for bandwidth last so long.
    "bbr1",
    "bbr1:linux",
    "bbr3",
    "bbr3:linux",
    # Arun and Balakrishnan, NSDI 2018: the smallest RTT is that of ten seconds.
    "copa",
    "copa:default-mode",
    # Linux, westwood_update_window: what is acknowledged until the first ACK after a pause is one
    # sample over all that time. It has an eighth of the weight, however long the pause is.
    "westwood",
}
"""A pause moves the phase of a cycle, or one sample among many: a fiftieth of a burst at most."""

RATE = 50e6 / (8 * 1500)
"""Segments per second of the path."""
SIZE = math.ceil(8e6 / 1460)
"""Segments of a burst."""
RTT = 0.04
DELAYED_ACK = 0.2
"""Longest wait of an ACK [s]."""
AT_LEAST = SIZE / RATE + RTT
"""Time of a burst that fills the path from its first segment on [s]."""


class Bursts(NamedTuple):
    """Bursts of one flow over an empty path with a buffer of one bandwidth-delay product."""

    durations: np.ndarray
    """From the first segment to the last ACK [s]."""
    dropped: int
    largest_window: float


def bursts(algorithm, profile, pause, count):
    """So many bursts of 8 MB, each `pause` seconds after the last ACK of the one before."""
    burst, size = (f"{segments} packets" for segments in (SIZE, count * SIZE))
    scenario = dumbbell(
        rate="50 Mbit/s",
        rtt=f"{RTT} s",
        flows=[flow(algorithm, burst=burst, pause=f"{pause} s", size=size)],
        profile=profile,
        record_transfers=True,
        duration=f"{count * (pause + 60)} s",
    )
    run = simulate(scenario)
    durations = run.transfers["duration"].to_numpy()
    assert len(durations) == count
    return Bursts(durations, run.totals["dropped"], float(np.nanmax(run.flows["cwnd"].to_numpy())))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "algorithm", [each.name for each in built_in() if each.name not in {"xcp", "vcp"}]
)
def test_bursts_do_not_depend_on_the_length_of_pauses(algorithm, profile):
    """But for the algorithms whose sources say so, above."""
    short, long = (bursts(algorithm, profile, pause, 3) for pause in (5, 60))
    if algorithm in COUNTS_PAUSES:
        assert long.dropped > short.dropped
    elif algorithm in KEEPS_TIME:
        late = long.durations - short.durations
        # The ACK of a last segment waits if that is alone, which losses decide.
        waits = np.clip(np.round(late / DELAYED_ACK), -1, 1) * DELAYED_ACK
        assert long.durations == pytest.approx(short.durations + waits, rel=0.02)
    else:
        assert long.durations == pytest.approx(short.durations, rel=1e-6)
        assert long.dropped == short.dropped


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("algorithm", ["cubic", "cubic:linux"])
def test_cubic_drops_no_more_after_longer_pauses(algorithm, profile):
    """RFC 9438, section 5.8: t does not include idle periods, which the window would grow by."""
    first, *others = (bursts(algorithm, profile, pause, 8) for pause in (5, 20, 60))
    for other in others:
        assert other.dropped == first.dropped
        assert other.largest_window == first.largest_window


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("algorithm", ["bbr1", "bbr1:linux", "bbr3", "bbr3:linux"])
def test_bbr_has_no_probe_rtt_after_a_pause(algorithm, profile):
    """A minute of silence has emptied the queue. ProbeRTT costs its 200 ms and a round trip."""
    later = bursts(algorithm, profile, 60, 5).durations[2:]
    assert later.max() < AT_LEAST + 0.1


@pytest.mark.parametrize("pause", [5, 60])
def test_ledbat_plus_plus_returns_to_its_window(pause):
    """Linux leaves 2 segments after a pause. GAIN is 1 / ceil(2 x 60 / 40) = 1/3 per segment.

    So ln(W / 2) / ln(4/3) round trips lead to the W of the path, in which 3 (W - 2) segments leave.
    They are longer by less than a fifth where the receiver holds ACKs of odd segments back.
    """
    window = RATE * RTT
    round_trips = math.ceil(math.log(window / 2) / math.log(4 / 3))
    lost = round_trips * RTT - 3 * (window - 2) / RATE
    later = bursts("ledbat++", "linux", pause, 8).durations[1:]
    assert AT_LEAST + 0.8 * lost < later.min()
    assert later.max() < AT_LEAST + lost + 0.2 * round_trips * RTT

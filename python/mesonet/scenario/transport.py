"""TCP options: profiles from the literature and of Linux, and overrides by name."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from mesonet.scenario.mechanisms import Recovery
from mesonet.scenario.types import (
    Duration,
    Frozen,
    NonNegativeDuration,
    NonNegativeInt,
    NonNegativeNumber,
    PositiveInt,
    PositiveNumber,
    Probability,
    SegmentsOrInf,
    TrueOrFalse,
)

Profile = Literal["mesonet", "rfc", "linux", "linux-4.18", "linux-6.18"]

MAX_SEGMENTS = 2**32 - 1
"""Most segments that one option of the transport can name."""

# RFC 5681, 6298, 6675, 6928 and 9293. `rto_max`: RFC 6298 section 2.5 asks for 60 s or more. Six
# SYNs from a wait of 1 s on span a minute; RFC 9293 section 3.8.3 asks for three. An ACK for every
# second segment, held back for less than half a second: RFC 5681 section 4.2. The window grows only
# while it is used (RFC 7661), and by ACKs that cumulatively acknowledge new data, not by those that
# only SACK (RFC 5681 section 3.1).
_RFC: dict[str, Any] = {
    "recovery": "sack",
    "dup_thresh": 3,
    "rto_initial": 1.0,
    "rto_min": 1.0,
    "rto_max": 60.0,
    "rto_rule": "rfc6298",
    "syn_timeout": 1.0,
    "syn_tries": 6,
    "ack_every": 2,
    "ack_delay": 0.2,
    "ack_cost": True,
    "ack_loss": 0.0,
    "receive_window": None,
    "initial_window": 10.0,
    "syn_loss_window": 1.0,
    "initial_ssthresh": None,
    "restart_window": 1.0,
    "halve": "flight",
    "cwnd_validation": True,
    "growth": "cumulative",
}
# MesoNet (NIST SP 500-282): infinite receive window, every segment acknowledged, initial window 2,
# and a timeout restarts at the initial window; the window grows on every ACK that delivers
# something, also where a host's interface is what limits sending. SYN waits of 3, 6 and 12 s and
# the initial RTO of 3 s are those of its era (RFC 2988, RFC 1122). Acknowledgements cost routers
# nothing: the published windows and loads allow no other interpretation.
_MESONET = _RFC | {
    "rto_initial": 3.0,
    "syn_timeout": 3.0,
    "syn_tries": 3,
    "ack_every": 1,
    "ack_cost": False,
    "initial_window": 2.0,
    "syn_loss_window": None,
    "restart_window": 2.0,
    "halve": "window",
    "cwnd_validation": False,
    "growth": "delivered",
}
# Linux 4.18: TCP_RTO_MIN 200 ms, TCP_RTO_MAX 120 s, TCP_TIMEOUT_INIT 1 s, tcp_syn_retries 6 (that
# is, seven SYNs), TCP_DELACK_MIN 40 ms, TCP_INIT_CWND 10; ssthresh comes from the window
# (tcp_reno_ssthresh), and a timeout restarts at one segment. Losses are found by time, and tails
# are probed, since that version (tcp_recovery 1, tcp_early_retrans 3). These are its constants,
# timers and loss detection; windows start and go down as in the RFCs. `growth` is not that of the
# kernel, whose windows grow by ACKs that advance unless it has seen reordering
# (tcp_may_raise_cwnd). Values of an edition do not move once it is named: the studies of SLAC were
# made with this one.
_LINUX_4_18 = _RFC | {
    "recovery": "rack",
    "rto_min": 0.2,
    "rto_max": 120.0,
    "rto_rule": "linux",
    "syn_tries": 7,
    "ack_delay": 0.04,
    "halve": "window",
    "growth": "delivered",
}
# Linux 6.18, in addition: windows go down in proportion to what is delivered (tcp_cwnd_reduction),
# and only ACKs that advance SND.UNA open the window (tcp_cong_control). Receivers acknowledge the
# first 22 segments one by one: 16 are TCP_MAX_QUICKACKS, and the others open the receive window
# (tcp_grow_window). Kernels had 61, 197 and 740 with receive buffers of 1, 4 and 16 MiB: 45 for
# each MiB, and so 6 for the default of 128 KiB. Windows are validated, restarted and let go as
# there (tcp_is_cwnd_limited, tcp_cwnd_restart, tcp_cwnd_application_limited). Four more SYNs leave
# at even times (tcp_syn_linear_timeouts, since 6.5). What answered no loss is taken back
# (tcp_try_undo_recovery, tcp_frto 2), and RACK's window follows D-SACKs. Windows and thresholds at
# timeouts are those of tcp_enter_loss.
_LINUX_6_18 = _LINUX_4_18 | {
    "syn_tries": 11,
    "syn_linear_timeouts": 4,
    "prr": "linux",
    "quick_acks": 22,
    "growth": "cumulative",
    "validation_rule": "linux",
    "idle_restart": "linux",
    "app_limited_decay": True,
    "undo": "linux",
    "frto": True,
    "reo_wnd": "adaptive",
    "timeout_rule": "linux",
}
# Off unless a profile says otherwise. Operating systems do not ask for the ECN of RFC 3168 by
# default: tcp_ecn is 2 in Linux, which only answers. What is off stays out of the resolved
# transport, so that runs without it keep their ids.
_OFF: dict[str, Any] = {
    "ecn": False,
    "echo": "auto",
    "ecn_plus_plus": False,
    "prr": "none",
    "quick_acks": 0,
    "growth": "delivered",
    "validation_rule": "flight",
    "idle_restart": "none",
    "app_limited_decay": False,
    "syn_linear_timeouts": 0,
    "undo": "none",
    "frto": False,
    "reo_wnd": "fixed",
    "ack_rule": "fixed",
    "gro": 0.0,
    "sack_compression": 0.0,
    "slow_start": "acks",
    "timeout_rule": "rfc5681",
    "pacing": "none",
    "tso": False,
    "host_jitter": 0.0,
    "ack_jitter": 0.0,
    "ack_jitter_share": 1.0,
}
PROFILES: dict[str, dict[str, Any]] = {
    "mesonet": _MESONET,
    "rfc": _RFC,
    "linux": _LINUX_6_18,
    "linux-4.18": _LINUX_4_18,
    "linux-6.18": _LINUX_6_18,
}
SUMMARIES: dict[str, str] = {
    "mesonet": "MesoNet of NIST SP 500-282",
    "rfc": "RFCs 5681, 6298, 6675, 6928, 7661 and 9293",
    "linux": "another name of linux-6.18",
    "linux-4.18": "constants, timers and loss detection of Linux 4.18",
    "linux-6.18": "Linux 6.18: its start, growth and recovery, too",
}
"""Profiles for `mesonet list profiles`."""
# CUBIC as this kernel has it: its HyStart, and whole numbers at the 250 ticks a second at which it
# was measured.
_OF_LINUX_6_18: dict[str, dict[str, float]] = {"cubic:linux": {"hystart_linux": 1.0, "hz": 250.0}}
PARAMETERS: dict[str, dict[str, dict[str, float]]] = {
    "linux": _OF_LINUX_6_18,
    "linux-6.18": _OF_LINUX_6_18,
}
"""Parameters of controllers that go with a profile, unless a scenario gives others."""
NEEDS_SACK: tuple[str, ...] = ("prr", "timeout_rule")
"""Options that a profile has only where the recovery hears of SACKs."""
NEEDS_RACK: tuple[str, ...] = ("undo", "frto", "reo_wnd")
"""Options that a profile has only where the recovery is RACK."""


def _countable(segments: float) -> float:
    if MAX_SEGMENTS < segments < math.inf:
        message = f'expected at most {MAX_SEGMENTS} segments, or "inf", got {segments:.16g}'
        raise ValueError(message)
    return segments


class Transport(Frozen):
    """Options of the TCP mechanism that differ from the profile; the others are the profile's."""

    recovery: Recovery | None = None
    """Loss recovery: RFC 6675, RFC 8985, RFC 6582, or Tahoe."""
    dup_thresh: Annotated[PositiveInt, Field(le=MAX_SEGMENTS)] | None = None
    """Duplicate ACKs or SACKed segments that mean loss."""
    rto_initial: Duration | None = None
    """Retransmission timeout before the first RTT sample."""
    rto_min: Duration | None = None
    """Floor of the retransmission timeout."""
    rto_max: Duration | None = None
    """Ceiling of the retransmission timeout."""
    rto_rule: Literal["rfc6298", "linux"] | None = None
    """Quantity that `rto_min` bounds: the RTO (RFC 6298), or the part above SRTT (Linux)."""
    syn_timeout: Duration | None = None
    """Wait before the first SYN is sent again; doubles."""
    syn_tries: Annotated[PositiveInt, Field(le=16)] | None = None
    """SYNs sent before the connection fails."""
    syn_linear_timeouts: Annotated[NonNegativeInt, Field(le=16)] | None = None
    """Waits for an answer to a SYN that are as long as the first, before they double (Linux:
    `tcp_syn_linear_timeouts`, 4 since 6.5)."""
    ack_every: Annotated[PositiveInt, Field(le=MAX_SEGMENTS)] | None = None
    """Segments per ACK."""
    ack_delay: NonNegativeDuration | None = None
    """Longest time an ACK is held back."""
    ack_rule: Literal["fixed", "linux"] | None = None
    """Time an ACK is held back: `ack_delay`, or from there to 200 ms by the gaps between segments,
    with quick ACKs again after long gaps and duplicates (Linux)."""
    gro: NonNegativeDuration | None = None
    """Time for which a receiver merges arrivals, fewer than 64 kB, to acknowledge them at once."""
    sack_compression: Annotated[NonNegativeNumber, Field(le=10)] | None = None
    """Part of the round trip, up to 1 ms, for which SACKs are held back after the first three
    (Linux: 0.33, 0.05 before 6.19)."""
    ack_cost: TrueOrFalse | None = None
    """ACKs travel through the routers' queues instead of with propagation delay only."""
    ack_loss: Probability | None = None
    """Probability that an ACK is lost when it does not travel through the queues."""
    receive_window: Annotated[SegmentsOrInf, AfterValidator(_countable)] | None = None
    """Receive window [segments], or "inf"."""
    syn_loss_window: SegmentsOrInf | None = None
    """Initial window after more than one SYN was sent again [segments]; "inf" is the usual one."""
    restart_window: PositiveNumber | None = None
    """Window after a retransmission timeout [segments]."""
    timeout_rule: Literal["rfc5681", "linux"] | None = None
    """Window at a timeout: `restart_window`, or one segment more than is in flight, one reduction
    of ssthresh per episode, and growth by all that an ACK delivers (Linux)."""
    halve: Literal["flight", "window"] | None = None
    """Quantity that a loss halves: FlightSize (RFC 5681) or the window (Linux)."""
    cwnd_validation: TrueOrFalse | None = None
    """The window grows only while it limits sending (RFC 7661)."""
    validation_rule: Literal["flight", "linux", "rate-limited"] | None = None
    """Evidence for that: the flight before an ACK, the largest flight of a window of data (Linux),
    or the largest since a reduction, which caps the window, too
    (draft-ietf-ccwg-ratelimited-increase)."""
    idle_restart: Literal["none", "rfc5681", "linux"] | None = None
    """Window after more than an RTO of idle time: kept, the initial one (RFC 5681), or half per RTO
    (Linux, `tcp_slow_start_after_idle`)."""
    app_limited_decay: TrueOrFalse | None = None
    """A window that the application has not filled for an RTO goes down (Linux)."""
    prr: Literal["none", "rfc9937", "linux"] | None = None
    """Rule by which the window goes down at a loss or a mark: at once, or in proportion to what is
    delivered (PRR), to the flight (RFC 9937) or to the window before (Linux)."""
    growth: Literal["delivered", "cumulative"] | None = None
    """ACKs that open the window: all that deliver something, or those that advance SND.UNA (RFC
    5681, Linux)."""
    undo: Literal["none", "linux"] | None = None
    """Reductions that answered no loss are taken back, with recovery "rack": by time stamps (Eifel,
    RFC 3522) and reports of duplicates (D-SACK, RFC 3708), as in Linux."""
    frto: TrueOrFalse | None = None
    """Spurious timeouts are looked for by F-RTO, too (RFC 5682); with `undo`."""
    reo_wnd: Literal["fixed", "adaptive"] | None = None
    """Width of RACK's reordering window: a quarter of the smallest RTT, or a quarter more in each
    round trip with a D-SACK (RFC 8985)."""
    quick_acks: Annotated[NonNegativeInt, Field(le=MAX_SEGMENTS)] | None = None
    """Segments of a connection that are acknowledged one by one at first (Linux: 22)."""
    slow_start: Literal["acks", "rounds"] | None = None
    """Growth of the window in slow start: by every ACK, or twofold once per round trip and sent
    evenly."""
    pacing: Literal["none", "internal", "fq"] | None = None
    """Flows that are paced: those whose controllers ask for it, or all, by TCP's timer or the queue
    discipline fq (Linux: 200 % of a window per round trip below half of ssthresh, else 120 %)."""
    tso: TrueOrFalse | None = None
    """Segments leave in bursts that segmentation offload takes at once (Linux: a millisecond's
    worth, 2 segments to 65,215 bytes)."""
    host_jitter: NonNegativeDuration | None = None
    """Longest random delay at a sending host before it answers an event with segments."""
    ack_jitter: NonNegativeDuration | None = None
    """Longest random delay of an ACK at a receiving host; ACKs behind a late one leave with it."""
    ack_jitter_share: Annotated[PositiveNumber, Field(le=1)] | None = None
    """Part of the ACKs that have such a delay."""
    ecn: TrueOrFalse | None = None
    """Hosts have ECN as of RFC 3168 switched on; DCTCP and L4S do not wait for it."""
    echo: Literal["auto", "classic", "dctcp", "accurate"] | None = None
    """Echo of marks by receivers: what each algorithm asks for, ECE until CWR (RFC 3168), every
    mark (RFC 8257), or their count (AccECN, RFC 9768)."""
    ecn_plus_plus: TrueOrFalse | None = None
    """Retransmissions are ECN-capable with the classic echo, too (ECN++)."""


def resolve_transport(
    profile: Profile,
    overrides: Transport,
    initial_window: float | None,
    initial_ssthresh: float | None,
) -> dict[str, Any]:
    """Every option of the transport in SI units; `None` keeps the profile's, `inf` is no limit."""
    given: dict[str, Any] = {name: getattr(overrides, name) for name in Transport.model_fields}
    given |= {"initial_window": initial_window, "initial_ssthresh": initial_ssthresh}
    options = dict(PROFILES[profile])
    if overrides.recovery not in (None, "sack", "rack"):
        for name in NEEDS_SACK:
            options.pop(name, None)
    if overrides.restart_window is not None:
        # The scenario says what window a timeout leaves.
        options.pop("timeout_rule", None)
    if overrides.cwnd_validation is False:
        # A rule of validation is no choice of the scenario then.
        options.pop("validation_rule", None)
    if overrides.recovery not in (None, "rack"):
        for name in NEEDS_RACK:
            options.pop(name, None)
    options |= {name: value for name, value in given.items() if value is not None}
    for name in ("receive_window", "initial_ssthresh", "syn_loss_window"):
        if options[name] == math.inf:
            options[name] = None
    if options["receive_window"] is not None:
        options["receive_window"] = int(options["receive_window"])
    options["initial_window"] = float(options["initial_window"])
    for name, _ in _OFF.items() & options.items():
        del options[name]
    return options

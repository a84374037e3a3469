"""TCP options: profiles from the literature and of Linux, and overrides by name."""

from __future__ import annotations

import math
import tomllib
from importlib import resources
from typing import Annotated, Any, Literal, get_args

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
    SegmentsOrInf,
    TrueOrFalse,
)

Profile = Literal["mesonet", "rfc", "linux", "linux-4.18", "linux-6.18", "quic"]

MAX_SEGMENTS = 2**32 - 1
"""Most segments that one option of the transport can name."""

_TABLES = tomllib.loads((resources.files("mesonet") / "data" / "profiles.toml").read_text("utf-8"))


def _with_followed(name: str, part: str) -> dict[str, Any]:
    """Options or parameters of a profile, those of the one that it follows included."""
    table = _TABLES[name]
    followed = _with_followed(table["follows"], part) if "follows" in table else {}
    entries = table.get(part, {}).items()
    return followed | {key: None if value == math.inf else value for key, value in entries}


PROFILES: dict[str, dict[str, Any]] = {
    name: _with_followed(name, "options") for name in get_args(Profile)
}
SUMMARIES: dict[str, str] = {name: _TABLES[name]["summary"] for name in PROFILES}
"""Profiles for `mesonet list profiles`."""
PARAMETERS: dict[str, dict[str, dict[str, float]]] = {
    name: _with_followed(name, "parameters") for name in PROFILES
}
"""Parameters of controllers that go with a profile, unless a scenario gives others."""
_OFF: dict[str, Any] = _with_followed("off", "options")
NEEDS_SACK: tuple[str, ...] = ("prr", "timeout_rule", "sack_compression")
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
    """Loss recovery: RFC 6675, RFC 8985, RFC 6582, Tahoe, or that of QUIC (RFC 9002)."""
    dup_thresh: Annotated[PositiveInt, Field(le=MAX_SEGMENTS)] | None = None
    """Duplicate ACKs or SACKed segments that mean loss; with QUIC packets."""
    rto_initial: Duration | None = None
    """Retransmission timeout before the first RTT sample."""
    rto_min: Duration | None = None
    """Floor of the retransmission timeout."""
    rto_max: Duration | None = None
    """Ceiling of the retransmission timeout."""
    rto_rule: Literal["rfc6298", "linux", "rfc9002"] | None = None
    """Quantity that `rto_min` bounds: the RTO (RFC 6298), or the part above SRTT (Linux; RFC 9002,
    which adds `ack_delay` to it)."""
    syn_timeout: Duration | None = None
    """Wait before the first SYN is retransmitted; doubles."""
    syn_tries: Annotated[PositiveInt, Field(le=16)] | None = None
    """SYNs sent before the connection fails."""
    syn_linear_timeouts: Annotated[NonNegativeInt, Field(le=16)] | None = None
    """Waits for an answer to a SYN that are as long as the first, before they double (Linux:
    `tcp_syn_linear_timeouts`, 4 since 6.5)."""
    ack_every: Annotated[PositiveInt, Field(le=MAX_SEGMENTS)] | None = None
    """Segments per ACK."""
    ack_delay: NonNegativeDuration | None = None
    """Longest time an ACK is held back."""
    sack_compression: Annotated[NonNegativeNumber, Field(le=10)] | None = None
    """Part of the round trip, up to 1 ms, for which SACKs are held back after the first three
    (Linux: 0.33, 0.05 before 6.19)."""
    ack_cost: TrueOrFalse | None = None
    """ACKs travel through the routers' queues instead of with propagation delay only."""
    receive_window: Annotated[SegmentsOrInf, AfterValidator(_countable)] | None = None
    """Receive window [segments], or "inf"."""
    syn_loss_window: SegmentsOrInf | None = None
    """Initial window after more than one SYN was retransmitted [segments]; "inf": the usual one."""
    restart_window: PositiveNumber | None = None
    """Window after a retransmission timeout [segments]."""
    timeout_rule: Literal["rfc5681", "linux"] | None = None
    """Window at a timeout: `restart_window`, or one segment more than is in flight, one reduction
    of ssthresh per episode, and growth by all that an ACK delivers (Linux)."""
    halve: Literal["flight", "window"] | None = None
    """Quantity that a loss halves: FlightSize (RFC 5681) or the window (Linux)."""
    cwnd_validation: TrueOrFalse | None = None
    """The window grows only while it limits sending (RFC 7661)."""
    validation_rule: Literal["flight", "linux", "rate-limited", "rfc9002"] | None = None
    """Evidence for that: the flight before an ACK, the largest flight of a window of data (Linux),
    the largest since a reduction, which caps the window, too
    (draft-ietf-ccwg-ratelimited-increase), or a full window or pacing that keeps it from being full
    (RFC 9002)."""
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
    pacing: Literal["none", "fq", "rfc9002"] | None = None
    """Flows that are paced: those whose controllers ask for it, or all, by the queue discipline fq
    (Linux: 200 % of a window per round trip below half of ssthresh, else 120 %) or by a leaky
    bucket of an initial window (RFC 9002: 125 %)."""
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


def resolve_transport(
    profile: Profile,
    overrides: Transport,
    initial_window: float | None,
    initial_ssthresh: float | None,
) -> dict[str, Any]:
    """Every option of the transport in SI units; `None` keeps the profile's, `inf` is no limit."""
    values: dict[str, Any] = {name: getattr(overrides, name) for name in Transport.model_fields}
    values |= {"initial_window": initial_window, "initial_ssthresh": initial_ssthresh}
    unfit: tuple[str, ...] = ()
    if overrides.recovery not in (None, "rack"):
        unfit += NEEDS_RACK
    if overrides.recovery not in (None, "sack", "rack"):
        unfit += NEEDS_SACK
    if overrides.restart_window is not None:
        # The scenario says what window a timeout leaves.
        unfit += ("timeout_rule",)
    if overrides.cwnd_validation is False:
        # A rule of validation is no choice of the scenario then.
        unfit += ("validation_rule",)
    options = {name: value for name, value in PROFILES[profile].items() if name not in unfit}
    options |= {name: value for name, value in values.items() if value is not None}
    for name in ("receive_window", "initial_ssthresh", "syn_loss_window"):
        if options[name] == math.inf:
            options[name] = None
    if options["receive_window"] is not None:
        options["receive_window"] = int(options["receive_window"])
    options["initial_window"] = float(options["initial_window"])
    for name, _ in _OFF.items() & options.items():
        del options[name]
    return options

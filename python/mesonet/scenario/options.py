"""Tables inside of scenarios as typed dictionaries, for annotations.

Written by tools/keyword_stubs.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

from mesonet.controller.base import Controller
from mesonet.scenario.internet_parts import EarlyShare
from mesonet.units import Rate


class EarlyShareOptions(TypedDict, total=False):
    """Fields of `EarlyShare`."""

    share: Required[float]
    """Share of all sources."""
    factor: Required[float]
    """Factor on the mean of their first think time."""


class FlowOptions(TypedDict, total=False):
    """Fields of `Flow`."""

    algorithm: Required[str | type[Controller]]
    """Congestion control by name, or a class of Python's."""
    name: str | None
    """Name in the results; when not given, the algorithm and a number."""
    start: str
    """Time at which it connects."""
    stop: str | None
    """Time at which it stops offering new data; when not given, it does not."""
    size: str | None
    """Data to send; when not given, without limit."""
    burst: str | None
    """Data that the application offers at a time, over one connection; when not given, all."""
    pause: str | None
    """Time from the acknowledgement of a burst to the next: requests and responses."""
    every: str | None
    """Time from one burst to the next, acknowledged or not: live media."""
    rtt: str | None
    """Base round-trip time; when not given, that of the scenario."""
    count: int
    """Number of flows alike."""
    reverse: bool
    """Sends against the forward direction."""


class JumboOptions(TypedDict, total=False):
    """Fields of `Jumbo`."""

    start: Required[float]
    """From, as a fraction of the duration."""
    end: Required[float]
    """To, as a fraction of the duration."""
    factor: Required[float]
    """Factor on file sizes."""


class LargerFilesOptions(TypedDict, total=False):
    """Fields of `LargerFiles`."""

    probability: Sequence[float]
    """Probabilities of document, service pack and movie; the rest are Web objects."""
    factor: Sequence[float]
    """Their factors on the size of a Web object."""


class LayoutOptions(TypedDict, total=False):
    """Fields of `Layout`."""

    pops: int
    """PoPs per backbone router."""
    normal: int
    """N-class access routers per PoP; every second PoP has one fewer, as in Abilene (4.8 each)."""
    fast: int
    """F-class access routers per PoP."""
    direct: int | None
    """D-class access routers in all, on the backbone routers of highest degree; when not given,
    half as many as there are backbone routers, rounded up (6 of 11 in Abilene)."""
    default_delay: str
    """One-way delay of a link without one whose routers have not both a place; 0.5 ms is the median
    of the links between places in the Internet Topology Zoo."""


class LongFlowOptions(TypedDict, total=False):
    """Fields of `LongFlow`."""

    name: Required[str]
    """Name in the results, such as L1."""
    path: Literal["farthest", "mean", "nearest"] | None
    """Between the backbone routers of longest, most average or shortest round trip ..."""
    source: str | None
    """... or from the access router of this name ..."""
    receiver: str | None
    """... to this one."""
    start: float
    """Time at which it connects, as a fraction of the duration."""
    algorithm: str | type[Controller] | None
    """Congestion control; when not given, the first of `algorithms`."""


class PacketSizesOptions(TypedDict, total=False):
    """Fields of `PacketSizes`."""

    smss: int
    """Payload of a full segment."""
    header: int
    """Headers of a data segment."""
    control: int
    """A pure ACK, SYN or SYN+ACK."""


class RateChangeOptions(TypedDict, total=False):
    """Fields of `RateChange`."""

    at: Required[str]
    """Time of the change; within the period, where the changes repeat."""
    rate: Required[Rate | str]
    """Capacity from then on; zero is an outage, in which packets wait."""


class StartupOptions(TypedDict, total=False):
    """Fields of `Startup`."""

    connecting: float
    """Share of sources that begin by connecting."""
    early: Sequence[EarlyShare | EarlyShareOptions | Mapping[str, Any]]
    """Shares that leave the first thinking early."""


class TransportOptions(TypedDict, total=False):
    """Fields of `Transport`."""

    recovery: Literal["sack", "rack", "newreno", "newreno-steady", "tahoe", "tahoe-1988"] | None
    """Loss recovery: RFC 6675, RFC 8985, RFC 6582, or Tahoe."""
    dup_thresh: int | None
    """Duplicate ACKs or SACKed segments that mean loss."""
    rto_initial: str | None
    """Retransmission timeout before the first RTT sample."""
    rto_min: str | None
    """Floor of the retransmission timeout."""
    rto_max: str | None
    """Ceiling of the retransmission timeout."""
    rto_rule: Literal["rfc6298", "linux"] | None
    """Quantity that `rto_min` bounds: the RTO (RFC 6298), or the part above SRTT (Linux)."""
    syn_timeout: str | None
    """Wait before the first SYN is sent again; doubles."""
    syn_tries: int | None
    """SYNs sent before the connection fails."""
    syn_linear_timeouts: int | None
    """Waits for an answer to a SYN that are as long as the first, before they double (Linux:
    `tcp_syn_linear_timeouts`, 4 since 6.5)."""
    ack_every: int | None
    """Segments per ACK."""
    ack_delay: str | None
    """Longest time an ACK is held back."""
    ack_rule: Literal["fixed", "linux"] | None
    """Time an ACK is held back: `ack_delay`, or from there to 200 ms by the gaps between segments,
    with quick ACKs again after long gaps and duplicates (Linux)."""
    gro: str | None
    """Time for which a receiver merges arrivals, fewer than 64 kB, to acknowledge them at once."""
    sack_compression: float | None
    """Part of the round trip, up to 1 ms, for which SACKs are held back after the first three
    (Linux: 0.33, 0.05 before 6.19)."""
    ack_cost: bool | None
    """ACKs travel through the routers' queues instead of with propagation delay only."""
    ack_loss: float | None
    """Probability that an ACK is lost when it does not travel through the queues."""
    receive_window: float | Literal["inf"] | None
    """Receive window [segments], or "inf"."""
    syn_loss_window: float | Literal["inf"] | None
    """Initial window after more than one SYN was sent again [segments]; "inf" is the usual one."""
    restart_window: float | None
    """Window after a retransmission timeout [segments]."""
    timeout_rule: Literal["rfc5681", "linux"] | None
    """Window at a timeout: `restart_window`, or one segment more than is in flight, one reduction
    of ssthresh per episode, and growth by all that an ACK delivers (Linux)."""
    halve: Literal["flight", "window"] | None
    """Quantity that a loss halves: FlightSize (RFC 5681) or the window (Linux)."""
    cwnd_validation: bool | None
    """The window grows only while it limits sending (RFC 7661)."""
    validation_rule: Literal["flight", "linux", "rate-limited"] | None
    """Evidence for that: the flight before an ACK, the largest flight of a window of data (Linux),
    or the largest since a reduction, which caps the window, too (draft-ietf-ccwg-ratelimited-
    increase)."""
    idle_restart: Literal["none", "rfc5681", "linux"] | None
    """Window after more than an RTO of idle time: kept, the initial one (RFC 5681), or half per RTO
    (Linux, `tcp_slow_start_after_idle`)."""
    app_limited_decay: bool | None
    """A window that the application has not filled for an RTO goes down (Linux)."""
    prr: Literal["none", "rfc9937", "linux"] | None
    """Rule by which the window goes down at a loss or a mark: at once, or in proportion to what is
    delivered (PRR), to the flight (RFC 9937) or to the window before (Linux)."""
    growth: Literal["delivered", "cumulative"] | None
    """ACKs that open the window: all that deliver something, or those that advance SND.UNA (RFC
    5681, Linux)."""
    undo: Literal["none", "linux"] | None
    """Reductions that answered no loss are taken back, with recovery "rack": by time stamps (Eifel,
    RFC 3522) and reports of duplicates (D-SACK, RFC 3708), as in Linux."""
    frto: bool | None
    """Spurious timeouts are looked for by F-RTO, too (RFC 5682); with `undo`."""
    reo_wnd: Literal["fixed", "adaptive"] | None
    """Width of RACK's reordering window: a quarter of the smallest RTT, or a quarter more in each
    round trip with a D-SACK (RFC 8985)."""
    quick_acks: int | None
    """Segments of a connection that are acknowledged one by one at first (Linux: 22)."""
    slow_start: Literal["acks", "rounds"] | None
    """Growth of the window in slow start: by every ACK, or twofold once per round trip and sent
    evenly."""
    pacing: Literal["none", "internal", "fq"] | None
    """Flows that are paced: those whose controllers ask for it, or all, by TCP's timer or the queue
    discipline fq (Linux: 200 % of a window per round trip below half of ssthresh, else 120 %)."""
    tso: bool | None
    """Segments leave in bursts that segmentation offload takes at once (Linux: a millisecond's
    worth, 2 segments to 65,215 bytes)."""
    host_jitter: str | None
    """Longest random delay at a sending host before it answers an event with segments."""
    ack_jitter: str | None
    """Longest random delay of an ACK at a receiving host; ACKs behind a late one leave with it."""
    ack_jitter_share: float | None
    """Part of the ACKs that have such a delay."""
    ecn: bool | None
    """Hosts have ECN as of RFC 3168 switched on; DCTCP and L4S do not wait for it."""
    echo: Literal["auto", "classic", "dctcp", "accurate"] | None
    """Echo of marks by receivers: what each algorithm asks for, ECE until CWR (RFC 3168), every
    mark (RFC 8257), or their count (AccECN, RFC 9768)."""
    ecn_plus_plus: bool | None
    """Retransmissions are ECN-capable with the classic echo, too (ECN++)."""

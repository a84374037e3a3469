"""Scenarios from keywords. Written by tools/keyword_stubs.py; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from mesonet.controller.base import Controller
from mesonet.scenario.dumbbell import Dumbbell, PacketSizes
from mesonet.scenario.flows import Flow
from mesonet.scenario.internet import Internet
from mesonet.scenario.internet_parts import Jumbo, LargerFiles, LongFlow, Startup
from mesonet.scenario.options import (
    FlowOptions,
    JumboOptions,
    LargerFilesOptions,
    LayoutOptions,
    LongFlowOptions,
    PacketSizesOptions,
    RateChangeOptions,
    StartupOptions,
    TransportOptions,
)
from mesonet.scenario.queues import Queue
from mesonet.scenario.rate_changes import RateChange
from mesonet.scenario.topology import Layout
from mesonet.scenario.transport import Transport
from mesonet.units import Rate

def dumbbell(
    *,
    rate: Rate | str,
    rtt: str,
    buffer: str = "1 bdp",
    loss: float = 0,
    rate_changes: Sequence[RateChange | RateChangeOptions | Mapping[str, Any]] = ...,
    rate_period: str | None = None,
    queue: Queue | str | Mapping[str, Any] = ...,
    reverse_queue: Queue | str | Mapping[str, Any] | None = None,
    ecn_impairment: Literal["none", "bleach", "strip", "ect1_to_ect0"] = "none",
    access_rate: Rate | str | None = None,
    access_buffer: str | None = None,
    flows: Sequence[Flow | FlowOptions | Mapping[str, Any] | str | type[Controller]],
    packet: PacketSizes | PacketSizesOptions | Mapping[str, Any] = ...,
    profile: Literal["mesonet", "rfc", "linux", "linux-4.18", "linux-6.18"] | None = None,
    interval: str = "100 ms",
    duration: str = "60 s",
    record_segments: bool = False,
    transport: Transport | TransportOptions | Mapping[str, Any] = ...,
    initial_window: float | None = None,
    initial_ssthresh: float | Literal["inf"] = "inf",
    warm_up: float = 0,
    periods: int = 1,
    record_transfers: bool = False,
    record_queues: bool = False,
    record_packets: bool = False,
    parameters: Mapping[str, Mapping[str, float]] = ...,
) -> Dumbbell:
    """Flows over one bottleneck.

    Raises `ScenarioError` with every problem at once.

    Examples:
        >>> dumbbell(rate="100 Mbit/s", rtt="40 ms", flows=["cubic"]).buffer_packets()
        334

    Keyword Args:
        rate: Capacity of the bottleneck, in bits or in packets (rate, such as "100 Mbit/s" or "8
            p/ms"; required).
        rtt: Base round-trip time (time above zero, such as "40 ms"; required).
        buffer: Room for waiting packets: packets, bytes, or bandwidth-delay products of `rate` and
            `rtt` (size, such as "0.5 bdp", "100 packets" or "60 kB"; default "1 bdp").
        loss: Probability that a packet of the forward direction is lost at random (number from 0 to
            below 1; default 0).
        rate_changes: Changes of `rate` in the forward direction: a time, and the rate from then on
            (list of changes, or of pairs of a time and a rate).
        rate_period: Time after which `rate` and its changes begin anew; when not given, the last
            rate stays (time above zero, such as "40 ms").
        queue: Queue discipline of the bottleneck: drop-tail unless given, by name or with
            parameters; `xcp` and `vcp` flows need the one of their name (name such as "fq_codel",
            or table such as {"kind": "codel", "target": "5 ms"}).
        reverse_queue: Queue discipline of the reverse direction; when not given, that of `queue`
            (name such as "fq_codel", or table such as {"kind": "codel", "target": "5 ms"}).
        ecn_impairment: Change of the ECN field of packets of the forward direction, before the
            queue: none, every codepoint bleached to Not-ECT, CE stripped to ECT(0), or ECT(1) to
            ECT(0) ("none", "bleach", "strip" or "ect1_to_ect0"; default "none").
        access_rate: Line rate of hosts; when not given, infinitely fast (rate, such as "100 Mbit/s"
            or "8 p/ms").
        access_buffer: Room for waiting packets at the line of each sending host, in packets or
            bytes; when not given, hosts hold segments back while their line is busy, and none waits
            (size, such as "1 MB" or "1000 packets").
        flows: The flows; an algorithm alone is short for a flow with it (list of flows, or of
            algorithms; required).
        packet: Sizes of packets, where a rate or a size is in bits or bytes (table).
        profile: Set of TCP options; when not given, `rfc`, or `mesonet` for a rate in packets
            ("mesonet", "rfc", "linux", "linux-4.18" or "linux-6.18").
        interval: Measurement interval (time above zero, such as "40 ms"; default "100 ms").
        duration: Simulated time (time above zero, such as "40 ms"; default "60 s").
        record_segments: Record what happens to every single segment: for short laboratories, a row
            takes 17 bytes (True or False; default False).
        transport: TCP options that differ from the profile (table).
        initial_window: Initial window [segments]; when not given, the profile's (number above 0).
        initial_ssthresh: Initial slow-start threshold [segments] (number of at least 1, or "inf";
            default "inf").
        warm_up: Fraction of the duration that is left out of what responses measure (number from 0
            to below 1; default 0).
        periods: Equal measured periods after the warm-up (whole number from 1 to 100; default 1).
        record_transfers: Record one row for every completed transfer (True or False; default
            False).
        record_queues: Record sojourn times, drops and marks by cause, and the control variable of
            the queues whose length is recorded (True or False; default False).
        record_packets: Record every packet of the named flows at both hosts, and the state of their
            senders, for `run.to_pcapng` and `run.to_qlog`: about 200 bytes for each segment that is
            sent (True or False; default False).
        parameters: Parameters of algorithms by name (tables such as {"ctcp": {"gamma": 20}}).
    """


def flow(
    algorithm: str | type[Controller],
    *,
    name: str | None = None,
    start: str = "0 s",
    stop: str | None = None,
    size: str | None = None,
    burst: str | None = None,
    pause: str | None = None,
    every: str | None = None,
    rtt: str | None = None,
    count: int = 1,
    reverse: bool = False,
) -> Flow:
    """One flow, or `count` alike.

    Raises `ScenarioError` with every problem at once, and `ControllerError` for a class that other
    processes could not import.

    Examples:
        >>> flow("cubic", start="2 s", count=3).start
        2.0

    Keyword Args:
        name: Name in the results; when not given, the algorithm and a number (text).
        start: Time at which it connects (time, such as "0 s" or "2.5 s"; default "0 s").
        stop: Time at which it stops offering new data; when not given, it does not (time above
            zero, such as "40 ms").
        size: Data to send; when not given, without limit (size, such as "1 MB" or "1000 packets").
        burst: Data that the application offers at a time, over one connection; when not given, all
            (size, such as "1 MB" or "1000 packets").
        pause: Time from the acknowledgement of a burst to the next: requests and responses (time,
            such as "0 s" or "2.5 s").
        every: Time from one burst to the next, acknowledged or not: live media (time above zero,
            such as "40 ms").
        rtt: Base round-trip time; when not given, that of the scenario (time above zero, such as
            "40 ms").
        count: Number of flows alike (whole number from 1; default 1).
        reverse: Sends against the forward direction (True or False; default False).
    """


def internet(
    *,
    topology: str = "abilene",
    layout: Layout | LayoutOptions | Mapping[str, Any] | None = None,
    delay_multiplier: float = 1,
    speed: str = "1200 p/ms",
    buffers: Literal["rtt*c", "rtt*c/sqrt(n)"] | float = "rtt*c",
    base_sources: int = 100,
    source_multiplier: float = 2,
    source_distribution: Sequence[float] | Literal["uniform"] = ...,
    receiver_distribution: Sequence[float] | Literal["uniform"] = ...,
    fast_interface_probability: float = 0.4,
    interface_speeds: Sequence[str] = ...,
    think_time: str = "5 s",
    patience: float = 0,
    web_object_mean: float = 100,
    larger_files: LargerFiles | LargerFilesOptions | Mapping[str, Any] = ...,
    jumbo: Jumbo | JumboOptions | Mapping[str, Any] | Literal["on", "none"] = ...,
    long_flows: Sequence[LongFlow | LongFlowOptions | Mapping[str, Any]] | Literal["three", "none"] = ...,
    algorithms: str | type[Controller] | Mapping[Any, float] = ...,
    initial_window: float | None = None,
    initial_ssthresh: float | Literal["inf"] = 100,
    interval: str = "200 ms",
    duration: str = "1500 s",
    startup: Startup | StartupOptions | Mapping[str, Any] | Literal["early", "exponential"] = ...,
    profile: Literal["mesonet", "rfc", "linux", "linux-4.18", "linux-6.18"] = "mesonet",
    scale: float = 1,
    pareto_shape: float = 1.5,
    warm_up: float = 0.4,
    periods: int = 3,
    queue: str | Queue | Mapping[str, Any] = ...,
    ecn_impairment: Literal["none", "bleach", "strip", "ect1_to_ect0"] | Mapping[str, Any] = ...,
    watch: Sequence[str] = ...,
    transport: Transport | TransportOptions | Mapping[str, Any] = ...,
    record_transfers: bool = False,
    record_queues: bool = False,
    record_packets: bool = False,
    parameters: Mapping[str, Mapping[str, float]] = ...,
) -> Internet:
    """A three-tier national network.

    Raises `ScenarioError` with every problem at once.

    Examples:
        >>> internet(speed="600 p/ms", think_time="2.5 s", algorithms="ctcp").think_time
        2.5

    Keyword Args:
        topology: X1: "abilene", "isp" or the path of a GraphML, GML or SNDlib file (text; default
            "abilene").
        layout: Choices that such a file leaves open: the access tier, and delays of links without a
            place; built-in topologies bring their own (table).
        delay_multiplier: X2: factor on the propagation delays of the backbone (number above 0;
            default 1).
        speed: X3: network speed, from which the speeds of all routers follow (rate, such as "1200
            p/ms"; default "1200 p/ms").
        buffers: X4: "rtt*c", "rtt*c/sqrt(n)" or a factor on rtt*c (default "rtt*c").
        base_sources: X5: base number of sources per access router ... (whole number from 1 to
            1000000; default 100).
        source_multiplier: X5: ... and its multiplier, the factor that experiments vary (number
            above 0; default 2).
        source_distribution: X6: probabilities of sources under N, F and D access routers, or
            "uniform".
        receiver_distribution: X7: probabilities of receivers under N, F and D access routers, or
            "uniform".
        fast_interface_probability: X8: probability that a host's interface is fast (number from 0
            to 1; default 0.4).
        interface_speeds: Line rates of normal and of fast interfaces.
        think_time: X9: mean of the exponential think time (time above zero, such as "40 ms";
            default "5 s").
        patience: X10: probability that a source has finite patience (number from 0 to 1; default
            0).
        web_object_mean: X11: mean size of a Web object [segments] (number above 0; default 100).
        larger_files: X12: probabilities and factors of documents, service packs and movies (table).
        jumbo: X13: spatiotemporal congestion: "on", "none" or a table (table).
        long_flows: X14: long-lived flows: "three", "none" or a list of tables.
        algorithms: X15: congestion control of all sources, or shares by name.
        initial_window: X16: initial window [segments]; when not given, the profile's: 2 in
            `mesonet` (number above 0).
        initial_ssthresh: X17: initial slow-start threshold [segments] (number of at least 1, or
            "inf"; default 100).
        interval: X18: measurement interval (time above zero, such as "40 ms"; default "200 ms").
        duration: X19: simulated time (time above zero, such as "40 ms"; default "1500 s").
        startup: X20: "early", "exponential" or a table (table).
        profile: Set of TCP options ("mesonet", "rfc", "linux", "linux-4.18" or "linux-6.18";
            default "mesonet").
        scale: Factor on speed and base sources together (number above 0; default 1).
        pareto_shape: Shape of the Pareto distribution of file sizes (number above 1; default 1.5).
        warm_up: Fraction of the duration that is left out of what responses measure (number from 0
            to below 1; default 0.4).
        periods: Equal measured periods after the warm-up; fewer by default where 3 are too many for
            the measurement intervals (whole number from 1 to 100; default 3).
        queue: Queue disciplines of routers: drop-tail unless given, one for all, or by tier
            (backbone, pop, access; D, F, N), there or everywhere for a `share` of the routers;
            `xcp` and `vcp` flows need the one of their name (name such as "fq_codel", table such as
            {"kind": "codel", "target": "5 ms"}, or by tier such as {"access": {"kind": "fq_codel",
            "share": 0.6}}).
        ecn_impairment: Routers that change the ECN field: "bleach" (to Not-ECT), "strip" (CE to
            ECT(0)) or "ect1_to_ect0", for all, by tier, and for a `share`, as with `queue` (name
            such as "bleach", or by tier such as {"N": {"kind": "bleach", "share": 0.1}}).
        watch: Routers whose queues are recorded: tiers (backbone, pop, N, F, D) or names.
        transport: TCP options that differ from the profile (table).
        record_transfers: Record one row for every completed transfer (True or False; default
            False).
        record_queues: Record sojourn times, drops and marks by cause, and the control variable of
            the queues whose length is recorded (True or False; default False).
        record_packets: Record every packet of the named flows at both hosts, and the state of their
            senders, for `run.to_pcapng` and `run.to_qlog`: about 200 bytes for each segment that is
            sent (True or False; default False).
        parameters: Parameters of algorithms by name (tables such as {"ctcp": {"gamma": 20}}).
    """

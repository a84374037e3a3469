"""Columns of the tables of a run: unit and meaning of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mesonet.system.datasets import About, abouts

_COUNTERS = (
    ("injected", "packets", "data segments and SYNs put on the network by sources"),
    ("delivered", "packets", "data segments and SYNs that reached their receivers"),
    ("dropped", "packets", "data segments and SYNs lost in queues or at random"),
    ("syns", "packets", "SYNs sent"),
    ("connections", "connections", "connections established"),
    ("connection_failures", "connections", "connections given up after the last SYN"),
    ("completed", "transfers", "transfers completed"),
    ("aborted", "transfers", "transfers abandoned by impatient sources"),
    ("acked", "segments", "segments newly acknowledged, cumulatively or selectively"),
    ("acks", "packets", "ACKs that reached senders"),
    ("acks_sent", "packets", "ACKs sent by receivers"),
    ("data_sent", "segments", "data segments sent, with retransmissions"),
    ("retransmitted", "segments", "data segments sent again"),
    ("timeouts", "events", "retransmission timeouts"),
    ("recoveries", "events", "fast recoveries begun"),
    ("cwnd_increases", "packets", "ACKs that made a window grow"),
    ("duplicate_acks", "packets", "duplicate ACKs that reached senders"),
    ("completed_size", "segments", "segments in the files of transfers completed"),
    ("completed_sent", "segments", "data segments sent for transfers completed"),
    ("hops", "packets", "packets served by stations"),
    ("events", "events", "events processed"),
)
_END = ("time", "s", "end of the measurement interval")
_KINDS = (
    ("algorithm", "", "congestion control"),
    ("pair", "", "classes of the access routers at both ends"),
    ("path_class", "", "slowest access router on the way: very fast, fast or typical"),
    ("interface", "", "class of the host's interface"),
    ("file", "", "kind of file"),
)
_CAUSES = {
    "overlimit": "because the buffer was full",
    "early": "by active queue management",
    "overload": "where active queue management gave up on signals",
    "step": "above a threshold",
    "policed": "because a token bucket was empty",
    "random": "at random",
}


def _signals() -> Iterator[tuple[str, str, str]]:
    """Columns of drops and marks by cause."""
    for cause, why in _CAUSES.items():
        yield f"dropped_{cause}", "packets", f"packets dropped {why}"
        yield f"marked_{cause}", "packets", f"packets marked {why}"


_STATION = ("station", "", "station, one queue with its server")

COLUMNS: Mapping[str, Mapping[str, About]] = {
    "series": abouts(
        (
            _END,
            ("thinking", "sources", "sources that think"),
            ("connecting", "sources", "sources that connect"),
            ("sending", "sources", "sources that send"),
            ("slow_start", "flows", "flows in slow start"),
            ("standard", "flows", "flows in standard congestion avoidance"),
            ("alternate", "flows", "flows in the alternate regime of their algorithm"),
            ("initial_slow_start", "flows", "flows in slow start without a loss so far"),
            ("srtt_count", "flows", "flows with a smoothed round-trip time"),
            ("cwnd_sum", "segments", "sum of windows over flows that send"),
            ("srtt_sum", "s", "sum of smoothed round-trip times over flows that have one"),
            ("queueing_sum", "s", "sum of smoothed less base round-trip times over these flows"),
            *_COUNTERS,
        )
    ),
    "classes": abouts(
        (
            _END,
            _KINDS[1],
            ("sending", "flows", "flows that send, without named ones"),
            ("acked", "segments", "segments acknowledged, without those of named flows"),
        )
    ),
    "queues": abouts(
        (
            _END,
            _STATION,
            ("packets", "packets", "packets waiting or in service"),
            ("used", "1", "work of the station over its capacity in the interval"),
            ("capacity", "packets", "packets that can wait; 0 if there is no limit"),
        )
    ),
    "flows": abouts(
        (
            _END,
            ("flow", "", "named flow"),
            ("acked", "segments", "segments acknowledged"),
            ("cwnd", "segments", "congestion window"),
            ("srtt", "s", "smoothed round-trip time"),
            ("phase", "", "0 slow start, 1 standard, 2 alternate, -1 not sending"),
            ("retransmitted", "segments", "segments sent again"),
            ("in_flight", "segments", "segments in the network"),
            ("ce_marked", "segments", "segments that arrived marked: congestion experienced"),
        )
    ),
    "groups": abouts(
        (
            *_KINDS,
            ("transfers", "transfers", "completed transfers"),
            ("goodput_sum", "segments/s", "sum of goodputs"),
            ("goodput_sq_sum", "segments^2/s^2", "sum of squares of goodputs"),
            ("retransmission_sum", "1", "sum of the parts of segments that were sent again"),
            ("size_sum", "segments", "sum of sizes"),
            ("sent_sum", "segments", "sum of segments sent"),
            ("duration_sum", "s", "sum of durations"),
        )
    ),
    "transfers": abouts(
        (
            ("source", "", "number of the source"),
            ("receiver_site", "", "site of the receiver"),
            *_KINDS,
            ("size", "segments", "segments of the file"),
            ("sent", "segments", "segments sent for it"),
            ("start", "s", "time of the first segment"),
            ("duration", "s", "time from the first segment to the last ACK"),
        )
    ),
    "segments": abouts(
        (
            ("time", "s", "time of the event"),
            ("flow", "", "named flow"),
            ("fate", "", "sent, sent again, dropped, received or acknowledged"),
            ("segment", "", "number of the segment, from 0"),
        )
    ),
    "stations": abouts(
        (
            _STATION,
            ("arrivals", "packets", "packets that arrived"),
            ("drops", "packets", "packets lost here"),
            ("departures", "packets", "packets served"),
        )
    ),
    "signals": abouts(
        (
            _STATION,
            ("cause", "", "cause of drops and marks"),
            ("dropped", "packets", "packets dropped"),
            ("marked", "packets", "packets marked: congestion experienced"),
        )
    ),
    "queue_states": abouts(
        (
            _END,
            _STATION,
            ("control", "", "control variable of the queue management"),
            ("sojourn_mean", "s", "mean sojourn time"),
            ("sojourn_max", "s", "longest sojourn time"),
            *_signals(),
        )
    ),
    "packets": abouts(
        (
            ("time", "s", "time at the host"),
            ("flow", "", "named flow"),
            ("host", "", "sender or receiver"),
            ("kind", "", "syn, syn-ack, data, ack or fin"),
            ("cause", "", "ordinary, retransmission, probe or duplicate"),
            ("segment", "", "number of the segment, from 0; of an ACK the next one expected"),
            ("sack_start", "", "first segment of the SACK block"),
            ("sack_end", "", "segment after the SACK block"),
            ("codepoint", "", "not-ect, ect1, ect0 or ce"),
            ("flags", "", "AE, CWR and ECE as 4, 2 and 1"),
            ("stamp", "", "time stamp in units of 2^14 ps modulo 2^32"),
        )
    ),
    "senders": abouts(
        (
            ("time", "s", "time of the event"),
            ("flow", "", "named flow"),
            ("cwnd", "segments", "congestion window"),
            ("ssthresh", "segments", "slow-start threshold"),
            ("in_flight", "segments", "segments in the network"),
            ("srtt", "s", "smoothed round-trip time"),
            ("rttvar", "s", "variation of the round-trip time"),
            ("min_rtt", "s", "least round-trip time"),
            ("rto", "s", "retransmission timeout"),
            ("pacing_interval", "s", "time between two segments; 0 without pacing"),
            ("phase", "", "0 slow start, 1 standard, 2 alternate, -1 not sending"),
            ("recovery", "", "none, fast or timeout"),
        )
    ),
    "sojourns": abouts(
        (
            _STATION,
            ("from", "s", "shortest sojourn time of the class"),
            ("below", "s", "end of the class"),
            ("packets", "packets", "packets with such sojourn times after the warm-up"),
        )
    ),
}
"""Columns of the tables of a run, by table. Counts are of what happened during an interval."""

CAMPAIGN: Mapping[str, About] = abouts(
    (
        ("run", "", "identifier of the run"),
        ("condition", "", "condition of the design, from 1"),
        ("alternative", "", "label of the alternative"),
        ("position", "", "position of the alternative in the plan, from 0"),
        ("replicate", "", "replicate, from 1"),
        ("seed", "", "seed of all random numbers of the run"),
        ("packets", "packets", "packets put on the network"),
        ("state", "", "done, failed, running or pending"),
        ("cost", "packets", "expected packets"),
        ("host", "", "machine that executed the run"),
        ("wall_seconds", "s", "time that the run took"),
        ("cpu_seconds", "s", "processor time that the run took"),
        ("memory", "bytes", "most memory that its process held"),
        ("started", "", "begin of the run (UTC)"),
        ("finished", "", "end of the run (UTC)"),
        ("error", "", "error of a run that failed"),
    )
)
"""Columns of the tables of a campaign; those of factors and responses come from its plan."""

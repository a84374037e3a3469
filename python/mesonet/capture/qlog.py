"""Congestion state of senders as qlog 0.3, the version that qvis opens.

Sources: draft-ietf-quic-qlog-main-schema-02 and draft-ietf-quic-qlog-quic-events-02.
https://datatracker.ietf.org/doc/draft-ietf-quic-qlog-quic-events/02/

TCP has no packet numbers: transmissions are counted instead, from 0, and an ACK lists those that it
is the first to acknowledge. What docs/howto/packets.md calls inferred is inferred here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from mesonet.capture.recording import Packet, Recording

VERSION = "0.3"
"""Version of the main schema."""
_TYPE = "1RTT"
_HEADERS = 52
"""Headers of IPv4 and TCP with time stamps [bytes]."""
Event = dict[str, Any]


def encoded(recording: Recording, traces: list[dict[str, Any]]) -> bytes:
    """The file, one event a line."""
    head = {"qlog_version": VERSION, "qlog_format": "JSON", "title": f"mesonet: {recording.title}"}
    text = [json.dumps(head, allow_nan=False)[:-1], ', "traces": [\n']
    for at, trace in enumerate(traces):
        events = [_line(event) for event in trace["events"]]
        start = json.dumps({key: value for key, value in trace.items() if key != "events"})
        text.append((",\n" if at else "") + start[:-1] + ', "events": [\n')
        text.append(",\n".join(events) + "\n]}")
    return ("".join(text) + "\n]}\n").encode()


def flow_trace(recording: Recording, flow: str) -> dict[str, Any]:
    """The trace of one flow, at its sender."""
    return {
        "title": flow,
        "description": recording.title,
        "common_fields": {
            "time_format": "relative",
            "reference_time": 0,
            "protocol_type": ["TCP"],
        },
        "vantage_point": {"name": "sender", "type": "client"},
        "events": list(_Sender(recording, flow).events()),
    }


class _Sender:
    """Events of one sender: what it does, and what it knows then."""

    def __init__(self, recording: Recording, flow: str) -> None:
        self._recording = recording
        self._flow = flow
        self._smss = recording.smss
        self._transmissions = 0
        self._received = 0
        self._latest: dict[int, list[tuple[int, float]]] = {}
        """Numbers and times of the transmissions of segments that are not acknowledged yet."""
        self._una = 0
        self._end = 0
        """Segments of the connection that were sent, each counted once."""
        self._sacked: set[int] = set()
        self._shortest = math.inf
        self._metrics: dict[str, Any] = {}
        self._state = ""
        self._recovery = "none"

    def events(self) -> Iterator[Event]:
        """Events in the order of time; states follow the packets of their instant."""
        packets = (row for row in self._recording.rows([self._flow]) if row.host == "sender")
        states = self._recording.states(self._flow)
        state = next(states, None)
        yield from self._start()
        for packet in packets:
            while state is not None and state["time"] < packet.time:
                yield from self._state_events(state)
                state = next(states, None)
            # States of an instant are recorded behind the packets that they let go.
            if state is not None and state["time"] == packet.time:
                self._recovery = state["recovery"]
            yield from self._packet_events(packet)
        while state is not None:
            yield from self._state_events(state)
            state = next(states, None)

    def _start(self) -> Iterator[Event]:
        transport = self._recording.spec["transport"]
        start: float = next(
            flow["start"] for flow in self._recording.spec["flows"] if flow["name"] == self._flow
        )
        yield _event(
            start,
            "recovery:parameters_set",
            {
                "reordering_threshold": transport["dup_thresh"],
                "timer_granularity": 0,
                "max_datagram_size": self._smss + _HEADERS,
                "initial_congestion_window": round(transport["initial_window"] * self._smss),
            },
        )

    def _packet_events(self, packet: Packet) -> Iterator[Event]:
        match packet.kind:
            case "data":
                yield from self._data(packet)
            case "ack":
                yield from self._ack(packet)
            case "syn":
                if packet.cause == "ordinary":
                    self._una = self._end = 0
                    self._latest.clear()
                    self._sacked.clear()
                yield _event(packet.time, "mesonet:syn_sent", {"again": packet.cause != "ordinary"})
            case "syn-ack":
                yield _event(packet.time, "mesonet:syn_ack_received", {})
            case "fin":
                yield _event(packet.time, "mesonet:fin_sent", {})

    def _data(self, packet: Packet) -> Iterator[Event]:
        sent = self._latest.setdefault(packet.segment, [])
        if packet.cause == "retransmission" and sent:
            lost = {"header": _header(sent[-1][0])}
            yield _event(packet.time, "recovery:packet_lost", lost)
        number = self._transmissions
        self._transmissions += 1
        self._end = max(self._end, packet.segment + 1)
        sent.append((number, packet.time))
        frame = {
            "frame_type": "stream",
            "stream_id": 0,
            "offset": packet.segment * self._smss,
            "length": self._smss,
        }
        data: Event = {
            "header": _header(number),
            "raw": {"length": self._smss + _HEADERS, "payload_length": self._smss},
            "frames": [frame],
        }
        if packet.cause == "probe":
            data["trigger"] = "pto_probe"
        elif packet.cause == "retransmission":
            data["trigger"] = _TRIGGERS.get(self._recovery, "retransmit_reordered")
        yield _event(packet.time, "transport:packet_sent", data)

    def _ack(self, packet: Packet) -> Iterator[Event]:
        rtt = packet.since_stamp()
        self._shortest = min(self._shortest, rtt)
        # A receiver that misbehaves acknowledges what was never sent.
        acked = range(self._una, min(packet.segment, self._end))
        delivered = [segment for segment in acked if segment not in self._sacked]
        self._sacked.difference_update(acked)
        self._una = max(self._una, acked.stop)
        if self._recording.has_sack:
            block = range(max(packet.sack_start, self._una), packet.sack_end)
            delivered += [segment for segment in block if segment not in self._sacked]
            self._sacked.update(block)
        numbers = sorted(self._arrived(segment, packet.time) for segment in delivered)
        data: Event = {"header": _header(self._received), "raw": {"length": _HEADERS}}
        self._received += 1
        if numbers:
            data["frames"] = [{"frame_type": "ack", "acked_ranges": _ranges(numbers)}]
        yield _event(packet.time, "transport:packet_received", data)
        yield from self._changed(packet.time, {"latest_rtt": _milliseconds(rtt)})

    def _arrived(self, segment: int, now: float) -> int:
        """Number of the transmission that arrived: the last that a shortest round trip allows."""
        sent = self._latest.pop(segment)
        allowed = [number for number, time in sent if now - time >= self._shortest - 1e-6]
        return allowed[-1] if allowed else sent[0][0]

    def _state_events(self, row: dict[str, Any]) -> Iterator[Event]:
        time: float = row["time"]
        self._recovery = row["recovery"]
        state = _STATES[self._recovery] or ("slow_start" if row["phase"] == 0 else _AVOIDANCE)
        if state != self._state:
            data = {"old": self._state} if self._state else {}
            yield _event(time, "recovery:congestion_state_updated", data | {"new": state})
            self._state = state
        metrics = {
            "min_rtt": _milliseconds(row["min_rtt"]),
            "smoothed_rtt": _milliseconds(row["srtt"]),
            "rtt_variance": _milliseconds(row["rttvar"]),
            "congestion_window": round(row["cwnd"] * self._smss),
            "bytes_in_flight": row["in_flight"] * self._smss,
            "packets_in_flight": row["in_flight"],
        }
        if math.isfinite(row["ssthresh"]):
            metrics["ssthresh"] = round(row["ssthresh"] * self._smss)
        if row["pacing_interval"] > 0:
            metrics["pacing_rate"] = round(8 * self._smss / row["pacing_interval"])
        yield from self._changed(time, metrics)

    def _changed(self, time: float, metrics: dict[str, Any]) -> Iterator[Event]:
        """Those metrics that are not as they were."""
        new = {name: value for name, value in metrics.items() if self._metrics.get(name) != value}
        self._metrics |= new
        if new:
            yield _event(time, "recovery:metrics_updated", new)


_AVOIDANCE = "congestion_avoidance"
_STATES = {"none": "", "fast": "recovery", "timeout": "recovery_after_timeout"}
"""States of loss recovery. The draft lets a sender have states of its own."""
_TRIGGERS = {"timeout": "retransmit_timeout"}


def _event(time: float, name: str, data: Event) -> Event:
    return {"time": _milliseconds(time), "name": name, "data": data}


def _header(number: int) -> Event:
    return {"packet_type": _TYPE, "packet_number": number}


def _milliseconds(time: float) -> float:
    """Time [s] in ms, to a nanosecond."""
    return round(time * 1e3, 6)


def _ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Sorted numbers as ranges, both ends included."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    return ranges


def _line(event: Event) -> str:
    return json.dumps(event, separators=(",", ":"), allow_nan=False)

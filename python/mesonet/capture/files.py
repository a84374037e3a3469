"""Files of recorded packets: their content, and where they may be written."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from mesonet.capture import pcapng
from mesonet.capture.connection import Connection
from mesonet.capture.headers import LONGEST_PACKET
from mesonet.capture.qlog import encoded, flow_trace
from mesonet.capture.recording import Recording, chosen_flows
from mesonet.errors import InputError, Problem, unknown
from mesonet.tables.names import HOSTS

_LONGEST_HEADERS = 60 + 20


def as_pcapng(
    recording: Recording, flow: str | Iterable[str] | None = None, vantage: str = "sender"
) -> bytes:
    """Packets of some flows, or all, as a pcapng file; hosts have the names of their flows.

    All are seen at one interface: libpcap, which tcpdump and tcptrace read with, takes several of
    packets without a link layer for several kinds, and refuses them.
    """
    problems = unknown("vantage", "unknown", vantage, HOSTS)
    if recording.smss + _LONGEST_HEADERS > LONGEST_PACKET:
        limit = LONGEST_PACKET - _LONGEST_HEADERS
        message = f"expected segments of at most {limit} bytes for IPv4, got {recording.smss}"
        problems.append(Problem("packet.smss", "too_large", message))
    if problems:
        raise InputError(problems)
    flows = chosen_flows(recording.flows, flow)
    connections = {name: Connection(recording, name) for name in flows}
    place = f"host of the {vantage} of {flows[0] if len(flows) == 1 else 'each flow'}"
    blocks = [
        pcapng.section(
            f"mesonet: {recording.title}\n{recording.comment}", f"mesonet {version('mesonet')}"
        ),
        pcapng.interface(vantage, place),
        pcapng.names(end for name in flows for end in connections[name].hosts(name)),
    ]
    for packet in recording.rows(flows):
        for seen in connections[packet.flow].read(packet):
            if seen.host == vantage:
                remark = "" if seen.cause == "ordinary" else seen.cause
                headers = seen.segment.headers()
                length = len(headers) + seen.segment.payload
                blocks.append(pcapng.packet(packet.nanoseconds, headers, length, remark))
    return b"".join(blocks)


def as_qlog(recording: Recording, flow: str | Iterable[str] | None = None) -> bytes:
    """States and packets of the senders of some flows, or all, as a qlog file."""
    traces = [flow_trace(recording, name) for name in chosen_flows(recording.flows, flow)]
    return encoded(recording, traces)

"""Files of recorded packets: their content, and where they may be written."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from mesonet.capture import pcapng
from mesonet.capture.connection import Connection
from mesonet.capture.headers import LONGEST_PACKET
from mesonet.capture.qlog import encoded, trace
from mesonet.capture.recording import Recording, chosen_flows
from mesonet.errors import InputError, Problem, show

HOSTS = ("sender", "receiver")
"""Hosts at which packets are seen."""
_LONGEST_HEADERS = 60 + 20


def as_pcapng(
    recording: Recording, flow: str | Iterable[str] | None = None, vantage: str = "sender"
) -> bytes:
    """Packets of some flows, or all, as a pcapng file with an interface for each flow.

    Raises:
        InputError: A flow or the vantage point does not exist, or segments do not fit IPv4.
    """
    problems = vantage_problems(vantage)
    if recording.smss + _LONGEST_HEADERS > LONGEST_PACKET:
        limit = LONGEST_PACKET - _LONGEST_HEADERS
        message = f"expected segments of at most {limit} bytes for IPv4, got {recording.smss}"
        problems.append(Problem("packet.smss", "too_large", message))
    if problems:
        raise InputError(problems)
    flows = chosen_flows(recording.flows, flow)
    interfaces = {name: at for at, name in enumerate(flows)}
    connections = {name: Connection(recording, name) for name in flows}
    blocks = [pcapng.section(f"mesonet: {recording.title}\n{recording.comment}", _application())]
    blocks += [pcapng.interface(f"{name} {vantage}", _place(name, vantage)) for name in flows]
    for packet in recording.rows(flows):
        for seen in connections[packet.flow].read(packet):
            if seen.host == vantage:
                at, time = interfaces[packet.flow], packet.nanoseconds
                remark = "" if seen.cause == "ordinary" else seen.cause
                headers = seen.segment.headers()
                length = len(headers) + seen.segment.payload
                blocks.append(pcapng.packet(at, time, headers, length, remark))
    return b"".join(blocks)


def as_qlog(recording: Recording, flow: str | Iterable[str] | None = None) -> bytes:
    """States and packets of the senders of some flows, or all, as a qlog file.

    Raises:
        InputError: A flow does not exist.
    """
    traces = [trace(recording, name) for name in chosen_flows(recording.flows, flow)]
    return encoded(recording, traces)


def vantage_problems(vantage: str, loc: str = "vantage") -> list[Problem]:
    """Problem with a vantage point that is none."""
    if vantage in HOSTS:
        return []
    message = f"expected {' or '.join(HOSTS)}, got {show(vantage)}"
    return [Problem(loc, "unknown", message)]


def _place(flow: str, vantage: str) -> str:
    return f"host of the {vantage} of {flow}"


def _application() -> str:
    try:
        return f"mesonet {version('mesonet')}"
    except PackageNotFoundError:
        return "mesonet"

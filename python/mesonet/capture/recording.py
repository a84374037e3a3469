"""Recorded packets of the named flows of a run, and the sizes and options that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl

from mesonet.errors import InputError, Problem, unknown

STAMP_SHIFT = 14
"""Bits of a picosecond clock that a stamp of the engine leaves out."""

NO_FLOWS = Problem("flow", "missing", "the scenario has no named flows, so no packets of one")
"""Problem of a scenario in which nothing can be recorded."""


class Packet(NamedTuple):
    """A row of the table `packets`."""

    time: float
    flow: str
    host: str
    kind: str
    cause: str
    segment: int
    sack_start: int
    sack_end: int
    codepoint: str
    flags: int
    stamp: int

    @property
    def nanoseconds(self) -> int:
        """Time since the beginning of the run [ns]."""
        return round(self.time * 1e9)

    def since_stamp(self) -> float:
        """Time since the packet's stamp was made [s]: the round trip that an ACK measures."""
        now = round(self.time * 1e12) >> STAMP_SHIFT
        return (((now - self.stamp) % 2**32) << STAMP_SHIFT) / 1e12


@dataclass(frozen=True)
class Recording:
    """Recorded packets of a run with its resolved scenario and an account of where it is from."""

    packets: pl.DataFrame
    senders: pl.DataFrame
    spec: Mapping[str, Any]
    title: str
    comment: str

    def __post_init__(self) -> None:
        if not self.flows:
            raise InputError([NO_FLOWS])
        if not self.packets.width:
            message = (
                "the packets of this run were not recorded; "
                "a scenario with record_packets = true records them"
            )
            raise InputError([Problem("record_packets", "missing", message)])

    @property
    def flows(self) -> list[str]:
        """Names of the flows, in the order of the results."""
        return [flow["name"] for flow in self.spec["flows"]]

    @property
    def smss(self) -> int:
        """Payload of a segment [bytes]."""
        return int(self.spec["packet"]["smss"])

    @property
    def has_sack(self) -> bool:
        """Loss recovery that reads SACK blocks."""
        return self.spec["transport"]["recovery"] in ("sack", "rack", "quic")

    @property
    def receive_window(self) -> int | None:
        """Receive window [segments]; `None` without limit."""
        window = self.spec["transport"].get("receive_window")
        return None if window is None else int(window)

    def rows(self, flows: Iterable[str]) -> Iterator[Packet]:
        """Packets of some flows at both hosts, in the order of time."""
        kept = self.packets.filter(pl.col("flow").is_in(list(flows)))
        return map(Packet._make, kept.select(Packet._fields).iter_rows())

    def states(self, flow: str) -> Iterator[dict[str, Any]]:
        """States of a flow's sender, in the order of time."""
        return self.senders.filter(pl.col("flow") == flow).iter_rows(named=True)

    def echo(self, flow: str) -> int:
        """Echo of marks that both ends of a flow agree on; 0 for none, and before they connect."""
        answer = (pl.col("flow") == flow) & (pl.col("kind") == "syn-ack")
        answers = self.packets.filter(answer & (pl.col("host") == "sender"))
        return 0 if answers.is_empty() else int(answers["flags"][0])


def chosen_flows(named: list[str], flow: str | Iterable[str] | None) -> list[str]:
    """Those of the named flows that a caller names, one or several; all if `None`."""
    if flow is None:
        return named
    names = [flow] if isinstance(flow, str) else list(dict.fromkeys(flow))
    problems = [it for name in names for it in unknown("flow", "unknown_flow", name, named)]
    if not names:
        problems = [Problem("flow", "empty", "expected the name of a flow")]
    if problems:
        raise InputError(problems)
    return names

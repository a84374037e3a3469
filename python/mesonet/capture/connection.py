"""TCP connection of a flow: its recorded packets as TCP segments, in the order of time.

The engine counts segments and knows no addresses, octets or options. They follow from what it
records; what does not is in docs/howto/packets.md.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from mesonet.capture.headers import ACK, AE, CWR, ECE, FIN, SYN, Endpoint, Options, Segment
from mesonet.capture.recording import Packet, Recording

PORT = 9
"""Port of the receivers, that of the discard service: no analyser guesses a protocol above TCP."""
LARGEST_SHIFT = 14
"""Largest window scale (RFC 7323 section 2.3)."""
_SENDERS, _RECEIVERS = bytes((198, 18)), bytes((198, 19))
_FIRST_PORT = 49_152
_OPTIONS_OF_DATA = 12
_ACE_BITS = ((4, AE), (2, CWR), (1, ECE))
_CLASSIC, _ACCURATE = (1, 2), 3
_INITIAL_CEP = 5


class Seen(NamedTuple):
    """A segment at the host where it was seen, and why it was sent."""

    host: str
    segment: Segment
    cause: str


_Identity = tuple[int, int, int, int, str]


class _Ack(NamedTuple):
    """What only the receiving end knows of an ACK under way."""

    tick: int
    duplicate: int | None


class Connection:
    """Reads the packets of one flow at both hosts; `read` gives each as a segment of TCP."""

    def __init__(self, recording: Recording, flow: str) -> None:
        at = recording.flows.index(flow)
        number = (at & 0xFFFF).to_bytes(2, "big")
        self._sender = Endpoint(_SENDERS + number, _FIRST_PORT + (at >> 16))
        self._receiver = Endpoint(_RECEIVERS + number, PORT)
        self._smss = recording.smss
        self._sack = recording.has_sack
        self._echo = recording.echo(flow)
        room = recording.receive_window
        octets = 0xFFFF << LARGEST_SHIFT if room is None else room * self._smss
        self._shift, self._window = scaled_window(octets)
        self._first_window = min(octets, 0xFFFF)
        self._numbers = {"sender": 0, "receiver": 0}
        # Ticks of time stamps that packets under way carry.
        self._of_stamp: dict[int, int] = {}
        self._of_data: dict[tuple[int, int], tuple[int, int]] = {}
        self._syn_ack_tick = self._fin_tick = self._fin_seq = 0
        self._end = 0
        """Segments of the connection that were sent, each counted once."""
        self._acks: defaultdict[_Identity, deque[_Ack]] = defaultdict(deque)
        self._arrived_with: dict[int, int] = {}
        self._recent = 0
        """TSval that the sender echoes."""
        self._readers: Mapping[str, Callable[[Packet], list[Segment]]] = {
            "syn": self._syn,
            "syn-ack": self._syn_ack,
            "data": self._data,
            "ack": self._ack,
            "fin": self._fin,
        }

    def hosts(self, flow: str) -> tuple[tuple[bytes, str], tuple[bytes, str]]:
        """Addresses of the hosts and their names: `FLOW.sender` and `FLOW.receiver`."""
        return (
            (self._sender.address, f"{flow}.sender"),
            (self._receiver.address, f"{flow}.receiver"),
        )

    def read(self, packet: Packet) -> list[Seen]:
        """The next packet of the flow in the order of time, at either host."""
        segments = self._readers[packet.kind](packet)
        return [Seen(packet.host, segment, packet.cause) for segment in segments]

    def _syn(self, packet: Packet) -> list[Segment]:
        tick = self._of_stamp.get(packet.stamp, 0)
        if packet.host == "sender":
            tick = self._of_stamp[packet.stamp] = _tick(packet)
            if packet.cause == "ordinary":
                self._end = 0
        ecn = {_ACCURATE: AE | CWR | ECE}.get(self._echo, CWR | ECE if self._echo else 0)
        return [self._forward(packet, 0, SYN | ecn, self._offer((tick, 0)))]

    def _syn_ack(self, packet: Packet) -> list[Segment]:
        if packet.host == "receiver":
            self._syn_ack_tick = _tick(packet)
        stamp = (self._syn_ack_tick, self._of_stamp.get(packet.stamp, 0))
        # RFC 9768 section 3.1.1: CWR alone answers a SYN whose IP header was not ECN-capable.
        ecn = ECE if self._echo in _CLASSIC else CWR if self._echo == _ACCURATE else 0
        answer = self._back(packet, 0, 1, SYN | ACK | ecn, self._offer(stamp))
        if packet.host == "receiver":
            return [answer]
        self._recent = self._syn_ack_tick
        # The model has the ACK of the handshake as part of the first segment. RFC 9768 section
        # 3.2.2.1: its ACE field says that the SYN-ACK was not ECN-capable.
        flags = ACK | (CWR if self._echo == _ACCURATE else 0)
        stamped = Options((_tick(packet), self._recent))
        return [answer, self._forward(packet, 1, flags, stamped)]

    def _data(self, packet: Packet) -> list[Segment]:
        key = (packet.segment, packet.stamp)
        if packet.host == "sender":
            tick = self._of_stamp[packet.stamp] = _tick(packet)
            stamp = self._of_data[key] = (tick, self._recent)
            self._end = max(self._end, packet.segment + 1)
        else:
            self._arrived_with[packet.stamp] = packet.segment
            stamp = self._of_data.get(key, (0, 0))
        flags = ACK | self._own_ace() | _bits(packet.flags)
        seq = 1 + packet.segment * self._smss
        return [self._forward(packet, seq, flags, Options(stamp), self._smss)]

    def _ack(self, packet: Packet) -> list[Segment]:
        if packet.host == "receiver":
            # It echoes the stamp of the segment that had arrived before.
            again = packet.cause == "duplicate"
            duplicate = self._arrived_with.get(packet.stamp) if again else None
            sent = _Ack(_tick(packet), duplicate)
            self._acks[_identity(packet)].append(sent)
        else:
            under_way = self._acks[_identity(packet)]
            sent = under_way.popleft() if under_way else _Ack(self._recent, None)
            # RFC 7323 section 4.3: TS.Recent does not go back, if another ACK has overtaken this.
            self._recent = max(self._recent, sent.tick)
        stamp = (sent.tick, self._of_stamp.get(packet.stamp, 0))
        flags = ACK | _bits(packet.flags)
        options = Options(stamp, self._blocks(packet, sent.duplicate) if self._sack else ())
        return [self._back(packet, 1, self._edge(packet.segment), flags, options)]

    def _fin(self, packet: Packet) -> list[Segment]:
        # All data is acknowledged by then.
        if packet.host == "sender":
            self._fin_tick, self._fin_seq = _tick(packet), self._edge(self._end)
        options = Options((self._fin_tick, self._recent))
        return [self._forward(packet, self._fin_seq, FIN | ACK | self._own_ace(), options)]

    def _blocks(self, packet: Packet, duplicate: int | None) -> list[tuple[int, int]]:
        """SACK block, behind the D-SACK block of a segment that had arrived before (RFC 2883)."""
        blocks = [] if duplicate is None else [(duplicate, duplicate + 1)]
        if packet.sack_end > packet.sack_start:
            blocks.append((packet.sack_start, packet.sack_end))
        edges = [(self._edge(left), self._edge(right)) for left, right in blocks]
        return [(left & 0xFFFFFFFF, right & 0xFFFFFFFF) for left, right in edges]

    def _edge(self, segment: int) -> int:
        """Sequence number at which a segment begins."""
        return 1 + segment * self._smss

    def _own_ace(self) -> int:
        """ACE field of a sender that gets no data: the initial value of its counter."""
        return _bits(_INITIAL_CEP) if self._echo == _ACCURATE else 0

    def _offer(self, stamp: tuple[int, int]) -> Options:
        mss = min(self._smss + _OPTIONS_OF_DATA, 0xFFFF)
        return Options(stamp, mss=mss, shift=self._shift, sack_permitted=self._sack)

    def _forward(
        self, packet: Packet, seq: int, flags: int, options: Options, payload: int = 0
    ) -> Segment:
        segment = self._back(packet, seq, 1 if flags & ACK else 0, flags, options)
        return replace(segment, source=self._sender, target=self._receiver, payload=payload)

    def _back(self, packet: Packet, seq: int, ack: int, flags: int, options: Options) -> Segment:
        self._numbers[packet.host] += 1
        return Segment(
            source=self._receiver,
            target=self._sender,
            seq=seq,
            ack=ack,
            flags=flags,
            # RFC 7323 section 2.2: the window of a SYN is not scaled.
            window=self._first_window if flags & SYN else self._window,
            options=options,
            codepoint=packet.codepoint,
            identification=self._numbers[packet.host],
        )


def scaled_window(octets: int) -> tuple[int, int]:
    """Smallest window scale that can say a window, and the window in its units, rounded up."""
    for shift in range(LARGEST_SHIFT):
        window = -(-octets >> shift)
        if window <= 0xFFFF:
            return shift, window
    return LARGEST_SHIFT, min(-(-octets >> LARGEST_SHIFT), 0xFFFF)


def _tick(packet: Packet) -> int:
    """Time stamp clock [ms], which is 1 at the beginning: 0 says that there is nothing to echo."""
    return packet.nanoseconds // 1_000_000 + 1


def _identity(packet: Packet) -> _Identity:
    return (packet.segment, packet.stamp, packet.sack_start, packet.sack_end, packet.cause)


def _bits(flags: int) -> int:
    """AE, CWR and ECE of a recorded packet as flags of TCP."""
    return sum(bit for value, bit in _ACE_BITS if flags & value)

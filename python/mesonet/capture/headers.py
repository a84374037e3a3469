"""Headers of IPv4 and TCP (RFC 791, RFC 9293), with options and right checksums.

Payload is zeros that nobody stores: they add nothing to a checksum but their number.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

FIN, SYN, ACK = 0x01, 0x02, 0x10
ECE, CWR, AE = 0x40, 0x80, 0x100
ECN_BITS = {"not-ect": 0, "ect1": 1, "ect0": 2, "ce": 3}
"""Two low bits of the field that was Type of Service (RFC 3168 section 5)."""
LONGEST_PACKET = 65_535
"""Longest IPv4 packet [bytes]."""

_IP = struct.Struct(">BBHHHBBH4s4s")
_TCP = struct.Struct(">HHIIHHHH")
_WORDS = tuple(struct.Struct(f">{count}H") for count in range(61))


@dataclass(frozen=True)
class Endpoint:
    """Address and port of a host."""

    address: bytes
    port: int


@dataclass(frozen=True)
class Options:
    """Options of a TCP header; with `mss`, those of a SYN."""

    stamp: tuple[int, int]
    """TSval and TSecr (RFC 7323 section 3)."""
    blocks: Sequence[tuple[int, int]] = ()
    """SACK blocks, left and right edge each (RFC 2018 section 3)."""
    mss: int | None = None
    """Largest segment (RFC 9293 section 3.7.1)."""
    shift: int = 0
    """Window scale (RFC 7323 section 2)."""
    sack_permitted: bool = False

    def encoded(self) -> bytes:
        """Options in the order of common hosts, filled up to a multiple of four bytes."""
        value, echo = (tick & 0xFFFFFFFF for tick in self.stamp)
        stamp = struct.pack(">BBII", 8, 10, value, echo)
        if self.mss is not None:
            sack = b"\x04\x02" if self.sack_permitted else b"\x01\x01"
            scale = struct.pack(">BBBB", 1, 3, 3, self.shift)
            return struct.pack(">BBH", 2, 4, self.mss) + sack + stamp + scale
        edges = b"".join(struct.pack(">II", *block) for block in self.blocks)
        sack = struct.pack(">BBBB", 1, 1, 5, 2 + len(edges)) + edges if edges else b""
        return b"\x01\x01" + stamp + sack


@dataclass(frozen=True)
class Segment:
    """A TCP segment without its payload of some bytes; numbers are taken modulo 2^32."""

    source: Endpoint
    target: Endpoint
    seq: int
    ack: int
    flags: int
    window: int
    options: Options
    codepoint: str = "not-ect"
    identification: int = 0
    payload: int = 0

    def headers(self) -> bytes:
        """Both headers."""
        options = self.options.encoded()
        length = 20 + len(options)
        tcp = self._tcp(options, 0)
        pseudo = struct.pack(
            ">4s4sBBH", self.source.address, self.target.address, 0, 6, length + self.payload
        )
        return self._ip(length) + self._tcp(options, checksum(pseudo + tcp))

    def _ip(self, tcp: int) -> bytes:
        def header(total: int) -> bytes:
            tos, dont_fragment = ECN_BITS[self.codepoint], 0x4000
            ends = (self.source.address, self.target.address)
            number = self.identification & 0xFFFF
            whole = 20 + tcp + self.payload
            return _IP.pack(0x45, tos, whole, number, dont_fragment, 64, 6, total, *ends)

        return header(checksum(header(0)))

    def _tcp(self, options: bytes, total: int) -> bytes:
        offset = (5 + len(options) // 4) << 12
        seq, ack = self.seq & 0xFFFFFFFF, self.ack & 0xFFFFFFFF
        ports = (self.source.port, self.target.port)
        return _TCP.pack(*ports, seq, ack, offset | self.flags, self.window, total, 0) + options


def checksum(data: bytes) -> int:
    """Internet checksum (RFC 1071) of a whole number of 16-bit words."""
    total: int = sum(_WORDS[len(data) // 2].unpack(data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF

"""Blocks of a pcapng file (draft-ietf-opsawg-pcapng).

https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

LINKTYPE_RAW = 101
"""Packets begin with an IP header."""
SNAPLEN = 120
"""Longest captured part of a packet [bytes]: IP header, TCP header and all its options."""
LONGEST_COMMENT = 60_000
"""Longest comment [bytes]; an option has room for 65,535."""

_SECTION, _INTERFACE, _NAMES, _PACKET = 0x0A0D0D0A, 1, 4, 6
_IPV4 = 1
_COMMENT, _APPLICATION = 1, 4
_NAME, _DESCRIPTION, _RESOLUTION = 2, 3, 9
_NANOSECONDS = 9


def section(comment: str, application: str) -> bytes:
    """Section header block: begins the file and says who wrote it."""
    text = comment.encode()[:LONGEST_COMMENT].decode(errors="ignore")
    options = {_COMMENT: text.encode(), _APPLICATION: application.encode()}
    return _block(_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + _options(options.items()))


def interface(name: str, description: str) -> bytes:
    """Interface description block: the point at which packets were seen, with a clock in ns."""
    options = {
        _NAME: name.encode(),
        _DESCRIPTION: description.encode(),
        _RESOLUTION: bytes([_NANOSECONDS]),
    }
    head = struct.pack("<HHI", LINKTYPE_RAW, 0, SNAPLEN)
    return _block(_INTERFACE, head + _options(options.items()))


def names(hosts: Iterable[tuple[bytes, str]]) -> bytes:
    """Name resolution block: names of IPv4 addresses, which Wireshark can show."""
    records = ((_IPV4, address + name.encode() + b"\0") for address, name in hosts)
    return _block(_NAMES, _options(records))


def packet(nanoseconds: int, headers: bytes, length: int, comment: str = "") -> bytes:
    """Enhanced packet block: the headers of a packet of `length` bytes, seen at the interface."""
    high, low = nanoseconds >> 32, nanoseconds & 0xFFFFFFFF
    head = struct.pack("<IIIII", 0, high, low, len(headers), length)
    options = _options([(_COMMENT, comment.encode())]) if comment else b""
    return _block(_PACKET, head + _padded(headers) + options)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def _options(options: Iterable[tuple[int, bytes]]) -> bytes:
    written = [struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options]
    return b"".join(written) + bytes(4)


def _padded(value: bytes) -> bytes:
    return value + bytes(-len(value) % 4)

"""Files of packets, read back byte by byte."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import NamedTuple

import polars as pl
import pytest
from refusals import refused

import mesonet
from mesonet.capture import Recording, as_pcapng
from mesonet.capture.headers import Endpoint, Options, Segment, checksum

SECTION, INTERFACE, NAMES, PACKET = 0x0A0D0D0A, 1, 4, 6


class Seen(NamedTuple):
    nanoseconds: int
    length: int
    data: bytes

    @property
    def seq(self):
        return struct.unpack(">I", self.data[24:28])[0]

    @property
    def ack(self):
        return struct.unpack(">I", self.data[28:32])[0]

    @property
    def flags(self):
        return struct.unpack(">H", self.data[32:34])[0] & 0xFFF

    @property
    def options(self):
        return self.data[40:]


def blocks(content):
    at = 0
    while at < len(content):
        kind, length = struct.unpack_from("<II", content, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", content, at + length - 4)[0] == length
        yield kind, content[at + 8 : at + length - 4]
        at += length


def packets(content):
    seen = []
    for kind, body in blocks(content):
        if kind == PACKET:
            _, high, low, captured, length = struct.unpack_from("<IIIII", body)
            seen.append(Seen((high << 32) + low, length, body[20 : 20 + captured]))
    return seen


def recording(rows, *, smss=1000, recovery="sack"):
    """Hand-made packets of a flow named f."""
    plain = {"flow": "f", "host": "sender", "kind": "data", "cause": "ordinary"}
    plain |= dict.fromkeys(("segment", "sack_start", "sack_end", "flags", "stamp"), 0)
    plain["codepoint"] = "not-ect"
    spec = {
        "packet": {"smss": smss},
        "transport": {"recovery": recovery, "receive_window": None},
        "flows": [{"name": "f", "start": 0.0}],
    }
    return Recording(pl.DataFrame([plain | row for row in rows]), pl.DataFrame(), spec, "t", "c")


def test_a_file_is_a_section_an_interface_and_packets(lab):
    run = lab({"algorithm": "cubic", "size": "30 kB"})
    content = as_pcapng(run._recording())
    kinds = [kind for kind, _ in blocks(content)]
    sent = run.packets.filter(pl.col("host") == "sender").height
    # One more than the model has: the ACK of the handshake.
    assert kinds == [SECTION, INTERFACE, NAMES] + [PACKET] * (sent + 1)
    assert b"mesonet: dumbbell, seed 3" in content
    assert b'kind = "dumbbell"' in content
    assert b"host of the sender of cubic-1" in content
    assert content == as_pcapng(lab({"algorithm": "cubic", "size": "30 kB"})._recording())


def test_time_and_length_are_those_of_the_run(lab):
    run = lab({"algorithm": "cubic", "size": "30 kB"})
    seen = packets(as_pcapng(run._recording()))
    assert [packet.nanoseconds for packet in seen] == sorted(packet.nanoseconds for packet in seen)
    data = [packet for packet in seen if packet.length > 100]
    assert {packet.length for packet in data} == {1460 + 52}
    assert {len(packet.data) for packet in data} == {52}, "no payload is stored"
    times = run.packets.filter(pl.col("kind") == "data", pl.col("host") == "sender")["time"]
    assert [packet.nanoseconds for packet in data] == [round(time * 1e9) for time in times]


def test_checksums_are_right():
    ends = Endpoint(bytes((198, 18, 0, 1)), 49152), Endpoint(bytes((198, 19, 0, 1)), 9)
    blocks = [(3001, 4001)]
    segment = Segment(*ends, 1, 2, 0x10, 500, Options((7, 8), blocks), "ect0", 3, payload=1000)
    headers = segment.headers()
    assert checksum(headers[:20]) == 0
    tcp = headers[20:]
    pseudo = headers[12:20] + struct.pack(">HH", 6, len(tcp) + 1000)
    assert checksum(pseudo + tcp) == 0, "with a payload of zeros"
    assert struct.unpack(">H", headers[2:4])[0] == len(headers) + 1000
    # RFC 1071 section 3, the example: the sum of these words is ddf2.
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xFFFF - 0xDDF2


def test_sequence_numbers_wrap():
    last = (2**32 - 1) // 1000
    rows = [{"time": 0.1, "segment": number} for number in (last, last + 1)]
    rows.append({"time": 0.2, "kind": "ack", "segment": last + 2,
                 "sack_start": last + 3, "sack_end": last + 5})  # fmt: skip
    first, second, ack = packets(as_pcapng(recording(rows)))
    assert first.seq == 1 + last * 1000
    assert second.seq == 1 + (last + 1) * 1000 - 2**32
    assert ack.ack == 1 + (last + 2) * 1000 - 2**32
    edges = struct.unpack(">II", ack.options[-8:])
    assert edges == (1 + (last + 3) * 1000 - 2**32, 1 + (last + 5) * 1000 - 2**32)


def test_time_stamps_echo_each_other_and_count_milliseconds():
    stamp = round(0.05 * 1e12) >> 14
    common = {"segment": 0, "stamp": stamp}
    rows = [
        {"time": 0.05, **common},
        {"time": 0.07, "host": "receiver", **common},
        {"time": 0.08, "host": "receiver", "kind": "ack", "segment": 1, "stamp": stamp},
        {"time": 0.10, "kind": "ack", "segment": 1, "stamp": stamp},
        {"time": 0.11, "segment": 1, "stamp": stamp + 1},
    ]
    sent, acknowledged, after = packets(as_pcapng(recording(rows)))
    ticks = [struct.unpack(">II", seen.options[4:12]) for seen in (sent, acknowledged, after)]
    assert ticks == [(51, 0), (81, 51), (111, 81)]
    arrived, answer = packets(as_pcapng(recording(rows), vantage="receiver"))
    assert struct.unpack(">II", arrived.options[4:12]) == (51, 0)
    assert struct.unpack(">II", answer.options[4:12]) == (81, 51)


def test_an_ack_of_a_duplicate_has_the_block_of_rfc_2883():
    rows = [
        {"time": 0.1, "host": "receiver", "segment": 4},
        {"time": 0.1, "host": "receiver", "kind": "ack", "cause": "duplicate", "segment": 7},
        {"time": 0.2, "kind": "ack", "cause": "duplicate", "segment": 7},
    ]
    (ack,) = packets(as_pcapng(recording(rows)))
    assert struct.unpack(">II", ack.options[-8:]) == (4001, 5001)
    (plain,) = packets(as_pcapng(recording(rows, recovery="newreno")))
    assert len(plain.options) == 12, "no SACK without SACK"


def test_an_ack_that_was_lost_gives_its_place_to_the_next():
    acks = [{"time": 0.1 + at / 100, "host": "receiver", "kind": "ack", "segment": at + 1}
            for at in range(3)]  # fmt: skip
    rows = [*acks, {"time": 0.2, "kind": "ack", "segment": 3}]
    (ack,) = packets(as_pcapng(recording(rows)))
    assert struct.unpack(">I", ack.options[4:8])[0] == 121


def test_an_ack_that_others_overtake_takes_nothing_from_them():
    """RFC 7323 section 4.3: TS.Recent stays with the latest."""
    acks = [{"kind": "ack", "segment": at + 1} for at in range(3)]
    left = [{"time": 0.1 + at / 100, "host": "receiver", **ack} for at, ack in enumerate(acks)]
    come = [{"time": 0.2 + at / 100, **acks[number]} for at, number in enumerate((1, 0, 2))]
    *_, after = seen = packets(as_pcapng(recording([*left, *come, {"time": 0.3, "segment": 9}])))
    assert [struct.unpack(">I", it.options[4:8])[0] for it in seen] == [111, 101, 121, 301]
    assert struct.unpack(">I", after.options[8:12])[0] == 121
    early = packets(as_pcapng(recording([*left, *come[:2], {"time": 0.3, "segment": 9}])))
    assert struct.unpack(">I", early[-1].options[8:12])[0] == 111


def test_a_late_ack_of_a_duplicate_names_that_segment():
    rows = [
        {"time": 0.1, "host": "receiver", "segment": 4, "stamp": 5},
        {"time": 0.15, "host": "receiver", "segment": 9, "stamp": 6},
        {"time": 0.2, "host": "receiver", "kind": "ack", "cause": "duplicate", "stamp": 5},
        {"time": 0.3, "kind": "ack", "cause": "duplicate", "stamp": 5},
    ]
    (ack,) = packets(as_pcapng(recording(rows)))
    assert struct.unpack(">II", ack.options[-8:]) == (4001, 5001)


def test_each_connection_of_a_flow_ends_where_its_data_do():
    ends = []
    for start, segments in ((1.0, 3), (2.0, 1)):
        data = [{"time": start + 0.1, "segment": segment} for segment in range(segments)]
        fin = {"kind": "fin"}
        ends += [{"time": start, "kind": "syn"}, *data, {"time": start + 0.2, **fin}]
        ends.append({"time": start + 0.3, "host": "receiver", **fin})
    for vantage in ("sender", "receiver"):
        seen = packets(as_pcapng(recording(ends), vantage=vantage))
        assert [it.seq for it in seen if it.flags & 1] == [3001, 1001]


@pytest.mark.parametrize(
    ("echo", "syn", "answer", "data"),
    [
        (0, 0x002, 0x012, 0x010),
        (1, 0x0C2, 0x052, 0x010),
        (2, 0x0C2, 0x052, 0x010),
        # RFC 9768 sections 3.1.1 and 3.2: AE, CWR and ECE ask; CWR answers; counters begin at 5.
        (3, 0x1C2, 0x092, 0x150),
    ],
)
def test_the_handshake_agrees_on_ecn(echo, syn, answer, data):
    rows = [
        {"time": 0.0, "kind": "syn"},
        {"time": 0.1, "kind": "syn-ack", "flags": echo},
        {"time": 0.1, "codepoint": "ect1"},
    ]
    seen = packets(as_pcapng(recording(rows)))
    assert [seen[at].flags for at in (0, 1, 3)] == [syn, answer, data]
    assert seen[3].data[1] & 3 == 1


@pytest.mark.parametrize("segments", [1, 37, 45, 89, 90, 5000, None])
def test_the_receive_window_is_that_of_the_scenario(lab, segments):
    run = lab("reno", duration="1 s", transport={"receive_window": segments} if segments else {})
    syn, *later = packets(as_pcapng(run._recording()))
    # RFC 7323 section 2.2: "The window field in a segment where the SYN bit is set ... MUST NOT be
    # scaled"; the shift is the last byte of the options.
    shift = syn.options[-1]
    said = {
        struct.unpack(">H", seen.data[34:36])[0] << shift for seen in later if seen.flags & 2 == 0
    }
    octets = 1460 * segments if segments else 65_535 << 14
    # A scale as small as can be says the window to one part in 2^15.
    assert said == {-(-octets >> shift) << shift}
    assert shift == 0 if octets <= 65_535 else octets >> shift > 32_767


def test_flows_have_addresses_of_their_own_with_names(lab):
    run = lab("cubic", {"algorithm": "reno", "start": "1 s"}, duration="2 s")
    content = as_pcapng(run._recording())
    # libpcap refuses a second interface of packets without a link layer.
    assert [kind for kind, _ in blocks(content)].count(INTERFACE) == 1
    (names,) = (body for kind, body in blocks(content) if kind == NAMES)
    # Kind and length, address, name and its zero, zeros up to four bytes.
    first = b"\1\0\x13\0" + bytes((198, 18, 0, 0)) + b"cubic-1.sender\0" + b"\0"
    assert names.startswith(first)
    assert b"\xc6\x13\0\1reno-1.receiver\0" in names
    assert names.endswith(bytes(4))
    assert {seen.data[12:20] for seen in packets(content)} == {
        bytes((*source, 0, at, *target, 0, at))
        for at in (0, 1)
        for source, target in (((198, 18), (198, 19)), ((198, 19), (198, 18)))
    }
    reno = packets(as_pcapng(run._recording(), "reno-1"))
    assert {seen.data[15] for seen in reno} == {1}
    assert min(seen.nanoseconds for seen in reno) == 1_000_000_000


def test_a_flow_that_never_connected_has_only_requests(lab):
    run = lab("cubic", loss=0.999_999_9, seed=1)
    seen = packets(as_pcapng(run._recording()))
    assert len(seen) == run.totals["syns"] > 1
    assert {packet.flags for packet in seen} == {0x002}
    assert packets(as_pcapng(run._recording(), vantage="receiver")) == []


def test_a_flow_that_has_not_begun_is_an_empty_file(lab):
    run = lab("cubic", {"algorithm": "reno", "start": "3 s"})
    packets = run.packets.filter(pl.col("time") < 1)
    none = replace(run, tables={**run.tables, "packets": packets})
    assert [kind for kind, _ in blocks(as_pcapng(none._recording(), "reno-1"))] == [
        SECTION,
        INTERFACE,
        NAMES,
    ]


def test_what_cannot_be_written_is_said(lab, tmp_path):
    run = lab("cubic", duration="1 s")
    assert run.to_pcapng(tmp_path / "a.pcapng") == tmp_path / "a.pcapng"
    run.to_pcapng(tmp_path / "a.pcapng", vantage="receiver")  # its own file is replaced
    plain = mesonet.simulate(run.scenario.replace({"record_packets": False}))
    for place, kind, call in [
        (f"{tmp_path / 'a.pcap'}", "suffix", lambda: run.to_pcapng(tmp_path / "a.pcap")),
        (f"{tmp_path / 'a.json'}", "suffix", lambda: run.to_qlog(tmp_path / "a.json")),
        (
            f"{tmp_path / 'no' / 'a.pcapng'}",
            "folder",
            lambda: run.to_pcapng(tmp_path / "no" / "a.pcapng"),
        ),
        ("flow", "unknown_flow", lambda: run.to_pcapng(tmp_path / "a.pcapng", flow="cubic-2")),
        ("flow", "empty", lambda: run.to_qlog(tmp_path / "a.qlog", flow=[])),
        ("vantage", "unknown", lambda: run.to_pcapng(tmp_path / "a.pcapng", vantage="router")),
        ("record_packets", "missing", lambda: plain.to_pcapng(tmp_path / "b.pcapng")),
        ("record_packets", "missing", lambda: plain.to_qlog(tmp_path / "b.qlog")),
    ]:
        with refused(mesonet.InputError, (place, kind)):
            call()
    assert {path.name for path in tmp_path.iterdir()} == {"a.pcapng"}


def test_segments_that_do_not_fit_a_packet_are_refused(lab):
    run = lab("cubic", duration="1 s", packet={"smss": 65_535}, buffer="10 packets")
    with pytest.raises(mesonet.InputError):
        as_pcapng(run._recording())


def test_a_network_without_named_flows_has_no_packets():
    world = mesonet.internet(
        base_sources=1, duration="1 s", speed="4 p/ms", algorithms="reno", record_packets=True,
        long_flows="none",
    )  # fmt: skip
    with pytest.raises(mesonet.InputError):
        mesonet.simulate(world)._recording()


def test_long_flows_of_a_network_in_many_regions_are_recorded():
    world = mesonet.internet(
        base_sources=1, duration="4 s", speed="4 p/ms", algorithms="reno", record_packets=True,
        startup="early",
    )  # fmt: skip
    run = mesonet.simulate(world, threads=2)
    assert run.packets["time"].is_sorted()
    assert run.packets["flow"].n_unique() >= 1
    assert packets(as_pcapng(run._recording(), vantage="receiver"))

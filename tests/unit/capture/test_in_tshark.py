"""Files of packets in tshark, Wireshark's command: skipped, and said so, where there is none.

Wireshark guesses from a file which segments were sent again. At the sender's host it has to find
those that the run says, which stand in the comments of the packets.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import mesonet

TSHARK = shutil.which("tshark")
pytestmark = pytest.mark.skipif(TSHARK is None, reason="there is no tshark on this machine")

ERROR = "8388608"
"""Severity of an expert's error (epan/proto.h: PI_ERROR)."""

LABS = {
    "reno-sack": (["reno"], {"transport": {"recovery": "sack"}}),
    "cubic-rack": (["cubic"], {}),
    "reno-newreno": (["reno"], {"transport": {"recovery": "newreno"}}),
    "reno-tahoe": (["reno"], {"transport": {"recovery": "tahoe"}}),
    "random-losses": (["cubic"], {"loss": 0.05}),
    "paced": (["bbr3"], {}),
    "lost-acks": (
        ["cubic"],
        {"loss": 0.02, "reverse_loss": 0.1, "transport": {"recovery": "rack"}},
    ),
    "short": ([{"algorithm": "cubic", "size": "40 kB", "count": 4}], {"loss": 0.1}),
    "classic-ecn": (
        ["cubic"],
        {"queue": {"kind": "codel", "ecn": True}, "transport": {"ecn": True}},
    ),
}
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "packets.md"
AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission")


def fields(path, *names, where=""):
    """Fields of each packet; several values of one are separated by semicolons."""
    assert TSHARK is not None
    wanted = [part for name in names for part in ("-e", name)]
    form = ["-T", "fields", "-E", "separator=/t", "-E", "aggregator=;"]
    command = [TSHARK, "-n", "-r", str(path), *form, *wanted, *(["-Y", where] if where else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def frames(path, where):
    return {row[0] for row in fields(path, "frame.number", where=where)}


# A start of tshark takes half a second, so that one gives all fields of a file.
SEEN = (
    "frame.number", "frame.comment", "tcp", "tcp.len", "tcp.flags.syn", "ip.checksum.status",
    "_ws.malformed", "_ws.expert.severity", "tcp.analysis.out_of_order",
    "tcp.analysis.duplicate_ack", *(f"tcp.analysis.{word}" for word in AGAIN),
)  # fmt: skip


def numbers(packets, are):
    """Frame numbers of the packets that are something."""
    return {packet["frame.number"] for packet in packets if are(packet)}


@pytest.mark.parametrize("name", LABS)
def test_tshark_finds_no_fault_and_the_retransmissions_of_the_run(name, lab, tmp_path):
    flows, changes = LABS[name]
    run = lab(*flows, **changes)
    files = {}
    for vantage in ("receiver", "sender"):
        path = run.to_pcapng(tmp_path / f"{vantage}.pcapng", vantage=vantage)
        files[vantage] = [dict(zip(SEEN, row, strict=True)) for row in fields(path, *SEEN)]
        for packet in files[vantage]:
            assert packet["tcp"], (vantage, packet)
            assert not packet["_ws.malformed"], (vantage, packet)
            assert ERROR not in packet["_ws.expert.severity"].split(";"), (vantage, packet)
            assert packet["ip.checksum.status"] != "0", (vantage, packet)
    packets = files["sender"]
    assert packets
    retransmitted = numbers(
        packets,
        lambda it: (
            int(it["tcp.len"]) > 0 and re.search("retransmission|probe", it["frame.comment"])
        ),
    )
    assert len(retransmitted) == run.totals["retransmitted"] > 0
    marked = numbers(packets, lambda it: any(it[f"tcp.analysis.{word}"] for word in AGAIN))
    # Retransmissions soon after new data look to Wireshark as if the network had delayed them.
    late = numbers(packets, lambda it: it["tcp.analysis.out_of_order"])
    requests = numbers(
        packets,
        lambda it: it["tcp.flags.syn"] in ("1", "True") and it["frame.comment"] == "retransmission",
    )
    assert marked
    assert marked | late == retransmitted | requests
    again = numbers(packets, lambda it: it["tcp.analysis.duplicate_ack"])
    assert len(again) == run.totals["duplicate_acks"]


def test_ecn_is_what_the_run_had(lab, tmp_path):
    flows, changes = LABS["classic-ecn"]
    run = lab(*flows, **changes)
    marked = run.flows["ce_marked"].sum()
    path = run.to_pcapng(tmp_path / "a.pcapng", vantage="receiver")
    assert len(frames(path, "ip.dsfield.ecn == 3")) == marked > 0
    echoes = frames(path, "tcp.flags.ece == 1 && tcp.flags.syn == 0")
    reductions = frames(path, "tcp.flags.cwr == 1 && tcp.flags.syn == 0 && tcp.len > 0")
    assert len(echoes) >= marked
    assert reductions
    assert len(frames(path, "tcp.flags.syn == 1 && tcp.flags.ece == 1")) == 2


def test_accurate_ecn_counts_marks_in_the_ace_field(lab, tmp_path):
    run = lab("prague", queue={"kind": "dualpi2"})
    path = run.to_pcapng(tmp_path / "a.pcapng", vantage="receiver")
    marked = run.flows["ce_marked"].sum()
    assert len(frames(path, "ip.dsfield.ecn == 3")) == marked > 0
    count, ace = 0, 5
    for row in fields(path, "ip.dsfield.ecn", "tcp.len", "tcp.flags", where="tcp.flags.syn == 0"):
        codepoint, length, flags = int(row[0]), int(row[1]), int(row[2], 16)
        value = (flags >> 6) & 7
        if length:
            count += codepoint == 3
            assert value == 5
        else:
            assert (value - 5 - count) % 8 == 0
            ace = value
    assert ace == (5 + marked) % 8


def test_wrapped_sequence_numbers_are_one_connection(lab, tmp_path):
    """A flow of 65,000 bytes a segment passes 4 GiB after 66,077 of them."""
    run = lab(
        {"algorithm": "reno", "size": "66200 packets"},
        rate="100 Gbit/s", rtt="1 ms", buffer="100000 packets", duration="30 s", interval="1 s",
        packet={"smss": 65_000}, initial_window=66_200,
    )  # fmt: skip
    assert run.totals["completed"] == 1
    path = run.to_pcapng(tmp_path / "a.pcapng")
    # One pass over all packets takes seconds.
    rows = fields(
        path,
        "tcp.stream",
        "tcp.seq_raw",
        "tcp.len",
        "_ws.expert.severity",
        "tcp.analysis.lost_segment",
    )
    assert not any(lost for *_, lost in rows)
    assert ERROR not in {code for *_, severity, _ in rows for code in severity.split(";")}
    assert {stream for stream, *_ in rows} == {"0"}
    numbers = [int(number) for _, number, length, *_ in rows if int(length) > 0]
    assert numbers == [(1 + at * 65_000) % 2**32 for at in range(66_200)]


def test_lost_connection_requests_are_read(lab, tmp_path):
    run = lab("cubic", loss=0.999_999_9, seed=1)
    path = run.to_pcapng(tmp_path / "a.pcapng")
    assert len(frames(path, "tcp.flags.syn == 1")) == run.totals["syns"]
    empty = run.to_pcapng(tmp_path / "b.pcapng", vantage="receiver")
    assert fields(empty, "frame.number") == []


def test_hosts_have_names(lab, tmp_path):
    path = lab("cubic", "reno").to_pcapng(tmp_path / "a.pcapng")
    assert TSHARK is not None
    command = [TSHARK, "-N", "n", "-r", str(path), "-T", "fields", "-e", "ip.src_host"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        f"{flow}-1.{end}" for flow in ("cubic", "reno") for end in ("sender", "receiver")
    }


@pytest.mark.parametrize("program", ["tcpdump", "tcptrace"])
def test_libpcap_reads_several_flows(program, lab, tmp_path):
    """tcpdump and tcptrace read by libpcap, which takes fewer files than Wireshark."""
    executable = shutil.which(program)
    if executable is None:
        pytest.skip(f"there is no {program} on this machine")
    run = lab("cubic", "reno", loss=0.01)
    path = run.to_pcapng(tmp_path / "a.pcapng")
    options = ["-n", "-r", str(path)] if program == "tcpdump" else ["-n", "-l", str(path)]
    done = subprocess.run([executable, *options], capture_output=True, text=True, check=True)
    if program == "tcpdump":
        assert len(done.stdout.splitlines()) == len(fields(path, "frame.number"))
        return
    assert "2 TCP connections traced" in done.stdout
    again = re.findall(r"rexmt data pkts: +(\d+)", done.stdout)
    assert sum(map(int, again)) == run.totals["retransmitted"] > 0


def test_the_file_says_where_it_is_from(tmp_path, lab):
    capinfos = shutil.which("capinfos")
    if capinfos is None:
        pytest.skip("there is no capinfos on this machine")
    path = lab("cubic", duration="1 s").to_pcapng(tmp_path / "a.pcapng")
    said = subprocess.run([capinfos, str(path)], capture_output=True, text=True, check=True).stdout
    assert "mesonet: dumbbell, seed 3" in said
    assert "host of the sender of cubic-1" in said


def test_the_manual_shows_what_tshark_prints(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    lab = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert lab is not None
    (tmp_path / "lab.toml").write_text(lab[1], encoding="utf-8")
    scenario = mesonet.load_scenario(tmp_path / "lab.toml").replace({"record_packets": True})
    mesonet.simulate(scenario).to_pcapng(tmp_path / "lab.pcapng")
    shown = re.findall(r"^\$ (tshark .*)\n((?:[^$`].*\n)+)", text, re.MULTILINE)
    assert len(shown) == 3
    for command, printed in shown:
        done = subprocess.run(
            shlex.split(command), cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == printed.split(), command

"""Pages cite the sections that say so, and say where the model departs from them."""

from pathlib import Path

import pytest

import mesonet
from mesonet.scenario.transport import PROFILES

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(
    ("page", "row", "cited", "heading"),
    [
        ("models/codel.md", "| `target` ", "RFC 8289, section 4.3", "Setting TARGET"),
        ("models/codel.md", "| `interval` ", "RFC 8289, section 4.2", "Setting INTERVAL"),
        # "the total occupancy of all queues sharing the same output link SHOULD be used".
        (
            "models/fq-codel.md",
            "| `own_backlog` ",
            "section 4.4: of all",
            "Use with Multiple Queues",
        ),
        # "at least the transmission time of a single MTU-sized packet": not in RFC 8289.
        ("models/codel.md", "  a target of at least", "RFC 8290, section 5.2.2", "Target"),
    ],
)
def test_a_row_cites_the_section_with_its_heading(page, row, cited, heading):
    lines = (DOCS / page).read_text("utf-8").splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith(row)]
    assert cited in lines[at - 1] + lines[at], heading


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("no-losses", "RFC 8087, section 2"),  # Benefit of Using ECN to Avoid Congestion Loss
        ("same-use", "RFC 8087, section 2.1"),  # Improved Throughput
        ("short-queue-{kind}", "RFC 8289, section 4.3"),  # Setting TARGET
    ],
)
def test_claims_of_the_example_study_name_their_sections(claim, source):
    text = (DOCS / "howto" / "own-study.md").read_text("utf-8")
    said = text.split(f'id = "{claim}"')[1].split("rule =")[0]
    assert f'source = "{source}"\n' in said


def test_ledbat_starts_with_the_window_of_the_transport_and_the_page_says_so():
    # RFC 6817, section 2.5: "INIT_CWND and MIN_CWND SHOULD both be 2."
    def first(**options):
        lab = mesonet.dumbbell(
            rate="10 Mbit/s", rtt="40 ms", flows=["ledbat"], duration="1 s", profile="rfc",
            record_packets=True, **options,
        )  # fmt: skip
        return float(mesonet.simulate(lab).senders["cwnd"][0])

    assert (first(), first(initial_window=2)) == (10, 2)
    page = (DOCS / "models" / "ledbat.md").read_text("utf-8")
    assert "10 segments in the profiles `rfc` and `linux`. RFC 6817, section 2.5, has 2" in page


def test_an_ack_out_of_order_echoes_its_segment_and_pages_say_so():
    # RFC 7323, section 4.3: such an ACK "SHOULD ... contain the timestamp from the most recent
    # segment that advanced RCV.NXT".
    lab = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="40 ms", flows=["reno"], duration="5 s", loss=0.01, profile="rfc",
        record_packets=True,
    )  # fmt: skip
    seen = mesonet.simulate(lab, seed=1).packets.filter(host="receiver")
    arrived, acks = 0, 0
    for row in seen.iter_rows(named=True):
        if row["kind"] == "data":
            arrived = row["stamp"]
        elif row["kind"] == "ack" and row["sack_end"] > row["sack_start"]:
            assert row["stamp"] == arrived
            acks += 1
    assert acks > 10
    for page in ("models/transport.md", "howto/packets.md"):
        text = (DOCS / page).read_text("utf-8").replace("RFC 7323, section", "RFC 7323 section")
        assert "RFC 7323 section 4.3" in text, page


def test_pages_name_the_profiles_that_reduce_at_once():
    at_once = {name for name, options in PROFILES.items() if options.get("prr", "none") == "none"}
    assert at_once == {"mesonet", "rfc", "linux-4.18", "quic"}
    (row,) = [
        line
        for line in (DOCS / "limitations.md").read_text("utf-8").splitlines()
        if "proportional rate reduction" in line
    ]
    assert {name for name in PROFILES if f"`{name}`" in row.split("|")[1]} == at_once
    assert "In all profiles but `linux` (6.18) the window" in (DOCS / "models/reno.md").read_text()


@pytest.mark.parametrize(
    ("profile", "options", "seconds"),
    [
        ("mesonet", {}, 21),
        ("rfc", {}, 63),
        ("rfc", {"syn_tries": 8}, 255),
        ("linux", {}, 131),
    ],
)
def test_attempts_to_connect_fail_when_the_page_says(profile, options, seconds):
    # RFC 9293, section 3.8.3: "R2 for a SYN segment MUST be set large enough to provide
    # retransmission of the segment for at least 3 minutes (MUST-23)."
    lab = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="40 ms", flows=["reno"], duration="300 s", loss=1 - 1e-9,
        profile=profile, transport=options, interval="1 s",
    )  # fmt: skip
    series = mesonet.simulate(lab, seed=1).series
    (failed,) = series.filter(series["connection_failures"] > 0)["time"]
    assert failed == pytest.approx(seconds + 1), "the interval that begins then"
    page = (DOCS / "models" / "transport.md").read_text("utf-8")
    (row,) = [
        line for line in page.splitlines() if line.startswith("* An attempt to connect fails")
    ]
    assert f"{seconds} s" in row
    assert "RFC 9293, section 3.8.3" in row


def test_the_initial_window_counts_segments_of_any_size_and_the_page_says_so():
    # RFC 6928, section 2: "min (10*MSS, max (2*MSS, 14600))".
    lab = mesonet.dumbbell(
        rate="1 Gbit/s", rtt="40 ms", flows=["reno"], duration="1 s", profile="rfc",
        packet={"smss": 8960}, record_packets=True,
    )  # fmt: skip
    assert mesonet.simulate(lab).senders["cwnd"][0] == 10
    page = (DOCS / "models" / "transport.md").read_text("utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| `initial_window` |")]
    assert "14,600 bytes, or two segments" in row


def test_losses_found_as_a_recovery_ends_begin_another_with_rack_alone():
    # RFC 5681, section 4.3: "Loss in two successive windows of data ... should be taken as two
    # indications of congestion". The ACK of segment 13, at 407 ms, ends a recovery whose point is
    # 14, and tells that 14 to 16 are lost.
    lab = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="100 ms", flows=[mesonet.flow("reno", size="20 packets")],
        duration="20 s", loss=0.1, profile="linux", record_packets=True,
    )  # fmt: skip
    run = mesonet.simulate(lab, seed=272)
    senders = run.senders.filter((run.senders["time"] > 0.4) & (run.senders["time"] < 0.5))
    assert set(senders["recovery"]) == {"fast"}
    assert set(senders["ssthresh"]) == {2.75}, "half of 5.5"
    sent = run.packets.filter(host="sender", kind="data")
    sent = sent.filter((sent["time"] > 0.4) & (sent["time"] < 0.4075))
    assert list(zip(sent["segment"], sent["cause"], strict=True)) == [(14, "retransmission")]
    transport = (DOCS / "models" / "transport.md").read_text("utf-8")
    assert "RFC 6675, section 5, step 2" in transport


def test_scalable_has_the_increment_of_present_kernels():
    # Linux, `tcp_scalable.c`: "#define TCP_SCALABLE_AI_CNT 100U"; old ones "use 50 instead of 100
    # to account for delayed ack".
    page = (DOCS / "models" / "scalable.md").read_text("utf-8")
    assert "for every min(w, 100) acknowledged" in page


def test_a_syn_that_is_retransmitted_still_asks_for_ecn_and_the_page_says_so():
    # RFC 3168, section 6.1.1.1: such a host "MAY resend the SYN ... with CWR and ECE cleared".
    lab = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="50 ms", flows=[mesonet.flow("dctcp", size="20 packets")],
        duration="20 s", loss=0.3, profile="linux", transport={"ecn": True}, record_packets=True,
    )  # fmt: skip
    sent = mesonet.simulate(lab, seed=4).packets.filter(host="sender")
    assert sent.filter(kind="syn").height == 2
    assert set(sent.filter(kind="data")["codepoint"]) == {"ect0"}
    page = (DOCS / "models" / "transport.md").read_text("utf-8")
    assert "RFC 3168, section 6.1.1.1" in page

"""Applications that pause: bursts of a flow over one connection."""

import polars as pl
import pytest

import mesonet
from mesonet.plan import expected


def _lab(flow, **changes):
    fields = {"rate": "20 Mbit/s", "rtt": "40 ms", "duration": "10 s", "record_transfers": True}
    return mesonet.dumbbell(flows=[flow], **(fields | changes))


def test_requests_follow_one_another_after_the_pause():
    flow = mesonet.flow("cubic", size="500 kB", burst="200 kB", pause="1500 ms")
    run = mesonet.simulate(_lab(flow))
    # 200 kB are 137 segments of 1460 bytes; the last burst has what is left.
    assert run.transfers["size"].to_list() == [137, 137, 69]
    ends = run.transfers["start"] + run.transfers["duration"]
    gaps = run.transfers["start"][1:] - ends[:-1]
    assert gaps.to_list() == pytest.approx([1.5, 1.5])
    assert run.totals["connections"] == 1
    assert run.responses["completion_time"] == pytest.approx(run.transfers["duration"].mean())


def test_media_have_their_rate_whatever_the_window():
    # 25 kB are 18 segments of 1460 bytes: 10 bursts a second are 180 segments.
    flow = mesonet.flow("bbr3", burst="25 kB", every="100 ms")
    run = mesonet.simulate(_lab(flow, profile="linux"))
    rates = run.flows.filter(run.flows["time"] > 2)["acked"] / 0.1
    assert set(rates.round(6)) == {180.0}


@pytest.mark.parametrize(
    ("profile", "transport", "least", "most"),
    [
        # RFC 5681, section 4.1: "cwnd is reduced to no more than RW" after an idle RTO; its
        # profile does so by the option alone.
        ("rfc", {}, 100, 1000),
        ("rfc", {"idle_restart": "rfc5681"}, 10, 10),
        # Linux, tcp_cwnd_restart: half for every RTO of idle time, down to the initial window.
        ("linux", {}, 10, 10),
    ],
)
def test_a_window_is_kept_over_a_pause_or_not(profile, transport, least, most):
    flow = mesonet.flow("cubic", size="1 MB", burst="500 kB", pause="3 s")
    lab = _lab(flow, profile=profile, transport=transport, buffer="1 MB", record_packets=True)
    run = mesonet.simulate(lab)
    begins = run.transfers["start"][1]
    data = run.packets.filter(host="sender", kind="data")
    # What leaves before the first ACK of the second burst is back.
    at_once = data.filter((data["time"] >= begins) & (data["time"] < begins + 0.04)).height
    assert least <= at_once <= most


def test_gaps_are_numbers_of_the_engine():
    paced = _lab(mesonet.flow("reno", burst="14.6 kB", every="2 s")).resolve()["flows"][0]
    assert paced["bursts"] == {"size": 10, "next": {"every": 2.0}}
    asks = _lab(mesonet.flow("reno", burst="3 packets", pause="0 s")).resolve()["flows"][0]
    assert asks["bursts"] == {"size": 3, "next": {"after": 0.0}}


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"pause": "1 s"}, "pause", "a gap between bursts needs their size, burst"),
        ({"every": "1 s"}, "every", "a gap between bursts needs their size, burst"),
        ({"burst": "1 MB"}, "burst", "expected pause or every beside it, got none"),
        (
            {"burst": "1 MB", "pause": "1 s", "every": "1 s"},
            "burst",
            "expected pause or every beside it, got both",
        ),
        ({"burst": "1 MB", "pause": "2 h"}, "pause", "expected 0 s to 3600 s, got 7200 s"),
        ({"burst": "1 MB", "every": "1 ns"}, "every", "expected 1 us to 3600 s, got 1 ns"),
        ({"burst": "0 B", "pause": "1 s"}, "burst", "expected a size above zero"),
    ],
)
def test_pauses_that_make_no_sense_are_told(fields, place, message):
    with pytest.raises(mesonet.ScenarioError) as caught:
        mesonet.dumbbell(
            rate="1 Mbit/s", rtt="40 ms", flows=[{"algorithm": "reno", **fields}], duration="1 s"
        )
    (problem,) = caught.value.problems
    assert problem.loc == f"flows[0].{place}"
    assert message in problem.message


def test_a_plan_expects_what_the_application_offers():
    whole = expected(_lab(mesonet.flow("reno")).resolve())
    some = expected(_lab(mesonet.flow("reno", burst="20 packets", every="1 s")).resolve())
    assert some.packets == pytest.approx(220, rel=0.01)
    assert whole.packets > 10 * some.packets


# T. Flach and others, "An Internet-Wide Analysis of Traffic Policing", Sigcomm 2016: median loss of
# the first 2 MB [%] in their laboratory, by rate [Mbit/s] and bucket [kB]. Linux of 2015 there.
@pytest.mark.parametrize(
    ("rate", "bucket", "lost", "within"),
    [(0.5, 1000, 36.2, 0.2), (1.5, 1000, 39.1, 0.2), (3, 1000, 37.6, 0.2), (10, 100, 6.9, 0.2)],
)
def test_policers_lose_as_measured_ones_do(rate, bucket, lost, within):
    flow = mesonet.flow("cubic:linux", size="4 MB", burst="2 MB", pause="3 s")
    policer = {"kind": "policer", "rate": f"{rate} Mbit/s", "burst": f"{bucket} kB"}
    lab = _lab(
        flow, rate="100 Mbit/s", rtt="100 ms", buffer="1000 packets", queue=policer,
        packet={"smss": 1448, "header": 66}, profile="linux", duration="120 s",
    )  # fmt: skip
    first = mesonet.simulate(lab).transfers.select(pl.first("size"), pl.first("sent"))
    assert 100 * (1 - first["size"][0] / first["sent"][0]) == pytest.approx(lost, rel=within)

"""Applications of a share of the population of a national network."""

from collections import Counter

import polars as pl
import pytest

import mesonet
from mesonet.errors import ScenarioError
from mesonet.responses import compute

SHARES = [
    {
        "share": 0.04,
        "application": {"kind": "web", "objects": 5, "size": "20 kB", "pause": "2 s"},
    },
    {"share": 0.02, "application": "video"},
    {
        "share": 0.02,
        "application": {"kind": "call", "rate": "1 Mbit/s", "over": "udp"},
        "name": "talk",
    },
    {"share": 0.03, "application": {"kind": "rpc", "size": "20 kB", "pause": "500 ms"}},
]


def nation(shares, **changes):
    keys = {"scale": 0.02, "duration": "30 s", "jumbo": "none", "profile": "linux"}
    return mesonet.internet(**keys | {"application_shares": shares} | changes)


def test_applications_take_the_place_of_sources():
    scenario = nation(SHARES, algorithms={"cubic": 0.5, "reno": 0.5}, scale=0.2)
    spec, without = scenario.resolve(), scenario.replace({"application_shares": []}).resolve()
    before, after = (sum(site["sources"] for site in it["sites"]) for it in (without, spec))
    kinds = Counter(own["name"].split("-")[0] for own in spec["applications"])
    assert kinds == {
        own.get("name", kind): round(own["share"] * before)
        for own, kind in zip(SHARES, ("web", "video", "call", "rpc"), strict=True)
    }
    assert after == before - kinds.total()
    assert len(spec["flows"]) == 3 + kinds.total() + 5 * kinds["web"]
    # Long-lived flows keep their places before them.
    assert [flow["name"] for flow in spec["flows"][:4]] == ["L1", "L2", "L3", "web-1-1"]
    own = spec["flows"][3:]
    regions = [spec["stations"][site["station"]]["region"] for site in spec["sites"]]
    assert all(regions[flow["source"]] != regions[flow["receiver"]] for flow in own)
    assert len({flow["source"] for flow in own}) > 40
    for name in ("cubic", "reno"):
        part = sum(flow.algorithm == name for flow in scenario.named_flows().values())
        assert part / len(spec["flows"]) == pytest.approx(0.5, abs=0.1)


def test_users_of_a_national_network_have_their_responses():
    run = mesonet.simulate(nation(SHARES, long_flows="none"), seed=3)
    responses = run.responses
    # A page takes two round trips of tens of milliseconds, or some queues more.
    assert 0.05 < responses["page_load_time"] < 5
    assert 3e5 <= responses["video_bitrate"] <= 4.3e6
    assert 0 <= responses["video_stall_share"] < 0.5
    assert 0.01 < responses["call_delay_p50"] < 1
    assert 0 <= responses["call_late_share"] < 1
    assert 0.02 < responses["completion_time_p50"] < 5
    names = ("completion_time", "completion_time:@rpc", "completion_time_p50:@rpc")
    mean, of_requests, median = compute(run.measurements, names).values()
    rpc = pl.col("application").str.starts_with("rpc")
    in_time = pl.col("received").is_between(12, 30)
    waits = run.requests.filter(rpc, in_time).select(pl.col("received") - pl.col("asked"))
    waits = waits.to_series()
    assert [of_requests, median] == pytest.approx([waits.mean(), waits.median()])
    seconds, count = (run.groups[name].sum() for name in ("duration_sum", "transfers"))
    assert mean == pytest.approx((seconds + waits.sum()) / (count + len(waits)))
    assert {name.split("-")[0] for name in run.requests["application"]} == {
        *("web", "video", "talk", "rpc")
    }
    recorded = nation(SHARES, long_flows="none", record_transfers=True)
    again = mesonet.simulate(recorded, seed=3, threads=2)
    assert again.requests.equals(run.requests)
    # Transfers of the population have no name.
    assert compute(again.measurements, names[2:]) == {names[2]: median}


@pytest.mark.parametrize(
    ("shares", "loc", "kind"),
    [
        ([SHARES[1] | {"share": 0.6}, SHARES[3] | {"share": 0.4}], "", "too_large"),
        ([SHARES[1], SHARES[1]], "[1].name", "duplicate"),
        ([SHARES[1] | {"share": 0}], "[0].share", "greater_than"),
        (
            [{"share": 0.1, "application": {"kind": "call", "rate": "1 kbit/s"}}],
            "[0].application.rate",
            "too_small",
        ),
    ],
)
def test_shares_that_make_no_sense_are_refused(shares, loc, kind):
    with pytest.raises(ScenarioError) as caught:
        nation(shares)
    problems = [(it.loc, it.kind) for it in caught.value.problems]
    assert problems == [(f"application_shares{loc}", kind)]


def test_too_many_series_are_refused(monkeypatch):
    monkeypatch.setattr("mesonet.machine.available", lambda: 4_000_000_000)
    scenario = nation(SHARES, scale=1, duration="1500 s", interval="10 ms")
    with pytest.raises(ScenarioError, match="of which named flows at every interval take"):
        mesonet.simulate(scenario)

"""Several bottlenecks in a row."""

from math import sqrt

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import flow, parking_lot
from mesonet.simulation import simulate

LOT = {"rate": "40 Mbit/s", "rtt": "100 ms", "flows": ["reno"]}


def test_flows_cross_all_hops_or_one():
    lot = parking_lot(**LOT, hops=2, cross=[flow("cubic", count=2), flow("reno", reverse=True)])
    spec = lot.resolve()
    names = ["hop 1", "hop 2", "hop 1 reverse", "hop 2 reverse"]
    assert [station["name"] for station in spec["stations"]] == names
    each = ["cubic-1", "cubic-2", "reno-1"]
    crossing = [f"hop {hop} {name}" for hop in (1, 2) for name in each]
    assert [it["name"] for it in spec["flows"]] == ["reno-1", *crossing]
    assert lot.forward_flows() == ("reno-1", *(it for it in crossing if "cubic" in it))
    # Sites stand at the station that they send to, which is named so.
    entries = [names[site["station"]] for site in spec["sites"]]
    ends = [(entries[it["source"]], entries[it["receiver"]]) for it in spec["flows"]]
    assert ends[0] == ("hop 1", "hop 2 reverse")
    assert ends[1] == ("hop 1", "hop 1 reverse")
    assert ends[3] == ("hop 1 reverse", "hop 1")
    assert ends[4] == ("hop 2", "hop 2 reverse")
    assert {named.base_rtt for named in lot.named_flows().values()} == {0.1}


def test_flows_over_one_hop_are_those_over_all_unless_given():
    lot = parking_lot(**LOT)
    changed = lot.replace({"flows[0].algorithm": "bbr3"})
    assert {it.algorithm for it in changed.named_flows().values()} == {"bbr3"}
    assert list(changed.named_flows())[1:] == ["hop 1 bbr3-1", "hop 2 bbr3-1", "hop 3 bbr3-1"]


def test_a_rate_in_packets_makes_one_router_of_each_hop():
    lot = parking_lot(rate="4 p/ms", rtt="100 ms", flows=["reno"], duration="20 s", warm_up=0.5)
    assert [it["name"] for it in lot.resolve()["stations"]] == ["hop 1", "hop 2", "hop 3"]
    assert simulate(lot).responses["utilization"] > 0.9


def part_of_long_flows(run, hops):
    """Goodput of a flow over all hops over that of one over one, and the same of their RTTs."""
    late = run.flows.filter(pl.col("time") > 40, pl.col("phase") >= 0)
    short = pl.col("flow").str.starts_with("hop")
    (long_acked, acked), (long_rtt, rtt) = (
        late.group_by(short.alias("short"))
        .agg(pl.col("acked").sum(), pl.col("srtt").mean())
        .sort("short")
        .select(name)
        .to_series()
        .to_list()
        for name in ("acked", "srtt")
    )
    return long_acked / (acked / hops), long_rtt / rtt


@pytest.mark.parametrize("hops", [2, 3, 5])
def test_under_random_drops_the_square_root_law_holds(hops):
    """Floyd, "Connections with multiple congested gateways in packet-switched networks" (1991):
    with random drops, a flow over n gateways is dropped n times as often, so that its window is
    smaller by the square root of n.
    """
    run = simulate(
        parking_lot(
            **LOT | {"flows": [flow("reno", count=10)]},
            hops=hops,
            queue={"kind": "pie", "target": "5 ms"},
            buffer="1000 packets",
            transport={"host_jitter": "1 ms"},
            duration="160 s",
        )
    )
    part, rtts = part_of_long_flows(run, hops)
    assert part == pytest.approx(1 / sqrt(hops) / rtts, rel=0.1)
    assert run.conservation["missing"] == 0


def test_drop_tail_is_harder_on_flows_over_many_hops():
    """Floyd (1991) has this bias of drop-tail; max-min fairness would give a half to each."""
    run = simulate(parking_lot(**LOT | {"flows": [flow("reno", count=10)]}, duration="160 s"))
    part, rtts = part_of_long_flows(run, 3)
    assert part < 0.7 / sqrt(3) / rtts


def test_xcp_is_fair_over_many_hops():
    """Katabi, Handley and Rohrs (2002): routers of XCP give shares that are max-min fair."""
    lot = parking_lot(rate="4 p/ms", rtt="60 ms", flows=["xcp"], queue="xcp", duration="90 s")
    late = (
        simulate(lot).flows.filter(pl.col("time") > 50).group_by("flow").agg(pl.col("acked").sum())
    )
    shares = late["acked"] / 40 / lot.bottleneck()
    assert shares.to_list() == pytest.approx([0.5] * 4, abs=0.02)


@pytest.mark.parametrize(
    ("options", "loc", "kind"),
    [
        ({"hops": 1}, "hops", "greater_than_equal"),
        ({"hops": 101}, "hops", "less_than_equal"),
        ({"cross": []}, "cross", "too_short"),
        ({"cross": [{"algorithm": "reno", "start": "2 h"}]}, "cross[0].start", "too_large"),
        ({"flows": [flow("reno", count=30_000)]}, "flows[0].count", "too_large"),
        ({"rtt": "9 h"}, "rtt", "too_large"),
        ({"reverse_loss": 0.1, "half_duplex": True}, "reverse_loss", "conflict"),
    ],
)
def test_what_cannot_be_honoured(options, loc, kind):
    with refused(ScenarioError, (loc, kind)):
        parking_lot(**{**LOT, **options})

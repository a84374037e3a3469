"""Links of the national network that have rates, queues and conditions of their own."""

import polars as pl
import pytest
from labs import shortest
from refusals import refused

import mesonet
from mesonet.checked import checked
from mesonet.errors import ScenarioError

LINK = {"ends": ["STTL", "DNVR"], "rate": "100 p/ms"}


def nation(links, **changes):
    keys = {"duration": "6 s", "scale": 0.02, "jumbo": "none", "profile": "rfc"}
    return mesonet.internet(**keys | {"links": links} | changes)


def alone(link, **changes):
    """One flow from Seattle to Washington by Denver, which fills no queue."""
    flow = {"name": "L", "source": "A1a", "receiver": "K1a", "start": 0.1}
    keys = {
        "duration": "12 s",
        "scale": 0.05,
        "startup": "exponential",
        "think_time": "1000 s",
        "long_flows": [flow],
        "transport": {"receive_window": 4},
    }
    return nation([link], **keys | changes)


def test_delays_come_on_top_of_those_of_the_topology():
    """30 ms more one way while the schedule says so, and 5 ms more back."""
    link = LINK | {
        "path": {"delay_changes": [["4 s", "30 ms"], ["8 s", "0 s"]]},
        "reverse_path": {"delay_changes": [["8 s", "5 ms"]]},
    }
    run = mesonet.simulate(alone(link))
    before, during, after = (shortest(run, *span) for span in ((2, 4), (6, 8), (10, 12)))
    assert during - before == pytest.approx(0.030, abs=1e-3)
    assert after - before == pytest.approx(0.005, abs=1e-3)


def test_the_rate_of_a_link_is_that_of_its_queue():
    """A window of 90 packets fills a link of 0.5 packets in a millisecond, and then of 0.25."""
    rates = {"rate": "0.5 p/ms", "rate_changes": [["9 s", "0.25 p/ms"]], "buffer": "90 packets"}
    window = {"receive_window": 90}
    run = mesonet.simulate(alone(LINK | rates, transport=window, watch=["STTL to DNVR"]))
    acked = [
        run.flows.filter(pl.col("time").is_between(*span, closed="right"))["acked"].sum()
        for span in ((6, 9), (10, 12))
    ]
    assert acked == [pytest.approx(1500, rel=0.02), pytest.approx(500, rel=0.02)]
    assert run.queues["station"].unique().to_list() == ["STTL to DNVR"]


def test_a_failure_empties_a_link_with_its_queue():
    run = mesonet.simulate(
        alone(LINK, failures=[{"link": ["STTL", "DNVR"], "at": "4 s", "until": "8 s"}])
    )
    assert run.flows.filter(pl.col("time").is_between(4.25, 8.0))["acked"].sum() == 0
    assert run.flows.filter(pl.col("time") > 9)["acked"].sum() > 20


def test_regions_advance_by_the_delays_of_the_topology():
    """What a schedule adds is never less than nothing, so these are the least of all delays."""

    def across(scenario):
        spec = scenario.resolve()
        region = [station["region"] for station in spec["stations"]]
        return sorted(it["delay"] for it in spec["links"] if region[it["from"]] != region[it["to"]])

    constant = {"path": {"delay_changes": [["0 s", "0 s"]]}}
    assert across(nation([LINK | constant])) == across(nation([]))


@pytest.mark.parametrize(
    ("change", "loc", "kind"),
    [
        ({"ends": ["STTL", "DNVER"]}, "links[0].ends", "unknown"),
        ({"ends": ["STTL", "NYCM"]}, "links[0].ends", "unknown"),
        ({"half_duplex": True}, "links[0].half_duplex", "literal_error"),
        ({"reverse_rate": "1 Mbit/s"}, "links[0].reverse_rate", "conflict"),
        ({"path": {"period": "1 s"}}, "links[0].path.period", "conflict"),
        ({"path": {"delay_changes": [["0 s", "2000 s"]]}}, "links[0]", "range"),
        (
            {"path": {"reordering": {"probability": 0.1, "depth": 2}}},
            "links[0].path.reordering",
            "conflict",
        ),
    ],
)
def test_links_that_cannot_be_are_refused(change, loc, kind):
    with refused(ScenarioError, (loc, kind)):
        checked(nation([LINK | change]))


def test_a_link_is_named_once():
    with refused(ScenarioError, ("links[1].ends", "duplicate")):
        checked(nation([LINK, LINK | {"ends": ["DNVR", "STTL"]}]))

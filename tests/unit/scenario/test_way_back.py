"""The reverse direction of a bottleneck, and one station for both."""

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.simulation import simulate

LINK = {"rate": "20 Mbit/s", "rtt": "40 ms", "flows": ["reno"]}
ACK = 320
"""Bits of an acknowledgement."""
DATA = 12_000
"""Bits of a full segment on the wire."""


def test_the_way_back_has_values_of_its_own():
    scenario = dumbbell(
        **LINK,
        loss=0.01,
        queue="codel",
        reverse_rate="1 Mbit/s",
        reverse_buffer="2 bdp",
        reverse_loss=0.2,
        reverse_queue="fq_codel",
    )
    forth, back = scenario.resolve()["stations"]
    assert (forth["rate"], back["rate"]) == ({"bits_per_second": 2e7}, {"bits_per_second": 1e6})
    # 20 Mbit/s for 40 ms are 66.7 packets, twice 1 Mbit/s 6.7.
    assert (forth["buffer"], back["buffer"]) == ({"packets": 67}, {"packets": 7})
    assert (forth["loss"], back["loss"]) == (0.01, 0.2)
    assert (forth["discipline"]["name"], back["discipline"]["name"]) == ("codel", "fq_codel")


def test_what_is_not_said_of_the_way_back_is_as_on_the_way_there():
    forth, back = dumbbell(**LINK, reverse_rate="1 Mbit/s").resolve()["stations"]
    assert back == {**forth, "name": "reverse", "rate": {"bits_per_second": 1e6}}


def test_a_slow_way_back_paces_acks():
    """Balakrishnan, Padmanabhan and Katz (1997): for a normalized bandwidth ratio k above one the
    reverse link is full, and one in k acknowledgements gets through.
    """
    slow = simulate(dumbbell(**LINK, reverse_rate="100 kbit/s", reverse_buffer="10 packets"))
    late = slow.series.filter(pl.col("time") > 10)
    assert late["acks"].sum() / 50 == pytest.approx(100_000 / ACK, rel=0.01)
    # k = (20 / 0.1) (40 / 1500) = 5.3 at full use of the forward link.
    per_ack = late["acked"].sum() / late["acks"].sum()
    assert per_ack == pytest.approx(200 * ACK / DATA, rel=0.06)
    assert slow.conservation["missing"] == 0


def test_lost_acks_cost_little_and_are_counted():
    run = simulate(dumbbell(**LINK, reverse_loss=0.3))
    back = run.stations.filter(station="reverse").row(0, named=True)
    assert back["drops"] / run.totals["acks_sent"] == pytest.approx(0.3, rel=0.05)
    assert run.responses["utilization"] > 0.9


def work(run):
    """Bits that the first station has served."""
    used = run.queues.filter(station="forward")["used"].sum()
    return float(used) * run.scenario.interval * 2e7


def test_one_station_serves_both_directions():
    lab = dumbbell(**LINK, half_duplex=True, duration="10 s")
    spec = lab.resolve()
    assert [station["name"] for station in spec["stations"]] == ["forward"]
    assert spec["next_link"] == [[-1, -1]]
    run = simulate(lab)
    served = (run.totals["data_sent"] - run.totals["dropped"]) * DATA
    served += run.totals["acks_sent"] * ACK
    # SYNs, and what waits at the end.
    assert work(run) == pytest.approx(served, rel=0.01)


def test_flows_in_both_directions_share_the_one_station():
    flows = [flow("reno", count=8), flow("reno", count=8, reverse=True)]
    link = {**LINK, "flows": flows, "duration": "30 s", "warm_up": 0.2}
    totals = [
        simulate(dumbbell(**link, half_duplex=half)).responses["goodput"] * DATA / 20e6
        for half in (True, False)
    ]
    assert 0.9 < totals[0] < 1 < 1.6 < totals[1] < 2


@pytest.mark.parametrize(
    ("options", "loc", "kind"),
    [
        ({"reverse_rate": "9 p/ms"}, "reverse_rate", "conflict"),
        ({"reverse_rate": "1 bit/s"}, "reverse_rate", "range"),
        ({"reverse_loss": 1}, "reverse_loss", "less_than"),
        ({"reverse_buffer": "100 B"}, "reverse_buffer", "too_small"),
        ({"reverse_buffer": "1e15 bdp"}, "reverse_buffer", "too_large"),
        ({"half_duplex": True, "reverse_rate": "1 Mbit/s"}, "reverse_rate", "conflict"),
        ({"half_duplex": True, "reverse_loss": 0.1}, "reverse_loss", "conflict"),
        ({"rate": "9 p/ms", "reverse_buffer": "9 packets"}, "reverse_buffer", "conflict"),
        ({"half_duplex": True, "reverse_queue": "codel"}, "reverse_queue", "conflict"),
        ({"half_duplex": 1}, "half_duplex", "value_error"),
    ],
)
def test_what_cannot_be_honoured(options, loc, kind):
    with refused(ScenarioError, (loc, kind)):
        dumbbell(**{**LINK, **options})


def test_hosts_with_lines_need_two_directions():
    lines = {"access_rate": "1 Gbit/s", "access_buffer": "9 packets"}
    with pytest.raises(ScenarioError) as caught:
        dumbbell(**LINK, **lines, half_duplex=True)
    assert [it.loc for it in caught.value.problems] == ["access_buffer"]

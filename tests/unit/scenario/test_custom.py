"""Networks of named hosts and links."""

import polars as pl
import pytest
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario import load_scenario, scenario_from_dict
from mesonet.scenario.keywords import custom, dumbbell, flow, parking_lot
from mesonet.simulation import check, simulate

TRUNK = {"ends": ["west", "east"], "rate": "20 Mbit/s", "delay": "10 ms", "buffer": "100 packets"}
EDGE = {"rate": "100 Mbit/s", "delay": "1 ms"}
LINKS = [
    TRUNK,
    {"ends": ["ann", "west"], **EDGE},
    {"ends": ["east", "bob"], **EDGE, "reverse_delay": "5 ms"},
    {"ends": ["east", "cid"], **EDGE, "half_duplex": True},
]
FLOWS = [
    {"algorithm": "cubic", "source": "ann", "receiver": "bob"},
    {"algorithm": "reno", "source": "cid", "receiver": "ann", "count": 2},
]


def test_flows_go_from_host_to_host():
    network = custom(links=LINKS, flows=FLOWS)
    spec = network.resolve()
    assert [station["name"] for station in spec["stations"]] == [
        *("west to east", "east to west", "ann to west", "west to ann"),
        *("east to bob", "bob to east", "east to cid"),
    ]
    rtts = {name: it.base_rtt for name, it in network.named_flows().items()}
    assert rtts == pytest.approx({"cubic-1": 0.028, "reno-1": 0.024, "reno-2": 0.024})
    # Queues that data cross are recorded: those of ACKs alone are not.
    watched = [spec["stations"][at]["name"] for at in spec["measure"]["stations"]]
    crossed = ["west to east", "east to west", "ann to west", "west to ann", "east to bob"]
    assert watched == [*crossed, "east to cid"]


def test_round_trips_are_those_of_the_links():
    """An empty path has the delay of its links and the time of a segment and an ACK at each."""
    quiet = [{**FLOWS[0], "size": "1 packets"}, {**FLOWS[1], "count": 1, "size": "1 packets"}]
    run = simulate(custom(links=LINKS, flows=quiet, duration="1 s", record_packets=True))
    syns = run.packets.filter(pl.col("kind").is_in(["syn", "syn-ack"]), pl.col("host") == "sender")
    times = syns.group_by("flow", maintain_order=True).agg(
        pl.col("time").max() - pl.col("time").min()
    )
    # Three stations each way, of 40 bytes at 100, 20 and 100 Mbit/s.
    wire = 2 * 320 * (2 / 100e6 + 1 / 20e6)
    assert times["time"].to_list() == pytest.approx([0.028 + wire, 0.024 + wire], abs=1e-9)


def test_one_link_is_a_dumbbell():
    world = {"rate": "20 Mbit/s", "loss": 0.001, "queue": "codel", "reverse_rate": "1 Mbit/s"}
    link = {**world, "ends": ["left", "right"], "delay": "20 ms", "name": "forward"}
    ends = {"source": "left", "receiver": "right"}
    flows = [{"algorithm": "reno"}, {"algorithm": "cubic", "reverse": True}]
    spec = custom(links=[link], flows=[it | ends for it in flows]).resolve()
    other = dumbbell(**world, buffer="1000 packets", rtt="40 ms", flows=flows).resolve()
    spec["stations"][1]["name"] = "reverse"
    assert spec == other


def test_links_in_a_row_are_a_parking_lot():
    link = {"rate": "20 Mbit/s", "delay": "0 s"}
    names = ["a", "b", "c"]
    pairs = [names[:2], names[1:]]
    ends = [(names[0], names[2]), *pairs]
    network = custom(
        links=[{**link, "ends": pair} for pair in pairs],
        flows=[{"algorithm": "reno", "source": a, "receiver": b, "rtt": "40 ms"} for a, b in ends],
        duration="20 s",
    )
    lot = parking_lot(
        rate="20 Mbit/s",
        rtt="40 ms",
        hops=2,
        buffer="1000 packets",
        flows=["reno"],
        duration="20 s",
    )
    acked = [simulate(it).flows["acked"].to_list() for it in (network, lot)]
    assert acked[0] == acked[1]


def test_the_way_is_that_of_least_delay_and_then_of_fewest_links():
    def through(**delays):
        square = [("a", "b"), ("b", "d"), ("a", "c"), ("c", "d"), ("a", "d")]
        links = [
            {"ends": pair, "rate": "9 Mbit/s", "delay": delays.get("".join(pair), "1 ms")}
            for pair in square
        ]
        flows = [{"algorithm": "reno", "source": "a", "receiver": "d", "size": "9 packets"}]
        run = simulate(custom(links=links, flows=flows, duration="1 s"))
        return run.stations.filter(pl.col("arrivals") > 0)["station"].to_list()

    assert through(ad="3 ms") == ["a to b", "b to a", "b to d", "d to b"]
    assert through(ad="3 ms", ab="2 ms") == ["a to c", "c to a", "c to d", "d to c"]
    assert through(ad="2 ms") == ["a to d", "d to a"]


def test_a_file_and_its_copy_are_the_same(tmp_path):
    network = custom(links=LINKS, flows=FLOWS, duration="2 s")
    path = tmp_path / "network.toml"
    path.write_text(network.to_toml(), encoding="utf-8")
    assert load_scenario(path) == network == scenario_from_dict(network.to_dict())
    changed = network.replace({"links[0].queue.kind": "codel", "links[0].queue.target": "7 ms"})
    assert changed.resolve()["stations"][0]["discipline"]["target"] == 0.007


def test_names_of_queues_and_flows_stand_in_the_results():
    links = [{**LINKS[0], "name": "trunk"}, *LINKS[1:]]
    flows = [{**FLOWS[0], "name": "call"}, FLOWS[1]]
    run = simulate(custom(links=links, flows=flows, duration="2 s", record_queues=True))
    assert run.measurements.names("queues")[:2] == ("trunk", "trunk reverse")
    assert run.measurements.names("flows") == ("call", "reno-1", "reno-2")
    assert 0 < run.responses["utilization"] <= 1
    assert run.conservation["missing"] == 0


@pytest.mark.parametrize(
    ("links", "flows", "places"),
    [
        ([{**TRUNK, "ends": ["east", "west"]}], [], ["links[0].ends", "links[4].ends"]),
        ([{**TRUNK, "ends": ["a", "a"]}], [], ["links[4].ends"]),
        (
            [{**TRUNK, "ends": ["a", "b"], "name": "ann to west"}],
            [],
            ["links[1].name", "links[4].name"],
        ),
        ([{**TRUNK, "ends": ["a", "b"], "rate": "9 p/ms"}], [], ["links[4].rate"]),
        ([{**TRUNK, "ends": ["a", "b"], "delay": "2 h"}], [], ["links[4].delay"]),
        ([{**TRUNK, "ends": ["a", "b"], "buffer": "9 B"}], [], ["links[4].buffer"]),
        ([{**TRUNK, "ends": ["a", "b"], "buffer": "1 bdp"}], [], ["links[4].buffer"]),
        ([{**TRUNK, "ends": ["a"]}], [], ["links[4].ends[1]"]),
        ([], [{**FLOWS[0], "source": "an"}], ["flows[2].source"]),
        ([], [{**FLOWS[0], "receiver": "ann"}], ["flows[2].receiver"]),
        ([], [{**FLOWS[0], "rtt": "9 ms"}], ["flows[2].rtt"]),
        ([], [{**FLOWS[0], "name": "reno-1"}], ["flows"]),
        ([], [{"algorithm": "reno"}], ["flows[2].source", "flows[2].receiver"]),
        ([{**EDGE, "ends": ["x", "y"]}], [{**FLOWS[0], "receiver": "x"}], ["flows[2].receiver"]),
    ],
)
def test_what_cannot_be_honoured(links, flows, places):
    with pytest.raises(ScenarioError) as caught:
        check(custom(links=LINKS + links, flows=FLOWS + flows))
    assert [problem.loc for problem in caught.value.problems] == places


def test_everything_that_is_wrong_is_told_at_once():
    with pytest.raises(ScenarioError) as caught:
        custom(
            links=[{**TRUNK, "loss": 0.1}, {**EDGE, "ends": ["a", "a"]}],
            flows=[{"algorithm": "reno", "source": "wst", "receiver": "est", "start": "2 h"}],
            interval="2 h",
        )
    assert {(it.loc, it.kind) for it in caught.value.problems} == {
        ("interval", "too_large"),
        ("flows[0].start", "too_large"),
        ("links[1].ends", "conflict"),
        ("flows[0].source", "unknown"),
        ("flows[0].receiver", "unknown"),
    }


def test_more_delays_of_hosts_than_the_engine_has():
    flows = [{**FLOWS[0], "rtt": f"{30 + k} ms"} for k in range(300)]
    with pytest.raises(ScenarioError) as caught:
        custom(links=LINKS, flows=flows)
    assert [it.loc for it in caught.value.problems] == ["flows"]
    links = [
        {"ends": ["hub", f"host {k}"], "rate": "9 Mbit/s", "delay": f"{k + 1} ms"}
        for k in range(300)
    ]
    flows = [
        {"algorithm": "reno", "source": "host 0", "receiver": f"host {k + 1}"} for k in range(299)
    ]
    with pytest.raises(ScenarioError) as caught:
        check(custom(links=links, flows=flows))
    assert [it.loc for it in caught.value.problems] == ["flows"]


def test_senders_that_need_a_router_of_their_kind():
    with refused(ScenarioError, ("links", "discipline")):
        check(custom(links=LINKS, flows=[{**FLOWS[0], "algorithm": "xcp"}]))


def test_paths_that_change_are_those_of_links():
    late = {"delay_changes": [["3 s", "30 ms"]]}
    links = [LINKS[0], LINKS[1] | {"path": late}, LINKS[2] | {"reverse_path": late}]
    network = custom(links=links, flows=FLOWS[:1], duration="6 s")
    run = simulate(network)
    srtt = run.flows.filter(pl.col("time") > 5)["srtt"].min()
    assert 0.028 + 0.06 < srtt < 0.028 + 0.06 + 0.07
    assert run.conservation["missing"] == 0


def test_what_the_engine_refuses_is_told_by_the_link():
    """A link that stops every other picosecond."""
    odd = {"rate_changes": [("1 ps", "0 bit/s")], "rate_period": "1 s"}
    with pytest.raises(ScenarioError) as caught:
        check(custom(links=[*LINKS[:3], LINKS[3] | odd], flows=FLOWS))
    assert [it.loc for it in caught.value.problems] == ["links[3]"]


def test_work_grows_with_the_number_of_flows():
    """Ways are looked up once for all flows between the same two hosts."""
    many = custom(links=LINKS, flows=[{**FLOWS[0], "count": 50_000}])
    assert len(many.resolve()["flows"]) == len(many.named_flows()) == 50_000


def test_the_flow_of_a_dumbbell_knows_no_hosts():
    with refused(
        ScenarioError, ("flows[0].source", "unknown_key"), ("flows[0].receiver", "unknown_key")
    ):
        dumbbell(rate="1 Mbit/s", rtt="9 ms", flows=[FLOWS[0]])
    assert flow("reno").rtt is None

import json
import time

import networkx as nx
import pytest
from pydantic import ValidationError
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario.internet import Internet
from mesonet.scenario.keywords import internet
from mesonet.simulation import simulate

LARGEST = {"speed": "8000 p/ms", "base_sources": 1000, "source_distribution": "uniform"}


def problems(parameters):
    with pytest.raises(ScenarioError) as caught:
        internet(**parameters).resolve()
    messages = {}
    for loc, _, message in caught.value.problems:
        messages[loc] = f"{messages[loc]}; {message}" if loc in messages else message
    return messages


@pytest.fixture(scope="module")
def spec():
    return internet().resolve()


def test_defaults_are_experiment_1b():
    world = internet()
    assert world.speed == 1_200_000.0
    assert world.duration == 1500.0
    assert world.initial_ssthresh == 100.0
    assert world.source_distribution == (0.1, 0.6, 0.3)
    assert (world.jumbo.start, world.jumbo.end, world.jumbo.factor) == (0.6, 0.9, 100)
    assert [flow.name for flow in world.long_flows] == ["L1", "L2", "L3"]
    assert world.timeline() == {
        "period 1": (600.0, 900.0),
        "period 2": (900.0, 1200.0),
        "period 3": (1200.0, 1500.0),
    }


def test_line_rates_of_interfaces():
    rates = [each["rate"] for each in internet().resolve()["interfaces"]]
    assert rates == [{"packets_per_second": 8_000.0}, {"packets_per_second": 80_000.0}]
    scaled = internet(interface_speeds=["0.8 p/ms", "8 p/ms"])
    rates = [each["rate"] for each in scaled.resolve()["interfaces"]]
    assert rates == [{"packets_per_second": 800.0}, {"packets_per_second": 8_000.0}]
    assert type(scaled).from_dict(scaled.to_dict()) == scaled
    with refused(ScenarioError, ("interface_speeds[0]", "value_error")):
        internet(interface_speeds=["0 p/ms", "8 p/ms"])


def test_resolving_is_fast_at_full_size():
    world = internet(**LARGEST)
    world.resolve()
    start = time.thread_time()
    spec = world.resolve()
    assert time.thread_time() - start < 0.5
    assert sum(site["sources"] for site in spec["sites"]) == 278_000


def test_resolved_is_plain_json(spec):
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec


def test_every_packet_arrives_on_the_shortest_path(spec):
    """Follows the routes from every access router to every site."""
    world = internet()
    topology = world.load_topology()
    links, table, sites = spec["links"], spec["next_link"], spec["sites"]
    for source in sites:
        for target, site in enumerate(sites):
            here, delay, steps = source["station"], 0.0, 0
            while table[here][target] != -1:
                link = links[table[here][target]]
                assert link["from"] == here
                here, delay, steps = link["to"], delay + link["delay"], steps + 1
                assert steps < 20
            assert here == site["station"]
            a, b = (spec["stations"][s["station"]]["region"] for s in (source, site))
            assert delay == pytest.approx(topology.distance_ns[a][b] / 1e9)


def test_links_between_regions_have_a_delay(spec):
    region = [station["region"] for station in spec["stations"]]
    for link in spec["links"]:
        assert (link["delay"] > 0) == (region[link["from"]] != region[link["to"]])


def test_delays_follow_the_multiplier():
    plain, doubled = internet().resolve(), internet(delay_multiplier=2).resolve()
    for a, b in zip(plain["links"], doubled["links"], strict=True):
        assert b["delay"] == 2 * a["delay"]
    assert internet(delay_multiplier=2).geometry()["links"][0] == {
        "a": "STTL",
        "b": "SNVA",
        "delay_ms": 28.0,
    }


def test_scale_changes_speed_and_hosts_together():
    big = internet(speed="8000 p/ms", base_sources=1000, scale=0.1).resolve()
    small = internet(speed="800 p/ms", base_sources=100).resolve()
    assert big == small


def test_population_of_1b(spec):
    assert spec["population"] == {
        "think_mean": 5.0,
        "files": {
            "mean": 100.0,
            "shape": 1.5,
            "probability": [0.1, 0.0, 0.0],
            "factor": [10.0, 1000.0, 10000.0],
        },
        "algorithm_shares": [1.0],
        "fast_probability": 0.4,
        "jumbo": {"start": 900.0, "end": 1350.0, "factor": 100.0},
        "patience": None,
        "startup": {"connecting": 0.25, "early": [[0.08, 1 / 3], [0.17, 2 / 3]]},
        "receivers_in_other_regions": True,
    }


def test_long_flows_join_far_average_and_near_routers(spec):
    ends = {}
    for flow in spec["flows"]:
        stations = [spec["sites"][flow[end]]["station"] for end in ("source", "receiver")]
        ends[flow["name"]] = [spec["stations"][station]["name"] for station in stations]
        assert flow["start"] == internet().named_flows()[flow["name"]].start == 600.0
        assert flow["interface"] == 1
    # Seattle-New York (100 ms), Kansas City-Washington (40 ms), Chicago-Indianapolis (6 ms).
    assert ends == {"L1": ["A1a", "J1a"], "L2": ["E0a", "K0a"], "L3": ["G1a", "H1a"]}


def test_watched_routers_by_tier_and_by_name():
    spec = internet(watch=["D", "B2b"]).resolve()
    names = [spec["stations"][here]["name"] for here in spec["measure"]["stations"]]
    assert names == ["B2b", "B0a", "C0a", "E0a", "F0a", "I0a", "K0a"]


def test_parameters_reach_their_algorithm():
    spec = internet(algorithms={"ctcp": 0.7, "reno": 0.3}, parameters={"ctcp": {"gamma": 20}})
    assert spec.resolve()["algorithms"] == [
        {"name": "ctcp", "params": {"gamma": 20.0}},
        {"name": "reno", "params": {}},
    ]


def test_finite_patience():
    patience = internet(patience=0.5).resolve()["population"]["patience"]
    assert patience == {"probability": 0.5, "min_time": 10.0, "factor": 20.0}


def test_profiles_and_overrides():
    options = internet().resolve()["transport"]
    assert options["initial_window"] == 2.0
    assert options["ack_cost"] is False
    assert options["rto_initial"] == 3.0
    options = internet(
        profile="linux", initial_window=4, initial_ssthresh="inf", transport={"rto_min": "1 s"}
    ).resolve()["transport"]
    assert options["initial_window"] == 4.0
    assert options["initial_ssthresh"] is None
    assert options["rto_min"] == 1.0
    assert options["ack_delay"] == 0.04


def test_graphml_world(tmp_path):
    graph = nx.cycle_graph(5)
    nx.set_edge_attributes(graph, 3.0, "delay")
    path = tmp_path / "ring.graphml"
    nx.write_graphml(graph, path)
    spec = internet(topology=str(path), layout={"pops": 1, "normal": 2}).resolve()
    assert spec["regions"] == 5
    assert len(spec["sites"]) == 5 * 3 + 3
    assert internet(topology=str(path)).geometry()["nodes"] == []


@pytest.mark.parametrize(
    ("parameters", "loc", "kind"),
    [
        ({"speed": 1200}, "speed", "value_error"),
        ({"speed": "-1 p/ms"}, "speed", "value_error"),
        ({"speed": "0 p/ms"}, "speed", "value_error"),
        ({"speed": "100 Mbit/s"}, "speed", "value_error"),
        ({"speed": "2000000 p/ms"}, "speed", "too_large"),
        ({"think_time": "5"}, "think_time", "value_error"),
        ({"think_time": "0 s"}, "think_time", "value_error"),
        ({"thnk_time": "5 s"}, "thnk_time", "unknown_key"),
        ({"buffers": 0}, "buffers", "value_error"),
        ({"buffers": "rtt*c/sqrtn"}, "buffers", "value_error"),
        ({"buffers": 1e-9}, "buffers", "too_small"),
        ({"delay_multiplier": 1e300}, "delay_multiplier", "range"),
        ({"delay_multiplier": 1e-300}, "delay_multiplier", "range"),
        ({"delay_multiplier": 1e-6}, "delay_multiplier", "too_small"),
        ({"base_sources": 10**12}, "base_sources", "less_than_equal"),
        ({"base_sources": 10**6, "source_multiplier": 1.0}, "base_sources", "too_large"),
        ({"base_sources": 0}, "base_sources", "greater_than_equal"),
        ({"source_multiplier": 1e12}, "base_sources", "too_large"),
        ({"scale": 1e12}, "base_sources", "too_large"),
        ({"scale": 1e-9}, "base_sources", "too_small"),
        ({"source_distribution": [0.33, 0.33, 0.33]}, "source_distribution", "value_error"),
        ({"receiver_distribution": [0.5, 0.5]}, "receiver_distribution[2]", "missing"),
        (
            {"receiver_distribution": [0.5, 0.7, -0.2]},
            "receiver_distribution[2]",
            "greater_than_equal",
        ),
        ({"fast_interface_probability": 1.5}, "fast_interface_probability", "less_than_equal"),
        ({"patience": "0.5"}, "patience", "value_error"),
        (
            {"larger_files": {"probability": [0.9, 0.9, 0]}},
            "larger_files.probability",
            "value_error",
        ),
        ({"jumbo": "non"}, "jumbo", "value_error"),
        ({"jumbo": {"start": 0.9, "end": 0.6, "factor": 10}}, "jumbo.end", "too_small"),
        ({"algorithms": {"reno": 0.5, "ctcp": 0.4}}, "algorithms", "value_error"),
        ({"algorithms": {}}, "algorithms", "too_short"),
        ({"parameters": {"ctpc": {}}, "algorithms": "ctcp"}, "parameters.ctpc", "unknown_key"),
        ({"startup": "erly"}, "startup", "value_error"),
        (
            {"startup": {"connecting": 0.9, "early": [{"share": 0.5, "factor": 1}]}},
            "startup",
            "value_error",
        ),
        ({"interval": "1 us"}, "interval", "too_small"),
        ({"interval": "1 h"}, "interval", "too_large"),
        ({"duration": "9 s", "interval": "5 s"}, "warm_up", "too_large"),
        ({"duration": "1000 h"}, "duration", "too_large"),
        ({"pareto_shape": 1.0}, "pareto_shape", "greater_than"),
        ({"profile": "linus"}, "profile", "literal_error"),
        ({"transport": {"rto_min": 1}}, "transport.rto_min", "value_error"),
        ({"transport": {"rto_min": "99 s"}}, "transport.rto_min", "too_large"),
        ({"transport": {"dupthresh": 3}}, "transport.dupthresh", "unknown_key"),
        ({"watch": ["D", "B0b"]}, "watch[1]", "unknown"),
        ({"topology": "abilen"}, "topology", "missing_file"),
        ({"long_flows": [{"name": "a", "source": "A1a"}]}, "long_flows[0]", "conflict"),
        (
            {"long_flows": [{"name": "a", "source": "A1a", "receiver": "A9a"}]},
            "long_flows[0].receiver",
            "unknown",
        ),
        (
            {"long_flows": [{"name": "a", "path": "mean"}, {"name": "a", "path": "mean"}]},
            "long_flows[1].name",
            "duplicate",
        ),
    ],
)
def test_what_cannot_be_honoured(parameters, loc, kind):
    with pytest.raises(ScenarioError) as caught:
        internet(**parameters).resolve()
    assert (loc, kind) in [(it.loc, it.kind) for it in caught.value.problems]


def test_all_problems_come_at_once():
    refusals = problems(
        {
            "speed": 5,
            "thnk_time": "5 s",
            "source_distribution": [0.33, 0.33, 0.33],
            "algorithms": {"reno": 0.5, "ctcp": 0.4},
            "base_sources": 10**12,
            "transport": {"rto_max": "soon"},
        }
    )
    assert set(refusals) == {
        "speed",
        "thnk_time",
        "source_distribution",
        "algorithms",
        "base_sources",
        "transport.rto_max",
    }


def test_scenarios_do_not_change():
    with pytest.raises(ValidationError):
        internet().think_time = "9 s"
    assert Internet.from_dict({}) == internet()


def test_fast_interfaces_are_not_slower_than_normal_ones():
    with pytest.raises(ScenarioError) as caught:
        internet(interface_speeds=["80 p/ms", "8 p/ms"])
    (problem,) = caught.value.problems
    assert problem.loc == "interface_speeds"
    assert problem.message.endswith("at least as high; got 80 and 8 p/ms")
    assert internet(interface_speeds=["8 p/ms", "8 p/ms"]).interface_speeds == (8000.0, 8000.0)


def test_a_short_run_has_fewer_periods_by_default():
    assert internet().periods == 3
    assert internet(duration="4 s", interval="1 s").periods == 2
    short = internet(duration="2 s", interval="1 s")
    assert short.periods == 1
    assert short.replace({"interval": "100 ms"}).periods == 1
    with refused(ScenarioError, ("periods", "too_large")):
        internet(duration="2 s", interval="1 s", periods=2)


def test_large_files_go_to_receivers_below_d_routers_or_to_all():
    def sent(receivers):
        world = Internet(
            scale=0.02,
            duration="5 s",
            long_flows="none",
            think_time="1 s",
            jumbo={"start": 0.2, "end": 0.8, "factor": 100, "receivers": receivers},
        )
        spec = world.resolve()
        assert spec["population"]["jumbo"].get("any_receiver", False) == (receivers == "all")
        return simulate(world, seed=1).series["injected"].sum()

    assert sent("all") > 1.1 * sent("D")

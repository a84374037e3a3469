"""The built-in provider's network, and routes by metric."""

from collections import Counter

import networkx as nx
import pytest

from mesonet import internet, simulate
from mesonet.errors import ScenarioError
from mesonet.figures import has_map, network_chart
from mesonet.scenario.backbone import Edge, great_circle_km
from mesonet.scenario.tiers import class_counts
from mesonet.scenario.topology import BUILT_IN, load_topology

HUBS = {"LAX", "DAL", "HOU", "CHI", "ATL", "MIA", "WAS", "NYC"}


@pytest.fixture(scope="module")
def isp():
    return load_topology("isp")


def graph_of(topology):
    graph = nx.Graph()
    for edge in topology.edges:
        graph.add_edge(edge.a, edge.b, metric=edge.metric, delay=edge.delay_ns)
    return graph


def test_it_has_the_printed_counts(isp):
    assert "isp" in BUILT_IN
    assert (len(isp.nodes), len(isp.edges), len(isp.pops)) == (16, 24, 32)
    assert class_counts(isp) == {"N": 122, "F": 40, "D": 8}
    assert len(list(isp.pairs())) == 240


def test_access_routers_are_laid_out_as_documented(isp):
    places = {here: node.name for here, node in enumerate(isp.nodes)}
    assert {places[r.backbone] for r in isp.access if r.kind == "D"} == HUBS
    kinds = {
        name: Counter(r.kind for r in isp.access if r.pop == here)
        for here, (name, _) in enumerate(isp.pops)
    }
    for here, (name, backbone) in enumerate(isp.pops):
        first_of_hub = places[backbone] in HUBS and name.endswith("1")
        largest = places[backbone] in {"NYC", "LAX"}
        expected = {"F": 2, "N": 4 if largest else 3} if first_of_hub else {"F": 1, "N": 4}
        assert kinds[name] == expected, (here, name)


def test_paths_by_metric_are_unique_and_often_not_the_fastest(isp):
    graph = graph_of(isp)
    assert nx.is_connected(graph)
    others = 0
    for a, b in isp.pairs():
        paths = list(nx.all_shortest_paths(graph, a, b, weight="metric"))
        assert len(paths) == 1
        (path,) = paths
        assert path[1] == isp.next_node[a][b]
        assert len(path) == isp.hops[a][b] + 1
        assert isp.distance_ns[a][b] == nx.path_weight(graph, path, "delay")
        others += isp.distance_ns[a][b] > nx.shortest_path_length(graph, a, b, weight="delay")
    assert others == 60


def test_every_link_carries_traffic(isp):
    used = {frozenset((a, isp.next_node[a][b])) for a, b in isp.pairs()}
    assert used == {frozenset((edge.a, edge.b)) for edge in isp.edges}


def test_delays_are_geography_on_the_scale_of_abilene(isp):
    # Great circles give Abilene a mean round trip of 23.05 ms; 4476/110 ms is published.
    stretch = 4476 / 110 / 23.0485
    for edge in isp.edges:
        km = great_circle_km(isp.nodes[edge.a], isp.nodes[edge.b])
        assert edge.delay_ns == round(stretch * km / 200) * 1_000_000
        assert edge.metric in {-(-km // 10), -(-1.5 * km // 10)}
    assert float(isp.mean_rtt_ms()) == pytest.approx(41.8167, abs=1e-4)


def test_hosts_of_the_slide():
    world = internet(
        topology="isp",
        base_sources=100,
        source_multiplier=3,
        source_distribution=[0.1, 0.6, 0.3],
        receiver_distribution=[0.8, 0.1, 0.1],
    )
    sites = world.resolve()["sites"]
    classes = ("D", "F", "N")
    hosts = {classes[s["class"]]: (s["sources"], s["receivers"]) for s in sites}
    assert hosts == {"N": (90, 960), "F": (540, 120), "D": (270, 120)}
    assert sum(site["sources"] for site in sites) == 34_740


def test_long_flows_run_far_medium_and_short():
    flows = internet(topology="isp").named_flows()
    assert {name: flow.base_rtt for name, flow in flows.items()} == pytest.approx(
        {"L1": 0.104, "L2": 0.042, "L3": 0.006}
    )


def test_a_run_on_it_conserves_packets_and_has_a_map():
    world = internet(topology="isp", speed="8 p/ms", base_sources=1, duration="4 s")
    totals = simulate(world, seed=1).measurements.totals
    assert totals["injected"] == totals["delivered"] + totals["dropped"] + totals["in_flight"]
    assert totals["completed"] > 0
    assert has_map(world.geometry())
    assert len(world.geometry()["nodes"]) == 16
    assert network_chart(world.geometry()).to_dict()


def write(graph, folder):
    path = folder / "net.graphml"
    nx.write_graphml(graph, path)
    return str(path)


def test_routes_follow_metrics_of_a_file(tmp_path):
    graph = nx.Graph()
    graph.add_edge("a", "b", delay=1.0, metric=30)
    graph.add_edge("a", "c", delay=5.0, metric=10)
    graph.add_edge("c", "b", delay=7.0, metric=10)
    topology = load_topology(write(graph, tmp_path))
    assert topology.next_node[0][1] == 2
    assert topology.distance_ns[0][1] == topology.distance_ns[1][0] == 12_000_000
    assert topology.hops[0][1] == 2


def test_of_parallel_edges_the_least_metric_counts(tmp_path):
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", delay=1.0, metric=5)
    graph.add_edge("a", "b", delay=9.0, metric=4)
    graph.add_edge("a", "b", delay=8.0, metric=4)
    assert load_topology(write(graph, tmp_path)).edges == (Edge(0, 1, 8_000_000, 4),)


def test_every_bad_metric_is_named(tmp_path):
    graph = nx.Graph()
    for end, metric in (("b", 1), ("c", None), ("d", 0), ("e", 2.5), ("f", "much")):
        extra = {} if metric is None else {"metric": str(metric)}
        graph.add_edge("a", end, delay=1.0, **extra)
    with pytest.raises(ScenarioError) as caught:
        load_topology(write(graph, tmp_path))
    refusals = {problem.loc: problem.message for problem in caught.value.problems}
    assert set(refusals) == {f"topology: link a-{end}" for end in "cdef"}
    assert "has no metric although other links have one" in refusals["topology: link a-c"]
    assert "got 0" in refusals["topology: link a-d"]
    assert "got 2.5" in refusals["topology: link a-e"]
    assert 'got "much"' in refusals["topology: link a-f"]

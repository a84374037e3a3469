from functools import partial

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet import internet
from mesonet.checked import checked
from mesonet.errors import ScenarioError
from mesonet.plan.cost import expected
from mesonet.scenario import scenario_from_dict
from mesonet.scenario.backbone import Edge, Node, great_circle_km
from mesonet.scenario.topology import MAX_ROUTERS, Layout, lay_out, load_topology


def write(graph, folder):
    path = folder / "net.graphml"
    nx.write_graphml(graph, path)
    return str(path)


def square():
    """Four routers in a ring with equal delays: two shortest paths between opposite corners."""
    graph = nx.Graph()
    for name in ("w", "x", "y", "z"):
        graph.add_node(name, lat=0.0, lon=0.0)
    for a, b in (("w", "x"), ("x", "y"), ("y", "z"), ("z", "w")):
        graph.add_edge(a, b, delay=5.0)
    return graph


def _told(what, name, layout=None):
    with pytest.raises(ScenarioError) as caught:
        load_topology(name, layout)
    return {problem.loc: getattr(problem, what) for problem in caught.value.problems}


messages, kinds = partial(_told, "message"), partial(_told, "kind")


def test_abilene_has_unique_shortest_paths():
    abilene = load_topology("abilene")
    graph = nx.Graph()
    for edge in abilene.edges:
        graph.add_edge(edge.a, edge.b, weight=edge.delay_ns)
    for a, b in abilene.pairs():
        paths = list(nx.all_shortest_paths(graph, a, b, weight="weight"))
        assert len(paths) == 1
        assert len(paths[0]) == abilene.hops[a][b] + 1
        assert paths[0][1] == abilene.next_node[a][b]


def test_delay_is_taken_from_the_edge_or_from_the_great_circle(tmp_path):
    graph = nx.Graph()
    graph.add_node("paris", Latitude=48.8566, Longitude=2.3522)
    graph.add_node("berlin", Latitude=52.52, Longitude=13.405)
    graph.add_edge("paris", "berlin")
    graph.add_node("moon")
    graph.add_edge("paris", "moon", delay=1282.0)
    topology = load_topology(write(graph, tmp_path))
    delays = {(edge.a, edge.b): edge.delay_ns for edge in topology.edges}
    # 878 km; at 200 km/ms that is 4.39 ms.
    assert delays[0, 1] == pytest.approx(4.39e6, rel=1e-3)
    assert delays[0, 2] == 1_282_000_000


def test_distance_along_the_earth():
    pole, equator = Node("a", "A", 90.0, 0.0), Node("b", "B", 0.0, 77.0)
    assert great_circle_km(pole, equator) == pytest.approx(6371.0 * 3.141592653589793 / 2)


def test_ties_go_to_the_node_that_comes_first(tmp_path):
    topology = load_topology(write(square(), tmp_path))
    assert topology.hops[0][2] == 2
    assert topology.next_node[0][2] == 1
    assert topology.next_node[1][3] == 0
    assert topology.next_node[3][1] == 0


def test_a_large_ring_is_checked_and_costed(tmp_path):
    ring = nx.cycle_graph(300)
    nx.set_edge_attributes(ring, 1.0, "delay")
    table = {
        "kind": "internet",
        "topology": write(ring, tmp_path),
        "layout": {"pops": 1, "fast": 1, "normal": 1, "direct": 0},
        "base_sources": 10,
    }
    spec = checked(scenario_from_dict(table)).spec
    assert len(spec["sites"]) == 600
    assert expected(spec).events > 0
    topology = load_topology(table["topology"], Layout(**table["layout"]))
    assert topology.hops[0][150] == 150
    assert topology.notable_paths == {"farthest": (0, 150), "nearest": (0, 1), "mean": (0, 75)}


def test_paths_that_stand_out_are_those_of_all_pairs(tmp_path):
    for seed in range(20):
        graph = nx.compose(nx.gnm_random_graph(9, 12, seed=seed), nx.path_graph(9))
        nx.set_edge_attributes(graph, {e: 1.0 + hash(e) % 3 for e in graph.edges}, "delay")
        topology = load_topology(write(graph, tmp_path), Layout(pops=1 + seed))
        far = topology.distance_ns
        mean = topology.mean_rtt_ms() * 500_000
        least = {
            "farthest": lambda pair, far=far: -far[pair[0]][pair[1]],
            "mean": lambda pair, far=far, mean=mean: abs(far[pair[0]][pair[1]] - mean),
            "nearest": lambda pair, far=far: far[pair[0]][pair[1]],
        }
        paths = {kind: min(topology.pairs(), key=key) for kind, key in least.items()}
        assert topology.notable_paths == paths


def test_fewer_links_win_among_equal_delays(tmp_path):
    graph = square()
    graph.add_edge("w", "y", delay=10.0)
    topology = load_topology(write(graph, tmp_path))
    assert topology.hops[0][2] == 1
    assert topology.next_node[0][2] == 2


def test_the_fastest_of_parallel_edges_counts(tmp_path):
    graph = nx.MultiGraph()
    graph.add_edge("a", "b", delay=9.0)
    graph.add_edge("b", "a", delay=4.0)
    assert load_topology(write(graph, tmp_path)).edges == (Edge(0, 1, 4_000_000),)


def test_routers_below_a_backbone(tmp_path):
    topology = load_topology(write(square(), tmp_path), Layout(normal=3, direct=5))
    assert [name for name, _ in topology.pops] == ["A1", "A2", "B1", "B2", "C1", "C2", "D1", "D2"]
    below = [router.name for router in topology.access if router.backbone == 0]
    assert below == ["A1a", "A1b", "A1c", "A1d", "A2a", "A2b", "A2c", "A0a", "A0b"]
    kinds = [router.kind for router in topology.access if router.backbone == 0]
    assert "".join(kinds) == "FNNNFNNDD"
    assert sum(router.kind == "D" for router in topology.access) == 5


def test_direct_routers_are_half_of_the_backbone_on_the_highest_degrees(tmp_path):
    star = nx.star_graph(4)
    nx.set_edge_attributes(star, 1.0, "delay")
    topology = load_topology(write(star, tmp_path))
    assert [r.backbone for r in topology.access if r.kind == "D"] == [0, 1, 2]


def test_the_largest_connected_part_is_taken_and_said(tmp_path):
    graph = nx.Graph()
    graph.add_edge("reef", "island", delay=1.0)
    graph = nx.compose(graph, square())
    topology = load_topology(write(graph, tmp_path))
    assert [(node.name, node.label) for node in topology.nodes] == [
        ("w", "A"),
        ("x", "B"),
        ("y", "C"),
        ("z", "D"),
    ]
    (note,) = topology.notes
    assert note.startswith("net.graphml: 2 of 6 routers")
    assert note.endswith("reef, island")
    assert internet(topology=str(tmp_path / "net.graphml")).notes() == (note,)


def test_links_without_a_place_have_the_default_delay(tmp_path):
    graph = square()
    graph.add_node("nowhere")
    graph.add_edge("w", "nowhere")
    name = write(graph, tmp_path)
    # 0.5 ms unless said: the median of 11,150 links between places in the Topology Zoo is 0.53 ms.
    assert Edge(0, 4, 500_000) in load_topology(name).edges
    other = load_topology(name, Layout.from_dict({"default_delay": "7 ms"}))
    assert Edge(0, 4, 7_000_000) in other.edges
    (note,) = other.notes
    assert "7 ms" in note
    assert note.endswith(": 1")
    with pytest.raises(ScenarioError) as caught:
        internet(topology=name, layout={"default_delay": "101 s"})
    assert [problem.loc for problem in caught.value.problems] == ["layout.default_delay"]


def test_links_within_a_city_have_the_least_delay(tmp_path):
    graph = nx.Graph()
    for name, lat in (("a", 0.0), ("b", 0.0), ("c", 0.1), ("d", 1.0)):
        graph.add_node(name, lat=lat, lon=0.0)
    nx.add_path(graph, "abcd")
    topology = load_topology(write(graph, tmp_path))
    # A degree is 111.19 km: 0, 11.1 and 100 km, at 200 km/ms.
    assert [edge.delay_ns / 1e6 for edge in topology.edges] == pytest.approx(
        [0.1, 0.1, 0.9 * 6371 * 3.141592653589793 / 180 / 200], rel=1e-6
    )
    (note,) = topology.notes
    assert note.endswith(": 2")


def test_every_bad_router_and_link_is_named(tmp_path):
    graph = square()
    graph.add_node("w", lat=95.0)
    graph.add_edge("x", "z", delay=-1.0)
    graph.add_edge("w", "y", delay=0.0)
    assert kinds(write(graph, tmp_path)) == {
        "topology: router w": "range",
        "topology: link x-z": "range",
        "topology: link w-y": "range",
    }


def test_a_link_from_a_router_to_itself_is_left_out(tmp_path):
    graph = square()
    graph.add_edge("x", "x", delay=1.0)
    topology = load_topology(write(graph, tmp_path))
    assert len(topology.edges) == 4
    assert len(topology.notes) == 1


GML = """graph [
  label "made up"
  node [ id 7 label "Zürich" Latitude 47.37 Longitude 8.54 ]
  node [ id 9 label "Bern" Latitude 46.95 Longitude 7.44 ]
  edge [ source 7 target 9 ]
  edge [ source 7 target 9 delay 0.4 ]
]
"""


def test_gml_files_are_read_with_their_parallel_links(tmp_path):
    path = tmp_path / "net.GML"
    path.write_text(GML, encoding="utf-8-sig")
    topology = load_topology(str(path))
    assert [node.name for node in topology.nodes] == ["Zürich", "Bern"]
    # 95.5 km are 0.477 ms, and the faster one counts.
    assert topology.edges == (Edge(0, 1, 400_000),)
    path.write_text(GML.replace("graph [", "graph [ multigraph 1 directed 1"), encoding="utf-8")
    assert load_topology(str(path)).edges == topology.edges
    path.write_text(GML.replace("target 9", "target 8"), encoding="utf-8")
    assert kinds(str(path)) == {"topology": "bad_file"}


def test_no_router_has_the_name_of_one_below_the_backbone(tmp_path):
    path = tmp_path / "net.gml"
    path.write_text(GML.replace("Bern", "A1"), encoding="utf-8")
    topology = load_topology(str(path))
    assert [pop for pop, _ in topology.pops] == ["B1", "B2", "C1", "C2"]


def sndlib(how="geographical", ends=("A", "B")):
    """Content of a file of SNDlib with two nodes and a link."""
    return f"""<?xml version="1.0" encoding="iso-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
 <nodes coordinatesType="{how}">
  <node id="A"><coordinates><x>90.0</x><y>0.0</y></coordinates></node>
  <node id="B"><coordinates><x>91.0</x><y>0.0</y></coordinates></node>
 </nodes>
 <links><link id="L"><source>{ends[0]}</source><target>{ends[1]}</target></link></links>
</networkStructure></network>"""


def test_sndlib_files_are_read(tmp_path):
    path = tmp_path / "net.xml"
    path.write_text(sndlib())
    topology = load_topology(str(path))
    assert [(node.name, node.lat, node.lon) for node in topology.nodes] == [
        ("A", 0.0, 90.0),
        ("B", 0.0, 91.0),
    ]
    # A degree of the equator.
    delay = 6371 * 3.141592653589793 / 180 / 200
    assert topology.edges[0].delay_ns == pytest.approx(delay * 1e6, rel=1e-6)
    path.write_text(sndlib("pixel"))
    assert load_topology(str(path)).edges == (Edge(0, 1, 500_000),)
    path.write_text(sndlib(ends=("A", "C")))
    assert kinds(str(path)) == {"topology: link A-C": "unknown_router"}
    path.write_text(sndlib().replace('id="B"', 'id="A"', 1))
    assert kinds(str(path)) == {
        "topology: router A": "duplicate",
        "topology: link A-B": "unknown_router",
    }


def graphml(*elements, kind="double", declared=""):
    """Content of a GraphML file whose links have delays of a type of XML."""
    key = f'<key id="d" for="edge" attr.name="delay" attr.type="{kind}"/>'
    return (
        f'<?xml version="1.0"?>{declared}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'{key}<graph edgedefault="undirected">{"".join(elements)}</graph></graphml>'
    )


def link(source, target, delay="5"):
    return f'<edge source="{source}" target="{target}"><data key="d">{delay}</data></edge>'


A_AND_B = '<node id="a"/><node id="b"/>'


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (graphml(A_AND_B, '<node id="a"/>', link("a", "b")), "router a", "is there 2 times"),
        (graphml(A_AND_B, link("a", "b"), link("b", "c")), "link b-c", 'the file, got "c"'),
        (graphml(A_AND_B, link("a", "b", "9" * 400), kind="long"), "link a-b", "got 999"),
        (graphml(A_AND_B, link("a", "b", "true"), kind="boolean"), "link a-b", "got true"),
        (graphml(A_AND_B, link("a", "b", "nan")), "link a-b", "a number for delay, got NaN"),
    ],
)
def test_what_networkx_reads_past_is_one_problem(tmp_path, text, place, message):
    path = tmp_path / "net.graphml"
    path.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_topology(str(path))
    (problem,) = caught.value.problems
    assert problem.loc == f"topology: {place}"
    assert message in problem.message


def test_the_number_of_access_routers_is_limited_before_they_are_made(tmp_path):
    refusals = messages(write(square(), tmp_path), Layout(normal=10**12))
    assert str(MAX_ROUTERS) in refusals["layout"]
    refusals = messages(write(square(), tmp_path), Layout(pops=10**12, normal=0, fast=0))
    assert str(MAX_ROUTERS) in refusals["layout"]


def test_abilene_brings_its_own_access_routers():
    assert set(messages("abilene", Layout())) == {"layout"}


@given(st.integers(2, 60), st.integers(1, 4), st.integers(0, 6), st.integers(0, 3))
def test_names_of_routers_are_unique(count, pops, normal, fast):
    from mesonet.scenario.backbone import letters

    nodes = tuple(Node(f"n{here}", letters(here), 0.0, 0.0) for here in range(count))
    edges = tuple(Edge(here, here + 1, 1) for here in range(count - 1))
    found_pops, access = lay_out(nodes, edges, Layout(pops=pops, normal=normal, fast=fast))
    names = [name for name, _ in found_pops] + [router.name for router in access]
    assert len(set(names)) == len(names)


def test_letters_in_reverse_order_take_the_routers_below_along():
    ours, other = load_topology("abilene"), load_topology("abilene-reversed")
    assert [node.name for node in other.nodes] == [node.name for node in ours.nodes]
    assert [node.label for node in other.nodes] == list("KJIHGFEDCBA")
    assert (other.edges, other.distance_ns) == (ours.edges, ours.distance_ns)
    for mine, theirs in zip(ours.access, other.access, strict=True):
        assert (theirs.name, theirs.kind, theirs.pop) == (mine.name, mine.kind, mine.pop)
        assert theirs.backbone == len(ours.nodes) - 1 - mine.backbone
    for router in other.access:
        assert router.name.startswith(other.nodes[router.backbone].label)
        assert router.pop is None or other.pops[router.pop][1] == router.backbone

"""Files that describe networks, as graphs: GraphML, GML, and the XML of SNDlib.

networkx reads the first two. SNDlib's format is that of S. Orlowski, R. Wessäly, M. Pióro and
A. Tomaszewski, *SNDlib 1.0: Survivable Network Design Library*, Networks 55(3), 2010: places are
pairs of longitude and latitude, or pixels of a picture, which say nothing of distances.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from mesonet.errors import Problem, show

if TYPE_CHECKING:
    import networkx as nx

_SNDLIB = "network"
"""Root element of SNDlib's files."""


def read_graph(path: Path, problems: list[Problem]) -> nx.Graph[Any]:
    """The graph of a file.

    Nodes of XML that are declared twice, and links to nodes that are not declared, are added to
    `problems`: networkx makes one node of the former and new nodes for the latter.
    """
    # A fifth of the time that a process takes to start, for a file that few of them read.
    import networkx as nx

    content = path.read_bytes()
    if path.suffix.lower() == ".gml":
        text = content.decode("utf-8-sig").encode("ascii", "xmlcharrefreplace").decode("ascii")
        # Parallel links are fewer problems than files that forget to announce them.
        several = re.sub(r"\bgraph\s*\[", r"\g<0> multigraph 1", text, count=1)
        return nx.parse_gml(several, label="id")
    root = ElementTree.fromstring(content)
    if root.tag.rpartition("}")[2] == _SNDLIB:
        return _sndlib(root, problems)
    names = [node.get("id", "") for node in root.iterfind("{*}graph[1]/{*}node")]
    ends = root.iterfind("{*}graph[1]/{*}edge")
    problems += _name_problems(
        names, [(edge.get("source", ""), edge.get("target", "")) for edge in ends]
    )
    return nx.read_graphml(io.BytesIO(content))


def _sndlib(root: ElementTree.Element, problems: list[Problem]) -> nx.Graph[Any]:
    import networkx as nx

    nodes = root.find("{*}networkStructure/{*}nodes")
    if nodes is None:
        raise ValueError("it has no networkStructure with nodes")
    placed = nodes.get("coordinatesType") == "geographical"
    graph: nx.Graph[Any] = nx.MultiGraph()
    names = []
    for node in nodes.iterfind("{*}node"):
        names.append(node.attrib["id"])
        place = {
            key: node.findtext(f"{{*}}coordinates/{{*}}{axis}")
            for key, axis in (("lon", "x"), ("lat", "y"))
        }
        coordinates = {key: text for key, text in place.items() if placed and text is not None}
        graph.add_node(names[-1], **coordinates)
    links = [
        (link.findtext("{*}source", ""), link.findtext("{*}target", ""))
        for link in root.iterfind("{*}networkStructure/{*}links/{*}link")
    ]
    problems += _name_problems(names, links)
    graph.add_edges_from(links)
    return graph


def _name_problems(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> list[Problem]:
    """One problem for each node and for each link with a fault."""
    counts = Counter(nodes)
    twice = [
        Problem(
            f"topology: router {name}",
            "duplicate",
            f"expected every node once, this one is there {count} times",
        )
        for name, count in counts.items()
        if count > 1
    ]
    loose = [
        Problem(
            f"topology: link {source}-{target}",
            "unknown_router",
            f"expected nodes of the file, got {show(end)}",
        )
        for source, target in links
        for end in dict.fromkeys((source, target))
        if end not in counts
    ]
    return twice + loose

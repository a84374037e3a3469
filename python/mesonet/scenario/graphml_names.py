"""Faults of GraphML files that networkx reads past: entities, and nodes named twice or nowhere."""

from __future__ import annotations

import bz2
import gzip
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from mesonet.errors import Problem, show

_OPENERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}
"""Ways to open compressed files, by suffix, as networkx has them."""


def faults_of_names(path: Path) -> list[Problem]:
    """Nodes that are declared twice, and links to nodes that are not declared.

    networkx makes one node of the former and new nodes for the latter.

    Raises:
        ValueError: The file declares an entity.
        expat.ExpatError: It is no XML.
    """
    found = _Names()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.EntityDeclHandler = _refuse_entity
    parser.StartElementHandler = found.begin
    with _OPENERS.get(path.suffix, open)(path, "rb") as file:
        parser.ParseFile(file)
    return found.problems()


def _refuse_entity(name: str, *_: object) -> NoReturn:
    raise ValueError(f"it declares the entity {show(name)}; write its text where it is used")


class _Names:
    """Names of the nodes and ends of the links of the first graph, the one that counts."""

    def __init__(self) -> None:
        self._graphs = 0
        self._nodes: Counter[str] = Counter()
        self._links: list[tuple[str, str]] = []

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Takes in an element; what lacks an attribute is networkx's to refuse."""
        kind = tag.rpartition(" ")[2]
        self._graphs += kind == "graph"
        if self._graphs > 1:
            return
        if kind == "node" and "id" in attributes:
            self._nodes[attributes["id"]] += 1
        elif kind == "edge" and {"source", "target"} <= attributes.keys():
            self._links.append((attributes["source"], attributes["target"]))

    def problems(self) -> list[Problem]:
        """One problem for each node and for each link with a fault."""
        twice = [
            Problem(
                f"topology: router {name}",
                "duplicate",
                f"expected every node once, this one is there {count} times",
            )
            for name, count in self._nodes.items()
            if count > 1
        ]
        loose = [
            Problem(
                f"topology: link {source}-{target}",
                "unknown_router",
                f"expected nodes of the file, got {show(end)}",
            )
            for source, target in self._links
            for end in dict.fromkeys((source, target))
            if end not in self._nodes
        ]
        return twice + loose

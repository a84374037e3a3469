"""Page of the fields of a controller's inputs, from the stub of the engine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

STUB = Path(__file__).resolve().parents[2] / "python" / "mesonet" / "_core.pyi"
VIEWS = {
    "Flow": "`flow`: the state of the flow, the second argument of every method",
    "AckSample": "`ack`: what an ACK says, of `on_ack`",
    "RoundSample": "`round`: a round trip that has ended, of `on_round` and `ack.round`",
    "CongestionEvent": "`event`: the beginning or end of an episode, of `on_congestion`",
    "RateSample": "`ack.rate`: a delivery rate, with `wants_rate_samples = True`",
    "Initial": "`initial`: what a flow begins with, of `__init__`",
}
_ORIGIN = "<!-- Generated: `make golden` writes this page. -->"
_INTRODUCTION = """
What the methods of a [controller in Python](../howto/own-controller.md) get, for reading only. A
controller sets `self.cwnd` [bytes], and if it likes `self.ssthresh` [bytes] and `self.pacing_rate`
[bytes/s].
"""


def controller_page() -> str:
    """The page: the introduction, then a table for each of the inputs."""
    classes = {
        node.name: node
        for node in ast.parse(STUB.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    lines = ["# Inputs of a controller", "", _ORIGIN, "", _INTRODUCTION.strip(), ""]
    for name, about in VIEWS.items():
        lines += [f"## {name}", "", f"{about}.", "", "| Field | Type | Meaning |", "|---|---|---|"]
        lines += [*_rows(classes[name]), ""]
    return "\n".join(lines[:-1]) + "\n"


def _rows(view: ast.ClassDef) -> Iterator[str]:
    for node in view.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            kind = ast.unparse(node.returns) if node.returns else ""
            meaning = " ".join((ast.get_docstring(node) or "").split())
            call = "" if _is_property(node) else "()"
            cells = (f"`{node.name}{call}`", kind, meaning)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _is_property(node: ast.FunctionDef) -> bool:
    return any(isinstance(it, ast.Name) and it.id == "property" for it in node.decorator_list)

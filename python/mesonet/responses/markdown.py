"""The reference page of the responses."""

from __future__ import annotations

from collections.abc import Iterable

from mesonet.responses.registry import Response

_SYMBOLS = {
    "exp1": "Experiment 1",
    "exp2": "Experiment 2",
    "sensitivity": "sensitivity analysis",
    "groups": "group",
}
_ORIGIN = "<!-- Generated: `make golden` writes this page. -->"
_LEGEND = "Better is what a user of the network would call better. Symbols: NIST SP 500-282."
_HEADER = (
    "| id | name | unit | definition | better | symbols | source | `@` period |",
    "|---|---|---|---|---|---|---|---|",
)


def page(responses: Iterable[Response], introduction: str) -> str:
    """A Markdown page: the introduction, then one table row per response."""
    lines = ["# Responses", "", _ORIGIN, "", introduction.strip(), "", _LEGEND, "", *_HEADER]
    lines += [_row(response) for response in responses]
    return "\n".join(lines) + "\n"


def _row(response: Response) -> str:
    symbols = "; ".join(f"{symbol} ({_SYMBOLS[key]})" for key, symbol in response.symbols.items())
    cells = (
        f"`{response.id}`",
        response.name,
        response.unit,
        response.definition,
        response.better,
        symbols,
        response.source,
        "yes" if response.periods else "no",
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

"""Writes the reference pages of responses, analyses, queue disciplines and controllers' inputs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller_fields import controller_page

import mesonet.analysis.page
import mesonet.responses
from mesonet.scenario.mechanisms import QueueInfo, QueueParameter, queues
from mesonet.scenario.queues import range_of, values_of, written

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference"
_ORIGIN = "<!-- Generated: `make golden` writes this page. -->"
_INTRODUCTION = """
Names and parameters of queue disciplines, for `queue` and `reverse_queue` of a
[dumbbell](dumbbell.md) and of [other laboratories](topologies.md), and for `queue` of the
[national network](parameters.md#queues). A name alone takes all defaults; a table sets parameters
beside `kind`:

```toml
queue = { kind = "codel", target = "5 ms", ecn = true }
```

Times, rates and sizes in bytes carry their unit in text. Packets, counts, factors and probabilities
are plain numbers. `"none"` says that an optional parameter is not set. The room of every discipline
is the buffer of its station. The [models](../models/queues.md) say what each does, and
[Try another queue](../howto/queues.md) compares them.
"""
_HEADER = (
    "| Parameter | Meaning | Values | Range | Default |",
    "|---|---|---|---|---|",
)


def queue_page() -> str:
    """The page of the disciplines: the introduction, then a section for each."""
    lines = ["# Queue disciplines", "", _ORIGIN, "", _INTRODUCTION.strip(), ""]
    for discipline in queues():
        lines += [*_section(discipline), ""]
    return "\n".join(lines[:-1]) + "\n"


def _section(discipline: QueueInfo) -> Iterator[str]:
    yield f"## `{discipline.name}`"
    yield ""
    control = f" Control variable in records: {discipline.control}." if discipline.control else ""
    yield f"{discipline.summary}. Source: {discipline.source}.{control}"
    if not discipline.parameters:
        return
    yield ""
    yield from _HEADER
    for parameter in discipline.parameters:
        cells = (f"`{parameter.name}`", parameter.doc, values_of(parameter), range_of(parameter))
        yield (
            "| "
            + " | ".join(cell.replace("|", "\\|") for cell in (*cells, _default(parameter)))
            + " |"
        )


def _default(parameter: QueueParameter) -> str:
    value = written(parameter, parameter.default)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def pages() -> dict[str, str]:
    """Pages by the name of their file."""
    return {
        "controller.md": controller_page(),
        "responses.md": mesonet.responses.to_markdown(),
        "queues.md": queue_page(),
        "analyses.md": mesonet.analysis.page.to_markdown(),
    }


if __name__ == "__main__":
    for name, page in pages().items():
        (PAGES / name).write_text(page, encoding="utf-8")

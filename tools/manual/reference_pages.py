"""Writes the reference pages of responses, analyses, queue disciplines and controllers' inputs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from controller_fields import controller_page
from pydantic.fields import FieldInfo

import mesonet.responses
from mesonet.analysis import REGISTRY, Analysis
from mesonet.responses import Response, registry
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
_ANALYSES = """# Analyses

<!-- Generated: `make golden` writes this page. -->

A table `[analysis.NAME]` in a [plan](plan-file.md) asks for an analysis, with its options, empty
for the defaults. `mesonet analyze DIR` prints the first rows of its tables, `mesonet analyze DIR
NAME` all. The report makes it with the same options and prints the same numbers.

Tests that are corrected for their number are corrected together, over the responses that the plan
asks to analyse: `responses` in `[analysis]`, or all of the plan. Analyses with such tests take no
other responses, and say so below. Decision [0017](../decisions/0017-one-family-of-tests.md) gives
the reasons.
"""
_SYMBOLS = {
    "exp1": "Experiment 1",
    "exp2": "Experiment 2",
    "sensitivity": "sensitivity analysis",
    "groups": "group",
}
_LEGEND = "Better is what a user of the network would call better. Symbols: NIST SP 500-282."
_RESPONSE_HEADER = (
    "| id | name | unit | definition | better | symbols | source | `@` period |",
    "|---|---|---|---|---|---|---|---|",
)
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


def response_page() -> str:
    """The page of the responses: the introduction, then one table row for each."""
    introduction = str(mesonet.responses.__doc__).strip()
    lines = ["# Responses", "", _ORIGIN, "", introduction, "", _LEGEND, "", *_RESPONSE_HEADER]
    lines += [_row(response) for response in registry.values()]
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


def analysis_page() -> str:
    """The page of the analyses: the introduction, then a section for each."""
    entries = (line for analysis in REGISTRY.values() for line in _entry(analysis))
    return "\n".join((_ANALYSES, *entries))


def _entry(analysis: Analysis) -> Iterator[str]:
    yield f"## {analysis.name}"
    yield ""
    yield analysis.summary[:1].upper() + analysis.summary[1:] + "."
    if analysis.corrected:
        yield "Its tests are corrected together."
    lines = []
    if analysis.page:
        lines.append(f"How to read it: [{analysis.page}](../{analysis.page}).")
    condition = ", where a plan asks for it" if analysis.on_request else ""
    lines.append(f"In the report: `{analysis.section}`{condition}.")
    names = ", ".join(f"`mesonet.figures.{chart.function}`" for chart in analysis.charts)
    lines.append(f"Chart{'s' if len(analysis.charts) > 1 else ''}: {names}.")
    yield from lines
    yield ""
    yield "| table | a row for |"
    yield "|---|---|"
    for table in analysis.tables:
        yield f"| `{table.name}` | {table.content} |"
    yield ""
    fields = analysis.options.model_fields
    if fields:
        yield "| option | value | default | meaning |"
        yield "|---|---|---|---|"
        for name, field in fields.items():
            cells = (f"`{name}`", _expected(field), _default_option(field), str(field.description))
            yield f"| {' | '.join(cells)} |"
        yield ""


def _expected(field: FieldInfo) -> str:
    return next(item for item in field.metadata if isinstance(item, str))


def _default_option(field: FieldInfo) -> str:
    if field.default is None or field.default == ():
        return ""
    value = field.default
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def pages() -> dict[str, str]:
    """Pages by the name of their file."""
    return {
        "controller.md": controller_page(),
        "responses.md": response_page(),
        "queues.md": queue_page(),
        "analyses.md": analysis_page(),
    }


if __name__ == "__main__":
    for name, page in pages().items():
        (PAGES / name).write_text(page, encoding="utf-8")

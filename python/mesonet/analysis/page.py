"""The reference page of the analyses."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic.fields import FieldInfo

from mesonet.analysis.declaration import Analysis
from mesonet.analysis.options import Expected
from mesonet.analysis.registry import REGISTRY

_INTRODUCTION = """# Analyses

<!-- Generated: `make golden` writes this page. -->

A table `[analysis.NAME]` in a [plan](plan-file.md) asks for an analysis, with its options, empty
for the defaults. `mesonet analyze DIR` prints the first rows of its tables, `mesonet analyze DIR
NAME` all. The report makes it with the same options and prints the same numbers.

Tests that are corrected for their number are corrected together, over the responses that the plan
asks to analyse: `responses` in `[analysis]`, or all of the plan. Analyses with such tests take no
other responses, and say so below. Decision [0017](../decisions/0017-one-family-of-tests.md) gives
the reasons.
"""


def to_markdown() -> str:
    """The page."""
    return "\n".join(
        (_INTRODUCTION, *(line for analysis in REGISTRY.values() for line in _entry(analysis)))
    )


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
            yield f"| `{name}` | {_expected(field)} | {_default(field)} | {field.description} |"
        yield ""


def _expected(field: FieldInfo) -> str:
    return next(item.text for item in field.metadata if isinstance(item, Expected))


def _default(field: FieldInfo) -> str:
    if field.default is None or field.default == ():
        return ""
    value = field.default
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"

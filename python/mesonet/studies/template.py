"""`page.md`: Jinja fills it, then it is laid out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from mesonet.errors import MesonetError, Problem, did_you_mean
from mesonet.figures import number, percent
from mesonet.page.blocks import Block, CaptionedChart, TitledTable
from mesonet.page.charts import picture
from mesonet.page.tables import Table, plain_table
from mesonet.studies.code import Code, failure
from mesonet.studies.entries import StudyError
from mesonet.studies.layout import CLOSE, OPEN, laid_out
from mesonet.studies.page import Section
from mesonet.studies.scorecard import Scorecard
from mesonet.studies.stock import STOCK
from mesonet.studies.study import Noted, RunResults


def render_page(
    path: Path, code: Code, run: RunResults, card: Scorecard, variants: Table | None
) -> tuple[tuple[Block, ...], tuple[Section, ...]]:
    """Blocks before the first section, and the sections of a page of finished runs."""
    parts = {kind: {**STOCK[kind], **code.parts[kind]} for kind in STOCK}
    parts["table"].setdefault("variants", lambda _: variants)
    shown = _Shown(run, parts, code)
    names = {
        "chart": shown.chart,
        "table": shown.table,
        "figures": run.figures,
        "values": run.options.values,
        "options": run.options,
        "verdicts": {entry.claim.id: entry.verdict for entry in card.entries},
        "measured": {entry.claim.id: entry.measured for entry in card.entries},
        **{name: code.call(each, run) for name, each in parts["value"].items()},
    }
    # The text of a page is no code: that of `measure.py` stands in a file of its own.
    environment = SandboxedEnvironment(
        loader=FileSystemLoader([path.parent, path.parent.parent]),
        undefined=StrictUndefined,
        # A heading's {#id} is no comment.
        comment_start_string="{##",
        comment_end_string="##}",
        trim_blocks=True,
        lstrip_blocks=True,
        # A paragraph that follows an included file stays one of its own.
        keep_trailing_newline=True,
        # Pages are Markdown, and what becomes of it is escaped when it is laid out.
        autoescape=False,
    )
    environment.filters |= {"number": number, "percent": percent}
    try:
        text = environment.get_template(path.name).render(names)
        return laid_out(text, shown.blocks, shown.notes)
    except MesonetError:
        raise
    except Exception as error:
        problem = failure(path, error)
        if isinstance(error, TemplateError | ValueError):
            problem = problem._replace(message=str(error))
        raise StudyError([problem._replace(kind="page")]) from error


class _Shown:
    """Charts and tables that a page asks for, in their order."""

    def __init__(
        self, run: RunResults, parts: Mapping[str, Mapping[str, Callable[..., Any]]], code: Code
    ) -> None:
        self.run = run
        self.parts = parts
        self.code = code
        self.blocks: list[Block | None] = []
        self.notes: dict[int, tuple[str, ...]] = {}

    def chart(self, name: str, /, *, alt: str = "", id: str = "", **options: Any) -> str:  # noqa: A002
        """Mark of a chart; `alt` is its alternative text, by default its caption."""
        chart = self._part("chart", name, options)
        identifier = id or _identifier(name, options)
        block = None if chart is None else CaptionedChart(picture(identifier, chart, alt), "")
        return self._mark(block)

    def table(self, name: str, /, *, id: str = "", **options: Any) -> str:  # noqa: A002
        """Mark of a table."""
        table = self._part("table", name, options)
        if isinstance(table, pl.DataFrame):
            table = plain_table(id or _identifier(name, options), table)
        elif table is not None and id:
            table = replace(table, identifier=id)
        return self._mark(None if table is None else TitledTable("", table))

    def _part(self, kind: str, name: str, options: Mapping[str, Any]) -> Any:
        functions = self.parts[kind]
        if name not in functions:
            hint = did_you_mean(name, functions) or f"; there are {', '.join(functions) or 'none'}"
            raise ValueError(f'no {kind} "{name}"{hint}')
        part = self.code.call(functions[name], self.run, **options)
        if isinstance(part, Noted):
            self.notes[len(self.blocks)] = part.notes
            part = part.shown
        if part is not None and not hasattr(part, "to_dict" if kind == "chart" else "columns"):
            what = "an Altair chart" if kind == "chart" else "a frame or a table"
            problem = Problem(str(self.code.path), "code", f'expected {what} from {kind} "{name}"')
            raise StudyError([problem])
        return part

    def _mark(self, block: Block | None) -> str:
        self.blocks.append(block)
        return f"\n\n{OPEN}{len(self.blocks) - 1}{CLOSE}"


def _identifier(name: str, options: Mapping[str, Any]) -> str:
    text = "-".join([name, *map(str, options.values())])
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)

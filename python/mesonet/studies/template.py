"""`page.md`: Jinja fills it, then it is laid out."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from mesonet.errors import MesonetError, Problem, did_you_mean
from mesonet.figures import number, percent
from mesonet.page.blocks import Block, CaptionedChart, TitledTable
from mesonet.page.charts import picture
from mesonet.page.simple import Part
from mesonet.page.tables import Table, plain_table
from mesonet.studies.code import Code, failure
from mesonet.studies.entries import StudyError
from mesonet.studies.layout import CLOSE, OPEN, laid_out
from mesonet.studies.stock import STOCK
from mesonet.studies.study import Noted, RunResults


def render_page(
    path: Path, code: Code, run: RunResults, variants: Table | None
) -> tuple[tuple[Block, ...], tuple[Part, ...]]:
    """Blocks before the first section, and the sections of a page of finished runs."""
    shown_blocks = _Shown(run, code, variants)
    names = {
        "chart": partial(shown_blocks.mark, "chart"),
        "table": partial(shown_blocks.mark, "table"),
        "figures": run.figures,
        "values": run.options.values,
        "options": run.options,
        **{name: code.call(function, run) for name, function in code.parts["value"].items()},
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
        return laid_out(text, shown_blocks.blocks, shown_blocks.notes)
    except MesonetError:
        raise
    except Exception as error:
        problem = failure(path, error)
        if isinstance(error, TemplateError | ValueError):
            problem = problem._replace(message=str(error))
        raise StudyError([problem._replace(kind="page")]) from error


class _Shown:
    """Charts and tables that a page asks for, in their order, and the notes below them."""

    def __init__(self, run: RunResults, code: Code, variants: Table | None) -> None:
        self.run = run
        self.code = code
        self.parts = {kind: {**STOCK[kind], **code.parts[kind]} for kind in STOCK}
        self.parts["table"].setdefault("variants", lambda _: variants)
        self.blocks: list[Block | None] = []
        self.notes: dict[int, tuple[str, ...]] = {}

    def mark(
        self,
        kind: str,
        name: str,
        /,
        *,
        alt: str = "",
        id: str = "",  # noqa: A002
        **options: Any,
    ) -> str:
        """Mark of a chart, whose alternative text is by default its caption, or of a table."""
        functions = self.parts[kind]
        if name not in functions:
            hint = did_you_mean(name, functions) or f"; there are {', '.join(functions) or 'none'}"
            raise ValueError(f'no {kind} "{name}"{hint}')
        part = self.code.call(functions[name], self.run, **options)
        if isinstance(part, Noted):
            self.notes[len(self.blocks)] = part.notes
            part = part.shown
        named = re.sub(r"[^A-Za-z0-9_.-]+", "-", "-".join([name, *map(str, options.values())]))
        if part is None:
            self.blocks.append(None)
        elif kind == "chart" and hasattr(part, "to_dict"):
            self.blocks.append(CaptionedChart(picture(id or named, part, alt), ""))
        elif isinstance(part, pl.DataFrame):
            self.blocks.append(TitledTable("", plain_table(id or named, part)))
        elif isinstance(part, Table):
            self.blocks.append(TitledTable("", replace(part, identifier=id or part.identifier)))
        else:
            problem = Problem(str(self.code.path), "code", f'not what is a {kind}: "{name}"')
            raise StudyError([problem])
        return f"\n\n{OPEN}{len(self.blocks) - 1}{CLOSE}"

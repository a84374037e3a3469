"""`page.md`: its names are checked before anything runs, then it is filled and laid out."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, FunctionLoader, StrictUndefined, TemplateError, nodes
from jinja2 import TemplateSyntaxError as SyntaxProblem
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from mesonet.errors import MesonetError, Problem, did_you_mean
from mesonet.figures import number, percent
from mesonet.page.blocks import Block, CaptionedChart, TitledTable
from mesonet.page.charts import picture
from mesonet.page.tables import Table, plain_table
from mesonet.studies.folders.code import Code, failure
from mesonet.studies.folders.markdown import CLOSE, OPEN, Document, MarkdownError, document
from mesonet.studies.folders.page_names import (
    Plans,
    unfit_arguments,
    unknown_entries,
    unknown_filters,
)
from mesonet.studies.folders.parts import Noted
from mesonet.studies.folders.results import check_part
from mesonet.studies.folders.sources import StudyError
from mesonet.studies.study import RunResults
from mesonet.system.reading import read_text

Part = Callable[..., Any]

KNOWN = ("chart", "table", "figures", "values", "options", "verdicts", "measured")
"""Names that every page knows."""
_FILTERS: Mapping[str, Callable[..., str]] = {"number": number, "percent": percent}
_SHOWING = ("chart", "table")
_INCLUDES = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_TEXT = ".md"
"""End of the names of files that a page may include."""
_LARGEST = 1_000_000
"""Largest whole number that a page multiplies."""


@dataclass(frozen=True)
class PageSource:
    """The text of a page, and the functions that it can name.

    Attributes:
        path: The file.
        code: The study's code, whose charts, tables and values it can name.
        stock: Charts and tables that every study has, by kind and name.
    """

    path: Path
    code: Code
    stock: Mapping[str, Mapping[str, Part]] = field(default_factory=dict)

    @property
    def parts(self) -> Mapping[str, Mapping[str, Part]]:
        """Functions that the page can name, by kind and name; the study's own win."""
        kinds = ("chart", "table", "value")
        own = self.code.parts
        return {kind: {**self.stock.get(kind, {}), **own.get(kind, {})} for kind in kinds}

    def problems(
        self,
        figures: Collection[str] | None = None,
        claims: Collection[str] | None = None,
        plans: Plans | None = None,
    ) -> list[Problem]:
        """Faults of the text that can be seen without a run.

        Args:
            figures: names of all figures, if they are known.
            claims: ids of all claims, if they are known.
            plans: all plans, if they are known.
        """
        tables = {"figures": figures, "verdicts": claims, "measured": claims}
        entries = {name: each for name, each in tables.items() if each is not None}
        found: list[Problem] = []
        for path, tree in self._trees(found):
            found += unknown_filters(path, tree)
            found += self._unknown_names(path, tree)
            for call in tree.find_all(nodes.Call):
                found += self._call(path, call, plans)
            found += unknown_entries(path, tree, entries)
        return list(dict.fromkeys(found))

    def render(
        self, run: RunResults, verdicts: Mapping[str, str], measured: Mapping[str, str]
    ) -> Document:
        """The page of a study's runs.

        Raises:
            StudyError: the text cannot be filled or laid out.
        """
        faults = self.problems(run.figures, verdicts)
        if faults:
            raise StudyError(faults)
        parts = self.parts
        shown = _Shown(run, parts, self.code)
        names = {
            "chart": shown.chart,
            "table": shown.table,
            "figures": run.figures,
            "values": run.options.values,
            "options": run.options,
            "verdicts": verdicts,
            "measured": measured,
            **{name: self.code.call(each, run) for name, each in parts["value"].items()},
        }
        try:
            text = self._environment().get_template(self.path.name).render(names)
            return document(text, shown.blocks, shown.notes)
        except MesonetError:
            raise
        except Exception as error:
            problem = failure(self.path, error)
            known = isinstance(error, TemplateError | MarkdownError)
            message = str(error) if known else problem.message
            raise StudyError([problem._replace(kind="page", message=message)]) from error

    def _environment(self) -> Environment:
        # The text of a page is no code: that of `measure.py` stands in a file of its own.
        environment = _Environment(
            loader=FunctionLoader(self._load),
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
        environment.filters |= _FILTERS
        return environment

    def _load(self, name: str) -> tuple[str, str, None] | None:
        path = self.path.parent / name
        if path.suffix != _TEXT or not path.is_file() or not self._near(path):
            return None
        return read_text(path), str(path), None

    def _near(self, file: Path) -> bool:
        """True for what lies in the folder above the study, wherever its links lead."""
        return file.resolve().is_relative_to(self.path.parent.resolve().parent)

    def _trees(
        self, problems: list[Problem], name: str = "", above: tuple[Path, ...] = ()
    ) -> Iterator[tuple[Path, nodes.Template]]:
        """The text and those that it includes, parsed."""
        path = self.path.parent / (name or self.path.name)
        try:
            tree = self._environment().parse(read_text(path), path.name, str(path))
        except SyntaxProblem as error:
            message = error.message or "cannot be read"
            problems.append(Problem(f"{path}:{error.lineno}", "template", message))
            return
        except RecursionError:
            problems.append(Problem(str(path), "template", "its expressions are nested too deeply"))
            return
        yield path, tree
        above = (*above, path.resolve())
        for include in tree.find_all(_INCLUDES):
            asked = include.template  # type: ignore[attr-defined]  # each of the four has it
            place = f"{path}:{include.lineno}"
            if not isinstance(asked, nodes.Const) or not isinstance(asked.value, str):
                message = "expected the name of a file in quotes"
                problems.append(Problem(place, "include", message))
                continue
            file = self.path.parent / asked.value
            if file.suffix != _TEXT:
                message = f'expected a Markdown file ({_TEXT}), got "{asked.value}"'
                problems.append(Problem(place, "include", message))
            elif not file.is_file():
                message = f'no file "{asked.value}" beside the page'
                problems.append(Problem(place, "missing_file", message))
            elif not self._near(file):
                message = f'"{asked.value}" lies outside of the folder above the study'
                problems.append(Problem(place, "include", message))
            elif file.resolve() in above:
                message = f'"{asked.value}" includes this file'
                problems.append(Problem(place, "circle", message))
            else:
                yield from self._trees(problems, asked.value, above)

    def _unknown_names(self, path: Path, tree: nodes.Template) -> Iterator[Problem]:
        known = [*KNOWN, *self.parts["value"]]
        # Names that another file of the page sets are seen where they are used.
        free = find_undeclared_variables(tree) - set(known) - _GLOBALS
        for name in sorted(free) if path == self.path else ():
            lines = [node.lineno for node in tree.find_all(nodes.Name) if node.name == name]
            message = f'unknown name "{name}"{did_you_mean(name, known)}'
            yield Problem(f"{path}:{min(lines)}", "unknown_name", message)

    def _call(self, path: Path, call: nodes.Call, plans: Plans | None) -> Iterator[Problem]:
        kind = call.node.name if isinstance(call.node, nodes.Name) else ""
        if kind not in _SHOWING:
            return
        place = f"{path}:{call.lineno}"
        if not call.args:
            yield Problem(place, kind, f"{kind}() without a name")
            return
        first = call.args[0]
        if not isinstance(first, nodes.Const):
            return
        known = self.parts[kind]
        name = str(first.value)
        if name not in known:
            yield Problem(place, f"unknown_{kind}", _unknown(kind, name, known))
            return
        given = [each.key for each in call.kwargs if each.key not in ("alt", "id")]
        accepted = list(inspect.signature(known[name]).parameters.values())[1:]
        names = [each.name for each in accepted]
        if len(call.args) > 1:
            yield Problem(place, kind, f'{kind} "{name}": arguments are given by name')
        for argument in given:
            if argument not in names:
                hint = did_you_mean(argument, names) or f"; it has {', '.join(names) or 'none'}"
                message = f'{kind} "{name}" has no argument "{argument}"{hint}'
                yield Problem(place, "unknown_argument", message)
        for each in accepted:
            if each.default is inspect.Parameter.empty and each.name not in given:
                message = f'{kind} "{name}" needs the argument "{each.name}"'
                yield Problem(place, "missing_argument", message)
        built_in = known[name] is self.stock.get(kind, {}).get(name)
        if built_in and "plan" in names and plans is not None:
            yield from unfit_arguments(place, f'{kind} "{name}"', call, plans)


_GLOBALS = {"range", "loop", "namespace", "dict", "cycler", "joiner", "lipsum"}
"""Names that Jinja has."""


class _Environment(SandboxedEnvironment):
    """Templates that multiply small numbers, so that no product is longer than a page."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Their product or power; raises `SecurityError`."""
        for factor in (left, right):
            if not isinstance(factor, float) and not (
                isinstance(factor, int) and abs(factor) <= _LARGEST
            ):
                message = f"{operator}: expected numbers, whole ones up to {_LARGEST}, got more"
                raise SecurityError(message)
        return super().call_binop(context, operator, left, right)


class _Shown:
    """Charts and tables that a page asks for, in their order."""

    def __init__(
        self, run: RunResults, parts: Mapping[str, Mapping[str, Part]], code: Code
    ) -> None:
        self.run = run
        self.parts = parts
        self.code = code
        self.blocks: list[Block | None] = []
        self.notes: dict[int, tuple[str, ...]] = {}

    def chart(self, name: str, /, *, alt: str = "", id: str = "", **options: Any) -> str:  # noqa: A002
        """Mark of a chart; `alt` is its alternative text, by default its caption."""
        made = self._made("chart", name, options)
        identifier = id or _identifier(name, options)
        block = None if made is None else CaptionedChart(picture(identifier, made, alt), "")
        return self._mark(block)

    def table(self, name: str, /, *, id: str = "", **options: Any) -> str:  # noqa: A002
        """Mark of a table."""
        made = self._made("table", name, options)
        identifier = id or _identifier(name, options)
        if isinstance(made, pl.DataFrame):
            made = plain_table(identifier, made)
        elif isinstance(made, Table) and id:
            made = replace(made, identifier=id)
        return self._mark(None if made is None else TitledTable("", made))

    def _made(self, kind: str, name: str, options: Mapping[str, Any]) -> Any:
        function = self._part(kind, name)
        if function is self.code.parts.get(kind, {}).get(name):
            made = self.code.call(function, self.run, **options)
        else:
            made = _built_in(kind, name, partial(function, self.run, **options))
        if isinstance(made, Noted):
            self.notes[len(self.blocks)] = made.notes
            made = made.shown
        check_part(self.code, kind, name, function, made)
        return made

    def _part(self, kind: str, name: str) -> Part:
        known = self.parts[kind]
        if name not in known:
            raise MarkdownError(_unknown(kind, name, known))
        return known[name]

    def _mark(self, block: Block | None) -> str:
        self.blocks.append(block)
        return f"\n\n{OPEN}{len(self.blocks) - 1}{CLOSE}"


def _built_in(kind: str, name: str, make: Callable[[], Any]) -> Any:
    """A chart or table of mesonet; where it fails, the page has asked for what is not there."""
    try:
        return make()
    except Exception as error:
        known = isinstance(error, MesonetError)
        said = str(error) if known else failure(Path(), error).message
        raise MarkdownError(f'{kind} "{name}": {said}') from error


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> str:
    hint = did_you_mean(name, known) or f"; there are {', '.join(known) or 'none'}"
    return f'no {kind} "{name}"{hint}'


def _identifier(name: str, options: Mapping[str, Any]) -> str:
    text = "-".join([name, *map(str, options.values())])
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)

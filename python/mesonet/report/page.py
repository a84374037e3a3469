"""Writing the page of a campaign, its data as JSON, and its figures as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from altair.utils.schemapi import debug_mode
from markupsafe import Markup

from mesonet.analysis import Section
from mesonet.errors import InputError, Problem
from mesonet.figures.paper import printed, refuse_narrow_space
from mesonet.page.charts import Draw, drawings, packed, within
from mesonet.page.layout import Entry, Fact, Head
from mesonet.page.layout import render as page
from mesonet.page.tables import Table, plain_columns
from mesonet.report.front import front
from mesonet.report.inputs import ReportInputs
from mesonet.report.pages import with_code
from mesonet.report.results import Results, analysed
from mesonet.report.sections import contents
from mesonet.writing import write_all, write_atomically

_KINDS = ("svg", "pdf")


def build(inputs: ReportInputs, out: str | Path, *, figures: str | Path | None = None) -> Path:
    """Writes the report of a campaign, and beside it a JSON file with its sentences and tables.

    Args:
        inputs: Inputs to show.
        out: The HTML file to write; the other has the same name with `.json`. Both are replaced at
            once and never in part.
        figures: A folder for all figures as SVG and PDF; made if it does not exist.

    Returns:
        The path of the HTML file.
    """
    path = Path(out)
    report = assemble(inputs)
    drawers: dict[str, Draw] = {}
    if figures is not None:
        # On paper stand the figures of all sections, also where the plan shows some of them.
        whole = report if not inputs.sections else assemble(replace(inputs, sections=()))
        drawers = _drawers(whole.content, Path(figures))
    write_atomically(path, report.html.encode())
    write_atomically(path.with_suffix(".json"), report.json.encode())
    if figures is not None:
        write_all(Path(figures), _figure_files(drawers))
    return path


@dataclass(frozen=True)
class Report:
    """A report in memory: the page, the same as data, and what both are made of."""

    html: str
    json: str
    results: Results
    content: list[Any]
    """Charts and tables of the page, nested."""


def render(inputs: ReportInputs) -> str:
    """The report as HTML. It loads nothing, and the same inputs give the same text."""
    return assemble(inputs).html


def assemble(inputs: ReportInputs) -> Report:
    """The report as HTML and as JSON. The same inputs give the same texts."""
    results = analysed(inputs)
    # Tests check specifications against the schema; here it would take a quarter of the time.
    with debug_mode(False):
        sections = contents(results)
        first = front(results, sections)
    content = {name: parts for name, (_, parts) in sections.items()}
    groups: dict[str, list[Section]] = {}
    for section, _ in sections.values():
        groups.setdefault(section.group, []).append(section)
    charts = [first.picture, first.network, content]
    html = page(
        "report.html.j2",
        "mesonet.report",
        _head(results, groups),
        charts=charts,
        inputs=inputs,
        front=first,
        groups=groups,
        sections=[section for section, _ in sections.values()],
        titles={name: section.title for name, (section, _) in sections.items()},
        content=content,
        with_code=with_code,
        look=list(zip(results.look.alternatives, results.look.colours, strict=True)),
        replicates=results.replicates,
        numbers=sorted(inputs.frame["condition"].unique().to_list()),
        known=packed(json.dumps(_highlights(results), ensure_ascii=False, separators=(",", ":"))),
    )
    return Report(html, _as_json(results, sections), results, charts)


def _head(results: Results, groups: Mapping[str, Sequence[Section]]) -> Head:
    """Title, facts and list of contents."""
    inputs, look = results.inputs, results.look
    chip = Markup('<span class="chip"><i style="background:{}"></i>{}</span>')
    chips = zip(look.colours, look.alternatives, strict=True)
    facts = (
        Fact("Runs", str(inputs.frame.height)),
        Fact("Conditions", str(results.conditions_count)),
        Fact("Factors", str(len(inputs.factors))),
        Fact("Replicates", f"n = {results.replicates}", loud=results.replicates == 1),
        Fact("Responses", str(len(inputs.responses))),
        Fact("Alternatives", Markup().join(chip.format(*pair) for pair in chips), wide=True),
    )
    listed = {
        group: [Entry(section.identifier, section.title, section.question) for section in members]
        for group, members in groups.items()
    }
    contents = {"": [Entry("summary", "The answer")], **listed}
    title, question = inputs.title, inputs.question
    return Head("mesonet report", title, question, facts, contents, paged=True, first="the answer")


def _highlights(results: Results) -> dict[str, Any]:
    """Data for cross-highlighting: the settings of conditions, and the runs with their commands."""
    inputs = results.inputs
    settings = {}
    if results.level_texts is not None:
        labels = [results.names.factor(str(factor["name"])) for factor in inputs.factors]
        for condition, *levels in results.level_texts.iter_rows():
            settings[str(condition)] = list(zip(labels, levels, strict=True))
    rows = inputs.frame.select("condition", "alternative", "replicate", "run").iter_rows()
    return {
        "settings": settings,
        "runs": [[c, str(a), r, str(run), inputs.commands.get(run, "")] for c, a, r, run in rows],
    }


def _as_json(results: Results, shown: Mapping[str, tuple[Section, Any]]) -> str:
    """The JSON file beside the page: every sentence, every table with all digits.

    Keys: `title`, `question`, `sentences` (`topic`, `text`, `warning`), `summary_tables` (what
    sentences rest on), `sections` (`title` and `tables` of each, or `why` there is none) and
    `provenance`; `stopping`, why the plan's stopping rule ended the campaign, if it has one.
    Tables are lists of columns; numbers that are not finite are null.
    """
    inputs, plain = results.inputs, results.plain
    sections = {}
    for name, (section, content) in shown.items():
        why = str(content.get("why") or (content.get("page") or {}).get("why", ""))
        sections[name] = {
            "title": section.title,
            **({"why": why} if why else {}),
            "notes": [note for part in content.get("parts", ()) for note in part["notes"]],
            "tables": {
                table.identifier: plain_columns(table.frame) for table in within(content, Table)
            },
        }
    about = {
        "title": inputs.title,
        "question": inputs.question,
        "sentences": [
            {"topic": sentence.topic, "text": sentence.text, "warning": sentence.loud}
            for sentence in (plain.sentences if plain else ())
        ],
        "summary_tables": {
            name: plain_columns(frame) for name, frame in (plain.tables if plain else {}).items()
        },
        "sections": sections,
        "provenance": dict(inputs.provenance),
    }
    if inputs.stopping is not None:
        about["stopping"] = asdict(inputs.stopping)
    return json.dumps(about, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _drawers(content: Any, folder: Path) -> dict[str, Draw]:
    """Names of all figures in the content of a page, and who draws them into a folder."""
    refuse_narrow_space()
    if folder.exists() and not folder.is_dir():
        message = "expected a folder for figures, got a file"
        raise InputError([Problem(str(folder), "folder", message)])
    return dict(drawings(content))


def _figure_files(drawers: Mapping[str, Draw]) -> Iterator[tuple[str, bytes]]:
    """Every figure as NAME.svg to edit and NAME.pdf to print."""
    for name, draw in drawers.items():
        chart = draw()
        for kind in _KINDS:
            yield f"{name}.{kind}", printed(chart, kind=kind)

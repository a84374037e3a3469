"""Writing the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from altair.utils.schemapi import debug_mode
from markupsafe import Markup

from mesonet.analysis import Section
from mesonet.page.charts import packed
from mesonet.page.layout import Entry, Fact, Head
from mesonet.page.layout import render as page
from mesonet.report.data import as_json
from mesonet.report.drawings import figure_makers, write_figures
from mesonet.report.front import front
from mesonet.report.inputs import ReportInputs
from mesonet.report.pages import with_code
from mesonet.report.results import Results, analysed
from mesonet.report.sections import contents
from mesonet.system.place import data_beside, refuse_foreign
from mesonet.system.writing import write_atomically


def build(
    inputs: ReportInputs,
    out: str | Path,
    *,
    figures: str | Path | None = None,
    overwrite: bool = False,
) -> Path:
    """Writes the report of a campaign, and beside it a JSON file with its sentences and tables.

    Args:
        inputs: Inputs to show.
        out: The HTML file to write; the other has the same name with `.json`. Files that mesonet
            wrote are replaced, at once and never in part.
        figures: A folder for all figures as SVG and PDF; made if it does not exist.
        overwrite: True to replace any file, not only those that mesonet wrote.

    Returns:
        The path of the HTML file.

    Raises:
        InputError: The frame lacks columns that the inputs name, or a file exists that mesonet
            did not write; nothing is written then.
        StorageError: A file cannot be written.
    """
    path = Path(out)
    beside = data_beside(path)
    refuse_foreign((path, beside), force=overwrite)
    made = assemble(inputs)
    drawn = {}
    if figures is not None:
        # On paper stand the figures of all sections, also where the plan shows some of them.
        every = made if not inputs.sections else assemble(replace(inputs, sections=()))
        drawn = figure_makers(every.content, figures, overwrite=overwrite)
    write_atomically(path, made.html.encode())
    write_atomically(beside, made.json.encode())
    if figures is not None:
        write_figures(drawn, figures)
    return path


@dataclass(frozen=True)
class Made:
    """A report in memory: the page, the same as data, and what both are made of."""

    html: str
    json: str
    results: Results
    content: list[Any]
    """Charts and tables of the page, nested."""


def render(inputs: ReportInputs) -> str:
    """The report as HTML. It loads nothing, and the same inputs give the same text.

    Raises:
        InputError: The frame lacks columns that the inputs name.
    """
    return assemble(inputs).html


def assemble(inputs: ReportInputs) -> Made:
    """The report as HTML and as JSON. The same inputs give the same texts.

    Raises:
        InputError: The frame lacks columns that the inputs name.
    """
    results = analysed(inputs)
    # Tests check specifications against the schema; here it would take a quarter of the time.
    with debug_mode(False):
        shown = contents(results)
    with debug_mode(False):
        first = front(results, shown)
    content = {name: made for name, (_, made) in shown.items()}
    groups: dict[str, list[Section]] = {}
    for section, _ in shown.values():
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
        sections=[section for section, _ in shown.values()],
        titles={name: section.title for name, (section, _) in shown.items()},
        content=content,
        with_code=with_code,
        look=list(zip(results.look.alternatives, results.look.colours, strict=True)),
        replicates=results.replicates,
        numbers=sorted(inputs.frame["condition"].unique().to_list()),
        known=packed(json.dumps(_known(results), ensure_ascii=False, separators=(",", ":"))),
    )
    return Made(html, as_json(results, shown), results, charts)


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
        Fact("Alternatives", Markup().join(chip.format(*one) for one in chips), wide=True),
    )
    listed = {
        group: [Entry(one.identifier, one.title, one.question) for one in members]
        for group, members in groups.items()
    }
    contents = {"": [Entry("summary", "The answer")], **listed}
    title, question = inputs.title, inputs.question
    return Head("mesonet report", title, question, facts, contents, paged=True, first="the answer")


def _known(results: Results) -> dict[str, Any]:
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

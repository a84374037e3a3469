"""The page of a study: what was asked, the scorecard, sections of charts and tables, settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.report.charts import Picture, packed_pictures
from mesonet.report.page import bundle, environment
from mesonet.report.tables import Table, csv_uri, plain_columns
from mesonet.simulate import result_version
from mesonet.studies.scorecard import Scorecard
from mesonet.system.writing import write_atomically


@dataclass(frozen=True)
class CaptionedChart:
    """A chart with the sentence below it that says what to see."""

    picture: Picture
    caption: str


@dataclass(frozen=True)
class Section:
    """One part of the page.

    Attributes:
        identifier: Unique in the page, fit for a link.
        title: Heading of the section.
        text: Paragraphs before the charts.
        charts: Charts in order.
        tables: Tables below the charts, each with its title.
        notes: Limitations of the section.
        code: A program or commands, shown as they are.
        questions: Questions for students, each with its answer, which is folded away.
    """

    identifier: str
    title: str
    text: tuple[str, ...] = ()
    charts: tuple[CaptionedChart, ...] = ()
    tables: tuple[tuple[str, Table], ...] = ()
    notes: tuple[str, ...] = ()
    code: str = ""
    questions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StudyPage:
    """Content of a study's page.

    Attributes:
        title: Title of the study.
        question: Question of the study, in one sentence.
        size: Name of the size, and its meaning.
        facts: Short facts for the head of the page, by name.
        sections: Sections in order.
        settings: Everything needed to set the study up again, by name.
        scorecard: Published beside measured; None to leave it out.
        failures: Errors of runs, by name.
        reports: Links to the reports of its campaigns, by name.
    """

    title: str
    question: str
    size: str
    facts: Mapping[str, str]
    sections: Sequence[Section]
    settings: Mapping[str, str]
    scorecard: Scorecard | None = None
    failures: Mapping[str, str] | None = None
    reports: Mapping[str, str] = field(default_factory=dict)


def render_study(page: StudyPage) -> str:
    """The page as HTML. It loads nothing, and the same input gives the same text."""
    card = page.scorecard
    contents = [("summary", "Summary")]
    if card is not None:
        contents.append(("scorecard", "Published beside measured"))
    contents += [(section.identifier, section.title) for section in page.sections]
    contents.append(("settings", "Settings"))
    pictures = [chart.picture for section in page.sections for chart in section.charts]
    return (
        environment("mesonet.studies")
        .get_template("study.html.j2")
        .render(
            page=page,
            contents=contents,
            card=card,
            counts=None if card is None else card.counts(),
            download=None if card is None else csv_uri(card.to_frame()),
            failures=sorted((page.failures or {}).items()),
            version=result_version(),
            pictures=packed_pictures({"all": pictures}),
            bundle=bundle(),
        )
    )


def study_data(page: StudyPage, name: str) -> dict[str, Any]:
    """The page as data, every table with all digits.

    Keys: `study`, `title`, `facts`, `settings`, `sections` (`title`, `text`, `notes` and `tables`
    of each, by identifier), `failures` and, with a scorecard, those of `Scorecard.to_dict`.
    Tables are lists of columns by name; numbers that are not finite are null.
    """
    card = {} if page.scorecard is None else page.scorecard.to_dict()
    return {
        "study": name,
        **card,
        "title": page.title,
        "facts": dict(page.facts),
        "settings": {**page.settings, "Result version": result_version()},
        "sections": {
            section.identifier: {
                "title": section.title,
                "text": list(section.text),
                "notes": list(section.notes),
                "tables": {
                    table.identifier: {"title": title, "columns": plain_columns(table.frame)}
                    for title, table in section.tables
                },
            }
            for section in page.sections
        },
        "failures": dict(page.failures or {}),
    }


def write_study(page: StudyPage, folder: Path, name: str) -> Path:
    """Writes NAME.html, and NAME.json with the same as data; returns the first.

    Raises:
        MesonetError: A file cannot be written.
    """
    data = json.dumps(study_data(page, name), indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / f"{name}.json", (data + "\n").encode())
    path = folder / f"{name}.html"
    write_atomically(path, render_study(page).encode())
    return path

"""The page of a study: what was asked, the scorecard, sections of charts and tables, settings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mesonet.page.blocks import Block, CaptionedChart, Notes, Paragraph, TitledTable
from mesonet.page.charts import picture
from mesonet.page.layout import Entry, Fact, Head, render
from mesonet.page.simple import Part
from mesonet.page.tables import csv_uri, plain_columns
from mesonet.studies.printed import printed_chart
from mesonet.studies.rules import Figures
from mesonet.studies.scorecard import Scorecard
from mesonet.tables import result_version
from mesonet.writing import write_atomically


@dataclass(frozen=True)
class StudyPage:
    """Content of a study's page: facts, settings, errors of runs and links to reports by name.

    The `introduction` stands in the summary. On a `handout` verdicts stand behind the sections.
    `figures`, on which it rests, has every figure that a claim needs, NaN if it was not measured.
    """

    title: str
    question: str
    size: str
    facts: Mapping[str, str]
    sections: Sequence[Part] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    scorecard: Scorecard | None = None
    failures: Mapping[str, str] = field(default_factory=dict)
    reports: Mapping[str, str] = field(default_factory=dict)
    introduction: Sequence[Block] = ()
    handout: bool = False
    figures: Figures = field(default_factory=dict)


_PRINTED = (
    "Diamonds are published numbers, each as 1, and bars the range in which a figure agrees. Dots "
    "are measured, orange where they disagree; what lies below 0 or above 2 stands at the edge."
)


def render_study(page: StudyPage) -> str:
    """The page as HTML. It loads nothing, and the same input gives the same text."""
    card = page.scorecard
    counts = {} if card is None else card.counts()
    facts = [Fact(name, value) for name, value in page.facts.items()]
    entries = [Entry(section.identifier, section.title) for section in page.sections]
    if card is not None:
        place = len(entries) if page.handout else 0
        entries.insert(place, Entry("scorecard", "Published versus measured"))
        if card.scored:
            met = f"{counts['agrees']} of {card.scored}"
            loud = bool(counts["disagrees"]) and not page.handout
            facts.append(Fact("Published results met", met, loud=loud))
    entries.insert(0, Entry("summary", "Summary"))
    entries.append(Entry("settings", "Settings"))
    drawn = None if card is None else printed_chart(card, page.figures)
    printed = [CaptionedChart(picture("printed", drawn, _PRINTED), _PRINTED)] if drawn else []
    of_sections = (block for section in page.sections for block in section.blocks)
    blocks = [*printed, *page.introduction, *of_sections]
    return render(
        "study.html.j2",
        "mesonet.studies",
        Head("mesonet study", page.title, page.question, facts, {"": entries}),
        charts=[block.picture for block in blocks if isinstance(block, CaptionedChart)],
        page=page,
        card=card,
        printed=printed,
        counts=counts,
        download=None if card is None else csv_uri(card.to_frame()),
        failures=sorted(page.failures.items()),
        settings={**page.settings, "Result version": result_version()},
    )


def study_data(page: StudyPage, name: str) -> dict[str, Any]:
    """The page as data, every table with all digits.

    Keys: `study`, `title`, `facts`, `settings`, `sections` (`title`, `text`, `notes` and `tables`
    of each, by identifier), `failures` and, with a scorecard, those of `Scorecard.to_dict`.
    Tables are lists of columns by name; numbers that are not finite are null.
    """
    return {
        "study": name,
        **({} if page.scorecard is None else page.scorecard.to_dict()),
        "title": page.title,
        "facts": dict(page.facts),
        "settings": {**page.settings, "Result version": result_version()},
        "sections": {section.identifier: _section_data(section) for section in page.sections},
        "failures": dict(page.failures),
    }


def _section_data(section: Part) -> dict[str, Any]:
    notes = [part for part in section.blocks if isinstance(part, Notes)]
    tables = [part for part in section.blocks if isinstance(part, TitledTable)]
    return {
        "title": section.title,
        "text": [part.plain for part in section.blocks if isinstance(part, Paragraph)],
        "notes": [note.plain for part in notes for note in part.notes],
        "tables": {
            it.table.identifier: {"title": it.title, "columns": plain_columns(it.table.frame)}
            for it in tables
        },
    }


def write_study(page: StudyPage, folder: Path, name: str) -> Path:
    """Writes NAME.html, and NAME.json with the same as data; returns the first."""
    data = json.dumps(study_data(page, name), indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / f"{name}.json", (data + "\n").encode())
    path = folder / f"{name}.html"
    write_atomically(path, render_study(page).encode())
    return path

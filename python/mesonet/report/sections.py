"""The pages of a report: of each section its own page, if it has one, and its analyses."""

from __future__ import annotations

from typing import Any

from mesonet.analysis import REGISTRY, SECTIONS, ConditionSummary, RankMatrix, Section
from mesonet.report.fold import part
from mesonet.report.pages import PAGES, summary
from mesonet.report.results import Results

Content = dict[str, Any]

# Tables of the front page: section, name, identifier, title, columns.
_SUMMARIES = (
    ("ranks", "ranks", "rank-summary-judged", "Over all responses judged on the front page",
     RankMatrix.columns["summary"]),
    ("condition-response", "outliers", "outliers-counted", "Outliers counted",
     ConditionSummary.columns["counts"]),
)  # fmt: skip


def contents(results: Results) -> dict[str, tuple[Section, Content]]:
    """The sections to show with what is in them, in the order of the page."""
    chosen = results.inputs.sections
    pages = {
        section.identifier: (section, _content(section, results))
        for section in SECTIONS
        if not chosen or section.identifier in chosen
    }
    return {name: page for name, page in pages.items() if page[1]}


def _content(section: Section, results: Results) -> Content:
    """The page of a section and its parts; empty where the campaign has nothing for it."""
    make = PAGES.get(section.identifier)
    page = make(results) if make else None
    entries = [entry for entry in REGISTRY.values() if entry.section == section.identifier]
    parts = [shown for entry in entries if (shown := part(results, entry)) is not None]
    content: Content = {"page": page} if page is not None else {}
    for home, name, identifier, title, columns in _SUMMARIES:
        if home == section.identifier and parts and "tables" in parts[-1]:
            counted = summary(results, name, identifier, columns)
            parts[-1]["tables"] += [(title, counted)] if counted else []
    # Reasons are said once, where no analysis of the section has anything.
    if parts and all("why" in it for it in parts):
        return content | {"why": " ".join(dict.fromkeys(it["why"] for it in parts))}
    return content | ({"parts": [it for it in parts if "why" not in it]} if parts else {})

"""The pages of a report: of each section its own page, if it has one, and its analyses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mesonet.analysis import REGISTRY, SECTIONS, Section
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.report.fold import part
from mesonet.report.pages import PAGES, summary
from mesonet.report.results import Results

Content = dict[str, Any]

# Tables of the front page: section, name, identifier, title.
_SUMMARIES = (
    ("ranks", "ranks", "rank-summary-judged", "Over all responses judged on the front page"),
    ("condition-response", "outliers", "outliers-counted", "Outliers counted"),
)


def contents(results: Results) -> dict[str, tuple[Section, Content]]:
    """The sections to show with what is in them, in the order of the page.

    Raises:
        InputError: The inputs ask for a section that there is not.
    """
    chosen = results.inputs.sections
    if problems := section_problems(chosen):
        raise InputError(problems)
    made = {
        section.identifier: (section, _content(section, results))
        for section in SECTIONS
        if not chosen or section.identifier in chosen
    }
    return {name: found for name, found in made.items() if found[1]}


def section_problems(wanted: Sequence[str]) -> list[Problem]:
    """Problems with identifiers that no section of a report has.

    Args:
        wanted: Identifiers that a plan gives.
    """
    known = [section.identifier for section in SECTIONS]
    hint = f"; there are {', '.join(known)}"
    return [
        Problem(
            f"report.sections[{place}]",
            "unknown_section",
            f'"{name}" is no section{did_you_mean(name, known) or hint}',
        )
        for place, name in enumerate(wanted)
        if name not in known
    ]


def _content(section: Section, results: Results) -> Content:
    """The page of a section and its parts; empty where the campaign has nothing for it."""
    make = PAGES.get(section.identifier)
    page = make(results) if make else None
    entries = [one for one in REGISTRY.values() if one.section == section.identifier]
    parts = [found for one in entries if (found := part(results, one)) is not None]
    content: Content = {"page": page} if page is not None else {}
    for home, name, identifier, title in _SUMMARIES:
        if home == section.identifier and parts and "tables" in parts[-1]:
            counted = summary(results, name, identifier)
            parts[-1]["tables"] += [(title, counted)] if counted else []
    # Reasons are said once, where no analysis of the section has anything.
    if parts and all("why" in one for one in parts):
        return content | {"why": " ".join(dict.fromkeys(one["why"] for one in parts))}
    return content | ({"parts": [one for one in parts if "why" not in one]} if parts else {})

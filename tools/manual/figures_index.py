"""Index from figures, slides and tables of sources to studies: docs/validation/figures.md.

Places are those of the claims' `source`. The section is that of the study's page whose text names
the same figure, table or slide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from templating import environment

from mesonet.studies import Study

_NUMBERED = re.compile(r"\b(fig|tab)(?:ures?|les?|s?\.)\s*(\d+)(?:\s*(?:to|and|,)\s*(\d+))?", re.I)
_TITLED = re.compile(r"[“\"]([^”\"]+)[”\"]")
_SECTION = re.compile(r"^## .*\{#([\w-]+)\}", re.M)


def page(studies: Sequence[Mapping[str, Any]], source_of: Any) -> str:
    """Text of the page, from the entries of the studies."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for entry in studies:
        groups.setdefault(source_of(entry["study"].name), []).extend(_rows(entry))
    for rows in groups.values():
        rows.sort(key=lambda row: row["order"])
    return environment().get_template("figures.md.j2").render(groups=groups)


def _rows(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    study, places = entry["study"], dict[str, list[Mapping[str, Any]]]()
    for row in entry["claims"]:
        places.setdefault(row["source"], []).append(row)
    sections = dict(_sections(study))
    for place, claims in places.items():
        agree = sum(row["verdict"] == "agrees" for row in claims)
        anchors = dict.fromkeys(sections[key] for key in _keys(place) if key in sections)
        yield {
            "place": place,
            "order": [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", place)],
            "study": study.name,
            "folder": entry["folder"],
            "sections": ", ".join(f"`#{name}`" for name in anchors),
            "verdict": f"{agree} of {len(claims)}",
        }


def _keys(text: str) -> Iterator[str]:
    """Figures and tables by number, slides by title, that a text names."""
    for kind, first, last in _NUMBERED.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{kind.lower()} {number}"
    yield from (title.casefold() for title in _TITLED.findall(text))


def _sections(study: Study) -> Iterator[tuple[str, str]]:
    """Figures and the like that the texts of a study's page name, and their section."""
    for file in sorted((*study.folder.glob("*.md"), *study.folder.parent.glob("*/page.md"))):
        if file.parent not in (study.folder, study.folder.with_name(study.folder.name[:-1])):
            continue
        for part in re.split(r"(?=^## )", file.read_text("utf-8"), flags=re.M):
            if head := _SECTION.match(part):
                yield from ((key, head[1]) for key in _keys(part))

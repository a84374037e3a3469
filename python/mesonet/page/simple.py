"""Pages of sections with blocks and a list of settings, without a template of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mesonet.page.blocks import Block, CaptionedChart
from mesonet.page.layout import Entry, Fact, Head, render


@dataclass(frozen=True)
class Part:
    """A section of a page; the identifier of the first is "summary"."""

    identifier: str
    title: str
    blocks: tuple[Block, ...]


def simple_page(
    *,
    kind: str,
    title: str,
    question: str,
    facts: Sequence[Fact],
    parts: Sequence[Part],
    settings: Mapping[str, str],
) -> str:
    """A page as HTML; `settings` are everything needed to make the same page again, by name."""
    entries = [
        *(Entry(part.identifier, part.title) for part in parts),
        Entry("settings", "Settings"),
    ]
    head = Head(
        kind=kind,
        title=title,
        question=question,
        facts=facts,
        contents={"": entries},
        first=f"“{parts[0].title}”",
    )
    charts = [b.picture for part in parts for b in part.blocks if isinstance(b, CaptionedChart)]
    return render(
        "simple.html.j2", "mesonet.page", head, charts=charts, sections=parts, settings=settings
    )

"""Blocks: parts of a page, as a text with named charts and tables is laid out."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from mesonet.page.charts import Picture
from mesonet.page.tables import Table


@dataclass(frozen=True)
class CaptionedChart:
    """A chart with the sentence that says what to see."""

    picture: Picture
    caption: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: text, or markup and the text in it."""

    shown: str
    plain: str


@dataclass(frozen=True)
class Markdown:
    """Lists, headings and other markup of a section."""

    shown: Markup


@dataclass(frozen=True)
class TitledTable:
    """A table with its title."""

    title: str
    table: Table


@dataclass(frozen=True)
class Program:
    """A program or commands, shown as they are."""

    text: str


@dataclass(frozen=True)
class Questions:
    """Questions for students, each with its answer, which is folded away."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Notes:
    """Limitations of a section, each as a paragraph."""

    notes: tuple[Paragraph, ...]


@dataclass(frozen=True)
class Hint:
    """Advice on handling a chart; paper, which cannot be handled, leaves it out."""

    text: str


ZOOM = Hint(
    "Drag a chart to move in time; turn the wheel with Ctrl, or pinch, to look closer. "
    "A click on a flow in the legend brings it to the front."
)
"""Hint for charts over time."""

Block = Paragraph | Markdown | CaptionedChart | TitledTable | Program | Questions | Notes | Hint
"""A part of a section."""

"""The layout that all pages share, and how a template that extends it becomes HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mesonet.page.bundle import bundle
from mesonet.page.charts import packed, packed_pictures

# Workers of a study know its page and lay out nothing: libraries are imported when they are used.
if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Fact:
    """A short fact of the head: `loud` is to be careful with, `wide` takes a line of its own."""

    name: str
    shown: str
    loud: bool = False
    wide: bool = False


@dataclass(frozen=True)
class Entry:
    """An entry of the list of contents: a section, and the question that it answers."""

    identifier: str
    title: str
    question: str = ""


@dataclass(frozen=True)
class Head:
    """Head and navigation of a page."""

    kind: str
    """Kind of page, the small line over the title."""
    title: str
    question: str
    """Question that the page answers; empty if it asks none."""
    facts: Sequence[Fact]
    contents: Mapping[str, Sequence[Entry]]
    """Entries by group; a group without a name has no heading."""
    paged: bool = False
    """True to show one section at a time."""
    first: str = "the summary"
    """Words for the first section."""


def render(template: str, package: str, head: Head, *, charts: Any, **content: Any) -> str:
    """A page as HTML. It loads nothing, and the same content gives the same text.

    Args:
        template: File in the folder `templates` of a package, which extends `base.html.j2`.
        package: That package.
        head: Head and navigation.
        charts: Content with all pictures of the page, in any nesting of mappings and sequences.
        **content: Names that the template uses.
    """
    return (
        _environment(package)
        .get_template(template)
        .render(head=head, pictures=packed_pictures(charts), bundle=_bundle(), **content)
    )


@cache
def _environment(package: str) -> Environment:
    """Templates of a package, and those that all pages share."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("mesonet.page")]),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _bundle() -> Markup:
    """Vega, Vega-Lite and Vega-Embed, once for all charts."""
    return packed(bundle())

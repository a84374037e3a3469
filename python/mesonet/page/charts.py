"""Charts as JSON inside the page: the same chart always gives the same bytes."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

Draw = Callable[[], Any]
"""Function that makes a chart."""


@dataclass(frozen=True)
class Picture:
    """A chart of a page.

    Attributes:
        identifier: Unique in the page.
        description: Alternative text, for readers who cannot see the picture.
        spec: Vega-Lite JSON.
        file: Name of its file on paper, without a suffix; `None` if it has none.
        paper: Maker of what paper shows in its place; the same chart if `None`.
    """

    identifier: str
    description: str
    spec: str
    file: str | None = None
    paper: Draw | None = None

    def drawn(self) -> Any:
        """The chart for paper, as Altair or as Vega-Lite."""
        return json.loads(self.spec) if self.paper is None else self.paper()


def picture(
    identifier: str,
    chart: Any,
    description: str,
    *,
    file: str | None = "",
    paper: Draw | None = None,
) -> Picture:
    """Turns an Altair chart into what the page embeds.

    Args:
        identifier: Unique in the page.
        chart: Chart of `mesonet.figures`.
        description: Alternative text.
        file: Name of its file on paper; the identifier by default, `None` for no file.
        paper: Maker of what paper shows in its place.
    """
    # Charts are checked against the schema by the tests; here it would double the time.
    spec = chart.to_dict(validate=False)
    text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    name = None if file is None else safe(file or identifier)
    return Picture(identifier, description, _renumbered(text), name, paper)


def safe(name: str) -> str:
    """A name as a part of the name of a file."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)


def drawings(content: Any) -> Iterator[tuple[str, Draw]]:
    """Name and maker of every figure of a page that paper can carry."""
    for each in within(content, Picture):
        if each.file is not None:
            yield each.file, each.drawn


def packed_pictures(content: Any) -> Markup:
    """The specifications of all pictures in the content of a page, by identifier, packed."""
    specs = (f"{json.dumps(each.identifier)}:{each.spec}" for each in within(content, Picture))
    return packed("{" + ",".join(specs) + "}")


def packed(text: str) -> Markup:
    """Text compressed (zlib) and in base64: a tenth of the size, and safe inside any element."""
    return Markup(base64.b64encode(zlib.compress(text.encode(), 9)).decode())


def within(content: Any, kind: Any) -> Iterator[Any]:
    """Everything of a kind in content of nested mappings and sequences, in order."""
    if isinstance(content, kind):
        yield content
    elif isinstance(content, dict):
        for value in content.values():
            yield from within(value, kind)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from within(value, kind)


def _renumbered(text: str) -> str:
    # Altair counts its views through the life of the process; a page counts from one.
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f'"view_{len(names) + 1}"')

    return re.sub(r'"view_\d+"', rename, text)

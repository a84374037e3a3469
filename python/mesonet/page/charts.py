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
    """A chart of a page, with an identifier that is unique there."""

    identifier: str
    description: str
    """Alternative text, for readers who cannot see the picture."""
    spec: str
    """Vega-Lite JSON."""
    file: str | None = None
    """Name of its file on paper, without a suffix; `None` if it has none."""
    paper: Draw | None = None
    """Maker of what paper shows in its place; the same chart if `None`."""

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
    """Turns an Altair chart into what the page embeds; its file has the identifier as name."""
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
    for shown in within(content, Picture):
        if shown.file is not None:
            yield shown.file, shown.drawn


def packed_pictures(content: Any) -> Markup:
    """The specifications of all pictures in the content of a page, by identifier, packed."""
    specs = (f"{json.dumps(it.identifier)}:{it.spec}" for it in within(content, Picture))
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

"""Charts as JSON inside the page: the same chart always gives the same bytes."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup


@dataclass(frozen=True)
class Picture:
    """A chart of the report.

    Attributes:
        identifier: Unique in the page.
        description: Alternative text, for readers who cannot see the picture.
        spec: Vega-Lite JSON.
    """

    identifier: str
    description: str
    spec: str


def picture(identifier: str, chart: Any, description: str) -> Picture:
    """Turns an Altair chart into what the page embeds."""
    # Charts are checked against the schema by the tests; here it would double the time.
    spec = chart.to_dict(validate=False)
    text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return Picture(identifier, description, _renumbered(text))


def packed_pictures(content: Any) -> Markup:
    """The specifications of all pictures in the content of a page, by identifier, packed."""
    specs = (f"{json.dumps(each.identifier)}:{each.spec}" for each in _pictures(content))
    return packed("{" + ",".join(specs) + "}")


def packed(text: str) -> Markup:
    """Text compressed (zlib) and in base64: a tenth of the size, and safe inside any element."""
    return Markup(base64.b64encode(zlib.compress(text.encode(), 9)).decode())


def _pictures(content: Any) -> Iterator[Picture]:
    if isinstance(content, Picture):
        yield content
    elif isinstance(content, dict):
        for value in content.values():
            yield from _pictures(value)
    elif isinstance(content, list):
        for value in content:
            yield from _pictures(value)


def _renumbered(text: str) -> str:
    # Altair counts its views through the life of the process; a page counts from one.
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f'"view_{len(names) + 1}"')

    return re.sub(r'"view_\d+"', rename, text)

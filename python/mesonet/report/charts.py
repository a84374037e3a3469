"""Charts as JSON inside the page: the same chart always gives the same bytes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup


@dataclass(frozen=True)
class Picture:
    """A chart of the report.

    Attributes:
        identifier: Unique in the page.
        description: What it shows, for those who cannot see it.
        spec: Vega-Lite JSON, safe inside a script element.
    """

    identifier: str
    description: str
    spec: Markup


def picture(identifier: str, chart: Any, description: str) -> Picture:
    """Turns an Altair chart into what the page embeds."""
    # Charts are checked against the schema by the tests; here it would double the time.
    spec = chart.to_dict(validate=False)
    text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return Picture(identifier, description, embeddable(_renumbered(text)))


def embeddable(text: str) -> Markup:
    """JSON that cannot end the script element it stands in."""
    return Markup(text.replace("<", "\\u003c"))


def _renumbered(text: str) -> str:
    # Altair counts its views through the life of the process; a page counts from one.
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f'"view_{len(names) + 1}"')

    return re.sub(r'"view_\d+"', rename, text)

"""Style of all figures: a colour, a mark and a number per alternative; names; fonts; sizes.

An alternative keeps its colour from figure to figure and, if it is a well-known algorithm, from
report to report. Colours start from Okabe and Ito's set, which readers with colour-vision
deficiencies can tell apart; marks and numbers repeat what colour says.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import polars as pl

from mesonet.figures.chart import Chart, as_picture
from mesonet.numbers import finite

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY = "#E69F00", "#56B4E9", "#808790"
INDIGO, BROWN, ROSE, OLIVE = "#7A6FD0", "#A5673F", "#C2508C", "#8A8F2A"

_PALETTE = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, INDIGO, BROWN, ROSE, OLIVE, GREY)
_KNOWN = {
    "reno": GREY,
    "newreno": GREY,
    "tcp": GREY,
    "ctcp": BLUE,
    "scalable": VERMILLION,
    "stcp": VERMILLION,
    "cubic": GREEN,
    "htcp": ORANGE,
    "hstcp": SKY,
    "bbr": PURPLE,
    "bbr3": PURPLE,
    "bbr1": OLIVE,
    "prague": SKY,
    "dctcp": BROWN,
    "vegas": ORANGE,
    "copa": ROSE,
    "ledbat": INDIGO,
    "fast": INDIGO,
    "fast-at": ROSE,
    "bic": BROWN,
}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

# High and low outliers; the sources print green and red, which many readers cannot tell apart.
HIGH, LOW = GREEN, VERMILLION
# The text colour of the page around the chart, light or dark.
INK = "currentColor"
FAINT = "rgba(128,134,144,0.16)"
RANK_RANGE = ("#E9A77D", "#F3EFE6", "#7FB2DA")

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'


@dataclass(frozen=True)
class Look:
    """Colour, mark and number of each alternative.

    Attributes:
        alternatives: Labels, in order.
        colours: One per alternative, `#rrggbb`.
    """

    alternatives: tuple[str, ...]
    colours: tuple[str, ...]

    @classmethod
    def of(cls, alternatives: Iterable[str], *, beside: Iterable[str] = ()) -> Look:
        """Assigns colours: the known ones first, the others by order from what is left.

        So an own algorithm is blue on every page, unless CTCP is there.

        Colours `beside` belong to others on the same page, and are not assigned by order as long as
        there are any else.
        """
        labels = tuple(alternatives)
        colours_beside = set(beside)
        taken: dict[str, str] = {}
        for label in labels:
            colour = _known(label)
            if colour and colour not in taken.values():
                taken[label] = colour
        free = [colour for colour in _PALETTE if colour not in {*taken.values(), *colours_beside}]
        for label in labels:
            if label not in taken:
                taken[label] = free.pop(0) if free else _PALETTE[len(taken) % len(_PALETTE)]
        return cls(labels, tuple(taken[label] for label in labels))

    def colour(self, alternative: str) -> str:
        """The colour of an alternative, `#rrggbb`."""
        return self.colours[self.alternatives.index(alternative)]

    def number(self, alternative: str) -> str:
        """The identifier of an alternative: its place, from 1."""
        return str(self.alternatives.index(alternative) + 1)

    def scale(self, only: Sequence[str] | None = None) -> alt.Scale:
        """The colour scale of Altair charts, for all alternatives or for some."""
        labels = list(self.alternatives if only is None else only)
        return alt.Scale(domain=labels, range=[self.colour(label) for label in labels])

    def shapes(self, only: Sequence[str] | None = None) -> alt.Scale:
        """The shape scale of Altair charts, for all alternatives or for some."""
        labels = list(self.alternatives if only is None else only)
        places = [self.alternatives.index(label) for label in labels]
        return alt.Scale(domain=labels, range=[_SHAPES[k % len(_SHAPES)] for k in places])


def _known(label: str) -> str | None:
    words = re.findall(r"[a-z0-9]+(?:-[a-z]+)?", label.lower())
    return next((_KNOWN[word] for word in words if word in _KNOWN), None)


@dataclass(frozen=True)
class Names:
    """Names and units of responses and factors in figures.

    Attributes:
        responses: Identifier to (name, unit); the unit is empty or "1" for a pure number.
        factors: Column to (label, low level, high level).
    """

    responses: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    factors: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)

    def response(self, identifier: str) -> str:
        """The name of a response, without its unit."""
        return self.responses.get(identifier, (identifier, ""))[0]

    def axis(self, identifier: str) -> str:
        """The name of a response with its unit, for an axis."""
        name, unit = self.responses.get(identifier, (identifier, ""))
        return name if unit in ("", "1") else f"{name} ({unit})"

    def factor(self, column: str) -> str:
        """The label of a factor."""
        return self.factors.get(column, (column, "−", "+"))[0]

    def levels(self, column: str) -> tuple[str, str]:
        """The low and the high level of a factor as text."""
        _, low, high = self.factors.get(column, (column, "−", "+"))
        return low, high


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as JSON can hold them: NaN and infinities become null."""
    return [finite(row) for row in frame.iter_rows(named=True)]


def data(values: pl.DataFrame | Sequence[Mapping[str, Any]]) -> alt.Data:
    """Inline data of a chart, without Altair's limit on rows.

    They travel as text: Altair copies and checks every row of a list many times over.
    """
    table = rows(values) if isinstance(values, pl.DataFrame) else finite(list(values))
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return alt.Data(values=text, format=alt.DataFormat(type="json"))


NARROW = {"narrow": {"below": 620, "margin": 130}}
"""Layout on a narrow page, as `usermeta` of a chart whose panels have no places in pixels.

From the width `below` down, panels stand below one another; they get that of the page without
`margin`, which is for axes and their titles [pixels].
"""


def themed(chart: Any) -> Any:
    """The chart in the style of the house; apply once, to the outermost chart."""
    axis = {
        "domainColor": INK,
        "domainOpacity": 0.35,
        "tickColor": INK,
        "tickOpacity": 0.35,
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": INK,
        "gridOpacity": 0.09,
        "labelFontSize": 11,
        "titleFontSize": 11.5,
        "titleFontWeight": 500,
        "titlePadding": 8,
    }
    text = {"labelColor": INK, "titleColor": INK, "labelFontSize": 11.5, "titleFontSize": 11.5}
    # One call: each copies the chart with all its data.
    configured = chart.configure(
        background="transparent",
        font=FONT,
        padding=4,
        view={"stroke": None},
        axis=axis,
        legend={
            **text,
            "orient": "top",
            "titleFontWeight": 500,
            "symbolSize": 80,
            "titleAnchor": "start",
        },
        header={**text, "labelFontWeight": 600},
        title={"color": INK, "fontSize": 12.5, "fontWeight": 600, "anchor": "start"},
        text={"color": INK},
    )
    return as_picture(configured)


def names_along(channel: Any, field: str, order: Any = alt.Undefined, **axis: Any) -> Any:
    """`alt.X` or `alt.Y` with names along it, in an order, and no lines."""
    plain = {"title": None, "ticks": False, "domain": False}
    return channel(field, sort=order, axis=alt.Axis(**plain | axis))


def nothing_chart(*sentences: str, width: int = 620) -> Any:
    """Placeholder with the reason, in place of a chart that has no data."""
    lines = [
        line
        for text in sentences or ("There is nothing to show.",)
        for line in textwrap.wrap(text, max(width // 7, 20))
    ]
    text = Chart(data([{"text": lines}])).mark_text(
        align="left", baseline="top", fontSize=12.5, lineHeight=18, color=INK
    )
    encoded = text.encode(x=alt.value(0), y=alt.value(0), text=alt.Text("text:N"))
    return themed(encoded.properties(width=width, height=18 * len(lines)))

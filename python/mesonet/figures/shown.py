"""Charts that a notebook shows without running what their texts say."""

from __future__ import annotations

import re
from typing import Any

import altair as alt

from mesonet.figures.chart import Chart

_LITERAL = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"')
_SCRIPT = re.compile(r"<(?=/?script|!--)", re.IGNORECASE)


class _Quiet:
    """Part of a chart of which no text ends the script that Altair writes it into."""

    def _repr_mimebundle_(self, *kinds: Any, **chosen: Any) -> Any:
        """Returns the forms that a notebook chooses from."""
        bundle = super()._repr_mimebundle_(*kinds, **chosen)  # type: ignore[misc]
        # Altair adds metadata for some ways of drawing, and shows nothing in others.
        data = (bundle[0] if isinstance(bundle, tuple) else bundle) or {}
        if "text/html" in data:
            data["text/html"] = _within_script(data["text/html"])
        return bundle


class QuietChart(_Quiet, Chart):
    """A single view."""


class QuietLayers(_Quiet, alt.LayerChart):  # type: ignore[misc]  # Altair is not followed.
    """Views above each other."""


class QuietRow(_Quiet, alt.HConcatChart):  # type: ignore[misc]  # see above
    """Views side by side."""


class QuietColumn(_Quiet, alt.VConcatChart):  # type: ignore[misc]  # see above
    """Views below each other."""


class QuietGrid(_Quiet, alt.ConcatChart):  # type: ignore[misc]  # see above
    """Views in rows."""


class QuietFacets(_Quiet, alt.FacetChart):  # type: ignore[misc]  # see above
    """A view for each value."""


_QUIET: tuple[tuple[type, type], ...] = (
    (alt.Chart, QuietChart),
    (alt.LayerChart, QuietLayers),
    (alt.HConcatChart, QuietRow),
    (alt.VConcatChart, QuietColumn),
    (alt.ConcatChart, QuietGrid),
    (alt.FacetChart, QuietFacets),
)


def quiet(chart: Any) -> Any:
    """A chart again, of a class whose texts are no markup in a notebook."""
    for kind, its in _QUIET:
        if isinstance(chart, kind):
            # Altair takes attributes that are set for parts of the specification.
            object.__setattr__(chart, "__class__", its)
            return chart
    return chart


def _within_script(html: str) -> str:
    """HTML of a picture in which no text of its specification ends or begins a script.

    Altair writes the specification into a script as it is, and names in it may be a stranger's.
    """
    return _LITERAL.sub(lambda found: _SCRIPT.sub(r"\\u003c", found[0]), html)

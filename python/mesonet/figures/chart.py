"""The chart that every figure begins with: Altair's, without the copies that nothing needs."""

from __future__ import annotations

from functools import cache
from typing import Any

import altair as alt

from mesonet.figures.paper import printed


class Chart(alt.Chart):  # type: ignore[misc]  # Altair is not followed by the type checker.
    """A chart of Altair whose copies share its parts: the same specification, three times as fast.

    Altair copies all parts of a chart at each step of a composition, and looks for the class of a
    shorthand such as "time:Q" among all that it has. A report has hundreds of either.
    """

    def encode(self, *channels: Any, **named: Any) -> Any:
        """Returns the chart with channels; a text is the shorthand of its channel."""
        return super().encode(*channels, **{name: _channel(name, it) for name, it in named.items()})

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Any:
        # No step of a composition changes a part in place: it sets another on the copy.
        return self.copy(deep=False)


def _channel(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return getattr(alt, name[0].upper() + name[1:])(value)
    if isinstance(value, dict):
        # A condition; Altair would compare each part of it with all parts of the schema.
        kind = "Value" if "value" in value else ""
        return getattr(alt, f"{name[0].upper()}{name[1:]}{kind}")(**value)
    if isinstance(value, list):
        return [_channel(name, item) for item in value]
    return value


class _Printed:
    """Notebooks show it as SVG, which needs no network, no script and no kernel."""

    def _repr_mimebundle_(self, *args: Any, **chosen: Any) -> Any:
        if alt.renderers.active != "default":
            # Somebody chose another way to draw.
            return super()._repr_mimebundle_(*args, **chosen)  # type: ignore[misc]
        return {"image/svg+xml": printed(self).decode()}


@cache
def _printed(kind: Any) -> Any:
    return type(kind.__name__, (_Printed, kind), {})


def as_picture(chart: Any) -> Any:
    """The same chart, which a notebook shows as a picture."""
    # Altair takes what is set for a part of the specification.
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _printed(kind))
    return chart

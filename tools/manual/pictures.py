"""Pictures that the manual keeps, with fewer dots than those of `mesonet.figures`."""

from __future__ import annotations

from typing import Any

import vl_convert

from mesonet.figures import printed


def small_png(chart: Any) -> bytes:
    """PNG of a chart with 89 dots to an inch, of which a chart's pixels are 96."""
    return bytes(vl_convert.svg_to_png(printed(chart).decode(), scale=72 / 96, ppi=89))

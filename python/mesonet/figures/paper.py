"""Charts on paper: SVG to edit, PDF to print, PNG to show, from the same specification."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import vl_convert

from mesonet.errors import InputError, MesonetError, unknown
from mesonet.machine import size
from mesonet.writing import write_atomically

_INCH = 96.0
"""Pixels of a chart to an inch of paper: text of 11 pixels has 8.25 points."""
_DPI = 300
"""Dots to an inch of a PNG file."""
_DRAWING = 80_000_000_000
"""Address space that the engine of charts reserves [bytes]; it aborts the process without it."""
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_KINDS = ("svg", "pdf", "png")
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def printed(chart: Any, *, kind: str = "svg") -> bytes:
    """A chart in black on white, without anything that moves.

    Args:
        chart: Chart of `mesonet.figures`, or its specification.
        kind: "svg", "pdf" or "png".
    """
    if problems := unknown("kind", "unknown_kind", kind, _KINDS):
        raise InputError(problems)
    refuse_narrow_space()
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    # In black, on white, in a font that printers have.
    inked: dict[str, Any] = json.loads(json.dumps(spec).replace("currentColor", "#000000"))
    config = inked.setdefault("config", {}) | {"background": "white", "font": _FONT}
    ink = {"domainOpacity": 0.8, "tickOpacity": 0.8, "gridOpacity": 0.12}
    inked["config"] = config | {"axis": config.get("axis", {}) | ink}
    drawing: str = vl_convert.vegalite_to_svg(inked)
    # Of both formats an inch has 72 units.
    if kind == "pdf":
        return bytes(vl_convert.svg_to_pdf(_SIZE.sub(_in_points, drawing, count=1)))
    if kind == "png":
        return bytes(vl_convert.svg_to_png(drawing, scale=72 / _INCH, ppi=_DPI))
    return drawing.encode()


def refuse_narrow_space() -> None:
    """Refuses to draw where a limit of address space, as of `ulimit -v`, would end the process."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY or limit >= _DRAWING:
        return
    message = (
        f"charts cannot be drawn: expected {size(_DRAWING)} of address space, of which little is "
        f"used, got {size(limit)}; `ulimit -v unlimited` helps, or limit memory by a cgroup"
    )
    raise MesonetError(message)


def _in_points(size: re.Match[str]) -> str:
    width, height = (float(pixels) * 72 / _INCH for pixels in size.groups())
    return f'width="{width:g}" height="{height:g}"'


def save(chart: Any, path: str | Path) -> Path:
    """Writes a chart for a paper; the end of the name says whether SVG, PDF or PNG."""
    target = Path(path)
    write_atomically(target, printed(chart, kind=target.suffix[1:].lower()))
    return target

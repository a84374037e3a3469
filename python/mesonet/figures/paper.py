"""Charts on paper: SVG to edit, PDF to print, PNG to show, from the same specification."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import vl_convert

from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.system.memory import refuse_narrow_space

INCH = 96.0
"""Pixels of a chart to an inch of paper: text of 11 pixels has 8.25 points."""
COLUMN, PAGE = 3.5, 7.16
"""Usual widths of one column, and of both, in journals of two columns [inches]."""
_DPI = 300
_MARK = b"made by mesonet"
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_KINDS = ("svg", "pdf", "png")
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def printed(chart: Any, *, kind: str = "svg", width: float | None = None, dpi: int = _DPI) -> bytes:
    """A chart in black on white, without anything that moves.

    Args:
        chart: Chart of `mesonet.figures`, or its specification.
        kind: "svg", "pdf" or "png".
        width: Width [inches], such as `COLUMN`; by default text has 8 points.
        dpi: Dots to an inch of a PNG file.
    """
    return printed_as((kind,), chart, width=width, dpi=dpi)[kind]


def printed_as(
    kinds: Sequence[str], chart: Any, *, width: float | None = None, dpi: int = _DPI
) -> dict[str, bytes]:
    """A chart in several kinds of `printed`, drawn once."""
    for kind in kinds:
        if kind not in _KINDS:
            hint = did_you_mean(kind, _KINDS) or f"; there are {', '.join(_KINDS)}"
            message = f'a figure is no "{kind}" file{hint}'
            raise InputError([Problem("kind", "unknown_kind", message)])
    refuse_narrow_space()
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    drawing = vl_convert.vegalite_to_svg(_on_paper(spec))
    if width is not None:
        across = _SIZE.search(drawing)
        assert across is not None
        drawing = _scaled(drawing, width * INCH / float(across[1]))
    return {kind: _file(drawing, kind, dpi) for kind in kinds}


def save(chart: Any, path: str | Path, *, dpi: int = _DPI) -> Path:
    """Writes a chart for a paper; the end of the name says whether SVG, PDF or PNG."""
    target = Path(path)
    target.write_bytes(printed(chart, kind=target.suffix[1:].lower(), dpi=dpi))
    return target


def _file(drawing: str, kind: str, dpi: int) -> bytes:
    """A file of a kind with a drawing, given as SVG."""
    if kind == "pdf":
        # A comment behind the end of the file, which readers of PDF pass over.
        file: bytes = vl_convert.svg_to_pdf(_scaled(drawing, 72 / INCH))
        return file.rstrip() + b"\n% " + _MARK + b"\n%%EOF\n"
    if kind == "svg":
        return drawing.rstrip().encode() + b"<!-- " + _MARK + b" -->\n"
    # `ppi` alone makes so many dots of 72 units of the drawing, of which an inch has 96.
    return bytes(vl_convert.svg_to_png(drawing, scale=72 / INCH, ppi=dpi))


def _on_paper(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification in black, on white, in a font that printers have."""
    inked: dict[str, Any] = json.loads(json.dumps(spec).replace("currentColor", "#000000"))
    config = inked.setdefault("config", {})
    config |= {"background": "white", "font": _FONT}
    config["axis"] = config.get("axis", {}) | {
        "domainOpacity": 0.8, "tickOpacity": 0.8, "gridOpacity": 0.12
    }  # fmt: skip
    return inked


def _scaled(drawing: str, scale: float) -> str:
    """The drawing scaled; its coordinates stay as they are."""
    return _SIZE.sub(
        lambda size: f'width="{float(size[1]) * scale:g}" height="{float(size[2]) * scale:g}"',
        drawing,
        count=1,
    )

"""All figures of a report as files: SVG to edit, PDF to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet.errors import MesonetError
from mesonet.figures import save
from mesonet.page.charts import drawings


def write_figures(content: Any, folder: str | Path) -> list[Path]:
    """Writes every figure in the content of a page as NAME.svg and NAME.pdf.

    Raises:
        MesonetError: A file cannot be written.
    """
    place, written = Path(folder), []
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, make in drawings(content):
            chart = make()
            written += [save(chart, place / f"{name}.{kind}") for kind in ("svg", "pdf")]
    except OSError as error:
        raise MesonetError(f"{place}: cannot be written: {error.strerror or error}") from error
    return written

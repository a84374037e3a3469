"""All figures of a report as files: SVG to edit, PDF to print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, Problem
from mesonet.figures.paper import printed_as
from mesonet.page.charts import Draw, drawings
from mesonet.system.memory import refuse_narrow_space
from mesonet.system.writing import write_all

_KINDS = ("svg", "pdf")


def figure_makers(content: Any, folder: str | Path) -> dict[str, Draw]:
    """Names of all figures in the content of a page, and who draws them.

    Args:
        content: Content of the page.
        folder: Folder for the figures.
    """
    refuse_narrow_space()
    makers = dict(drawings(content))
    place = Path(folder)
    if place.exists() and not place.is_dir():
        message = "expected a folder for figures, got a file"
        raise InputError([Problem(str(place), "folder", message)])
    return makers


def write_figures(makers: Mapping[str, Draw], folder: str | Path) -> list[Path]:
    """Writes every figure as NAME.svg and NAME.pdf.

    Raises:
        StorageError: A file cannot be written.
    """

    def files() -> Iterator[tuple[str, bytes]]:
        for name, make in makers.items():
            for kind, content in printed_as(_KINDS, make()).items():
                yield f"{name}.{kind}", content

    return write_all(Path(folder), files())

"""Writes the notebooks of the manual as .ipynb files: `python tools/manual/notebooks.py FOLDER`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

SOURCES = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
MANUAL = "https://github.com/mesonet/mesonet/blob/main/docs/notebooks/"
_DOWNLOAD = re.compile(r"\s*Download (?:it|this notebook):\s\{nb-download\}`[^`]*`\.")
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


def notebook(text: str) -> nbformat.NotebookNode:
    """A page of the manual as a notebook; links lead to the repository, for it may be anywhere."""
    read = read_myst_markdown_notebook(text)
    for number, cell in enumerate(read.cells):
        # The format draws identifiers; these are the same in every copy.
        cell.id = f"cell-{number}"
        if cell.cell_type == "markdown":
            cell.source = _LINK.sub(rf"]({MANUAL}\1)", _DOWNLOAD.sub("", cell.source))
    return nbformat.from_dict({**read, "metadata": {"kernelspec": read.metadata["kernelspec"]}})


def main(folder: Path) -> None:
    """Writes all of them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted(SOURCES.glob("*.md")):
        if page.stem != "index":
            nbformat.write(notebook(page.read_text("utf-8")), folder / f"{page.stem}.ipynb")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

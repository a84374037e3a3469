"""The notebooks of the manual are executed, each in an empty folder and with empty names.

They share one kernel, which imports the library once.
"""

import os
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_nb", reason="notebooks are read by myst-nb")

from myst_nb.core.read import read_myst_markdown_notebook
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
NOTEBOOKS = sorted(path for path in FOLDER.glob("*.md") if path.stem != "index")
WIDEST = 88
"""Columns of a line of code that the manual shows without a scroll bar."""


def cells(page):
    """Code of a notebook, cell by cell."""
    read = read_myst_markdown_notebook(page.read_text("utf-8"))
    return [cell.source for cell in read.cells if cell.cell_type == "code"]


def test_there_are_six():
    assert len(NOTEBOOKS) == 6
    index = (FOLDER / "index.md").read_text("utf-8")
    assert all(f"({page.name})" in index for page in NOTEBOOKS)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A kernel that finds `mesonet` where this process does, and reads nobody's settings."""
    with pytest.MonkeyPatch.context() as patch:
        commands = str(Path(sys.executable).parent)
        patch.setenv("PATH", os.pathsep.join([commands, os.environ["PATH"]]))
        patch.setenv("PYTHONPATH", str(ROOT / "python"))
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("settings")))
        client = NotebookClient(new_notebook(), timeout=300, kernel_name="python3")
        with client.setup_kernel():
            yield client


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in NOTEBOOKS])
def test_a_notebook_runs(page, client, tmp_path):
    notebook = read_myst_markdown_notebook(page.read_text("utf-8"))
    notebook.cells.insert(0, new_code_cell(f"%reset_selective -f .\n%cd -q {tmp_path}"))
    client.nb = notebook
    client.execute(cleanup_kc=False)
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) >= len(cells(page)) - 2
    # A command that fails in a cell stops nothing; the notebooks have one that is meant to.
    said = "".join(each.get("text", "") for cell in shown for each in cell.outputs)
    errors = re.findall(r"^error: .*", said, re.MULTILINE)
    assert len(errors) == (page.stem == "own-study"), errors
    assert "\x1b[2K" not in said
    # What a notebook shows needs neither scripts nor the network.
    data = [each.get("data", {}) for cell in shown for each in cell.outputs]
    assert any("svg" in str(each) for each in data) == (page.stem != "own-study")
    assert not [each for each in data if "<script" in each.get("text/html", "")]
    assert "Traceback" not in said


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in NOTEBOOKS])
def test_code_fits_the_page(page):
    assert not [line for cell in cells(page) for line in cell.splitlines() if len(line) > WIDEST]


def test_a_notebook_can_be_downloaded_from_its_page():
    for page in NOTEBOOKS:
        assert f"{{nb-download}}`{page.stem}.ipynb`" in page.read_text("utf-8")

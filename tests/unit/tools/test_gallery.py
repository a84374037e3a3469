"""The gallery has every chart, and the pictures that its lines write."""

import re
from pathlib import Path

from mesonet import figures

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "gallery.md"
METHODS = {"run_chart": "run.save("}
"""Charts that are reached by a method, and how."""


def test_every_chart_is_in_the_gallery():
    page = PAGE.read_text("utf-8")
    code = "".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    charts = [name for name in figures.__all__ if name.endswith(("_chart", "_charts"))]
    assert len(charts) > 35
    # The steps of ten_steps_charts are named beside their pictures.
    missing = [
        name
        for name in charts
        if METHODS.get(name, f"figures.{name}") not in code and f"`figures.{name}`" not in page
    ]
    assert not missing
    assert "mesonet.compare(" in code


def test_every_picture_is_written_by_the_page():
    page = PAGE.read_text("utf-8")
    shown = re.findall(r"\]\(images/gallery/([\w-]+\.svg)\)", page)
    others = [path for path in PAGE.parent.rglob("*.md") if path != PAGE]
    elsewhere = {
        name
        for path in others
        for name in re.findall(r"images/gallery/([\w-]+\.svg)\)", path.read_text("utf-8"))
    }
    assert elsewhere <= set(shown)
    assert len(shown) == len(set(shown))
    for name in shown:
        stem = "step-{step}.svg" if name.startswith("step-") else name
        assert f'"{stem}"' in page, name

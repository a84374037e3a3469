"""Draws the pictures of docs/gallery.md by running its lines: `python tools/manual/gallery.py`."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "images" / "gallery"


def main() -> None:
    """Runs the blocks of the page in an empty folder and keeps the pictures that it shows."""
    text = PAGE.read_text("utf-8")
    shown = re.findall(r"\]\(images/gallery/([\w-]+\.svg)\)", text)
    names: dict[str, object] = {}
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            exec(compile(block, str(PAGE), "exec"), names)
        for name in shown:
            shutil.copy(name, PICTURES / name)


if __name__ == "__main__":
    main()

"""Folders of studies that tests change."""

from __future__ import annotations

from pathlib import Path


def change(folder: Path, name: str, before: str, after: str) -> None:
    """Replaces a text in a file of a study, where it has to be."""
    path = folder / name
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")

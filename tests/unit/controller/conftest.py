"""Modules of controllers that tests write."""

import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "controllers"


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A folder for modules, importable beside those of the examples, here and in workers."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in {"aimd", "broken", "cubic", "mine", "needy", "reno"} & (set(sys.modules) - known):
        del sys.modules[name]

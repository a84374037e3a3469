"""The script of pages is put together once."""

from importlib.metadata import version
from pathlib import Path

import pytest
import vl_convert

from mesonet.page import bundle


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """A cache of its own, and how often the script was put together."""
    times = []

    def make():
        times.append(1)
        return "the script"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", make)
    return times


def script():
    bundle.bundle.cache_clear()
    try:
        return bundle.bundle()
    finally:
        bundle.bundle.cache_clear()


def test_a_later_process_takes_what_was_kept(builds, tmp_path):
    assert [script(), script()] == ["the script", "the script"]
    assert len(builds) == 1
    (file,) = (tmp_path / "mesonet").iterdir()
    assert file.read_text("utf-8") == "the script"
    assert file.name == f"vega-{version('vl-convert-python')}.js"


def test_a_folder_that_cannot_be_written_costs_time_alone(builds, tmp_path, monkeypatch):
    (tmp_path / "mesonet").write_text("a file", "utf-8")
    assert script() == "the script"
    assert (tmp_path / "mesonet").read_text("utf-8") == "a file"


@pytest.mark.parametrize("folder", ["", "relative/folder"])
def test_without_a_folder_of_its_own_it_is_kept_at_home(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(bundle.cache_folder()).is_relative_to(tmp_path)

"""Packages of published studies: those that the entry points `mesonet.studies` name."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path


@cache
def study_packages() -> dict[str, Path]:
    """Folders of the installed packages of studies, by package name."""
    specs = {entry.value: find_spec(entry.value) for entry in entry_points(group="mesonet.studies")}
    return {
        name: Path(folder).resolve()
        for name, spec in specs.items()
        if spec is not None
        for folder in spec.submodule_search_locations or ()
    }


def module_name(path: Path) -> str | None:
    """Name of the module of a file in a package of studies; None for a file outside of them."""
    for package, folder in study_packages().items():
        if path.is_relative_to(folder):
            return ".".join((package, *path.relative_to(folder).with_suffix("").parts))
    return None

"""Published studies, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.studies.entries import extended, read_entry
from mesonet.studies.evaluation import read_folder
from mesonet.studies.files import STUDY
from mesonet.studies.published import study_packages
from mesonet.studies.study import Study
from mesonet.studies.tables import StudyTable


@dataclass(frozen=True)
class Listed:
    """A study that can be asked for; its files are read when it is, for its code draws charts.

    Attributes:
        summary: Content of the study, in a line.
        source: Publication, in short.
        folder: Folder of the study.
    """

    summary: str
    source: str
    folder: Path


def _catalogue() -> dict[str, Listed]:
    found = []
    files = (path for folder in study_packages().values() for path in folder.rglob(STUDY))
    for path in sorted(files):
        table = read_entry(StudyTable, extended(path), path)
        about = table.list
        listed = Listed(about.summary, about.source or table.source, path.parent)
        found.append((about.place, table.name, listed))
    return {name: each for _, name, each in sorted(found, key=lambda entry: entry[:2])}


CATALOGUE: Mapping[str, Listed] = _catalogue()
"""Catalogue of all studies, in the order of lists."""


def find_study(name: str | Path, *, trust: bool = True) -> Study:
    """A study by name, or the one of a folder, whose code is loaded if it is trusted.

    Raises:
        PlanError: there is neither; suggests a close name.
        StudyError: the files of the folder do not fit: every problem, with file and line.
    """
    found = CATALOGUE.get(str(name))
    folder = found.folder if found else Path(name)
    if not found and not folder.is_dir():
        hint = did_you_mean(name, CATALOGUE) or f"; there are {', '.join(CATALOGUE)}"
        message = f'no study and no folder "{name}"{hint}'
        raise PlanError([Problem("study", "unknown_study", message)])
    if not (folder / STUDY).is_file():
        message = f"expected a study's folder: it has no {STUDY}"
        raise PlanError([Problem(str(folder), "no_study", message)])
    return _read(folder) if found else read_folder(folder, trust=trust)


@cache
def _read(folder: Path) -> Study:
    """A study of the catalogue, whose files stay as they are; those of others may be edited."""
    return read_folder(folder)

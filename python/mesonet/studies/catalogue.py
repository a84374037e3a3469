"""The studies that come with mesonet, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.studies.folders.files import STUDY, extended
from mesonet.studies.folders.folder import read_folder
from mesonet.studies.folders.tables import read_study
from mesonet.studies.study import Study


@dataclass(frozen=True)
class Listed:
    """A study that can be asked for; its module holds it in `STUDIES`, by name.

    Modules are imported when their study is asked for, for they bring drawing libraries.
    """

    summary: str
    source: str
    module: str
    interpretation_of: str = ""
    """Study of which this is another interpretation, where sources contradict each other or are
    silent; empty if it is none."""
    folder: Path | None = None
    """Folder of a study in the written form; None for one in Python."""


_NIST = "NIST SP 500-282"

_PYTHON: Mapping[str, Listed] = {
    "nist-1a": Listed(
        "seven algorithms under spatiotemporal congestion, high initial threshold: 2^(6-1) "
        "conditions, 224 runs",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
    ),
    "nist-1a-slides": Listed(
        "nist-1a with large files to 0.9 of the run, as the slides have it",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        interpretation_of="nist-1a",
    ),
    "nist-1a-timers": Listed(
        "nist-1a with retransmission timers of at least 200 ms instead of 1 s",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        interpretation_of="nist-1a",
    ),
    "nist-1a-paper": Listed(
        "nist-1a with files that are ten times as large, as the methodology paper has it",
        f"{_NIST}, Experiment 1a",
        "nist.exp1",
        interpretation_of="nist-1a",
    ),
    "nist-1b": Listed(
        "eight algorithms under spatiotemporal congestion, low initial threshold: 2^(6-1) "
        "conditions, 256 runs",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
    ),
    "nist-1b-slides": Listed(
        "nist-1b with large files to 0.9 of the run, as the slides have it",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        interpretation_of="nist-1b",
    ),
    "nist-1b-timers": Listed(
        "nist-1b with retransmission timers of at least 200 ms instead of 1 s",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        interpretation_of="nist-1b",
    ),
    "nist-1b-paper": Listed(
        "nist-1b with files that are ten times as large, as the methodology paper has it",
        f"{_NIST}, Experiment 1b",
        "nist.exp1",
        interpretation_of="nist-1b",
    ),
    "nist-cubic": Listed(
        "CUBIC, BBR version 1 and BBR version 3 in Experiments 1b and 2b",
        f"{_NIST}, future work; Experiments 1b and 2b",
        "nist.cubic",
    ),
}
"""Studies in Python."""

_ORDER = (
    "pocket",
    "nist-sensitivity",
    "nist-1a",
    "nist-1a-slides",
    "nist-1a-timers",
    "nist-1a-paper",
    "nist-1b",
    "nist-1b-slides",
    "nist-1b-timers",
    "nist-1b-paper",
    "nist-2a",
    "nist-2b",
    "nist-2c",
    "nist-cubic",
    "deployment-mix",
    "two-flow",
    "response-function",
    "hcc",
    "rtt-fairness",
    "slac-wan",
    "slac-ctcp",
    "slac-impact",
    "slac-2005",
    "lab-reno",
    "lab-aiad",
    "lab-aimd56",
    "lab-competing-aimd",
    "lab-rtt",
)
"""Order of the studies in lists; a folder has the tenfold of its place, from 1, as `list.place`."""


def _folders() -> Iterator[tuple[int, str, Listed]]:
    """Studies in folders, with their places in lists."""
    for path in sorted(Path(__file__).parent.rglob(STUDY)):
        table = read_study(extended(path))
        about = table.list
        listed = Listed(about.summary, about.source or table.source, "", folder=path.parent)
        yield about.place, table.name, listed


def _catalogue() -> dict[str, Listed]:
    found = [(10 * _ORDER.index(name) + 10, name, each) for name, each in _PYTHON.items()]
    found += _folders()
    return {name: each for _, name, each in sorted(found, key=lambda entry: entry[:2])}


CATALOGUE: Mapping[str, Listed] = _catalogue()
"""Catalogue of all studies, in the order of lists."""


def find_study(name: str | Path) -> Study:
    """A study by name, or the one of a folder.

    Raises:
        PlanError: there is neither; suggests a close name.
        StudyError: the files of the folder do not fit: every problem, with file and line.
    """
    found = CATALOGUE.get(str(name))
    folder = found.folder if found else Path(name)
    if folder is not None and (found or folder.is_dir()):
        if not (folder / STUDY).is_file():
            message = f"expected a study's folder: it has no {STUDY}"
            raise PlanError([Problem(str(folder), "no_study", message)])
        return read_folder(folder)
    if found is None:
        hint = did_you_mean(name, CATALOGUE) or f"; there are {', '.join(CATALOGUE)}"
        message = f'no study and no folder "{name}"{hint}'
        raise PlanError([Problem("study", "unknown_study", message)])
    module = import_module(f"mesonet.studies.{found.module}")
    studies: Mapping[str, Study] = module.STUDIES
    return studies[str(name)]

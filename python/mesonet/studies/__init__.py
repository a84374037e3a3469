"""Studies that come with mesonet: published experiments, what was found, and what we measure."""

from __future__ import annotations

from mesonet.studies.catalogue import CATALOGUE, Listed, find_study
from mesonet.studies.execution import StudyRun, run_study
from mesonet.studies.study import SIZES, Options, Size, Study

__all__ = [
    "CATALOGUE",
    "SIZES",
    "Listed",
    "Options",
    "Size",
    "Study",
    "StudyRun",
    "find_study",
    "run_study",
]

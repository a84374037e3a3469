"""Studies: published experiments that come with mesonet, and folders of anyone's own."""

from __future__ import annotations

from mesonet.studies.bench import Item
from mesonet.studies.catalogue import CATALOGUE, Listed, find_study
from mesonet.studies.execution import StudyRun, run_study
from mesonet.studies.folders.parts import chart, once, table, value
from mesonet.studies.folders.sources import StudyError
from mesonet.studies.study import SIZES, Options, RunResults, Size, Study

__all__ = [
    "CATALOGUE",
    "SIZES",
    "Item",
    "Listed",
    "Options",
    "RunResults",
    "Size",
    "Study",
    "StudyError",
    "StudyRun",
    "chart",
    "find_study",
    "once",
    "run_study",
    "table",
    "value",
]

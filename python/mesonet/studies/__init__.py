"""Studies: published experiments that come with mesonet, and folders of anyone's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesonet.lazy import lazily
from mesonet.studies.bench import Item
from mesonet.studies.entries import StudyError
from mesonet.studies.study import SIZES, Options, RunResults, Size, chart, once, table, value

if TYPE_CHECKING:
    from mesonet.studies.execution import StudyRun, run_study
    from mesonet.studies.folder import CATALOGUE, Listed, Study, find_study

# Imported when they are first used: they bring statistics and drawing libraries, for which the
# workers of a study need not wait.
__getattr__, _ = lazily(
    __name__, {"folder": "CATALOGUE Listed Study find_study", "execution": "StudyRun run_study"}
)

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

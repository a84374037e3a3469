"""Studies: published experiments that come with mesonet, and folders of anyone's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mesonet.lazy import lazily
from mesonet.studies.bench import Item
from mesonet.studies.entries import StudyError
from mesonet.studies.study import SIZES, Options, RunResults, chart, once, table, value

if TYPE_CHECKING:
    from mesonet.studies.execution import run_study
    from mesonet.studies.folder import CATALOGUE, Study, find_study

# Imported when they are first used: they bring statistics and drawing libraries, for which the
# workers of a study need not wait.
__getattr__, _ = lazily(
    __name__, {"folder": "CATALOGUE Study find_study", "execution": "run_study"}
)

__all__ = [
    "CATALOGUE",
    "SIZES",
    "Item",
    "Options",
    "RunResults",
    "Study",
    "StudyError",
    "chart",
    "find_study",
    "once",
    "run_study",
    "table",
    "value",
]

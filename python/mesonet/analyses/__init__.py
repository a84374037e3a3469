"""The registry of analyses: what a plan can ask for, with options, tables, chart and page.

Nothing here computes. `mesonet.analysis` has a function for each entry, `mesonet.figures` its
charts, `mesonet.report` folds over them; they are named here, and imported when they are used.
"""

from mesonet.analyses.declaration import Analysis, ChartOf, Section, TableOf
from mesonet.analyses.options import Known, Options
from mesonet.analyses.page import to_markdown
from mesonet.analyses.reading import lookup, option_problems, read_options
from mesonet.analyses.registry import REGISTRY
from mesonet.analyses.sections import SECTIONS

__all__ = [
    "REGISTRY",
    "SECTIONS",
    "Analysis",
    "ChartOf",
    "Known",
    "Options",
    "Section",
    "TableOf",
    "lookup",
    "option_problems",
    "read_options",
    "to_markdown",
]

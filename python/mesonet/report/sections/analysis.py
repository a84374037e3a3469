"""Sections of analyses that have none of their own: their chart and all their tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from mesonet import figures
from mesonet.analyses import Analysis
from mesonet.page.charts import picture
from mesonet.page.tables import plain_table
from mesonet.report.results import Results
from mesonet.report.sections.common import Context, notes_of


def maker(analysis: Analysis) -> Callable[[Results], Context]:
    """A function that makes the content of the section of an analysis."""

    def make(results: Results) -> Context:
        made = results.analyses.tabled(analysis.name)
        tables = {name: frame for name, frame in made.tables.items() if frame.height}
        notes = notes_of(made.notes)
        if not tables:
            return {"why": " ".join(notes) or "There is nothing to analyse."}
        drawn = None
        if analysis.chart and made.result is not None:
            draw = getattr(figures, analysis.chart)
            style = {"look": results.look, "names": results.names}
            known = inspect.signature(draw).parameters
            chart = draw(made.result, **{key: style[key] for key in style if key in known})
            drawn = picture(analysis.identifier, chart, analysis.title)
        return {
            "picture": drawn,
            "tables": [
                (one.title, plain_table(one.name.replace("_", "-"), tables[one.name]))
                for one in analysis.tables
                if one.name in tables
            ],
            "notes": notes,
        }

    return make

"""Declaration of an analysis: all that plan, command line, report and manual need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import polars as pl

from mesonet import analysis
from mesonet.analysis.columns import Columns
from mesonet.analysis.options import Options


@dataclass(frozen=True)
class TableOf:
    """A table that an analysis makes.

    Attributes:
        name: Name of the table.
        content: Contents of a row, in words.
        columns: Its columns.
        frame: Way from the result to its frame, as for `follow`.
    """

    name: str
    content: str
    columns: Columns
    frame: str = "frame"

    @property
    def title(self) -> str:
        """Title over the table."""
        return _spelled(self.name)

    def of(self, result: Any) -> pl.DataFrame:
        """The table of a result; one of a single response names it in a column."""
        frame: pl.DataFrame = follow(result, self.frame)
        if self.columns[0].name == "response" and "response" not in frame.columns:
            return frame.select(pl.lit(result.response).alias("response"), pl.all())
        return frame


@dataclass(frozen=True)
class ChartOf:
    """A chart of the result of an analysis.

    The report draws one for each response, group of flows or part of the result where the function
    takes one.

    Attributes:
        function: Name of a function of `mesonet.figures`.
        caption: Sentences that say what to see.
        of: Way from the result to what is drawn, as for `follow`.
    """

    function: str
    caption: str
    of: str = ""


@dataclass(frozen=True)
class Section:
    """A page of the report, with some analyses.

    Attributes:
        identifier: Identifier in links and plans.
        title: Heading.
        question: Question that it answers, in words that need no explanation.
        group: Group in the list of contents.
    """

    identifier: str
    title: str
    question: str
    group: str


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """An analysis that a plan can ask for.

    Attributes:
        name: Name in plans, on the command line and of its first table.
        summary: One sentence for people, without a full stop.
        options: Model of its options; the defaults are those of the function.
        folder: Folder of `mesonet.analysis` whose `estimate` has the function of this name, or
            `tabled_<name>` of a subject and options where the function needs more than they are.
        tables: Tables that it makes, the first of its own name.
        charts: Charts that the report draws of its result; the first stands for it elsewhere.
        section: Identifier of the page of the report that shows it.
        reading: Explanation above its charts in the report, as Markdown without links.
        needs: Requirement on the campaign, of `mesonet.report.fold`; empty for none.
        responses: Responses that the function takes: all, those that the plan asks to analyse, or
            each of these by itself.
        on_request: True if the report shows it only where the plan asks for it.
        page: Page of the manual that explains it, from `docs`; empty if it has none of its own.
        two_level: True if it is made of the two-level part, whose notes come first.
        corrected: True if its tests are corrected together. It then takes the responses that the
            plan asks to analyse, and no others.
    """

    name: str
    summary: str
    options: type[Options]
    folder: str
    tables: tuple[TableOf, ...]
    charts: tuple[ChartOf, ...]
    section: str
    reading: str = ""
    needs: str = ""
    responses: Literal["all", "tested", "each"] = "tested"
    on_request: bool = False
    page: str = ""
    two_level: bool = False
    corrected: bool = False

    @property
    def title(self) -> str:
        """Heading over its part of a section."""
        return _spelled(self.name)


def follow(result: Any, way: str) -> Any:
    """What attributes of a result, or functions of `mesonet.analysis` on it, lead to.

    Args:
        way: Their names with dots between them; empty for the result itself.
    """
    return reduce(_step, way.split("."), result) if way else result


def _step(value: Any, name: str) -> Any:
    return getattr(value, name) if hasattr(value, name) else getattr(analysis, name)(value)


def _spelled(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")

"""Declaration of an analysis: all that plan, command line, report and manual need to know of it."""

from __future__ import annotations

from dataclasses import dataclass

from mesonet.analyses.options import Options


@dataclass(frozen=True)
class TableOf:
    """A table that an analysis makes.

    Attributes:
        name: Name of the table.
        content: Contents of a row, in words.
    """

    name: str
    content: str

    @property
    def title(self) -> str:
        """Title over the table."""
        return _spelled(self.name)


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """An analysis that a plan can ask for.

    Attributes:
        name: Name in plans, on the command line and of its first table.
        summary: One sentence for people, without a full stop.
        options: Model of its options; the defaults are those of the function.
        module: Module of `mesonet.analysis` that has the function `tabled_<name>`.
        tables: Tables that it makes, the first of its own name.
        chart: Chart of `mesonet.figures` that draws its result; empty if none does.
        section: Section of the report that shows it among others. If it is empty, the analysis has
            a section of its own where a plan asks for it, with the chart and all tables.
        page: Page of the manual that explains it, from `docs`; empty if it has none of its own.
        corrected: True if its tests are corrected together. It then takes the responses that the
            plan asks to analyse, and no others.
    """

    name: str
    summary: str
    options: type[Options]
    module: str
    tables: tuple[TableOf, ...]
    chart: str = ""
    section: str = ""
    page: str = ""
    corrected: bool = False

    @property
    def identifier(self) -> str:
        """Identifier of the section that shows it."""
        return self.section or self.name.replace("_", "-")

    @property
    def title(self) -> str:
        """Title of a section of its own."""
        return _spelled(self.name)


def _spelled(name: str) -> str:
    return name[:1].upper() + name[1:].replace("_", " ")

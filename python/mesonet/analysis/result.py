"""Result of an analysis: a frozen object that keeps estimates and reservations together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, dataclass_transform

import polars as pl

from mesonet.analysis.columns import Columns, units_of
from mesonet.showing import Shown
from mesonet.tables.datasets import About
from mesonet.tables.tabular import Tabular


@dataclass_transform(
    frozen_default=True, eq_default=False, kw_only_default=True, field_specifiers=(field,)
)
class _Declared:
    """Base whose classes are frozen dataclasses, with what they name beside it."""

    chart: ClassVar[str]
    """Function of `mesonet.figures` that draws the result; empty where none does."""
    columns: ClassVar[Mapping[str, Columns]]
    """Columns of its frames by name, but for those of factors and responses."""

    def __init_subclass__(cls, *, chart: str = "", **columns: Columns) -> None:
        cls.chart, cls.columns = chart, columns
        cls.__doc__ = cls.__doc__ or ""
        for table, columns_of_table in columns.items():
            names = ", ".join(f"`{column.name}` ({column.meaning})" for column in columns_of_table)
            cls.__doc__ += f"\n    Columns of `{table}`: {names}.\n"
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)


class Result(_Declared, Shown, Tabular):
    """The answer of an analysis.

    Attributes:
        frame: The estimates, one row per estimate.
        notes: Reservations that a reader must know before trusting the numbers: one replicate,
            missing runs, responses that do not vary. Whole sentences, most important first.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()

    def frames(self) -> dict[str, pl.DataFrame]:
        """All frames of the result by name, the estimates first, as `frame`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, pl.DataFrame)}

    def table_names(self) -> tuple[str, ...]:
        """Names of the frames, `frame` first: the estimates, one row per estimate."""
        return tuple(self.frames())

    def _table(self, name: str) -> pl.DataFrame:
        return self.frames()[name]

    def about(self, table: str | None = None) -> dict[str, About]:
        """Units and meanings of columns; of factors there are none."""
        name = self._named(table)
        columns = self.columns.get(name, Columns())
        return columns.about(self._table(name), response=getattr(self, "response", None))

    def facts(self) -> dict[str, Any]:
        """Name and reservations of the result, and units of the responses in it."""
        units = {
            name: unit for frame in self.frames().values() for name, unit in units_of(frame).items()
        }
        return {"result": type(self).__name__, "notes": list(self.notes), "units": units}

    def plot(self) -> Any:
        """The picture as an Altair chart; `None` where nothing draws it."""
        from mesonet.figures.pictures import picture

        return picture(self)

    def said(self) -> tuple[str, ...]:
        """The reservations, above the picture."""
        return self.notes

    def table_html(self) -> str:
        """The estimates, where nothing draws the result."""
        return str(self.frame._repr_html_())

    def __repr__(self) -> str:
        lines = [type(self).__name__, *(f"  note: {note}" for note in self.notes)]
        return "\n".join([*lines, str(self.frame)])

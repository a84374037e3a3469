"""Sentences whose numbers refer to the tables that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import polars as pl


class Reference(NamedTuple):
    """Place of a number of a sentence in the tables."""

    table: str
    """Name of the table, a key of `PlainSummary.tables`."""
    row: int
    """Its row, from 0."""
    column: str
    """Its column."""
    value: float | int | str
    """Value at that place, with all digits."""


@dataclass(frozen=True)
class Sentence:
    """A sentence with its numbers.

    Attributes:
        topic: Subject: "campaign", "congestion", "paired", "ranks", "outliers", "factors".
        template: The sentence with `{0}`, `{1}` ... where its numbers go.
        shown: The numbers as people read them.
        references: Place of each number in the tables; as many as `shown`.
        loud: True for a warning.
    """

    topic: str
    template: str
    shown: tuple[str, ...]
    references: tuple[Reference, ...]
    loud: bool = False

    @property
    def text(self) -> str:
        """The whole sentence."""
        return self.template.format(*self.shown)


class SentenceBuilder:
    """Builds one sentence; every number that it shows leaves a reference."""

    def __init__(self, tables: Mapping[str, pl.DataFrame], topic: str) -> None:
        self.tables, self.topic = tables, topic
        self.shown: list[str] = []
        self.references: list[Reference] = []

    def build(self, template: str, *, loud: bool = False) -> Sentence:
        """Finishes the sentence."""
        # Labels may hold braces, which `format` would take for places of numbers.
        text = template.replace("{", "{{").replace("}", "}}")
        for place in range(len(self.shown)):
            text = text.replace(f"\0{place}\0", f"{{{place}}}")
        return Sentence(self.topic, text, tuple(self.shown), tuple(self.references), loud)

    def _put(self, table: str, row: int, column: str, text: str) -> str:
        self.references.append(Reference(table, row, column, self._value(table, row, column)))
        self.shown.append(text)
        return f"\0{len(self.shown) - 1}\0"

    def _value(self, table: str, row: int, column: str) -> Any:
        return self.tables[table][column][row]

    def whole(self, table: str, row: int, column: str) -> str:
        """A whole number."""
        return self._put(table, row, column, f"{int(self._value(table, row, column)):d}")

    def count(self, table: str, row: int, column: str, noun: str) -> str:
        """A whole number and what it counts."""
        number = int(self._value(table, row, column))
        return f"{self.whole(table, row, column)} {noun}{'' if number == 1 else 's'}"

    def number(self, table: str, row: int, column: str) -> str:
        """A measured value, three significant digits."""
        value = self._value(table, row, column)
        return self._put(table, row, column, "undefined" if value is None else f"{value:.3g}")

    def percent(self, table: str, row: int, column: str) -> str:
        """A fraction as a signed percentage."""
        value = 100.0 * self._value(table, row, column)
        shown = f"{value:+.0f}" if abs(value) >= 100 else f"{value:+.2g}"
        return self._put(table, row, column, f"{shown} %")

    def p(self, table: str, row: int, column: str) -> str:
        """A p value, as after the letter."""
        value = self._value(table, row, column)
        return self._put(table, row, column, "< 0.0001" if value < 1e-4 else f"= {value:.2g}")

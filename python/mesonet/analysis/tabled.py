"""Result of an analysis with its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True, eq=False)
class Tabled:
    """Findings of an analysis on a subject.

    Attributes:
        result: Result of its function, or a tuple of results, one per response; `None` where there
            is nothing to analyse.
        tables: Its tables by name, as they are declared.
        notes: Reservations to know before trusting the numbers.
    """

    result: Any
    tables: Mapping[str, pl.DataFrame]
    notes: Iterable[str]

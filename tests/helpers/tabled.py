"""Tables of analyses of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.analysis import Subject, Tables, described, tables_of


def tabled(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    responses: Sequence[str],
    kinds: Iterable[str] | Mapping[str, Mapping[str, Any]],
    planned: pl.DataFrame | None = None,
    **asked: Any,
) -> Tables:
    """Tables of analyses by name, or by name with options; `asked` is more of the subject."""
    names = dict.fromkeys((*responses, *asked.get("tested", ())))
    about = {name: facts for name in names if "source" in (facts := described(name))}
    subject = Subject(frame=frame, factors=factors, responses=responses, about=about, **asked)
    chosen = kinds if isinstance(kinds, Mapping) else {name: {} for name in kinds}
    return tables_of(subject, kinds=chosen, planned=planned)

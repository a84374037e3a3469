"""Tables of pages, by the name that pages written as code know."""

from mesonet.page.tables import (
    Column,
    Table,
    counts,
    numbers,
    percents,
    probabilities,
    table,
    words,
)

__all__ = ["Column", "Table", "counts", "numbers", "percents", "probabilities", "table", "words"]

"""Reading of Parquet that may be damaged."""

from __future__ import annotations

import io

import polars as pl


class UnreadableError(Exception):
    """A content is no Parquet that can be read; says why."""


def read_parquet(content: bytes) -> pl.DataFrame:
    """Table of a Parquet file.

    Raises:
        UnreadableError: it is none.
    """
    try:
        return pl.read_parquet(io.BytesIO(content), use_statistics=False)
    # Damaged bytes make the reader fail in any way; a panic is no `Exception`.
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - see above
        raise UnreadableError(str(error).partition("\n")[0][:200]) from None

"""Tables that cannot be read are damage, whatever the reader says."""

import io

import polars as pl
import pytest

from mesonet.errors import DamageError
from mesonet.store import Columns, read_table

SEEDS = Columns({"seed": pl.Int64}, empty=frozenset({"seed"}))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_what_is_no_table_is_damaged(content):
    with pytest.raises(DamageError, match="no Parquet that can be read"):
        read_table(content, SEEDS, file="part", remedy="none")


def test_a_table_is_read():
    buffer = io.BytesIO()
    pl.DataFrame({"seed": [1, 2]}).write_parquet(buffer)
    read = read_table(buffer.getvalue(), SEEDS, file="part", remedy="none")
    assert read.rows() == [(1,), (2,)]

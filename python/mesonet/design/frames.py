"""Frame of a design, and checks of its factors' names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.errors import Problem

MAX_CONDITIONS = 2**20
"""Most conditions of a design."""


def matrix_of(coded: NDArray[Any], factors: Sequence[str]) -> pl.DataFrame:
    """The frame of a design: `condition` from 1, then the codes; whole where all are -1 or +1."""
    two_level = bool((np.abs(coded) == 1).all())
    values = coded.astype(np.int64 if two_level else np.float64, order="F")
    columns = {name: values[:, position] for position, name in enumerate(factors)}
    return pl.DataFrame({"condition": np.arange(1, len(coded) + 1), **columns})


def name_problems(factors: Sequence[str]) -> list[Problem]:
    """No factors, or a name twice."""
    problems = [
        Problem(f"factors.{name}", "repeated_factor", "there are two factors of this name")
        for name, n in Counter(factors).items()
        if n > 1
    ]
    if not factors:
        problems.append(Problem("factors", "no_factors", "expected at least one factor"))
    return problems

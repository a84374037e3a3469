"""Block plot: constancy of a factor's effect over all combinations of the other factors.

Step 5 of NIST's ten-step analysis (NIST/SEMATECH e-Handbook of Statistical
Methods, section 5.5.9.5): both levels of a factor side by side in every combination of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import scipy

from mesonet.analysis.columns import Column, columns
from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.matrix import Matrix, Observations, observations
from mesonet.analysis.result import Result

_BLOCK_COMPARISON = columns(
    "factor block setting low high difference",
    Column("block", pl.Int64, "", "block of conditions, from 1"),
    Column("setting", pl.String, "", "levels of the factors that are held fixed"),
)

_TESTS = columns(
    "factor blocked_by adjusted_for blocks up down p",
    Column("blocked_by", pl.String, "", "factors that are held fixed within a block"),
    Column("adjusted_for", pl.String, "", "factors whose main effects were taken off"),
    Column("blocks", pl.Int64, "", "number of blocks"),
    Column("up", pl.Int64, "", "number of blocks with a larger mean at the high level"),
    Column("down", pl.Int64, "", "number of blocks with a larger mean at the low level"),
)


class BlockComparison(Result, chart="block_chart", frame=_BLOCK_COMPARISON, tests=_TESTS):
    """The two levels of every factor within blocks of the others.

    `frame` has a row for each factor and block; `tests` for each factor.
    """

    tests: pl.DataFrame
    response: str
    factors: tuple[str, ...]


def block_comparison(
    frame: pl.DataFrame, *, factors: Sequence[str], response: str
) -> BlockComparison:
    """Compares the levels of every factor within blocks.

    In a full factorial the blocks of a factor are all combinations of the others. A fraction has
    not both levels of a factor in each of these; its blocks are the combinations of as many other
    factors as leave both, those with the largest effects first; main effects of the rest are
    taken off, by the least-squares fit of all main effects.
    """
    seen = observations(frame, factors=factors, response=response)
    size, effects = seen.sizes(), _main_effects(seen)
    mixed = False
    rows: list[tuple[object, ...]] = []
    tests: list[tuple[object, ...]] = []
    for own, name in enumerate(seen.factors):
        rest_factors = sorted(
            (k for k in range(len(seen.factors)) if k != own), key=lambda k: -size[k]
        )
        by: list[int] = []
        for factor in rest_factors:
            if _both_levels(seen.coded, own, sorted([*by, factor])):
                by = sorted([*by, factor])
        rest = [k for k in rest_factors if k not in by]
        values = seen.values
        if rest and effects is not None:
            values = values - seen.coded[:, rest] @ effects[rest]
        mixed = mixed or (bool(rest) and effects is None)
        blocks = _blocks(seen, values, own, by)
        rows += [(name, number, *block) for number, block in enumerate(blocks, start=1)]
        differences = [block[-1] for block in blocks]
        up, down = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        p = float(scipy.stats.binomtest(up, up + down).pvalue) if up + down else None
        text = ", ".join(seen.factors[k] for k in by)
        off = ", ".join(seen.factors[k] for k in sorted(rest)) if effects is not None else ""
        tests.append((name, text, off, len(blocks), up, down, p))
    notes = list(seen.notes)
    if mixed and len(seen.values):
        notes.append(
            "The main effects cannot all be distinguished, so blocks that do not hold every other "
            "factor fixed show the effects of those factors too."
        )
    elif any(test[2] for test in tests):
        notes.append(
            "Blocks of a fraction cannot hold every other factor fixed: where they do not, main "
            "effects of the others are taken off; interactions of the others remain."
        )
    if any(test[3] == 0 for test in tests) and len(seen.values):
        without = ", ".join(str(test[0]) for test in tests if test[3] == 0)
        notes.append(f"Only one level has a value, so nothing to compare: {without}.")
    return BlockComparison(
        frame=_BLOCK_COMPARISON.frame(rows),
        notes=tuple(notes),
        tests=_TESTS.frame(tests),
        response=response,
        factors=seen.factors,
    )


def _main_effects(seen: Observations) -> Matrix | None:
    """Half the main effect of every factor, all fitted together; None if that cannot be done."""
    model = np.column_stack([np.ones(len(seen.values)), seen.coded])
    if np.linalg.matrix_rank(model) < model.shape[1]:
        return None
    beta, *_ = np.linalg.lstsq(model, seen.values, rcond=None)
    return np.asarray(beta[1:], dtype=np.float64)


def _both_levels(coded: Matrix, own: int, by: list[int]) -> bool:
    """Tests whether every combination of some factors that occurs has both levels of another."""
    high = coded > 0
    settings = high[:, by] @ (1 << np.arange(len(by), dtype=np.int64))
    both = np.unique(2 * settings + high[:, own])
    return len(settings) > 0 and len(both) == 2 * len(np.unique(settings))


def _blocks(
    seen: Observations, values: Matrix, own: int, by: list[int]
) -> list[tuple[str, float, float, float]]:
    rows = []
    settings, place = np.unique(seen.coded[:, by], axis=0, return_inverse=True)
    for number, setting in enumerate(settings):
        inside = place.reshape(-1) == number
        low = values[inside & (seen.coded[:, own] < 0)]
        high = values[inside & (seen.coded[:, own] > 0)]
        if len(low) == 0 or len(high) == 0:
            continue
        pair = math.fsum(low) / len(low), math.fsum(high) / len(high)
        away = pair[1] - pair[0]
        away = 0.0 if abs(away) <= ROUNDING * max(map(abs, pair)) else away
        rows.append(("".join("+" if level > 0 else "-" for level in setting), *pair, away))
    return rows

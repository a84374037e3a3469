"""Lines of equal response over two factors.

Step 10 of NIST's ten-step analysis, the contour plot (NIST/SEMATECH e-Handbook of Statistical
Methods, section 5.5.9.10): the model of two factors and their product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.matrix import observations
from mesonet.analysis.result import Result
from mesonet.errors import InputError, Problem

_LEVELS = 9
_POINTS = 121
EXTENT = 1.25
"""End of the lines, in coded levels; beyond 1 the model is extrapolated."""

_CONTOUR = columns(
    "x y n mean fitted",
    Column("x", pl.Int64, "", "coded level of the first factor"),
    Column("y", pl.Int64, "", "coded level of the second factor"),
    Column("fitted", pl.Float64, OWN, "value of the model"),
)

_LINES = columns(
    "value piece x y",
    Column("piece", pl.Int64, "", "number of the connected piece of the line"),
    Column("x", pl.Float64, "", "coded level of the first factor"),
    Column("y", pl.Float64, "", "coded level of the second factor"),
)


class Contour(Result, chart="contour_chart", frame=_CONTOUR, lines=_LINES):
    """A response over two factors.

    The model is `mean + effects[0] x / 2 + effects[1] y / 2 + effects[2] x y / 2`, x and y being
    the coded levels of the factors.

    `frame` has a row for each corner; `lines` for each point of a line of equal response.
    """

    lines: pl.DataFrame
    response: str
    factors: tuple[str, ...]
    mean: float
    effects: tuple[float, float, float]


def contour(
    frame: pl.DataFrame,
    *,
    factors: Sequence[str],
    response: str,
) -> Contour:
    """Fits the model of the two dominant factors and follows its lines of equal response."""
    if len(factors) < 2:
        problem = f"expected at least two factors, got {len(factors)}"
        raise InputError([Problem("factors", "too_few", problem)])
    seen = observations(frame, factors=factors, response=response)
    size, notes = seen.sizes(), list(seen.notes)
    first, second = sorted(range(len(size)), key=lambda k: -size[k])[:2]
    names = seen.factors[first], seen.factors[second]
    x, y = seen.coded[:, first], seen.coded[:, second]
    model = np.column_stack([np.ones(len(x)), x, y, x * y])
    if len(x) < 4 or np.linalg.matrix_rank(model) < 4:
        beta = np.full(4, np.nan)
        notes.append(
            f"Not all four combinations of {names[0]} and {names[1]} have a value: there is no "
            "surface to draw."
        )
    else:
        beta, *_ = np.linalg.lstsq(model, seen.values, rcond=None)
    scale = float(np.abs(seen.values).max()) if len(seen.values) else 0.0
    beta[1:] = np.where(np.abs(beta[1:]) <= 1e-12 * scale, 0.0, beta[1:])
    corners = []
    for b in (-1, 1):
        for a in (-1, 1):
            inside = (x == a) & (y == b)
            mean = float(seen.values[inside].mean()) if inside.any() else math.nan
            fitted = float(beta @ np.array([1.0, a, b, a * b]))
            corners.append((a, b, int(inside.sum()), mean, fitted))
    notes.append(
        "Between the levels, and beyond them, nothing was simulated: the lines interpolate."
    )
    return Contour(
        frame=_CONTOUR.frame(corners),
        notes=tuple(notes),
        lines=_lines(beta, _LEVELS),
        response=response,
        factors=names,
        mean=float(beta[0]),
        effects=(float(2.0 * beta[1]), float(2.0 * beta[2]), float(2.0 * beta[3])),
    )


def _lines(beta: np.ndarray, count: int) -> pl.DataFrame:
    """Lines of equal value of a bilinear surface, which are hyperbolas: y from x or x from y."""
    mean, a, b, c = (float(value) for value in beta)
    rows: list[tuple[float, int, float, float]] = []
    reach = [mean + a * x + b * y + c * x * y for x in (-EXTENT, EXTENT) for y in (-EXTENT, EXTENT)]
    piece = 0
    steps = np.linspace(-EXTENT, EXTENT, _POINTS)
    for value in _round_values(min(reach), max(reach), count):
        # Along the axis on which the line is steeper to follow the other, it has no gaps.
        across = abs(b) >= abs(a)
        own, other = (a, b) if across else (b, a)
        piece += 1
        inside = False
        for step in steps:
            slope = other + c * step
            place = (value - mean - own * step) / slope if slope else math.inf
            if abs(place) > EXTENT:
                piece += inside
                inside = False
                continue
            inside = True
            rows.append((value, piece, *((step, place) if across else (place, step))))
    return _LINES.frame(rows)


def _round_values(low: float, high: float, count: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between two values."""
    if not (math.isfinite(low) and high > low and count > 0):
        return []
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= raw * (1.0 - 1e-9))
    first, last = math.ceil(low / step), math.floor(high / step)
    return [k * step for k in range(first, last + 1)]

"""All effects that a design can tell apart: factors and their products, ranked by size.

Their half-normal probability plot is that of the NIST/SEMATECH e-Handbook of Statistical Methods,
section 5.5.9.8. The margins are those of R. V. Lenth, Quick and easy analysis of unreplicated
factorials, Technometrics 31(4), 1989.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy

from mesonet.analysis.columns import OWN, Column, columns
from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.matrix import Matrix, Observations, observations, orthogonal
from mesonet.analysis.result import Result
from mesonet.analysis.student import order_medians

_COLUMNS = columns(
    "response position term order low high effect absolute relative quantile aliases",
    Column("term", pl.String, "", "factor, or product of factors"),
    Column("order", pl.Int64, "", "number of factors in the term"),
    Column("absolute", pl.Float64, OWN, "absolute value of the effect"),
    Column("quantile", pl.Float64, "1", "median of that order statistic of half-normal draws"),
)

_TINY = 1e-9
# Products of so many factors at most are tried, for the sake of designs of many factors.
_MOST_TRIED = 6_500
_ALIASES = 3
_CONFIDENCE = 0.95


class TermEffects(Result, frame=_COLUMNS):
    """Effects of factors and of products of factors.

    `frame` has a row for each term, largest first.

    `mean` is the mean response. `standard_error` is Lenth's pseudo standard error of an effect,
    `margin` that of an error of 5 % for one effect, `simultaneous_margin` for all together; NaN
    with fewer than three terms, and where the levels are not balanced: it takes for granted that
    all effects are equally sure.
    """

    response: str
    factors: tuple[str, ...]
    mean: float
    standard_error: float
    margin: float
    simultaneous_margin: float


def term_effects(frame: pl.DataFrame, *, factors: Sequence[str], response: str) -> TermEffects:
    """Estimates the effects of factors and their products, as many as conditions tell apart."""
    seen = observations(frame, factors=factors, response=response)
    terms = _terms(seen)
    mean = float(seen.values.mean()) if len(seen.values) else math.nan
    balanced = orthogonal(seen.coded)
    effects = [_effect(seen, term) for term in terms] if balanced else _fitted(seen, terms)
    ranked = sorted(range(len(terms)), key=lambda k: -abs(effects[k][2]))
    m = len(terms)
    # Largest first, as the effects.
    quantiles = scipy.special.ndtri((1.0 + order_medians(m)[::-1]) / 2.0)
    table = _COLUMNS.frame(
        [
            (
                position,
                terms[k].label,
                len(terms[k].factors),
                *effects[k],
                abs(effects[k][2]),
                effects[k][2] / abs(mean) if mean else math.nan,
                quantile,
                ", ".join(terms[k].aliases),
            )
            for position, (k, quantile) in enumerate(zip(ranked, quantiles, strict=True), start=1)
        ],
        "response",
    )
    error, single, all_ = lenth([effect[2] for effect in effects] if balanced else [])
    notes = list(seen.notes)
    if terms and not balanced:
        notes.append(
            "The levels of the factors are not balanced over the conditions that have a value: "
            "effects are those of one least-squares fit of all terms, and not equally sure, so "
            "there is no margin of error."
        )
    if not terms and len(seen.values) > 1:
        notes.append("No factor has both levels among the conditions that have a value.")
    elif 0 < m < 3 and balanced:
        notes.append("With fewer than three effects their margin cannot be estimated from them.")
    return TermEffects(
        frame=table,
        notes=tuple(notes),
        response=response,
        factors=seen.factors,
        mean=mean,
        standard_error=error,
        margin=single,
        simultaneous_margin=all_,
    )


class Margins(NamedTuple):
    """In the unit of the effects."""

    standard_error: float
    margin: float
    simultaneous_margin: float


def lenth(effects: Sequence[float]) -> Margins:
    """Lenth's margins of error, at 95 %, of the effects of an experiment without replicates.

    They hold if few effects are real, for the others then say how large an effect chance makes. NaN
    for fewer than three effects.
    """
    sizes = np.abs(np.asarray(effects, dtype=np.float64))
    m = len(sizes)
    if m < 3:
        return Margins(math.nan, math.nan, math.nan)
    first = 1.5 * float(np.median(sizes))
    kept = sizes[sizes < 2.5 * first]
    error = 1.5 * float(np.median(kept)) if len(kept) else 0.0
    together = (1.0 + _CONFIDENCE ** (1.0 / m)) / 2.0
    single = float(scipy.special.stdtrit(m / 3.0, (1.0 + _CONFIDENCE) / 2.0))
    return Margins(error, single * error, float(scipy.special.stdtrit(m / 3.0, together)) * error)


class _Term(NamedTuple):
    factors: tuple[int, ...]
    label: str
    column: Matrix
    aliases: list[str]


def _terms(seen: Observations) -> list[_Term]:
    """Terms that the conditions can tell apart, shortest first."""
    n, k = seen.coded.shape
    terms: dict[bytes, _Term] = {}
    basis = np.zeros((n, max(n, 1)))
    basis[:, 0] = 1.0 / math.sqrt(n) if n else 0.0
    rank = 1 if n else 0
    constant = np.zeros(n, dtype=np.bool_).tobytes()
    tried = 0
    for size in range(1, k + 1):
        tried += math.comb(k, size)
        if rank >= n or (tried > _MOST_TRIED and size > 1):
            break
        for factors in combinations(range(k), size):
            column = seen.coded[:, factors].prod(axis=1)
            # Columns that differ in sign only are one.
            key = (column != column[0]).tobytes()
            label = "*".join(seen.factors[number] for number in factors)
            if key in terms:
                twin = terms[key]
                sign = "-" if column[0] != twin.column[0] else ""
                if len(twin.aliases) < _ALIASES:
                    twin.aliases.append(sign + label)
            elif key != constant and rank < n:
                residual = column - basis[:, :rank] @ (basis[:, :rank].T @ column)
                # Twice, for what rounding leaves the first time.
                residual -= basis[:, :rank] @ (basis[:, :rank].T @ residual)
                length = float(residual @ residual)
                if length > _TINY * n:
                    basis[:, rank] = residual / math.sqrt(length)
                    rank += 1
                    terms[key] = _Term(factors, label, column, [])
    return list(terms.values())


def _effect(seen: Observations, term: _Term) -> tuple[float, float, float]:
    low = float(seen.values[term.column < 0].mean())
    high = float(seen.values[term.column > 0].mean())
    return low, high, _unrounded(high - low, seen)


def _fitted(seen: Observations, terms: list[_Term]) -> list[tuple[float, float, float]]:
    """Effects of all terms fitted together: a difference of means would mix them."""
    model = np.column_stack([np.ones(len(seen.values)), *(term.column for term in terms)])
    mean, *betas = map(float, np.linalg.lstsq(model, seen.values, rcond=None)[0])
    return [(mean - beta, mean + beta, _unrounded(2.0 * beta, seen)) for beta in betas]


def _unrounded(effect: float, seen: Observations) -> float:
    """The effect, 0 where it is what rounding leaves."""
    return 0.0 if abs(effect) <= ROUNDING * float(np.abs(seen.values).max()) else effect

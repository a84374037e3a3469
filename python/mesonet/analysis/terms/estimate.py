"""All effects that a design can tell apart: factors and their products, ranked by size.

Steps 6 to 9 of NIST's ten-step analysis (NIST/SEMATECH e-Handbook of Statistical Methods, sections
5.5.9.6 to 5.5.9.9): the Youden plot, the sizes of the effects, their half-normal probability plot,
and the residual standard deviation of ever larger models. The margins are those of R. V. Lenth,
Quick and easy analysis of unreplicated factorials, Technometrics 31(4), 1989.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
import scipy

from mesonet.analysis.frames import ROUNDING
from mesonet.analysis.matrix import Matrix, Observations, observations, orthogonal
from mesonet.analysis.result import Result
from mesonet.analysis.student import order_medians
from mesonet.analysis.terms.entry import TERM_EFFECTS, TERM_MODELS

_TINY = 1e-9
# Products of so many factors at most are tried, for the sake of designs of many factors.
_MOST_TRIED = 6_500
_ALIASES = 3
_CONFIDENCE = 0.95


class TermEffects(Result, chart="half_normal_chart", frame=TERM_EFFECTS, models=TERM_MODELS):
    """Effects of factors and of products of factors.

    `frame` has a row for each term, largest first; `models` for each model, from the mean alone to
    all terms.

    `mean` is the mean response. `standard_error` is Lenth's pseudo standard error of an effect,
    `margin` that of an error of 5 % for one effect, `simultaneous_margin` for all together; NaN
    with fewer than three terms, and where the terms are not orthogonal, as those of a
    Plackett-Burman design: it takes for granted that all effects are equally sure.
    """

    models: pl.DataFrame
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
    balanced = not terms or orthogonal(np.column_stack([it.column for it in terms]))
    effects = [_effect(seen, term) for term in terms] if balanced else _fitted(seen, terms)
    ranked = sorted(range(len(terms)), key=lambda k: -abs(effects[k][2]))
    m = len(terms)
    # Largest first, as the effects.
    quantiles = scipy.special.ndtri((1.0 + order_medians(m)[::-1]) / 2.0)
    table = TERM_EFFECTS.frame(
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
            "The terms are not orthogonal over the conditions that have a value: effects are those "
            "of one least-squares fit of all terms, and not equally sure, so there is no margin of "
            "error."
        )
    if not terms and len(seen.values) > 1:
        notes.append("No factor has both levels among the conditions that have a value.")
    elif 0 < m < 3 and balanced:
        notes.append("With fewer than three effects their margin cannot be estimated from them.")
    return TermEffects(
        frame=table,
        notes=tuple(notes),
        models=_models(seen, [terms[k] for k in ranked], [effects[k][2] for k in ranked]),
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


def _models(seen: Observations, terms: list[_Term], effects: list[float]) -> pl.DataFrame:
    n = len(seen.values)
    rows: list[tuple[object, ...]] = []
    if n:
        model = np.column_stack([np.ones(n), *(term.column for term in terms)])
        orthonormal, _ = np.linalg.qr(model)
        scores = orthonormal.T @ seen.values
        taken = scores**2
        # The sum from the small end keeps what the large terms would drown.
        rest = float(((seen.values - orthonormal @ scores) ** 2).sum())
        exact = (ROUNDING * float(np.abs(seen.values).max())) ** 2 * n
        remaining = np.append(np.cumsum(taken[::-1])[::-1][1:], 0.0) + rest
        remaining = np.where(remaining <= exact, 0.0, remaining)
        labels = ["mean", *(term.label for term in terms)]
        halves = [float(seen.values.mean()), *(0.5 * effect for effect in effects)]
        for k, (label, half) in enumerate(zip(labels, halves, strict=True)):
            freedom = n - k - 1
            sd = math.sqrt(remaining[k] / freedom) if freedom > 0 else None
            explained = 1.0 - float(remaining[k] / remaining[0]) if remaining[0] > 0.0 else None
            rows.append((k + 1, label, half, sd, explained))
    return TERM_MODELS.frame(rows, "response")

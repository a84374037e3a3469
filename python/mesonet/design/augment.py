"""Additions to a two-level design: its mirror image, and its centre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl

from mesonet.design.design import Design, matrix_of
from mesonet.design.words import Product
from mesonet.errors import PlanError, Problem, did_you_mean


def fold_over(design: Design, factors: Sequence[str] | None = None) -> Design:
    """A two-level design followed by its mirror image.

    Folding over all factors turns resolution III into IV, as it removes all words of odd length;
    folding over one of the `factors` frees it and its interactions.
    """
    # A factor turned twice is one turned once, as the columns are.
    turned = tuple(dict.fromkeys(design.factors if factors is None else factors))
    problems = [
        Problem(
            "design.fold_over",
            "unknown_factor",
            f'"{name}" is not a factor{did_you_mean(name, design.factors)}',
        )
        for name in turned
        if name not in design.factors
    ]
    if not design.two_level:
        message = "only a two-level design has a mirror image"
        problems.append(Problem("design.fold_over", "levels", message))
    if problems:
        raise PlanError(problems)
    import pydoe

    columns = np.array([design.factors.index(name) for name in turned], dtype=int)
    coded = pydoe.fold(design.coded, columns)
    half = len(design.coded)
    if {tuple(row) for row in coded[:half]} & {tuple(row) for row in coded[half:]}:
        message = (
            "the mirror image repeats conditions of the design; fold over other factors, or none"
        )
        raise PlanError([Problem("design.fold_over", "repeats", message)])
    which = "every factor" if len(turned) == len(design.factors) else ", ".join(turned)
    note = f"Conditions {half + 1} to {2 * half} are 1 to {half} with {which} at the other level."
    return replace(
        design,
        generators=_folded_generators(design, turned) if design.regular else {},
        matrix=matrix_of(coded, design.factors),
        notes=(*design.notes, note),
    )


def _folded_generators(design: Design, turned: Sequence[str]) -> dict[str, Product]:
    """Generators of the whole: words in which an even number of factors is turned remain."""
    bits = {name: 1 << position for position, name in enumerate(design.factors)}
    mask = sum(bits[name] for name in turned)
    words = [
        (bits[name] ^ sum(bits[part] for part in product.factors), product.sign)
        for name, product in design.generators.items()
    ]
    odd = [word for word in words if (word[0] & mask).bit_count() % 2]
    kept = [word for word in words if word not in odd]
    kept += [
        (first ^ second, sign * second_sign)
        for (first, sign), (second, second_sign) in pairwise(odd)
    ]
    return _as_generators(kept, design.factors)


def _as_generators(words: Sequence[tuple[int, int]], factors: Sequence[str]) -> dict[str, Product]:
    """Words solved for their last factors, none of which is then in another word."""
    solved: dict[int, tuple[int, int]] = {}
    for word, sign in words:
        for pivot, (earlier, earlier_sign) in solved.items():
            if word >> pivot & 1:
                word, sign = word ^ earlier, sign * earlier_sign
        here = word.bit_length() - 1
        for pivot, (earlier, earlier_sign) in solved.items():
            if earlier >> here & 1:
                solved[pivot] = (earlier ^ word, earlier_sign * sign)
        solved[here] = (word, sign)
    return {
        factors[pivot]: Product(
            tuple(name for j, name in enumerate(factors) if word >> j & 1 and j != pivot), sign
        )
        for pivot, (word, sign) in sorted(solved.items())
    }


def with_centre(design: Design) -> Design:
    """A design with one more condition, every factor halfway between low and high.

    One is enough: what repeating it would show, replicates show, and a repeated condition is the
    same run.
    """
    if not design.two_level:
        message = "only a two-level design has a centre to add"
        raise PlanError([Problem("design.centre", "levels", message)])
    factors = design.factors
    centre = pl.DataFrame({"condition": [design.runs + 1], **{name: [0.0] for name in factors}})
    matrix = pl.concat([design.matrix.cast(dict.fromkeys(factors, pl.Float64)), centre])
    note = f"Condition {design.runs + 1} is the centre: every factor halfway between low and high."
    return replace(design, matrix=matrix, centre=True, notes=(*design.notes, note))

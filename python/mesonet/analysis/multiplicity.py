"""Many tests at once: adjusted p values, and a sentence that says what they control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import scipy
from numpy.typing import NDArray

from mesonet.errors import InputError, unknown

Adjustment = Literal["none", "holm", "fdr_bh"]
"""Adjustment for many tests: none, Holm (1979), Benjamini and Hochberg (1995)."""


def adjusted(p: Sequence[float], *, method: Adjustment) -> list[float]:
    """The p values after adjustment for their number, in the same order.

    Undefined ones (NaN, null) stay undefined and do not count.
    """
    if problems := unknown("adjust", "unknown_method", method, get_args(Adjustment)):
        raise InputError(problems)
    values = np.array([math.nan if value is None else value for value in p], dtype=np.float64)
    tested = np.isfinite(values)
    if tested.any():
        if method == "holm":
            values[tested] = _holm(values[tested])
        elif method == "fdr_bh":
            values[tested] = scipy.stats.false_discovery_control(values[tested], method="bh")
    return [float(value) for value in values]


def _holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    # The k-th smallest of n is multiplied by n - k + 1, and none may be below a smaller one (Holm
    # 1979). scipy has no function for it.
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


METHOD_NAMES: dict[Adjustment, str] = {"holm": "Holm", "fdr_bh": "Benjamini and Hochberg"}
"""Authors of the adjustments."""


def multiplicity_note(tested: int, *, alpha: float, method: Adjustment, what: str) -> str:
    """One sentence on what so many tests mean; `what` is one of the things tested, as "cell"."""
    things = f"{tested} {what}{'' if tested == 1 else 's'}"
    if method == "holm":
        return (
            f"{things} tested together, p adjusted by Holm: the probability of any false alarm "
            f"among them is at most {alpha:g}."
        )
    if method == "fdr_bh":
        return (
            f"{things} tested together, p adjusted by Benjamini and Hochberg: of what is called "
            f"significant, at most a fraction {alpha:g} is expected to be false, if the tests are "
            "independent or positively dependent."
        )
    return (
        f"{things} tested at {alpha:g} each, without adjustment: chance alone would give about "
        f"{alpha * tested:.3g}."
    )

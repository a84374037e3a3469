"""Student's t and order statistics without the half a second that `scipy.stats` takes to import."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray


def t_above(t: Any, df: Any) -> Any:
    """Probability of a larger value than `t` at `df` degrees of freedom; NaN where one is none.

    Examples:
        >>> float(t_above(0.0, 3))
        0.5
    """
    return scipy.special.stdtr(df, -t)


def t_exceeded(p: Any, df: Any) -> Any:
    """Value that is exceeded with probability `p` at `df` degrees of freedom.

    Examples:
        >>> round(float(t_exceeded(0.025, 10)), 3)
        2.228
    """
    return -scipy.special.stdtrit(df, p)


def order_medians(n: int) -> NDArray[np.float64]:
    """Medians of the order statistics of `n` uniform draws, ascending.

    Examples:
        >>> order_medians(3).round(3).tolist()
        [0.206, 0.5, 0.794]
    """
    places = np.arange(1, n + 1)
    medians: NDArray[np.float64] = scipy.special.betaincinv(places, n - places + 1, 0.5)
    return medians

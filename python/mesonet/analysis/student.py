"""Student's t: the numbers of `scipy.stats.t`, without half a second of imports with them."""

from __future__ import annotations

from typing import Any

import scipy


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

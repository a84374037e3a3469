"""Designs for finding the factors that matter: Plackett-Burman, and one at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mesonet.design.design import Design, matrix_of, name_problems
from mesonet.errors import PlanError, Problem

MAX_PLACKETT_BURMAN = 256
"""Most conditions of a Plackett-Burman design."""
_CYCLIC = (24, 48, 80, 192)
"""Conditions for which pydoe would take twice a smaller design, and that are one above a prime."""


def plackett_burman(factors: Sequence[str], *, runs: int | None = None) -> Design:
    """Two levels in a multiple of four conditions: main effects alone, in few runs.

    R. L. Plackett and J. P. Burman, "The design of optimum multifactorial experiments", Biometrika
    33 (1946). Main effects are orthogonal; every interaction of two factors is spread over the main
    effects of the others. In a power of two, the design is a fraction of resolution III: each
    interaction is confounded with one main effect, or with none; in 40, 96 and 160, which are twice
    a smaller design, some are. Known sizes are 2^e, 12 x 2^e and 20 x 2^e; by
    default the fewest `runs` above the number of factors.
    """
    p = len(factors)
    problems = name_problems(factors)
    sizes = [n for n in range(4, MAX_PLACKETT_BURMAN + 1, 4) if n > p and _is_known(n)]
    if not sizes:
        message = f"expected at most {MAX_PLACKETT_BURMAN - 1} factors, got {p}"
        problems.append(Problem("factors", "too_many", message))
    elif runs is not None and runs not in sizes:
        why = (
            f"{p} main effects and a mean need more than {p}"
            if runs <= p
            else "no Plackett-Burman design is known here with so many"
        )
        near = sorted(sizes, key=lambda n: abs(n - runs))[:2]
        message = f"{why}, got {runs}; near are {' and '.join(map(str, sorted(near)))}"
        problems.append(Problem("design.runs", "runs", message))
    if problems:
        raise PlanError(problems)
    # pydoe brings half of scipy, which the workers of a campaign need not wait for.
    import pydoe

    size = runs or sizes[0]
    coded = _cyclic(size - 1) if size in _CYCLIC else np.rint(pydoe.pbdesign(size - 1))
    return Design("plackett_burman", tuple(factors), {}, matrix_of(coded[:, :p], factors))


def _cyclic(prime: int) -> NDArray[np.int64]:
    """Plackett and Burman's first row, the squares modulo a prime number, shifted; and all low."""
    squares = {n * n % prime for n in range(prime)}
    first = [1 if n in squares else -1 for n in range(prime)]
    return np.array([*(np.roll(first, shift) for shift in range(prime)), [-1] * prime])


def _is_known(runs: int) -> bool:
    """True for the sizes that pydoe has: 2^e, 12 x 2^e or 20 x 2^e."""
    return any(runs % n == 0 and (runs // n).bit_count() == 1 for n in (1, 12, 20))


def one_at_a_time(factors: Sequence[str], *, levels: Mapping[str, int] | None = None) -> Design:
    """The first level of every factor, then each factor at its other levels, one at a time.

    For contrast: it needs few conditions and shows no interaction, and the effects it shows hold at
    the first condition only.
    """
    if problems := name_problems(factors):
        raise PlanError(problems)
    moves = []
    for position, name in enumerate(factors):
        last = (levels or {}).get(name, 2) - 1
        moves += [(position, (2 * level - last) / last) for level in range(1, last + 1)]
    coded = np.full((len(moves) + 1, len(factors)), -1.0)
    for row, (position, value) in enumerate(moves, start=1):
        coded[row, position] = value
    return Design("one_at_a_time", tuple(factors), {}, matrix_of(coded, factors))

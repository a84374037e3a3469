"""Search for minimum aberration: which products make the best generators of a two-level fraction.

A regular fraction in 2^q conditions is a choice of columns out of the 2^q - 1 products of q basic
factors. A column is a whole number here: bit j says whether basic factor j, the fastest being 0, is
in the product. Of two fractions the one with the lower word-length pattern (A3, A4, ...), compared
from the left, has less aberration: A. Fries and W. G. Hunter, "Minimum aberration 2^(k-p) designs",
Technometrics 22 (1980). Comparing the power moments of the rows' sums orders designs just so and
is cheaper: H. Xu, "Minimum moment aberration", Statistica Sinica 13 (2003).

Lines of `python/mesonet/data/fractions.txt` were found by it, with 40 to 500 starts in up to 64
conditions and 4 in 512. `python tools/manual/aberration.py FACTORS BASIC STARTS` prints one.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

_POWERS = (3, 4, 5, 6, 7, 8)


def search(factors: int, basic: int, *, starts: int) -> tuple[int, ...]:
    """Looks for the fraction with the least aberration; always finds the same one.

    From each start, columns are exchanged one at a time until no exchange helps. The first start is
    greedy: it adds the best column each time. The second is greedy among products of an odd number
    of factors, which have no word of odd length and so at least resolution IV. The others are drawn
    by lot, for the greedy choice can lie far from the best fraction: for nine factors in 32
    conditions it does.
    """
    hadamard = _hadamard(basic)
    fractions = []
    for start in range(starts):
        order = list(range(1, 2**basic))
        chosen = [2**j for j in range(basic)]
        if start == 1 and factors <= 2 ** (basic - 1):
            order = [column for column in order if column.bit_count() % 2]
        elif start:
            Random(start).shuffle(order)
            chosen += [column for column in order if column.bit_count() > 1][: factors - basic]
        while len(chosen) < factors:
            chosen.append(_best_addition(hadamard, chosen, order)[1])
        fractions.append(_exchanged(hadamard, chosen, basic, order))
    return tuple(sorted(min(fractions, key=lambda fraction: fraction[0])[1][basic:]))


def _exchanged(
    hadamard: NDArray[np.int64], chosen: list[int], basic: int, order: list[int]
) -> tuple[tuple[int, ...], list[int]]:
    """Improves a fraction by exchanging further columns until no exchange helps."""
    current = _moments(hadamard[:, chosen].sum(axis=1, keepdims=True))[:, 0].tolist()
    improved = len(chosen) > basic
    while improved:
        improved = False
        for here in range(basic, len(chosen)):
            rest = chosen[:here] + chosen[here + 1 :]
            moments, column = _best_addition(hadamard, rest, order)
            if list(moments) < current:
                chosen, current = [*rest[:here], column, *rest[here:]], list(moments)
                improved = True
    return tuple(current), chosen


def _best_addition(
    hadamard: NDArray[np.int64], chosen: list[int], order: list[int]
) -> tuple[tuple[int, ...], int]:
    """The column that adds least aberration, and the moments with it."""
    free = [column for column in order if column not in set(chosen)]
    sums = hadamard[:, chosen].sum(axis=1, keepdims=True) + hadamard[:, free]
    moments = _moments(sums)
    # lexsort takes the last key first and keeps the order of equals.
    first = int(np.lexsort(moments[::-1])[0])
    return tuple(int(value) for value in moments[:, first]), free[first]


def _moments(sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums over rows of the third and higher powers; one column per candidate."""
    power = sums * sums
    moments = []
    for _ in _POWERS:
        power = power * sums
        moments.append(power.sum(axis=0))
    return np.stack(moments)


@lru_cache(maxsize=4)
def _hadamard(basic: int) -> NDArray[np.int64]:
    """Rows are conditions, columns are products: -1 and +1, all factors of row 0 at -1."""
    matrix = np.ones((1, 1), dtype=np.int64)
    for _ in range(basic):
        matrix = np.block([[matrix, -matrix], [matrix, matrix]])
    return matrix


if __name__ == "__main__":
    factors, basic, starts = map(int, sys.argv[1:])
    words = (
        "".join(letter for j, letter in enumerate("abcdefghi") if column >> j & 1)
        for column in search(factors, basic, starts=starts)
    )
    print(f"{factors} {basic}: {' '.join(words)}")

"""Confounding in two-level designs: by the algebra of words, and by counting in the matrix.

The algebra holds for regular designs, whose columns are products of basic factors. Counting holds
for every matrix of -1 and +1 and knows nothing of generators; the two check each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_WORDS = 16
"""Most generators of which all words are listed: 2^16 of them."""
MAX_COUNTED = 4096
"""Most conditions of a design that is not regular in which confounding is counted."""
_SMALL = 1e-9

Columns = Mapping[str, tuple[int, int]]
"""Basic factors that each factor is the product of, one bit for each, and the sign."""


class Product(NamedTuple):
    """A signed product of factors: a generator, a word of the defining relation or an effect."""

    factors: tuple[str, ...]
    sign: int = 1

    def __str__(self) -> str:
        return ("-" if self.sign < 0 else "") + "*".join(self.factors)


def parse_product(text: str | Sequence[str]) -> Product:
    """Reads `"a*b"`, `"-a*b"` or a list of names."""
    names = text.split("*") if isinstance(text, str) else list(text)
    names = [name.strip() for name in names]
    sign = 1
    if names and names[0].startswith("-"):
        sign, names[0] = -1, names[0][1:].strip()
    return Product(tuple(name for name in names if name), sign)


def columns(factors: Sequence[str], generators: Mapping[str, Product]) -> Columns:
    """Every factor as a signed product of the basic factors."""
    basics = [name for name in factors if name not in generators]
    bits = {name: 1 << position for position, name in enumerate(basics)}
    return {
        name: (sum(bits[part] for part in generators[name].factors), generators[name].sign)
        if name in generators
        else (bits[name], 1)
        for name in factors
    }


def words(factors: Sequence[str], generators: Mapping[str, Product]) -> tuple[Product, ...]:
    """The defining relation: products of factors that are constant, shortest first.

    All of them for up to `MAX_WORDS` generators; beyond, those of up to four factors.
    """
    if len(generators) > MAX_WORDS:
        return tuple(_short_words(factors, columns(factors, generators)))
    bits = {factor: 1 << position for position, factor in enumerate(factors)}
    group = {0: 1}
    for factor, product in generators.items():
        word = bits[factor] ^ sum(bits[name] for name in product.factors)
        group |= {member ^ word: sign * product.sign for member, sign in group.items()}
    order = {factor: position for position, factor in enumerate(factors)}
    named = [
        Product(tuple(name for name in factors if bits[name] & word), sign)
        for word, sign in group.items()
        if word
    ]
    return tuple(
        sorted(named, key=lambda word: (len(word.factors), [order[f] for f in word.factors]))
    )


def _short_words(factors: Sequence[str], columns_of: Columns) -> Iterator[Product]:
    for length in (2, 3, 4):
        for names in combinations(factors, length):
            column, sign = _of(names, columns_of)
            if column == 0:
                yield Product(names, sign)


def _of(names: Sequence[str], columns_of: Columns) -> tuple[int, int]:
    column, sign = 0, 1
    for name in names:
        column, sign = column ^ columns_of[name][0], sign * columns_of[name][1]
    return column, sign


def aliases(factors: Sequence[str], columns_of: Columns) -> dict[str, tuple[str, ...]]:
    """Main effects and two-factor interactions that are confounded with others of them.

    Every group stands once, under its first member, with the signs of the others relative to it.
    """
    groups: dict[int, list[Product]] = {}
    for names in [*((name,) for name in factors), *combinations(factors, 2)]:
        column, sign = _of(names, columns_of)
        groups.setdefault(column, []).append(Product(names, sign))
    return {
        str(first._replace(sign=1)): tuple(
            str(alias._replace(sign=first.sign * alias.sign)) for alias in others
        )
        for first, *others in groups.values()
        if others
    }


def counted_word_lengths(coded: NDArray[np.int64], *, regular: bool) -> dict[int, Fraction]:
    """The generalised word-length pattern of a matrix of -1 and +1: length to number of words.

    The MacWilliams transform of the distances between rows (L.-Y. Deng and B. Tang, "Generalized
    resolution and minimum aberration criteria for Plackett-Burman and other nonregular factorial
    designs", Statistica Sinica 9 (1999)). Of a regular design the numbers are whole, and count the
    words; of another, a word counts as the square of how nearly it is constant. In a regular design
    every row has the same distances to the others, so that one will do.
    """
    runs, factors = coded.shape
    rows = coded[:1] if regular else coded
    distances: Counter[int] = Counter()
    for row in rows:
        for distance, n in enumerate(np.bincount((factors - coded @ row) // 2)):
            distances[distance] += int(n)
    pattern = {}
    for length in range(1, factors + 1):
        total = sum(n * _krawtchouk(length, d, factors) for d, n in distances.items())
        if total:
            pattern[length] = Fraction(total, runs * len(rows))
    return pattern


def _krawtchouk(length: int, distance: int, factors: int) -> int:
    return sum(
        (-1) ** s * math.comb(distance, s) * math.comb(factors - distance, length - s)
        for s in range(length + 1)
    )


def counted_aliases(
    coded: NDArray[np.int64], factors: Sequence[str]
) -> dict[str, tuple[tuple[Product, float], ...]]:
    """Aliases of each main effect, full and partial, for any matrix of -1 and +1.

    For every factor the other effects, up to two-factor interactions, that are correlated with it,
    and the correlation of the columns: ±1 is full confounding.
    """
    effects = [*((name,) for name in factors), *combinations(factors, 2)]
    places = {name: position for position, name in enumerate(factors)}
    values = np.stack(
        [coded[:, [places[name] for name in effect]].prod(axis=1) for effect in effects], axis=1
    )
    inner = coded.T @ values / len(coded)
    return {
        name: tuple(
            (Product(effect, 1 if share > 0 else -1), abs(float(share)))
            for effect, share in zip(effects, inner[places[name]], strict=True)
            if abs(share) > _SMALL and effect != (name,)
        )
        for name in factors
    }

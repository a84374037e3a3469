"""Two-level designs: which combinations of factor levels to simulate.

A design is a matrix of coded levels, -1 and +1, in standard order with the first factor fastest. A
full factorial has every combination; a fractional factorial 2^(p-k) has a fraction 2^-k of them, in
which k factors are set to products of the others. The products are its generators; what they
confound is its alias table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.errors import PlanError, Problem, did_you_mean

KINDS = {
    "full_factorial": "all combinations of the levels of all factors: 2^p conditions",
    "fractional_factorial": "2^(p-k) conditions; k factors are products of the others: generators",
}
"""Kinds of design that a plan can name."""

MAX_BASIC_FACTORS = 20
"""Over a million conditions are a mistake; letters for pydoe would end at 26."""


class Factor(NamedTuple):
    """Something that a design varies between two levels.

    `paths` are places in the scenario, such as `think_time` or `flows[0].algorithm`. One path takes
    `low` and `high` as they are; several move together, and `low` and `high` have one value for
    each.
    """

    name: str
    paths: tuple[str, ...]
    low: object
    high: object
    symbol: str = ""
    label: str = ""

    def settings(self, coded: int) -> dict[str, object]:
        """What the low (-1) or high (+1) level puts where."""
        level = self.high if coded > 0 else self.low
        values = [level] if len(self.paths) == 1 else list(level)  # type: ignore[call-overload]
        return dict(zip(self.paths, values, strict=True))

    def text(self, coded: int) -> str:
        """The low (-1) or high (+1) level as text."""
        return level_text(self.high if coded > 0 else self.low)


def level_text(level: object) -> str:
    """A level as people write it: lists with slashes, numbers short."""
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float):
        return f"{level:.4g}"
    if isinstance(level, Mapping):
        return ", ".join(f"{key} {level_text(value)}" for key, value in level.items())
    if isinstance(level, Iterable) and not isinstance(level, str):
        return "/".join(level_text(value) for value in level)
    return str(level)


class Product(NamedTuple):
    """A signed product of factors: a generator, a word of the defining relation or an effect."""

    factors: tuple[str, ...]
    sign: int = 1

    def __str__(self) -> str:
        return ("-" if self.sign < 0 else "") + "*".join(self.factors)


@dataclass(frozen=True)
class Design:
    """Coded levels of every condition, and what the design can and cannot tell apart."""

    kind: str
    factors: tuple[str, ...]
    generators: dict[str, Product]
    matrix: pl.DataFrame = field(compare=False, repr=False)
    """Column `condition`, from 1, then one column of -1 and +1 per factor."""

    @property
    def runs(self) -> int:
        """Number of conditions."""
        return self.matrix.height

    @property
    def name(self) -> str:
        """`2^(6-1)`, or `2^6` for a full factorial."""
        p, k = len(self.factors), len(self.generators)
        return f"2^({p}-{k})" if k else f"2^{p}"

    @cached_property
    def words(self) -> tuple[Product, ...]:
        """The defining relation: products of factors that are constant, shortest first."""
        bits = {factor: 1 << position for position, factor in enumerate(self.factors)}
        group = {0: 1}
        for factor, product in self.generators.items():
            word = bits[factor] ^ sum(bits[name] for name in product.factors)
            group |= {member ^ word: sign * product.sign for member, sign in group.items()}
        named = [
            Product(tuple(name for name in self.factors if bits[name] & word), sign)
            for word, sign in group.items()
            if word
        ]
        return tuple(sorted(named, key=lambda word: (len(word.factors), self._order(word))))

    @property
    def resolution(self) -> float:
        """Length of the shortest word; infinite for a full factorial, which confounds nothing."""
        return min((len(word.factors) for word in self.words), default=math.inf)

    @property
    def word_lengths(self) -> dict[int, int]:
        """How many words of each length the defining relation has."""
        return dict(sorted(Counter(len(word.factors) for word in self.words).items()))

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Main effects and two-factor interactions that are confounded with others of them.

        Every group of confounded effects stands once, under its first member, with the signs of the
        others relative to it. Effects that stand alone up to two-factor interactions are left out.
        """
        signs = {
            frozenset(word.factors): word.sign for word in self.words if len(word.factors) <= 4
        }
        effects = [(name,) for name in self.factors] + list(combinations(self.factors, 2))
        table: dict[str, tuple[str, ...]] = {}
        listed: set[tuple[str, ...]] = set()
        for position, effect in enumerate(effects):
            if effect in listed:
                continue
            alike = [
                Product(other, signs[word])
                for other in effects[position + 1 :]
                if (word := frozenset(effect) ^ frozenset(other)) in signs
            ]
            listed.update(product.factors for product in alike)
            if alike:
                table[str(Product(effect))] = tuple(str(product) for product in alike)
        return table

    def _order(self, word: Product) -> list[int]:
        return [self.factors.index(name) for name in word.factors]


def full_factorial(factors: Sequence[str]) -> Design:
    """All 2^p combinations of `factors`.

    Raises:
        PlanError: no factors, a name twice, or more than a million conditions.
    """
    return _build("full_factorial", factors, {})


def fractional_factorial(
    factors: Sequence[str], generators: Mapping[str, str | Sequence[str]]
) -> Design:
    """A fraction of the combinations of `factors`.

    Args:
        factors: all factors; those without a generator are the basic ones, and their order is that
        of the rows.
        generators: for each other factor the product of basic factors that it is set to: names
        separated by `*`, or a
            list of names; a leading `-` turns the sign.

    Raises:
        PlanError: a generator names something that is not a basic factor, or makes two factors
        equal; all problems
            at once.
    """
    problems: list[Problem] = []
    basics = [name for name in factors if name not in generators]
    parsed: dict[str, Product] = {}
    for name, text in generators.items():
        loc = f"design.generators.{name}"
        if name not in factors:
            hint = did_you_mean(name, factors)
            problems.append(Problem(loc, "unknown_factor", f"not a factor of the plan{hint}"))
        product = _parse_product(text)
        for factor in product.factors:
            if factor not in basics:
                why = "has a generator itself" if factor in generators else "is not a factor"
                hint = "" if factor in generators else did_you_mean(factor, basics)
                message = f'"{factor}" {why}{hint}; generators are products of the other factors'
                problems.append(Problem(loc, "unknown_factor", message))
        repeated = [factor for factor, n in Counter(product.factors).items() if n > 1]
        if repeated:
            message = f"{', '.join(repeated)} occurs twice in the product"
            problems.append(Problem(loc, "repeated_factor", message))
        if len(product.factors) < 2:
            message = f'expected a product of at least two factors, got "{product}"'
            problems.append(Problem(loc, "short_generator", message))
        order = {factor: position for position, factor in enumerate(factors)}
        ordered = sorted(product.factors, key=lambda factor: order.get(factor, -1))
        parsed[name] = Product(tuple(ordered), product.sign)
    for first, second in combinations(parsed, 2):
        if parsed[first].factors == parsed[second].factors:
            message = f"is the same product as that of {first}: the two could not be told apart"
            problems.append(Problem(f"design.generators.{second}", "same_generator", message))
    if problems:
        raise PlanError(problems)
    return _build("fractional_factorial", factors, parsed)


def _parse_product(text: str | Sequence[str]) -> Product:
    names = text.split("*") if isinstance(text, str) else list(text)
    names = [name.strip() for name in names]
    sign = 1
    if names and names[0].startswith("-"):
        sign, names[0] = -1, names[0][1:].strip()
    return Product(tuple(name for name in names if name), sign)


def _build(kind: str, factors: Sequence[str], generators: dict[str, Product]) -> Design:
    basics = [name for name in factors if name not in generators]
    problems = [
        Problem(f"factors.{name}", "repeated_factor", "there are two factors of this name")
        for name, n in Counter(factors).items()
        if n > 1
    ]
    if not basics:
        problems.append(Problem("factors", "no_factors", "expected at least one factor"))
    if len(basics) > MAX_BASIC_FACTORS:
        message = f"{len(basics)} factors make 2^{len(basics)} conditions; expected at most 2^20"
        problems.append(Problem("factors", "too_many", f"{message}; use a fractional factorial"))
    if problems:
        raise PlanError(problems)
    coded = _levels(factors, basics, generators)
    _check(coded, factors, generators)
    columns = {name: coded[:, position] for position, name in enumerate(factors)}
    conditions = np.arange(1, len(coded) + 1)
    matrix = pl.DataFrame({"condition": conditions, **columns})
    return Design(kind, tuple(factors), dict(generators), matrix)


def _levels(
    factors: Sequence[str], basics: Sequence[str], generators: Mapping[str, Product]
) -> NDArray[np.int64]:
    # In pydoe the last basic factor is fastest; in standard order the first is. So basics go in
    # reversed.
    letters = {name: chr(ord("a") + position) for position, name in enumerate(reversed(basics))}
    derived = [
        ("-" if product.sign < 0 else "") + "".join(letters[name] for name in product.factors)
        for product in generators.values()
    ]
    if len(basics) == 1:
        return np.array([[-1], [1]])
    # pydoe brings half of scipy, which the workers of a campaign need not wait for.
    import pydoe

    table = pydoe.fracfact(" ".join([*sorted(letters.values()), *derived]))
    position = {name: index for index, name in enumerate([*reversed(basics), *generators])}
    coded: NDArray[np.int64] = np.rint(table[:, [position[name] for name in factors]]).astype(int)
    return coded


def _check(
    coded: NDArray[np.int64], factors: Sequence[str], generators: Mapping[str, Product]
) -> None:
    """The matrix must be what was asked for: levels, balance, orthogonality, generators."""
    column = {name: coded[:, position] for position, name in enumerate(factors)}
    right = (
        coded.shape == (2 ** (len(factors) - len(generators)), len(factors))
        and bool((np.abs(coded) == 1).all())
        and bool((coded.sum(axis=0) == 0).all())
        and bool((coded.T @ coded == len(coded) * np.eye(len(factors), dtype=np.int64)).all())
        and all(
            (_product(column, product) == column[name]).all()
            for name, product in generators.items()
        )
    )
    if not right:
        raise RuntimeError("pydoe returned a design that is not the one asked for")


def _product(column: Mapping[str, NDArray[np.int64]], product: Product) -> NDArray[np.int64]:
    result: NDArray[np.int64] = np.prod([column[name] for name in product.factors], axis=0)
    return result * product.sign

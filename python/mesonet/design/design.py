"""A design: coded levels of every condition, and what it can and cannot tell apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.design import words as algebra
from mesonet.design.words import Product
from mesonet.errors import Problem
from mesonet.showing import Shown


@dataclass(frozen=True, eq=False)
class Design(Shown):
    """Coded levels of every condition, and what the design can and cannot tell apart.

    What speaks of words, resolution and aliases holds for the conditions without the centre.
    """

    kind: str
    factors: tuple[str, ...]
    generators: dict[str, Product]
    matrix: pl.DataFrame = field(repr=False)
    """Column `condition`, from 1, then one column per factor: whole numbers -1 and +1 in a
    two-level design, else numbers from -1 to +1."""
    regular: bool = False
    """True for a full two-level factorial, or a fraction of one made by generators."""
    centre: bool = False
    """True if the last condition has every factor halfway between low and high."""
    notes: tuple[str, ...] = ()
    """Notes for the reader of the conditions, as sentences."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Design):
            return NotImplemented
        same = (self.kind, self.factors) == (other.kind, other.factors)
        return same and self.generators == other.generators and self.matrix.equals(other.matrix)

    __hash__ = None  # type: ignore[assignment]  # frames have none

    def plot(self) -> Any:
        """The conditions as an Altair chart."""
        from mesonet.figures.design import design_chart

        return design_chart(self)

    def said(self) -> tuple[str, ...]:
        """Name and reservations, above the picture."""
        return (self.name, *self.notes)

    @property
    def runs(self) -> int:
        """Number of conditions."""
        return self.matrix.height

    @property
    def name(self) -> str:
        """`2^(6-1)`, `2^6` for a two-level full factorial, else the kind in words."""
        p, k = len(self.factors), len(self.generators)
        if self.regular:
            return f"2^({p}-{k})" if k else f"2^{p}"
        if self.kind == "full_factorial":
            return " x ".join(str(n) for n in self.level_counts.values())
        words = {"plackett_burman": "Plackett-Burman", "sobol": "Sobol"}
        name = words.get(self.kind, self.kind.replace("_", " "))
        return f"{name}, {self.runs} conditions"

    @cached_property
    def coded(self) -> NDArray[np.float64]:
        """Codes without the centre: one row per condition, one column per factor."""
        matrix = self.matrix.head(self.runs - self.centre)
        return matrix.select(self.factors).to_numpy().astype(np.float64)

    @property
    def centre_condition(self) -> int | None:
        """Number of the condition that is the centre; `None` without."""
        return self.runs if self.centre else None

    @property
    def two_level(self) -> bool:
        """True if every condition but the centre has every factor at -1 or +1."""
        return bool((np.abs(self.coded) == 1).all())

    @property
    def _counted(self) -> NDArray[np.int64] | None:
        """The matrix as whole numbers, where confounding can be counted in it."""
        small = self.regular or len(self.coded) <= algebra.MAX_COUNTED
        return self.coded.astype(np.int64) if self.two_level and small else None

    @cached_property
    def words(self) -> tuple[Product, ...]:
        """The defining relation of a regular design: products of factors that are constant.

        Shortest first. All of them for up to 16 generators; beyond, those of up to four factors.
        """
        return algebra.words(self.factors, self.generators) if self.regular else ()

    @cached_property
    def word_lengths(self) -> dict[int, int | float]:
        """Word-length pattern: number of words of each length.

        Of a two-level design that is not regular, the generalised pattern, whose numbers need not
        be whole; empty where nothing is confounded, and for designs of other levels.
        """
        if self._counted is None or (self.regular and not self.generators):
            return {}
        lengths = algebra.counted_word_lengths(self._counted, regular=self.regular)
        return {length: int(n) if n.denominator == 1 else float(n) for length, n in lengths.items()}

    @property
    def resolution(self) -> float | None:
        """Length of the shortest word; infinite where nothing is confounded.

        Without regularity the shortest set of factors whose product is not balanced; below III even
        main effects are confounded with each other, or with the mean. None for designs of other
        levels, which have no words.
        """
        if self.kind == "full_factorial":
            return math.inf
        return min(self.word_lengths, default=math.inf) if self._counted is not None else None

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Main effects and two-factor interactions that are confounded with others of them.

        Every group of confounded effects stands once, under its first member, with the signs of the
        others relative to it. Effects that stand alone up to two-factor interactions are left out.
        Empty for designs that are not regular; see `partial_aliases`.
        """
        if not self.regular:
            return {}
        return algebra.aliases(self.factors, algebra.columns(self.factors, self.generators))

    @cached_property
    def partial_aliases(self) -> dict[str, tuple[tuple[Product, float], ...]]:
        """Partial aliases of each main effect, in a two-level design that is not regular.

        For every factor the other effects, up to two-factor interactions, and their share from 0
        to 1 (full confounding), with the sign in the product.
        """
        if self.regular or self._counted is None:
            return {}
        return algebra.counted_aliases(self._counted, self.factors)

    @cached_property
    def balance(self) -> dict[str, dict[float, int]]:
        """Number of conditions with each code of each factor, the centre left out."""
        counts = {}
        for name, column in zip(self.factors, self.coded.T, strict=True):
            codes, numbers = np.unique(column, return_counts=True)
            counts[name] = dict(zip(codes.tolist(), numbers.tolist(), strict=True))
        return counts

    @property
    def level_counts(self) -> dict[str, int]:
        """Number of levels of each factor, the centre left out."""
        return {name: len(counts) for name, counts in self.balance.items()}

    @property
    def balanced(self) -> bool:
        """True if every factor has each of its levels equally often."""
        return all(len(set(counts.values())) == 1 for counts in self.balance.values())

    @property
    def correlation(self) -> float:
        """Largest absolute correlation between the columns of two factors; 0 is orthogonal.

        NaN where a factor does not vary.
        """
        centred = self.coded - self.coded.mean(axis=0)
        lengths = np.sqrt((centred**2).sum(axis=0))
        if not lengths.all():
            return math.nan
        inner = np.abs(centred.T @ centred) / np.outer(lengths, lengths)
        np.fill_diagonal(inner, 0)
        return float(inner.max())

    @property
    def orthogonal(self) -> bool:
        """True if no main effect is in the estimate of another: factors are uncorrelated."""
        return self.correlation < 1e-12

    def estimable(self, effects: Sequence[Sequence[str]]) -> bool:
        """True if a mean and these effects, products of factors, can be estimated together."""
        places = {name: position for position, name in enumerate(self.factors)}
        values = [
            self.coded[:, [places[name] for name in effect]].prod(axis=1) for effect in effects
        ]
        model = np.stack([np.ones(len(self.coded)), *values], axis=1)
        return bool(np.linalg.matrix_rank(model) == model.shape[1])


def matrix_of(coded: NDArray[Any], factors: Sequence[str]) -> pl.DataFrame:
    """The frame of a design: `condition` from 1, then the codes; whole where all are -1 or +1."""
    two_level = bool((np.abs(coded) == 1).all())
    values = coded.astype(np.int64 if two_level else np.float64, order="F")
    columns = {name: values[:, position] for position, name in enumerate(factors)}
    return pl.DataFrame({"condition": np.arange(1, len(coded) + 1), **columns})


def name_problems(factors: Sequence[str]) -> list[Problem]:
    """No factors, or a name twice."""
    problems = [
        Problem(f"factors.{name}", "repeated_factor", "there are two factors of this name")
        for name, n in Counter(factors).items()
        if n > 1
    ]
    if not factors:
        problems.append(Problem("factors", "no_factors", "expected at least one factor"))
    return problems

"""Full factorials, and two-level fractions from generators or from a wanted size or resolution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mesonet.design.design import Design, matrix_of, name_problems
from mesonet.design.words import Product, parse_product
from mesonet.errors import PlanError, Problem, did_you_mean

MAX_BASIC_FACTORS = 20
"""Over a million conditions are a mistake."""
MAX_BASIC = 9
"""Fractions without generators have at most 512 conditions."""
# The fractions of the MesoNet study: K. L. Mills et al., NIST Special Publication 500-282. The rows
# of the 2^(9-4) are printed in its slides ("Sample 2^(9-4) design") and its generators follow from
# them. Of the other two no rows are printed in the sources at hand. The half fraction of six has
# one choice of highest resolution, which is taken. The generators of the 2^(20-12) are ours: of
# resolution IV like the study's, with words of even length only.
_SENSITIVITY = "CDEFH ABEFG ABCFH BCE BFG ABCEG ADF ACDFG DEG ACDEG BCDFG ABDEH"

NAMED: dict[str, tuple[int, tuple[str, ...]]] = {
    "nist-2^(6-1)": (6, ("ABCDE",)),
    "nist-2^(9-4)": (9, ("BCDE", "ACDE", "ABDE", "ABCE")),
    "nist-2^(20-12)": (20, tuple(_SENSITIVITY.split())),
}
"""Number of factors, and for each after the basic ones the product of basic ones it is set to."""


def full_factorial(factors: Sequence[str], *, levels: Mapping[str, int] | None = None) -> Design:
    """All combinations of the levels of `factors`, the first factor fastest.

    `levels` are numbers of levels where they are not two; their codes are equally spaced.
    """
    counts = [(levels or {}).get(name, 2) for name in factors]
    if all(count == 2 for count in counts):
        return _build("full_factorial", factors, {})
    if problems := name_problems(factors):
        raise PlanError(problems)
    last = np.array(counts) - 1
    # Reversed twice, for the last index is the fastest.
    places = np.indices(counts[::-1]).reshape(len(counts), -1)[::-1].T
    coded = (2 * places - last) / last
    return Design("full_factorial", tuple(factors), {}, matrix_of(coded, factors))


def fractional_factorial(
    factors: Sequence[str], generators: Mapping[str, str | Sequence[str]]
) -> Design:
    """A fraction of the combinations of two levels of `factors`.

    Factors without a generator are the basic ones, and their order is that of the rows. The others
    are set to products of these: names separated by `*`, or a list of names; a leading `-` turns
    the sign.
    """
    problems: list[Problem] = []
    basics = [name for name in factors if name not in generators]
    parsed: dict[str, Product] = {}
    for name, text in generators.items():
        loc = f"design.generators.{name}"
        if name not in factors:
            hint = did_you_mean(name, factors)
            problems.append(Problem(loc, "unknown_factor", f"not a factor of the plan{hint}"))
        product = parse_product(text)
        problems += _product_problems(product, loc, basics, generators)
        order = {factor: position for position, factor in enumerate(factors)}
        ordered = sorted(product.factors, key=lambda factor: order.get(factor, -1))
        parsed[name] = Product(tuple(ordered), product.sign)
    for first, second in combinations(parsed, 2):
        if parsed[first].factors == parsed[second].factors:
            same = parsed[first].sign == parsed[second].sign
            how = "the same product as" if same else "the opposite of"
            message = f"is {how} that of {first}: the two could not be distinguished"
            problems.append(Problem(f"design.generators.{second}", "same_generator", message))
    if problems:
        raise PlanError(problems)
    return _build("fractional_factorial", factors, parsed)


def _product_problems(
    product: Product, loc: str, basics: Sequence[str], generators: Mapping[str, object]
) -> list[Problem]:
    problems = []
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
    return problems


@cache
def catalogue() -> dict[tuple[int, int], tuple[int, ...]]:
    """Columns of the further factors by (factors, basic factors); bit j is basic factor j.

    They are the fractions of minimum aberration in up to 64 conditions. Up to eleven factors the
    generators are those that textbooks and the NIST/SEMATECH e-Handbook of Statistical Methods,
    section 5.3.3.4.7, print. The others were found by `tools/manual/aberration.py`. In 8 and 16
    conditions exhaustive search finds nothing better; word-length patterns in 32 and 64 are
    compared with those of J. Chen, D. X. Sun and C. F. J. Wu, "A catalogue of two-level and
    three-level fractional factorial designs with small runs", International Statistical Review 61
    (1993). The rest are the best that was found, which need not be the best there is.
    """
    # A line has the two numbers, and for each further factor the product of basic ones, `a` the
    # fastest.
    text = (resources.files("mesonet") / "data" / "fractions.txt").read_text("ascii")
    entries = [line.split(":") for line in text.splitlines()]
    return {
        (int(factors), int(basic)): tuple(
            sum(1 << "abcdefghi".index(letter) for letter in word) for word in words.split()
        )
        for head, words in entries
        for factors, basic in [head.split()]
    }


def best_fraction(
    factors: Sequence[str], *, runs: int | None = None, resolution: int | None = None
) -> Design:
    """The two-level fraction of minimum aberration, of those in the `catalogue`.

    `runs` is the number of conditions, a power of two, by default the fewest that reach the least
    `resolution`, from 3. The first factors are the basic ones.
    """
    p = len(factors)
    problems = name_problems(factors)
    if runs is None and resolution is None:
        problems.append(Problem("design", "missing", "expected generators, runs or a resolution"))
    if resolution is not None and resolution < 3:
        message = f"expected a resolution of at least III, got {resolution}"
        problems.append(Problem("design.resolution", "range", message))
    if runs is not None and (wrong := _runs_problem(p, runs)):
        problems.append(Problem("design.runs", "runs", wrong))
    if problems:
        raise PlanError(problems)
    basic = _fewest_basic(p, resolution or 3) if runs is None else runs.bit_length() - 1
    if basic >= p:
        return _build("full_factorial", factors, {})
    if basic > MAX_BASIC:
        message = f"a fraction of more than 2^{MAX_BASIC} conditions; give its generators"
        raise PlanError([Problem("design", "too_large", message)])
    columns = catalogue().get((p, basic))
    design = None if columns is None else _of_columns(factors, columns)
    reached = (design and design.resolution) or 0
    if runs is None and resolution is not None and reached < resolution:
        return _of_columns(factors, _columns_of_resolution(p, resolution))
    if design is None:
        message = f"no fraction of {p} factors in {2**basic} conditions; give a resolution alone"
        raise PlanError([Problem("design.runs", "unknown", f"{message}, or generators")])
    if resolution is not None and reached < resolution:
        enough = 2 ** _fewest_basic(p, resolution)
        message = (
            f"expected at least {enough} for resolution {roman(resolution)} with {p} factors, got "
            f"{runs}, which reach resolution {roman(design.resolution)}"
        )
        raise PlanError([Problem("design.runs", "resolution", message)])
    return design


def _runs_problem(p: int, runs: int) -> str | None:
    if runs <= p:
        return f"{p} main effects and a mean need more conditions than {p}, got {runs}"
    if runs.bit_count() != 1:
        lower = 2 ** (runs.bit_length() - 1)
        fitting = [n for n in (lower, 2 * lower) if n > p]
        return f"expected a power of two, got {runs}; near are {' and '.join(map(str, fitting))}"
    if runs > 2**p:
        return f"{p} factors have {2**p} combinations in all, got {runs}; use a full factorial"
    return None


def _fewest_basic(factors: int, resolution: int) -> int:
    """Smallest number of basic factors for a fraction of this resolution."""
    if factors < resolution:
        return factors
    import pydoe

    try:
        return len(pydoe.fracfact_by_res(factors, resolution)).bit_length() - 1
    except ValueError:
        message = (
            f"expected one for which a fraction with {factors} factors is known, got "
            f"{roman(resolution)}; a lower one, runs or generators may do"
        )
        raise PlanError([Problem("design.resolution", "resolution", message)]) from None


def _columns_of_resolution(factors: int, resolution: int) -> list[int]:
    """Columns of a fraction that pydoe builds for its resolution alone.

    For where the search for low aberration misses it, as for 23 factors in 512 conditions.
    """
    import pydoe

    table = pydoe.fracfact_by_res(factors, resolution) > 0
    basic = len(table).bit_length() - 1
    rows = {tuple(row[:basic]): row for row in table}
    none = (False,) * basic
    alone = [rows[(*none[:j], True, *none[j + 1 :])] for j in range(basic)]
    # A product changes with a basic factor if and only if that is in it.
    return [
        sum(1 << j for j in range(basic) if alone[j][column] != rows[none][column])
        for column in range(basic, factors)
    ]


def _of_columns(factors: Sequence[str], columns: Sequence[int]) -> Design:
    basic = len(factors) - len(columns)
    generators = {
        name: [factors[j] for j in range(basic) if column >> j & 1]
        for name, column in zip(factors[basic:], columns, strict=True)
    }
    return fractional_factorial(factors, generators)


def named_fraction(name: str, factors: Sequence[str]) -> Design:
    """A fraction of the MesoNet study, with the plan's factors in its columns, in order."""
    expected, products = NAMED[name]
    if len(factors) != expected:
        message = f"{name} has {expected} factors, the plan {len(factors)}"
        raise PlanError([Problem("design.kind", "factors", message)])
    basic = expected - len(products)
    generators = {
        factor: [factors["ABCDEFGH".index(letter)] for letter in product]
        for factor, product in zip(factors[basic:], products, strict=True)
    }
    return fractional_factorial(factors, generators)


def roman(resolution: float | None) -> str:
    """A resolution as it is written: `IV`; "full" where nothing is confounded."""
    if resolution is None:
        return "none"
    numerals = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
    if math.isinf(resolution):
        return "full"
    return dict(enumerate(numerals, 1)).get(int(resolution), str(int(resolution)))


def _build(kind: str, factors: Sequence[str], generators: dict[str, Product]) -> Design:
    basics = [name for name in factors if name not in generators]
    problems = name_problems(factors)
    if not basics and factors:
        problems.append(Problem("factors", "no_factors", "expected at least one basic factor"))
    if len(basics) > MAX_BASIC_FACTORS:
        message = f"{len(basics)} factors make 2^{len(basics)} conditions; expected at most 2^20"
        problems.append(Problem("factors", "too_many", f"{message}; use a fractional factorial"))
    if problems:
        raise PlanError(problems)
    matrix = matrix_of(_levels(factors, basics, generators), factors)
    return Design(kind, tuple(factors), dict(generators), matrix, regular=True)


def _levels(
    factors: Sequence[str], basics: Sequence[str], generators: Mapping[str, Product]
) -> NDArray[np.int64]:
    # pydoe has this, too, but imports half of scipy with it: a second and a half for each command
    # on a campaign, whose plan it reads.
    rows = np.arange(1 << len(basics))
    column = {name: 2 * (rows >> place & 1) - 1 for place, name in enumerate(basics)}
    column |= {name: _product(column, product) for name, product in generators.items()}
    return np.column_stack([column[name] for name in factors])


def _product(column: Mapping[str, NDArray[np.int64]], product: Product) -> NDArray[np.int64]:
    result: NDArray[np.int64] = np.prod([column[name] for name in product.factors], axis=0)
    return result * product.sign

"""Minimum aberration against exhaustive search, published patterns, and textbook alias tables."""

from itertools import combinations

import numpy as np
import pytest
from refusals import refused

from mesonet.design import best_fraction, fractional_factorial
from mesonet.design.regular import catalogue
from mesonet.design.words import counted_word_lengths
from mesonet.errors import PlanError


def names(p):
    return [chr(ord("A") + i) for i in range(p)]


def pattern(columns, basic):
    """Numbers of words of length 3, 4, ... counted in the matrix."""
    rows = np.arange(2**basic)
    every = [*(1 << j for j in range(basic)), *columns]
    signs = [[(int(row) & c).bit_count() + c.bit_count() for c in every] for row in rows]
    coded = 1 - 2 * (np.array(signs) % 2)
    counts = counted_word_lengths(coded, regular=True)
    return [int(counts.get(length, 0)) for length in range(1, coded.shape[1] + 1)]


@pytest.mark.parametrize(
    ("factors", "basic"),
    [(p, 3) for p in range(4, 8)] + [(p, 4) for p in range(5, 16)] + [(6, 5), (7, 5), (8, 5)],
)
def test_no_fraction_has_less_aberration(factors, basic):
    others = [column for column in range(1, 2**basic) if column.bit_count() > 1]
    best = min(pattern(list(c), basic) for c in combinations(others, factors - basic))
    assert pattern(list(catalogue()[factors, basic]), basic) == best


# J. Chen, D. X. Sun and C. F. J. Wu, "A catalogue of two-level and three-level fractional factorial
# designs with small runs", International Statistical Review 61 (1993): (A3, A4, A5) of minimum
# aberration in 32 and in 64 conditions.
PUBLISHED = {
    (9, 5): (0, 6, 8), (10, 5): (0, 10, 16), (11, 5): (0, 25, 0), (12, 5): (0, 38, 0),
    (13, 5): (0, 55, 0), (14, 5): (0, 77, 0), (15, 5): (0, 105, 0), (16, 5): (0, 140, 0),
    (8, 6): (0, 0, 2), (9, 6): (0, 1, 4), (10, 6): (0, 2, 8), (11, 6): (0, 4, 14),
    (12, 6): (0, 6, 24), (13, 6): (0, 14, 28), (14, 6): (0, 22, 40), (15, 6): (0, 30, 60),
    (16, 6): (0, 43, 81), (17, 6): (0, 59, 108),
}  # fmt: skip


@pytest.mark.parametrize(("size", "words"), PUBLISHED.items())
def test_patterns_are_the_published_ones(size, words):
    factors, basic = size
    counts = pattern(list(catalogue()[factors, basic]), basic)
    assert tuple(counts[2:5]) == words


@pytest.mark.parametrize("size", [(9, 5), (12, 6), (17, 7)])
def test_the_search_finds_nothing_better_than_the_catalogue(size, load_tool):
    factors, basic = size
    search = load_tool("aberration").search
    assert pattern(list(search(factors, basic, starts=10)), basic) >= pattern(
        list(catalogue()[size]), basic
    )


def test_beyond_the_catalogue_a_resolution_is_asked_for():
    many = [f"x{i}" for i in range(40)]
    with refused(PlanError, ("design.runs", "unknown")):
        best_fraction(many, runs=128)
    assert best_fraction(many, resolution=4).runs == 128


@pytest.mark.parametrize(
    ("factors", "resolution", "runs"),
    # The longest linear codes of distance 5 with 4 to 9 checks have 5, 6, 8, 11, 17 and 23 places:
    # the most factors of resolution V in 16 to 512 runs. One more needs twice as many.
    [
        (5, 5, 16),
        (6, 5, 32),
        (8, 5, 64),
        (9, 5, 128),
        (11, 5, 128),
        (12, 5, 256),
        (17, 5, 256),
        (18, 5, 512),
        (23, 5, 512),
        (8, 4, 16),
        (9, 4, 32),
        (20, 4, 64),
        (7, 3, 8),
        (8, 3, 16),
    ],
)
def test_the_fewest_runs_for_a_resolution(factors, resolution, runs):
    design = best_fraction([f"x{i}" for i in range(factors)], resolution=resolution)
    assert design.runs == runs
    assert design.resolution >= resolution


# D. C. Montgomery, "Design and Analysis of Experiments", chapter on two-level fractions; worked by
# hand from the words. Each group is complete up to two-factor interactions.
BY_HAND = {
    "4 D=ABC": "AB=CD AC=BD AD=BC",
    "5 D=AB E=AC": "A=BD=CE B=AD C=AE D=AB E=AC BC=DE BE=CD",
    "6 E=ABC F=BCD": "AB=CE AC=BE AD=EF AE=BC=DF AF=DE BD=CF BF=CD",
    "7 D=AB E=AC F=BC G=ABC": "A=BD=CE=FG B=AD=CF=EG C=AE=BF=DG D=AB=CG=EF E=AC=BG=DF "
    "F=AG=BC=DE G=AF=BE=CD",
    "5 E=-ABCD": "",
}


@pytest.mark.parametrize("case", BY_HAND)
def test_alias_tables_worked_by_hand(case):
    size, *generators = case.split()
    design = fractional_factorial(
        names(int(size)),
        {g[0]: "-" * g[2:].count("-") + "*".join(g[2:].lstrip("-")) for g in generators},
    )
    aliases = {
        frozenset(effect.replace("*", "") for effect in (first, *others))
        for first, others in design.aliases.items()
    }
    assert aliases == {frozenset(group.split("=")) for group in BY_HAND[case].split()}

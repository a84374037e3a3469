"""Factorials in standard order, and what is no fraction; see also their properties."""

import math

import numpy as np
import pydoe
import pytest

from mesonet.design import best_fraction, fractional_factorial, full_factorial
from mesonet.errors import PlanError


def names(n):
    return [f"x{i}" for i in range(1, n + 1)]


def coded(design):
    return design.matrix.drop("condition").to_numpy()


def test_full_factorial_in_standard_order():
    design = full_factorial(["a", "b", "c"])
    assert coded(design)[:4].tolist() == [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1]]
    assert design.resolution == math.inf
    assert design.words == ()
    assert full_factorial(["a"]).matrix["a"].to_list() == [-1, 1]


@pytest.mark.parametrize(
    ("factors", "generators", "place", "text"),
    [
        (["a", "b", "c"], {"d": "a*b"}, "design.generators.d", "not a factor"),
        (["alpha", "beta", "c"], {"c": "alpha*betta"}, "design.generators.c", 'mean "beta"'),
        (["a", "b", "c"], {"c": "a"}, "design.generators.c", "at least two"),
        (["a", "b", "c"], {"c": ""}, "design.generators.c", "at least two"),
        (["a", "b", "c"], {"c": "a*a*b"}, "design.generators.c", "twice"),
        (["a", "b", "c", "d"], {"c": "a*b", "d": "b*a"}, "design.generators.d", "of c"),
        (["a", "b", "c", "d"], {"c": "a*b", "d": "-b*a"}, "design.generators.d", "opposite"),
        (["a", "b", "c", "d"], {"c": "a*b", "d": "b*c"}, "design.generators.d", "generator itself"),
        (["a", "a"], {}, "factors.a", "two factors"),
        ([], {}, "factors", "at least one"),
        (names(21), {}, "factors", "2^21"),
    ],
)
def test_bad_designs_name_their_place(factors, generators, place, text):
    with pytest.raises(PlanError) as caught:
        fractional_factorial(factors, generators)
    assert any(p.loc == place and text in p.message for p in caught.value.problems)


def test_all_problems_of_a_design_at_once():
    with pytest.raises(PlanError) as caught:
        fractional_factorial(["a", "b", "c", "d"], {"c": "a*x", "d": "b"})
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize(
    ("options", "place", "text"),
    [
        ({}, "design", "expected generators, runs or a resolution"),
        ({"runs": 8}, "design.runs", "9 main effects and a mean need more conditions than 9"),
        ({"runs": 24}, "design.runs", "power of two, got 24; near are 16 and 32"),
        ({"runs": 1024}, "design.runs", "512 combinations in all"),
        ({"runs": 16, "resolution": 4}, "design.runs", "at least 32 for resolution IV"),
        ({"resolution": 2}, "design.resolution", "at least III"),
    ],
)
def test_fractions_that_do_not_exist_say_what_would(options, place, text):
    with pytest.raises(PlanError) as caught:
        best_fraction(names(9), **options)
    assert any(p.loc == place and text in p.message for p in caught.value.problems)


def test_a_full_factorial_of_mixed_levels():
    design = full_factorial(["a", "b"], levels={"b": 3})
    assert design.name == "2 x 3"
    assert coded(design).tolist() == [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]]
    assert (design.resolution, design.balanced, design.orthogonal) == (math.inf, True, True)
    assert not design.two_level
    assert design.words == ()


@pytest.mark.parametrize("counts", [(2, 2, 2), (3, 4), (2, 3, 5), (4,)])
def test_full_factorials_are_those_of_pydoe(counts):
    factors = names(len(counts))
    ours = full_factorial(factors, levels=dict(zip(factors, counts, strict=True)))
    last = np.array(counts) - 1
    theirs = (2 * pydoe.fullfact(list(counts)) - last) / last
    assert (coded(ours) == theirs).all()

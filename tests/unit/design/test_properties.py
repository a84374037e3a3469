"""Properties of designs, by brute force on their matrices, which knows nothing of generators."""

import math
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mesonet.design import (
    Product,
    best_fraction,
    fold_over,
    fractional_factorial,
    latin_hypercube,
    plackett_burman,
    sobol,
)


def constant_products(matrix):
    """Numbers of sets of columns, by size, that have a constant product."""
    counts = {}
    for length in range(1, matrix.shape[1] + 1):
        for columns in combinations(range(matrix.shape[1]), length):
            product = matrix[:, columns].prod(axis=1)
            if (product == product[0]).all():
                counts[length] = counts.get(length, 0) + 1
    return counts


@st.composite
def fractions(draw):
    basics = draw(st.integers(2, 5))
    products = [set(c) for n in range(2, basics + 1) for c in combinations(range(basics), n)]
    chosen = draw(st.lists(st.sampled_from(products), max_size=4, unique_by=frozenset))
    signs = draw(st.lists(st.sampled_from(["", "-"]), min_size=len(chosen), max_size=len(chosen)))
    total = [f"f{i}" for i in range(basics)] + [f"g{i}" for i in range(len(chosen))]
    generators = {
        f"g{i}": sign + "*".join(f"f{j}" for j in sorted(product))
        for i, (product, sign) in enumerate(zip(chosen, signs, strict=True))
    }
    return fractional_factorial(draw(st.permutations(total)), generators)


@settings(deadline=None, max_examples=60)
@given(fractions())
def test_every_fraction_keeps_its_promises(design):
    matrix, factors = design.coded, design.factors
    n = 2 ** (len(factors) - len(design.generators))
    assert matrix.shape == (n, len(factors))
    assert len({tuple(row) for row in matrix}) == n
    assert (design.balanced, design.orthogonal) == (True, True)
    np.testing.assert_array_equal(matrix.sum(axis=0), 0)
    np.testing.assert_array_equal(matrix.T @ matrix, n * np.eye(len(factors)))
    words = constant_products(matrix)
    assert design.resolution == min(words, default=math.inf)
    assert design.word_lengths == words
    assert len(design.words) == sum(words.values()) == 2 ** len(design.generators) - 1
    for word in design.words:
        assert (design.matrix.select(word.factors).to_numpy().prod(axis=1) == word.sign).all()


@settings(deadline=None, max_examples=60)
@given(fractions())
def test_the_alias_table_is_what_the_columns_say(design):
    effects = [(name,) for name in design.factors] + list(combinations(design.factors, 2))
    groups = {}
    for effect in effects:
        column = design.matrix.select(effect).to_numpy().prod(axis=1)
        sign = int(column[0])
        groups.setdefault(tuple(column * sign), []).append((effect, sign))
    expected = {
        str(Product(first)): tuple(str(Product(other, s * sign)) for other, s in others)
        for (first, sign), *others in groups.values()
        if others
    }
    assert design.aliases == expected


@settings(deadline=None, max_examples=40)
@given(fractions(), st.data())
def test_a_fold_over_is_what_its_words_say(design, data):
    if not design.generators:
        return
    turned = data.draw(st.none() | st.lists(st.sampled_from(design.factors)))
    odd = [w for w in design.words if len(set(w.factors) & set(turned or design.factors)) % 2]
    if not odd or turned == []:
        return  # the mirror image is the design itself
    folded = fold_over(design, turned)
    assert folded.runs == 2 * design.runs
    assert (folded.balanced, folded.orthogonal) == (True, True)
    assert folded.word_lengths == constant_products(folded.coded)
    assert len(folded.generators) == len(design.generators) - 1
    for word in folded.words:
        assert (folded.matrix.select(word.factors).to_numpy().prod(axis=1) == word.sign).all()
    if turned is None and design.resolution == 3:
        assert folded.resolution >= 4


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 24), st.integers(0, 3))
def test_the_best_fraction_is_balanced_orthogonal_and_of_its_resolution(p, more):
    runs = 2 ** min(p, math.ceil(math.log2(p + 1)) + more)
    design = best_fraction([f"x{i}" for i in range(p)], runs=runs)
    assert (design.runs, design.balanced, design.orthogonal) == (runs, True, True)
    resolution = min(design.resolution, 6)
    matrix = design.coded
    for length in range(1, int(min(resolution, p + 1))):
        if math.comb(p, length) > 3000:
            break
        for columns in combinations(range(p), length):
            assert abs(matrix[:, columns].prod(axis=1).sum()) == 0
    if resolution < 6:
        shortest = design.words[0].factors
        assert len(shortest) == resolution
        product = design.matrix.select(shortest).to_numpy().prod(axis=1)
        assert len(set(product)) == 1


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 47))
def test_plackett_burman_is_balanced_and_orthogonal(p):
    design = plackett_burman([f"x{i}" for i in range(p)])
    assert design.runs > p
    assert design.runs % 4 == 0
    assert set(np.unique(design.coded)) == {-1, 1}
    np.testing.assert_array_equal(design.coded.sum(axis=0), 0)
    np.testing.assert_array_equal(design.coded.T @ design.coded, design.runs * np.eye(p))


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 1000))
def test_a_latin_hypercube_has_one_point_in_every_part(points, p, seed):
    design = latin_hypercube([f"x{i}" for i in range(p)], points=points, seed=seed)
    part = np.floor((design.coded + 1) / 2 * points).astype(int)
    for column in part.T:
        assert sorted(column) == list(range(points))


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 1000))
def test_a_sobol_sequence_has_one_point_in_every_part(power, p, seed):
    points = 2**power
    design = sobol([f"x{i}" for i in range(p)], points=points, seed=seed)
    part = np.floor((design.coded + 1) / 2 * points).astype(int)
    for column in part.T:
        assert sorted(column) == list(range(points))

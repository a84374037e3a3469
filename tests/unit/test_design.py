"""Two-level designs against printed tables, and their promises by brute force."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesonet.design import Factor, Product, fractional_factorial, full_factorial, level_text
from mesonet.errors import PlanError

# The sample 2^(9-4) design of the NIST slides, x1 to x9, all 32 rows as printed.
HANDBOOK = """
-----++++ +----+--- -+----+-- ++-----++ --+----+- +-+---+-+ -++--+--+ +++--+++-
---+----+ +--+--++- -+-+-+-+- ++-+-++-+ --++-++-- +-++-+-++ -+++--+++ ++++-----
----+---- +---+-+++ -+--++-++ ++--+++-- --+-+++-+ +-+-++-+- -++-+-++- +++-+---+
---+++++- +--+++--+ -+-++-+-+ ++-++--+- --+++--++ +-+++-+-- -+++++--- +++++++++
"""

# The instantiated 2^(9-4) design of Experiment 2: X2 X3 X4 X5 X8 X9 X11, large files, X15. The
# printed header says X7 where the probability of a fast source, X8, is meant.
EXPERIMENT_2 = """
1 800 .5 3 .7 5 100 + .7 | 1 1600 .5 2 .3 5 100 + .3 | 2 800 .5 2 .7 5 100 - .3
2 1600 .5 3 .3 5 100 - .7 | 1 800 1 2 .3 5 100 - .7 | 1 1600 1 3 .7 5 100 - .3
2 800 1 3 .3 5 100 + .3 | 2 1600 1 2 .7 5 100 + .7 | 1 800 .5 3 .3 7.5 100 - .3
1 1600 .5 2 .7 7.5 100 - .7 | 2 800 .5 2 .3 7.5 100 + .7 | 2 1600 .5 3 .7 7.5 100 + .3
1 800 1 2 .7 7.5 100 + .3 | 1 1600 1 3 .3 7.5 100 + .7 | 2 800 1 3 .7 7.5 100 - .7
2 1600 1 2 .3 7.5 100 - .3 | 1 800 .5 2 .3 5 150 - .3 | 1 1600 .5 3 .7 5 150 - .7
2 800 .5 3 .3 5 150 + .7 | 2 1600 .5 2 .7 5 150 + .3 | 1 800 1 3 .7 5 150 + .3
1 1600 1 2 .3 5 150 + .7 | 2 800 1 2 .7 5 150 - .7 | 2 1600 1 3 .3 5 150 - .3
1 800 .5 2 .7 7.5 150 + .7 | 1 1600 .5 3 .3 7.5 150 + .3 | 2 800 .5 3 .7 7.5 150 - .3
2 1600 .5 2 .3 7.5 150 - .7 | 1 800 1 3 .3 7.5 150 - .7 | 1 1600 1 2 .7 7.5 150 - .3
2 800 1 2 .3 7.5 150 + .3 | 2 1600 1 3 .7 7.5 150 + .7
"""

SENSITIVITY = "CDEFH ABEFG ABCFH BCE BFG ABCEG ADF ACDFG DEG ACDEG BCDFG ABDEH"


def names(n: int) -> list[str]:
    return [f"x{i}" for i in range(1, n + 1)]


def coded(design) -> np.ndarray:
    return design.matrix.drop("condition").to_numpy()


def brute_force_resolution(matrix: np.ndarray) -> float:
    """Length of the shortest set of columns whose product is constant."""
    for length in range(1, matrix.shape[1] + 1):
        for columns in combinations(range(matrix.shape[1]), length):
            product = matrix[:, columns].prod(axis=1)
            if (product == product[0]).all():
                return length
    return math.inf


def test_the_handbook_design_row_by_row():
    design = fractional_factorial(
        names(9),
        {"x6": "x2*x3*x4*x5", "x7": "x1*x3*x4*x5", "x8": "x1*x2*x4*x5", "x9": "x1*x2*x3*x5"},
    )
    printed = np.array([[1 if sign == "+" else -1 for sign in row] for row in HANDBOOK.split()])
    assert printed.shape == (32, 9)
    np.testing.assert_array_equal(coded(design), printed)
    assert design.name == "2^(9-4)"
    assert design.matrix["condition"].to_list() == list(range(1, 33))
    assert design.resolution == 4
    # Beyond the six of length 4, eight of length 5 and one of length 8: 15 words, as 4 generators
    # make.
    assert design.word_lengths == {4: 6, 5: 8, 8: 1}
    four = {"".join(name[1] for name in word.factors) for word in design.words[:6]}
    assert four == {"1267", "1368", "1469", "2378", "2479", "3489"}


def test_the_instantiated_design_of_experiment_2_row_by_row():
    factors = ["X3", "X2", "X4", "X9", "X11", "X12", "X8", "X15", "X5"]
    design = fractional_factorial(
        factors,
        {"X12": "X2*X4*X9*X11", "X8": "X3*X4*X9*X11", "X15": "X2*X3*X9*X11", "X5": "X2*X3*X4*X11"},
    )
    levels = {
        "X2": ("1", "2"),
        "X3": ("800", "1600"),
        "X4": (".5", "1"),
        "X5": ("2", "3"),
        "X8": (".3", ".7"),
        "X9": ("5", "7.5"),
        "X11": ("100", "150"),
        "X12": ("-", "+"),
        "X15": (".3", ".7"),
    }
    rows = [row.split() for line in EXPERIMENT_2.splitlines() if line for row in line.split("|")]
    assert len(rows) == 32
    for printed, row in zip(rows, design.matrix.iter_rows(named=True), strict=True):
        assert printed == [levels[name][(row[name] + 1) // 2] for name in levels]


def test_half_fraction_of_six_factors_has_resolution_six():
    design = fractional_factorial(names(6), {"x6": "x1*x2*x3*x4*x5"})
    assert (design.name, design.runs, design.resolution) == ("2^(6-1)", 32, 6)
    assert design.words == (Product(tuple(names(6))),)
    assert design.aliases == {}
    assert brute_force_resolution(coded(design)) == 6


def test_the_sensitivity_design_of_twenty_factors():
    basics = "ABCDEFGH"
    factors = [*basics, *(f"x{i}" for i in range(9, 21))]
    design = fractional_factorial(
        factors, {f"x{i}": list(word) for i, word in enumerate(SENSITIVITY.split(), start=9)}
    )
    assert (design.name, design.runs, design.resolution) == ("2^(20-12)", 256, 4)
    assert design.word_lengths[4] == 21
    assert all(length % 2 == 0 for length in design.word_lengths)
    assert len(design.words) == 2**12 - 1
    assert brute_force_resolution(coded(design)) == 4


def test_aliases_list_each_group_once_with_signs():
    design = fractional_factorial(["a", "b", "c", "d"], {"d": "-a*b*c"})
    assert design.aliases == {"a*b": ("-c*d",), "a*c": ("-b*d",), "a*d": ("-b*c",)}
    row = design.matrix.row(0, named=True)
    assert row["a"] * row["b"] == -row["c"] * row["d"]


def test_resolution_three_confounds_main_effects():
    design = fractional_factorial(["a", "b", "c"], {"c": "a*b"})
    assert design.resolution == 3
    assert design.aliases == {"a": ("b*c",), "b": ("a*c",), "c": ("a*b",)}


def test_full_factorial_in_standard_order():
    design = full_factorial(["a", "b", "c"])
    assert coded(design)[:4].tolist() == [[-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1]]
    assert design.resolution == math.inf
    assert design.words == ()
    assert full_factorial(["a"]).matrix["a"].to_list() == [-1, 1]


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
    return draw(st.permutations(total)), generators


@settings(deadline=None, max_examples=60)
@given(fractions())
def test_every_design_keeps_its_promises(fraction):
    factors, generators = fraction
    design = fractional_factorial(factors, generators)
    matrix = coded(design)
    n = 2 ** (len(factors) - len(generators))
    assert matrix.shape == (n, len(factors))
    assert len({tuple(row) for row in matrix}) == n
    np.testing.assert_array_equal(matrix.sum(axis=0), 0)
    np.testing.assert_array_equal(matrix.T @ matrix, n * np.eye(len(factors)))
    assert design.resolution == brute_force_resolution(matrix)
    for word in design.words:
        product = design.matrix.select(word.factors).to_numpy().prod(axis=1)
        assert (product == word.sign).all()
    listed = {frozenset(effect.split("*")) for effect in design.aliases}
    for first, second in combinations([(f,) for f in factors] + list(combinations(factors, 2)), 2):
        one, other = (design.matrix.select(e).to_numpy().prod(axis=1) for e in (first, second))
        confounded = bool((one == other).all() or (one == -other).all())
        if confounded:
            assert listed & {frozenset(first)} or any(
                str(Product(first)) in group or f"-{Product(first)}" in group
                for group in design.aliases.values()
            )


@pytest.mark.parametrize(
    ("factors", "generators", "place", "text"),
    [
        (["a", "b", "c"], {"d": "a*b"}, "design.generators.d", "not a factor"),
        (["alpha", "beta", "c"], {"c": "alpha*betta"}, "design.generators.c", 'mean "beta"'),
        (["a", "b", "c"], {"c": "a"}, "design.generators.c", "at least two"),
        (["a", "b", "c"], {"c": ""}, "design.generators.c", "at least two"),
        (["a", "b", "c"], {"c": "a*a*b"}, "design.generators.c", "twice"),
        (["a", "b", "c", "d"], {"c": "a*b", "d": "b*a"}, "design.generators.d", "of c"),
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


def test_levels_as_text():
    assert level_text([1 / 3, 1 / 3, 1 / 3]) == "0.3333/0.3333/0.3333"
    assert level_text({"ctcp": 0.7, "reno": 0.3}) == "ctcp 0.7, reno 0.3"
    assert level_text("5 s") == "5 s"
    assert level_text(True) == "true"
    assert level_text(60) == "60"


def test_factors_with_several_paths_move_together():
    factor = Factor("size", ("a", "b.c"), [1, 2], [3, 4])
    assert factor.settings(-1) == {"a": 1, "b.c": 2}
    assert factor.settings(+1) == {"a": 3, "b.c": 4}
    assert Factor("mix", ("m",), [1, 2], [3, 4]).settings(+1) == {"m": [3, 4]}
    assert factor.text(+1) == "3/4"

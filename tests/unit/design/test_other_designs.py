"""Designs that are no regular fractions, what is added to designs, and designs from files."""

import numpy as np
import pytest

from mesonet.design import (
    Factor,
    best_fraction,
    custom_design,
    fold_over,
    fractional_factorial,
    full_factorial,
    latin_hypercube,
    morris,
    one_at_a_time,
    plackett_burman,
    read_codes,
    sobol,
    with_centre,
)
from mesonet.errors import PlanError

FACTORS = [
    Factor("a", ("a",), 1.0, 2.0),
    Factor("b", ("b",), "x", "z", levels=("x", "y", "z")),
]


def names(n):
    return [f"x{i}" for i in range(1, n + 1)]


def problems(function, *args, **options):
    with pytest.raises(PlanError) as caught:
        function(*args, **options)
    return {problem.loc: problem.message for problem in caught.value.problems}


def test_eleven_factors_in_twelve_conditions():
    design = plackett_burman(names(11))
    assert (design.runs, design.name) == (12, "Plackett-Burman, 12 conditions")
    assert (design.regular, design.two_level, design.resolution) == (False, True, 3)
    # Every main effect shares a third with each of the 45 interactions it is not in, and each of
    # the 165 sets of three factors counts as a ninth of a word.
    assert {len(others) for others in design.partial_aliases.values()} == {45}
    assert {round(s, 9) for others in design.partial_aliases.values() for _, s in others} == {
        0.333333333
    }
    assert design.word_lengths[3] == pytest.approx(165 / 9)
    assert design.aliases == {}


def test_partial_aliases_have_the_signs_of_the_columns():
    design = plackett_burman(names(5))
    for factor, others in design.partial_aliases.items():
        for product, share in others:
            column = design.matrix.select(product.factors).to_numpy().prod(axis=1) * product.sign
            assert (column * design.matrix[factor].to_numpy()).mean() == pytest.approx(share)


def test_one_at_a_time_moves_one_factor():
    design = one_at_a_time(["a", "b"], levels={"b": 3})
    assert design.coded.tolist() == [[-1, -1], [1, -1], [-1, 0], [-1, 1]]
    assert not design.balanced
    assert not one_at_a_time(["a", "b"]).orthogonal
    assert one_at_a_time(["a", "b"]).resolution == 1


def test_trajectories_move_one_factor_at_a_time_by_the_same_step():
    design = morris(names(3), trajectories=5, levels=4, seed=3)
    assert design.runs == 20
    assert set(np.unique(np.round(design.coded, 9))) <= {-1, -0.333333333, 0.333333333, 1}
    for start in range(0, 20, 4):
        steps = np.diff(design.coded[start : start + 4], axis=0)
        assert (np.abs(steps).round(9) > 0).sum() == 3
        assert (np.abs(steps) > 1e-9).sum(axis=0).tolist() == [1, 1, 1]
        np.testing.assert_allclose(np.abs(steps).max(axis=0), 4 / 3)
    assert design == morris(names(3), trajectories=5, levels=4, seed=3)
    assert design != morris(names(3), trajectories=5, levels=4, seed=4)


def test_listed_levels_are_crossed_with_the_points():
    design = latin_hypercube(["a", "b"], points=4, listed={"b": (-1, 0, 1)})
    assert design.runs == 12
    points = design.coded[:4, 0].tolist()
    assert design.coded[:, 0].tolist() == points * 3
    assert design.coded[:, 1].tolist() == [-1] * 4 + [0] * 4 + [1] * 4
    assert design.resolution is None


def test_the_same_seed_is_the_same_design():
    for maker in (latin_hypercube, sobol):
        assert maker(names(3), points=8, seed=5) == maker(names(3), points=8, seed=5)
        assert maker(names(3), points=8, seed=5) != maker(names(3), points=8, seed=6)


def test_a_fold_over_of_resolution_three_has_resolution_four():
    design = best_fraction(names(7), runs=8)
    folded = fold_over(design)
    assert (design.resolution, folded.resolution) == (3, 4)
    assert folded.name == "2^(7-3)"
    assert folded.coded[8:].tolist() == (-design.coded).tolist()
    assert "Conditions 9 to 16" in folded.notes[0]


def test_folding_over_one_factor_frees_it():
    folded = fold_over(best_fraction(names(7), runs=8), ["x1"])
    assert "x1" not in folded.aliases
    assert not any(
        "x1" in effect.split("*") for group in folded.aliases.values() for effect in group
    )


def test_a_fold_over_of_plackett_burman_has_resolution_four():
    assert fold_over(plackett_burman(names(11))).resolution == 4


def test_the_centre_is_one_more_condition():
    design = with_centre(fractional_factorial(["a", "b", "c"], {"c": "a*b"}))
    assert design.runs == 5
    assert design.matrix.row(-1) == (5, 0, 0, 0)
    assert (design.resolution, design.word_lengths, design.balanced) == (3, {3: 1}, True)
    assert design.aliases == {"a": ("b*c",), "b": ("a*c",), "c": ("a*b",)}


@pytest.mark.parametrize(
    ("make", "place", "text"),
    [
        (lambda: plackett_burman(names(5), runs=6), "design.runs", "no Plackett-Burman"),
        (lambda: plackett_burman(names(9), runs=8), "design.runs", "need more than 9"),
        (lambda: plackett_burman(names(300)), "factors", "at most 255"),
        (lambda: sobol(["a"], points=12), "design.points", "near are 8 and 16"),
        (lambda: latin_hypercube(["a"], points=1), "design.points", "at least 2"),
        (lambda: latin_hypercube(["a"], points=4, listed={"a": (-1, 1)}), "design.kind", "between"),
        (lambda: morris(["a"], trajectories=1), "design.trajectories", "at least 2"),
        (lambda: morris(["a"], trajectories=4, levels=5), "design.levels", "even"),
        (lambda: fold_over(full_factorial(["a", "b"])), "design.fold_over", "repeats"),
        (lambda: fold_over(best_fraction(names(4), runs=8)), "design.fold_over", "repeats"),
        (
            lambda: fold_over(best_fraction(["ant", "bee", "cow"], runs=4), ["bea"]),
            "design.fold_over",
            'mean "bee"',
        ),
        (lambda: with_centre(full_factorial(["a"], levels={"a": 3})), "design.centre", "two-level"),
        (lambda: one_at_a_time([]), "factors", "at least one"),
    ],
)
def test_designs_that_cannot_be(make, place, text):
    found = problems(make)
    assert text in found[place]


def test_a_design_from_a_csv_file(tmp_path):
    file = tmp_path / "design.csv"
    file.write_text("b,condition,a\n-1,1,-\n0,2,+\n1,3,0.5\n", encoding="utf-8")
    design = custom_design(FACTORS, read_codes(file, FACTORS))
    assert design.coded.tolist() == [[-1, -1], [1, 0], [0.5, 1]]
    assert design.runs == 3


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "", "is empty"),
        ("a\n1\n", ", line 1", 'no column for the factor "b"'),
        ("a,b,bb\n1,1,1\n", ", line 1", '"bb" is not a factor'),
        ("a,b,a\n1,1,1\n", ", line 1", '"a" is there 2 times'),
        ("a,b\n1,1\n-1\n", ", line 3", "expected 2 entries as in the first line, got 1"),
        ("a,b\n1,high\n", ", line 2, b", 'got "high"'),
        ("a,b\n2,1\n", ", line 2, a", 'got "2"'),
        ("condition,a,b\n1,1,1\n3,-1,1\n", ", line 3, condition", 'expected 2, got "3"'),
    ],
)
def test_files_of_a_wrong_shape(tmp_path, text, place, message):
    file = tmp_path / "design.csv"
    file.write_text(text, encoding="utf-8")
    assert message in problems(read_codes, file, FACTORS)[f"{file}{place}"]


def test_a_missing_file(tmp_path):
    assert (
        "cannot be read"
        in problems(read_codes, tmp_path / "no.csv", FACTORS)[str(tmp_path / "no.csv")]
    )


def test_codes_without_a_level_and_factors_that_do_not_vary():
    found = problems(custom_design, FACTORS, [[-1, 0.5], [1, 1]])
    assert found == {"design.conditions, condition 1, b": "expected -1, 0, 1, got 0.5"}
    assert (
        "does not vary"
        in problems(custom_design, FACTORS, [[1, 0], [1, 1]])["design.conditions, a"]
    )
    assert (
        "expected 2 codes"
        in problems(custom_design, FACTORS, [[1]])["design.conditions, condition 1"]
    )
    many = problems(custom_design, FACTORS, [[1, 0.5]] * 100)
    assert many["design.conditions"] == "and 90 more problems of this kind"


def test_a_repeated_row_is_no_replicate():
    square = [[-1, -1], [1, -1], [-1, 1], [1, 1]]
    found = problems(custom_design, FACTORS, [*square, [1, 1], [1, 0.5], [-1, -1]])
    assert list(found) == [
        "design.conditions, condition 5",
        "design.conditions, condition 6, b",
        "design.conditions, condition 7",
    ]
    assert "repeats condition 4" in found["design.conditions, condition 5"]
    assert "set `replicates`" in found["design.conditions, condition 7"]
    many = problems(custom_design, FACTORS, square * 5)
    assert many["design.conditions"] == "and 6 more problems of this kind"


def test_rows_of_a_design_drawn_by_lot_may_meet():
    design = custom_design(FACTORS, [[-1, 0], [1, 1], [-1, 0]], kind="morris")
    assert design.notes == (
        "1 conditions repeat others; with the same seed they are the same run.",
    )


def test_effects_that_can_be_told_apart():
    design = best_fraction(["a", "b", "c", "d"], runs=8)
    assert design.estimable([("a",), ("b",), ("a", "b")])
    assert not design.estimable([("a", "b"), ("c", "d")])

"""Designs that are no regular fractions, what is added to designs, and designs from files."""

import numpy as np
import pytest
from refusals import refused

from mesonet.design import (
    Factor,
    best_fraction,
    custom_design,
    fold_over,
    fractional_factorial,
    full_factorial,
    latin_hypercube,
    one_at_a_time,
    plackett_burman,
    read_design,
    sobol,
    with_centre,
)
from mesonet.errors import PlanError

FACTORS = [Factor("a", ("a",), 1.0, 2.0), Factor("b", ("b",), "x", "z", levels=("x", "y", "z"))]


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


@pytest.mark.parametrize(("runs", "share"), [(24, 1 / 3), (48, 1 / 3), (80, 1 / 5), (192, 1 / 8)])
def test_no_interaction_is_confounded_with_one_main_effect(runs, share):
    design = plackett_burman(names(20), runs=runs)
    assert design.balanced
    assert design.orthogonal
    others = [share for each in design.partial_aliases.values() for _, share in each]
    assert max(others) == pytest.approx(share)


def test_the_first_of_24_conditions_is_that_of_plackett_and_burman():
    codes = plackett_burman(names(23), runs=24).coded[0]
    assert "".join("+" if code > 0 else "-" for code in codes) == "+++++-+-++--++--+-+----"


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
    refusals = problems(make)
    assert text in refusals[place]


def test_a_design_from_a_csv_file(tmp_path):
    file = tmp_path / "design.csv"
    file.write_text("b,condition,a\n-1,1,-\n0,2,+\n1,3,0.5\n", encoding="utf-8")
    design = read_design(file, FACTORS)
    assert design.coded.tolist() == [[-1, -1], [1, 0], [0.5, 1]]
    assert (design.runs, design.notes) == (3, ())


MIXED = [
    Factor("rate", ("rate",), "5 Mbit/s", "500 Mbit/s", scale="log"),
    Factor("loss", ("loss",), 0.0, 0.01),
    Factor("flow", ("flow",), "reno", "ctcp", levels=("reno", "cubic", "ctcp")),
    Factor("ecn", ("ecn",), False, True),
]
R = """"","rate","loss","flow","ecn"
"1","5 Mbit/s",0,"reno",FALSE
"2","500 Mbit/s",0.01,"cubic",TRUE
"3","50 Mbit/s",0.0025,"ctcp",FALSE
"""
FRF2 = """"name","run.no.in.std.order","run.no","run.no.std.rp","rate","loss","flow","ecn"
"1","3",1,"3","-1","-1","-1","-1"
"2","1",2,"1","1","1","0","1"
"3","2",3,"2","0","-0.5","1","-1"
"""
JMP = """Pattern,rate,loss,flow,ecn,Y
--1-,5 Mbit/s,0,reno,false,
++2+,500.0 Mbit/s,1e-2,cubic,true,•
003-,50 Mbit/s,0.0025,ctcp,false,
"""
EXCEL = """\ufeffrate;loss;flow;ecn\r
5 Mbit/s;0;reno;FALSE\r
500,0 Mbit/s;0,01;cubic;TRUE\r
50 Mbit/s;0,0025;ctcp;FALSE\r
"""


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        (R, '""'),
        (FRF2, '"name", "run.no.in.std.order", "run.no", "run.no.std.rp"'),
        (JMP, '"Pattern", "Y"'),
        (EXCEL, None),
    ],
    ids=["R", "FrF2", "JMP", "Excel"],
)
def test_tables_of_other_programs_are_designs(tmp_path, text, unread):
    file = tmp_path / "plan.csv"
    file.write_text(text, encoding="utf-8", newline="")
    design = read_design(file, MIXED)
    # 50 is halfway from 5 to 500 on a scale of ratios, 0.0025 a quarter of the way to 0.01.
    assert design.coded.tolist() == [[-1, -1, -1, -1], [1, 1, 0, 1], [0, -0.5, 1, -1]]
    assert [note.partition(": ")[2] for note in design.notes] == ([f"{unread}."] if unread else [])


@pytest.mark.parametrize(
    ("ends", "column", "codes"),
    [
        # Levels, although they are codes, too: with these the factor would never be low.
        ((0, 1), "0 1 0 1", [-1, 1, -1, 1]),
        ((0.0, 1.0), "0 0.5 1", [-1, 0, 1]),
        # Codes, although they lie between the levels.
        ((-10, 10), "-1 1 0", [-1, 1, 0]),
        ((-10.0, 10.0), "-10 1 0", [-1, 0.1, 0]),
        ((1, 3), "1 2 3", [-1, 0, 1]),
    ],
)
def test_of_codes_and_levels_that_reading_counts_which_covers_more(tmp_path, ends, column, codes):
    file = tmp_path / "plan.csv"
    file.write_text("x\n" + "\n".join(column.split()))
    rows = [[code] for code in codes]
    factors = [Factor("x", ("x",), *ends)]
    if len(set(codes)) < len(codes):
        file.write_text("x,n\n" + "\n".join(f"{x},{n}" for n, x in enumerate(column.split())))
        factors.append(Factor("n", ("n",), 0, 3))
        rows = [[code, 2 * n / 3 - 1] for n, code in enumerate(codes)]
    assert read_design(file, factors).coded == pytest.approx(np.array(rows))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", {"": "bad_file"}),
        ("a\n1\n", {", line 1": "missing_column"}),
        ("a,b,a\n1,1,1\n", {", line 1": "repeated_column"}),
        ("a,b\n1,1\n-1\n", {", line 3": "shape"}),
        ("a,b\n1,high\n", {", line 2, b": "code"}),
        ("a,b\n3,1\n-1,-1\n", {", line 2, a": "code"}),
        ("a,b\n2,x\n1,y\n1,zz\n", {", line 4, b": "code"}),
        ("condition,a,b\n1,1,1\n3,-1,1\n", {", line 3, condition": "order"}),
    ],
)
def test_files_of_a_wrong_shape(tmp_path, text, places):
    file = tmp_path / "design.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError) as caught:
        read_design(file, FACTORS)
    kinds = {problem.loc: problem.kind for problem in caught.value.problems}
    assert kinds == {f"{file}{place}": kind for place, kind in places.items()}


def test_a_column_of_a_similar_name_is_proposed(tmp_path):
    file = tmp_path / "design.csv"
    file.write_text("rats,b\n1,1\n")
    refusals = problems(read_design, file, [FACTORS[1], Factor("rate", ("r",), 1, 2)])
    assert 'mean "rats"' in refusals[f"{file}, line 1"]


def test_a_missing_file(tmp_path):
    file = tmp_path / "no.csv"
    with refused(PlanError, (str(file), "missing_file")):
        read_design(file, FACTORS)


def test_codes_without_a_level_and_factors_that_do_not_vary():
    refusals = problems(custom_design, FACTORS, [[-1, 0.5], [1, 1]])
    assert refusals == {"design.conditions, condition 1, b": "expected -1, 0, 1, got 0.5"}
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
    refusals = problems(custom_design, FACTORS, [*square, [1, 1], [1, 0.5], [-1, -1]])
    assert list(refusals) == [
        "design.conditions, condition 5",
        "design.conditions, condition 6, b",
        "design.conditions, condition 7",
    ]
    assert "repeats condition 4" in refusals["design.conditions, condition 5"]
    assert "set `replicates`" in refusals["design.conditions, condition 7"]
    many = problems(custom_design, FACTORS, square * 5)
    assert many["design.conditions"] == "and 6 more problems of this kind"


def test_rows_of_a_design_drawn_by_lot_may_meet():
    design = custom_design(FACTORS, [[-1, 0], [1, 1], [-1, 0]], kind="sobol")
    assert design.notes == (
        "1 conditions repeat others; with the same seed they are the same run.",
    )


def test_effects_that_can_be_told_apart():
    design = best_fraction(["a", "b", "c", "d"], runs=8)
    assert design.estimable([("a",), ("b",), ("a", "b")])
    assert not design.estimable([("a", "b"), ("c", "d")])

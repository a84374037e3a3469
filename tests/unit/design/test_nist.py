"""The designs of the MesoNet study, row by row where its documents print the rows.

The two tables are printed in the slides "Measurement Science for Complex Information Systems" (K.
Mills et al., NIST), on the slides "Adopt 2-Level Orthogonal Fractional Factorial Designs": the
sample 2^(9-4) design, and the same instantiated for Experiment 2. The files beside this one hold
them as printed. No rows of the 2^(6-1) and of the 2^(20-12) are printed there or in the methodology
paper, which gives their sizes and resolution alone.
"""

from pathlib import Path

import numpy as np
from refusals import refused

from mesonet.design import NAMED, named_fraction
from mesonet.errors import PlanError

HERE = Path(__file__).parent

# PLUS levels of Experiment 2. The printed header says X7 where the probability of a fast source,
# X8, is meant; X9 is printed in milliseconds.
PLUS = {
    "X2": "2", "X3": "1600", "X4": "1", "X5": "3", "X7": "0.7", "X9": "7500", "X11": "150",
    "X12": "0.04/0.004/0.0004", "X15": "0.7",
}  # fmt: skip


def printed(name):
    header, *rows = [line.split("\t") for line in (HERE / name).read_text("utf-8").splitlines()]
    assert len(rows) == 32
    assert [row[0] for row in rows] == [str(number) for number in range(1, 33)]
    return header[1:], [row[1:] for row in rows]


def test_the_sample_2_9_4_design_row_by_row():
    names, rows = printed("nist_9_4.tsv")
    design = named_fraction("nist-2^(9-4)", names)
    np.testing.assert_array_equal(design.coded, np.array(rows, dtype=float))
    assert (design.name, design.resolution) == ("2^(9-4)", 4)
    # Beyond the six of length 4, eight of length 5 and one of length 8: 15 words, as 4 generators
    # make.
    assert design.word_lengths == {4: 6, 5: 8, 8: 1}
    four = {"".join(name[1] for name in word.factors) for word in design.words[:6]}
    assert four == {"1267", "1368", "1469", "2378", "2479", "3489"}


def test_the_instantiated_2_9_4_design_row_by_row():
    names, rows = printed("nist_9_4_instantiated.tsv")
    basics = ["X3", "X2", "X4", "X9", "X11"]
    design = named_fraction("nist-2^(9-4)", [*basics, "X12", "X7", "X15", "X5"])
    for row, codes in zip(rows, design.matrix.iter_rows(named=True), strict=True):
        plus = {name: value == PLUS[name] for name, value in zip(names, row, strict=True)}
        assert plus == {name: codes[name] == 1 for name in names}


def test_the_half_fraction_of_six_factors():
    names = [f"x{i}" for i in range(1, 7)]
    design = named_fraction("nist-2^(6-1)", names)
    assert (design.name, design.runs, design.resolution) == ("2^(6-1)", 32, 6)
    # A half fraction of resolution VI is all rows whose product is +1, or all whose product is -1.
    rows = {tuple(row) for row in design.coded.tolist()}
    assert len(rows) == 32
    assert {np.prod(row) for row in rows} == {1}


def test_the_sensitivity_design_has_the_printed_properties():
    """256 conditions, "balance, i.e., each parameter has 128 -1 levels and 128 +1 levels, and
    orthogonality, i.e., each pair of parameters has 64 settings at each" (methodology paper,
    section 3.1.a), and resolution IV.
    """
    names = [f"X{i}" for i in range(1, 21)]
    design = named_fraction("nist-2^(20-12)", names)
    assert (design.name, design.runs, design.resolution) == ("2^(20-12)", 256, 4)
    assert all(counts == {-1: 128, 1: 128} for counts in design.balance.values())
    for i in range(20):
        for j in range(i):
            pairs, counts = np.unique(design.coded[:, [i, j]], axis=0, return_counts=True)
            assert (len(pairs), set(counts)) == (4, {64})


def test_a_name_stands_for_its_number_of_factors():
    for name, (factors, products) in NAMED.items():
        assert name == f"nist-2^({factors}-{len(products)})"
        with refused(PlanError, ("design.kind", "factors")):
            named_fraction(name, ["a", "b"])

from itertools import product

import polars as pl
import pytest

from mesonet.analysis import level_means

# Impurity by pressure and temperature, of D. C. Montgomery, Design and Analysis of Experiments,
# the example of Tukey's test for nonadditivity: one observation in each cell.
IMPURITY = {
    "100": (5, 4, 6, 3, 5),
    "125": (3, 1, 4, 2, 3),
    "150": (1, 1, 3, 1, 2),
}
FACTORS = ("pressure", "temperature")


def campaign(rows):
    names = ("condition", "alternative", "replicate", *FACTORS, "temperature_level", "y")
    return pl.DataFrame(rows, schema=list(names), orient="row")


def impurity():
    cells = product(enumerate(IMPURITY), range(5))
    return campaign(
        [
            (condition, "reno", 1, place / 2 - 1, row - 1, f"{level} °F", float(values[place]))
            for condition, ((row, level), place) in enumerate(cells, start=1)
            for values in [IMPURITY[level]]
        ]
    )


def test_the_analysis_of_variance_of_a_textbook():
    result = level_means(impurity(), factors=FACTORS, responses="y")
    means = result.frame.filter(factor="temperature")
    assert means["level"].to_list() == ["100 °F", "125 °F", "150 °F"]
    assert means["mean"].to_list() == pytest.approx([4.6, 2.6, 1.6])
    assert means["conditions"].to_list() == [5, 5, 5]
    by_factor = {row["factor"]: row for row in result.explained.iter_rows(named=True)}
    # Sums of squares: 23.33 of temperature, 11.60 of pressure, 2.00 of what is left, 36.93 in all.
    temperature, pressure = by_factor["temperature"], by_factor["pressure"]
    assert temperature["explained"] == pytest.approx(23.33 / 36.93, rel=1e-3)
    assert pressure["explained"] == pytest.approx(11.60 / 36.93, rel=1e-3)
    assert temperature["f"] == pytest.approx((23.33 / 2) / (2.00 / 8), rel=1e-3)
    assert pressure["f"] == pytest.approx((11.60 / 4) / (2.00 / 8), rel=1e-3)
    assert temperature["p"] == pytest.approx(4e-5, rel=0.1)
    assert pressure["levels"] == 5


def test_a_factor_is_judged_beyond_the_others_where_runs_are_missing():
    """Without balance the means of a factor without effect differ, and it explains nothing."""
    cells = [(a, b) for a, b in product((-1, 0, 1), repeat=2) if (a, b) != (-1, 1)]
    frame = campaign([(n, "reno", 1, a, b, str(b), 3.0 * a) for n, (a, b) in enumerate(cells, 1)])
    result = level_means(frame, factors=FACTORS, responses="y")
    assert result.frame.filter(factor="temperature")["mean"].to_list() == [0.0, 0.0, 1.5]
    fractions = dict(result.explained.select("factor", "explained").iter_rows())
    assert fractions["temperature"] == pytest.approx(0.0, abs=1e-12)
    assert fractions["pressure"] > 0.5
    assert result.explained["p"].to_list() == [None, None], "nothing is left to test against"


def test_levels_of_a_latin_hypercube_are_fitted_by_a_line():
    codes = [(-0.9, 0.1), (-0.4, 0.8), (0.1, -0.7), (0.5, 0.4), (0.9, -0.2)]
    points = product((-1, 1), enumerate(codes, start=1))
    rows = [
        (n + 5 * (c > 0), "reno", 1, a, b, str(b), 2.0 * a + 0.1 * c) for c, (n, (a, b)) in points
    ]
    frame = campaign(rows).with_columns(algorithm=pl.col("condition") > 5)
    frame = frame.with_columns(pl.col("algorithm").cast(pl.Int64) * 2 - 1)
    result = level_means(frame, factors=(*FACTORS, "algorithm"), responses="y")
    assert result.frame.filter(factor="pressure").height == 5
    fractions = dict(result.explained.select("factor", "explained").iter_rows())
    assert fractions["pressure"] > 0.8
    assert fractions["temperature"] == pytest.approx(0, abs=1e-12)
    assert 0 < fractions["algorithm"] < 0.05
    assert any("pressure, temperature" in note for note in result.notes)


def test_a_response_that_does_not_vary_has_nothing_to_explain():
    frame = impurity().with_columns(y=pl.lit(0.3))
    result = level_means(frame, factors=FACTORS, responses="y")
    assert result.explained["explained"].null_count() == 2 == result.explained["p"].null_count()

import math
from itertools import product

import numpy as np
import polars as pl
import pytest
import synthetic
from scipy import stats
from statsmodels.regression.linear_model import OLS

from mesonet.analysis import (
    block_comparison,
    contour,
    example_campaign,
    lenth,
    ten_steps,
    term_effects,
)
from mesonet.design import plackett_burman

X = ["x1", "x2", "x3"]
EXAMPLE = example_campaign()


def springs():
    return ten_steps(synthetic.springs(), factors=X, response="y")


def test_ordered_data_of_the_springs():
    # The handbook reads off the best setting, (+, -, +), and that x1 splits the data in two.
    frame = springs().ordered.frame
    assert frame["value"].to_list() == [52.0, 59.0, 61.0, 67.0, 75.0, 79.0, 87.0, 90.0]
    assert frame["x1"].to_list() == [-1] * 4 + [1] * 4
    assert frame.row(7, named=True)["condition"] == 6
    assert [frame[name][7] for name in X] == [1, -1, 1]


def test_the_scatter_shows_location_and_spread():
    spread = springs().scatter.spread
    assert spread["mean"].to_list() == [59.75, 82.75, 73.75, 68.75, 70.5, 72.0]
    hot = spread.filter(factor="x3", level=1).row(0, named=True)
    assert (hot["n"], hot["minimum"], hot["maximum"]) == (4, 52.0, 90.0)
    assert hot["sd"] == pytest.approx(np.std([59.0, 90.0, 52.0, 87.0], ddof=1), rel=1e-12)


def test_main_effects_and_interactions_of_the_springs():
    pairs = springs().interactions
    main = dict(zip(pairs.main.frame["factor"], pairs.main.frame["effect"], strict=True))
    assert main == pytest.approx({"x1": 23.0, "x2": -5.0, "x3": 1.5})


def test_the_published_effects_of_the_springs_in_order_of_size():
    terms = springs().terms
    effects = dict(zip(terms.frame["term"], terms.frame["effect"], strict=True))
    assert terms.mean == 71.25
    assert effects == pytest.approx(
        {
            "x1": 23.0,
            "x1*x3": 10.0,
            "x2": -5.0,
            "x3": 1.5,
            "x1*x2": 1.5,
            "x1*x2*x3": 0.5,
            "x2*x3": 0.0,
        }
    )
    assert list(effects)[:3] == ["x1", "x1*x3", "x2"]
    youden = terms.frame.row(by_predicate=pl.col("term") == "x1*x3", named=True)
    assert (youden["low"], youden["high"]) == (66.25, 76.25)


def test_the_residual_deviations_of_the_springs():
    # By hand from the effects: the sum of squares of a term is twice the square of its effect.
    squares = [2 * effect**2 for effect in (23.0, 10.0, 5.0, 1.5, 1.5, 0.5, 0.0)]
    models = springs().terms.models
    for k, deviation in enumerate(models["residual_sd"].to_list()[:7]):
        assert deviation == pytest.approx(math.sqrt(sum(squares[k:]) / (7 - k)), abs=1e-12)
    assert models["residual_sd"][7] is None
    assert models["coefficient"].to_list()[:3] == [71.25, 11.5, 5.0]
    assert models["explained"][1] == pytest.approx(2 * 23**2 / sum(squares))


@pytest.mark.parametrize("response", ["y1", "g14"])
def test_statsmodels_fits_the_same_models(response):
    terms = term_effects(EXAMPLE.frame, factors=EXAMPLE.factors, response=response)
    known = EXAMPLE.frame.filter(pl.col(response).is_not_nan())
    # Means over all alternatives; g14 is undefined for some of them in some conditions.
    complete = known.filter(pl.len().over("condition") == len(EXAMPLE.alternatives))
    cells = complete.group_by("condition").agg(pl.col(*EXAMPLE.factors, response).mean())
    y = cells[response].to_numpy()
    columns = [np.ones(len(y))]
    for row in terms.models.head(8).iter_rows(named=True):
        if row["added"] != "mean":
            names = row["added"].split("*")
            columns.append(cells.select(names).to_numpy().prod(axis=1))
        fit = OLS(y, np.column_stack(columns)).fit()
        assert row["residual_sd"] == pytest.approx(math.sqrt(fit.scale), rel=1e-9)
        assert row["explained"] == pytest.approx(fit.rsquared, rel=1e-9, abs=1e-12)


def test_a_fraction_has_as_many_terms_as_it_can_tell_apart():
    terms = term_effects(EXAMPLE.frame, factors=EXAMPLE.factors, response="y1")
    assert terms.frame.height == 31
    orders = terms.frame["order"].value_counts(sort=True)
    assert dict(orders.iter_rows()) == {2: 15, 3: 10, 1: 6}
    aliases = dict(zip(terms.frame["term"], terms.frame["aliases"], strict=True))
    # The defining word is web = delay*speed*buffers*sources*think.
    assert aliases["delay*speed*buffers"] == "sources*think*web"
    assert aliases["delay*speed"] == ""


def test_a_plackett_burman_design_gives_no_effect_to_products():
    """They are orthogonal neither to factors nor to each other: differences of means mix them."""
    coded = plackett_burman(list("abcde"), runs=12).coded
    frame = pl.DataFrame(np.asarray(coded, dtype=float), schema=list("abcde")).with_columns(
        condition=pl.int_range(1, 13),
        alternative=pl.lit("one"),
        replicate=1,
        y=10 + 5 * pl.col("a"),
    )
    terms = term_effects(frame, factors=list("abcde"), response="y")
    effects = dict(terms.frame.select("term", "effect").iter_rows())
    assert effects.pop("a") == pytest.approx(10)
    assert len(effects) == 10
    assert all(abs(effect) < 1e-9 for effect in effects.values())
    assert math.isnan(terms.margin)
    assert any("not orthogonal" in note for note in terms.notes)


def test_half_normal_quantiles_are_medians_of_order_statistics():
    terms = springs().terms
    quantiles = terms.frame["quantile"].to_numpy()
    # The distribution function of the k-th smallest of 7 draws is 1/2 at its median.
    for k, quantile in enumerate(quantiles[::-1], start=1):
        below = stats.norm.cdf(quantile) * 2 - 1
        assert stats.binom.sf(k - 1, 7, below) == pytest.approx(0.5, abs=1e-12)


def test_lenth_margins_of_the_springs():
    # s0 = 1.5 * median(23, 10, 5, 1.5, 1.5, .5, 0) = 2.25; of those below 5.625 the median is 1.5.
    terms = springs().terms
    assert terms.standard_error == pytest.approx(2.25)
    # The quantiles that Lenth's table prints for seven contrasts: 3.764 and 9.008.
    assert terms.margin / 2.25 == pytest.approx(3.764, abs=5e-4)
    assert terms.simultaneous_margin / 2.25 == pytest.approx(9.008, abs=5e-4)


def test_lenth_needs_three_effects():
    assert all(math.isnan(value) for value in lenth([1.0, 2.0]))
    assert lenth([0.0] * 5).margin == 0.0


def test_blocks_of_a_full_factorial():
    blocks = springs().blocks
    x1 = blocks.frame.filter(factor="x1")
    assert x1["setting"].to_list() == ["--", "-+", "+-", "++"]
    assert x1["difference"].to_list() == [12.0, 31.0, 14.0, 35.0]
    tests = {row["factor"]: row for row in blocks.tests.iter_rows(named=True)}
    assert (tests["x1"]["up"], tests["x1"]["p"]) == (4, pytest.approx(0.125))
    assert (tests["x3"]["up"], tests["x3"]["down"], tests["x3"]["p"]) == (2, 2, 1.0)


def test_blocks_of_a_fraction_leave_out_what_would_split_the_levels():
    blocks = block_comparison(EXAMPLE.frame, factors=EXAMPLE.factors, response="loss_rate")
    speed = blocks.tests.row(by_predicate=pl.col("factor") == "speed", named=True)
    assert speed["blocks"] == 16
    assert speed["blocked_by"].count(",") == 3
    assert "web" not in speed["blocked_by"], "the smallest effect is left out"
    assert speed["adjusted_for"] == "web"
    assert speed["p"] == pytest.approx(stats.binomtest(1, 16).pvalue)
    main = EXAMPLE.frame.group_by("speed").agg(pl.col("loss_rate").mean()).sort("speed")
    mean = blocks.frame.filter(factor="speed")["difference"].mean()
    assert mean == pytest.approx(main["loss_rate"][1] - main["loss_rate"][0])


def test_the_contour_of_the_springs():
    surface = contour(synthetic.springs(), factors=["x1", "x3"], response="y")
    assert surface.effects == pytest.approx((23.0, 1.5, 10.0))
    assert surface.frame["mean"].to_list() == [64.0, 77.0, 55.5, 88.5]
    assert surface.frame["fitted"].to_list() == pytest.approx(surface.frame["mean"].to_list())
    for row in surface.lines.iter_rows(named=True):
        fitted = 71.25 + 11.5 * row["x"] + 0.75 * row["y"] + 5.0 * row["x"] * row["y"]
        assert fitted == pytest.approx(row["value"], abs=1e-9)
        assert max(abs(row["x"]), abs(row["y"])) <= 1.25
    assert len(set(surface.lines["value"])) >= 5


def test_the_contour_is_over_the_two_largest_effects():
    assert springs().contour.factors == ("x1", "x2")


def test_a_saddle_has_both_branches():
    frame = synthetic.springs().with_columns(y=(pl.col("x1") * pl.col("x2")).cast(pl.Float64))
    surface = contour(frame, factors=["x1", "x2"], response="y")
    half = surface.lines.filter(pl.col("value") == 0.5)
    assert half["piece"].n_unique() == 2
    assert half["x"].min() < 0 < half["x"].max()


@pytest.mark.parametrize("without", [(16,), (3,), (7, 16)])
def test_terms_keep_to_the_truth_where_conditions_have_no_value(without):
    frame = pl.DataFrame(
        [
            {
                "condition": number, "alternative": "a", "replicate": 1,
                **dict(zip("abcd", codes, strict=True)),
                "y": None
                if number in without
                else 50.0 + 10.0 * codes[0] + 8.0 * codes[1] + 0.05 * math.sin(11.3 * number),
            }
            for number, codes in enumerate(product((-1, 1), repeat=4), start=1)
        ]
    )  # fmt: skip
    terms = term_effects(frame, factors="abcd", response="y")
    effects = dict(terms.frame.select("term", "effect").iter_rows())
    assert len(effects) == 15 - len(without)
    # Differences of means of what is left give 2.6 and more for terms without an effect.
    for term, effect in effects.items():
        assert effect == pytest.approx({"a": 20.0, "b": 16.0}.get(term, 0.0), abs=0.3)
    low, high = terms.frame.filter(term="a").select("low", "high").row(0)
    assert (low, high) == pytest.approx((40.0, 60.0), abs=0.3)
    assert math.isnan(terms.margin)
    assert any("no margin of error" in note for note in terms.notes)
    whole = term_effects(frame.fill_null(50.0), factors="abcd", response="y")
    assert not math.isnan(whole.margin)


def test_blocks_of_a_fraction_do_not_give_the_effect_of_one_factor_to_another():
    # 2^(5-1), additive: within every block of the others b, c, d the fifth flips with a.
    frame = pl.DataFrame(
        [
            {
                "condition": number, "alternative": "x", "replicate": 1,
                **dict(zip("abcde", levels, strict=True)),
                "y": levels[0] + 1.5 * math.fsum(levels[1:]) + 0.005 * math.sin(11.3 * number),
            }
            for number, codes in enumerate(product((-1, 1), repeat=4), start=1)
            for levels in ((*codes, math.prod(codes)),)
        ]
    )  # fmt: skip
    blocks = block_comparison(frame, factors="abcde", response="y")
    for row in blocks.tests.iter_rows(named=True):
        assert (row["up"], row["down"]) == (8, 0)
        assert len(row["adjusted_for"]) == 1
    mine = blocks.frame.filter(factor="a")["difference"].to_list()
    assert mine == pytest.approx([2.0] * 8, abs=0.05)
    assert any("main effects of the others are taken off" in note for note in blocks.notes)
    assert not any("taken off" in note for note in springs().blocks.notes)
    assert springs().blocks.tests["adjusted_for"].to_list() == [""] * 3

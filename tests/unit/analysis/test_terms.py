import math
from itertools import product

import polars as pl
import pytest
import synthetic
from scipy import stats

from mesonet.analysis import example_campaign, lenth, term_effects

X = ["x1", "x2", "x3"]
EXAMPLE = example_campaign()


def springs():
    return term_effects(synthetic.springs(), factors=X, response="y")


def test_the_published_effects_of_the_springs_in_order_of_size():
    terms = springs()
    found = dict(zip(terms.frame["term"], terms.frame["effect"], strict=True))
    assert terms.mean == 71.25
    assert found == pytest.approx(
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
    assert list(found)[:3] == ["x1", "x1*x3", "x2"]
    both = terms.frame.row(by_predicate=pl.col("term") == "x1*x3", named=True)
    assert (both["low"], both["high"]) == (66.25, 76.25)


def test_a_fraction_has_as_many_terms_as_it_can_tell_apart():
    terms = term_effects(EXAMPLE.frame, factors=EXAMPLE.factors, response="y1")
    assert terms.frame.height == 31
    orders = terms.frame["order"].value_counts(sort=True)
    assert dict(orders.iter_rows()) == {2: 15, 3: 10, 1: 6}
    aliases = dict(zip(terms.frame["term"], terms.frame["aliases"], strict=True))
    # The defining word is web = delay*speed*buffers*sources*think.
    assert aliases["delay*speed*buffers"] == "sources*think*web"
    assert aliases["delay*speed"] == ""


def test_half_normal_quantiles_are_medians_of_order_statistics():
    terms = springs()
    quantiles = terms.frame["quantile"].to_numpy()
    # The distribution function of the k-th smallest of 7 draws is 1/2 at its median.
    for k, quantile in enumerate(quantiles[::-1], start=1):
        below = stats.norm.cdf(quantile) * 2 - 1
        assert stats.binom.sf(k - 1, 7, below) == pytest.approx(0.5, abs=1e-12)


def test_lenth_margins_of_the_springs():
    # s0 = 1.5 * median(23, 10, 5, 1.5, 1.5, .5, 0) = 2.25; of those below 5.625 the median is 1.5.
    terms = springs()
    assert terms.standard_error == pytest.approx(2.25)
    # The quantiles that Lenth's table prints for seven contrasts: 3.764 and 9.008.
    assert terms.margin / 2.25 == pytest.approx(3.764, abs=5e-4)
    assert terms.simultaneous_margin / 2.25 == pytest.approx(9.008, abs=5e-4)


def test_lenth_needs_three_effects():
    assert all(math.isnan(value) for value in lenth([1.0, 2.0]))
    assert lenth([0.0] * 5).margin == 0.0


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

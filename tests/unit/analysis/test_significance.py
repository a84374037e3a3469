import math

import polars as pl
import pytest
import synthetic

from mesonet.analysis import (
    example_campaign,
    influence,
    influence_fraction,
    main_effects,
    significance,
)

# Table 7 of the methodology paper, the columns that its text layer gives beyond doubt: responses
# out of 18 with two asterisks and with one, and the fraction that equation (5) makes of them.
TABLE_7 = {
    "X1": (16, 2, 94),
    "X2": (9, 1, 53),
    "X3": (9, 1, 53),
    "X4": (6, 3, 42),
    "X5": (7, 0, 39),
    "X6": (0, 0, 0),
    "X7": (13, 2, 78),
    "X15": (1, 1, 8),
}


@pytest.mark.parametrize(("factor", "counts"), TABLE_7.items())
def test_the_influence_fractions_of_table_7(factor, counts):
    double, single, percent = counts
    assert round(100 * influence_fraction(double, single, 18)) == percent


def test_influence_follows_from_the_p_values():
    campaign = example_campaign()
    effects = main_effects(campaign.frame, factors=campaign.factors, responses=campaign.responses)
    for row in effects.influence.iter_rows(named=True):
        p = effects.frame.filter(factor=row["factor"])["p"].drop_nans()
        double, single = int((p < 0.01).sum()), int(((p >= 0.01) & (p < 0.05)).sum())
        assert (row["at_1_percent"], row["at_5_percent"]) == (double, single)
        assert row["responses"] == 73
        assert row["influence"] == (double + single / 2) / 73


def test_the_summary_has_signs_and_stars():
    effects = main_effects(
        synthetic.campaign(),
        factors=synthetic.FACTORS,
        responses=["sending_sources", "connection_failures"],
    )
    result = significance(effects)
    rows = {row["response"]: row for row in result.frame.iter_rows(named=True)}
    assert rows["sending_sources"]["speed"] == "-**"
    assert rows["sending_sources"]["file_size"] == "+**"
    # A response that does not vary was not tested, which is not the same as insignificant.
    assert [rows["connection_failures"][name] for name in synthetic.FACTORS] == [None] * 6
    assert result.tests == 6
    assert result.expected_at_1_percent == pytest.approx(0.06)
    assert result.at_1_percent == sum(
        "**" in (text or "") for row in rows.values() for text in row.values()
    )


def sets():
    frame = synthetic.campaign().with_columns(nothing=math.nan)
    return {
        name: main_effects(frame, factors=synthetic.FACTORS, responses=responses)
        for name, responses in {
            "congestion": ["loss_rate", "retransmission_rate"],
            "goodput": synthetic.GOODPUTS,
            "empty": ["nothing"],
        }.items()
    }


def test_weights_average_the_sets_as_table_8_does():
    means = influence(sets(), weights={"congestion": 3, "goodput": 1, "empty": 2})
    parts = {
        (row["set"], row["factor"]): row["influence"] for row in means.frame.iter_rows(named=True)
    }
    for row in means.overall.iter_rows(named=True):
        factor = row["factor"]
        expected = (3 * parts["congestion", factor] + parts["goodput", factor]) / 4
        assert row["influence"] == pytest.approx(expected)
    assert means.frame["weight"].unique().sort().to_list() == pytest.approx([1 / 6, 1 / 3, 1 / 2])
    assert means.notes[0] == "Without a value, so left out of the mean: empty."
    assert means.overall.sort("position")["influence"].is_sorted(descending=True)


def test_undefined_responses_are_null_in_the_summary():
    effects = main_effects(
        pl.DataFrame(synthetic.campaign()).with_columns(nothing=math.nan),
        factors=synthetic.FACTORS,
        responses="nothing",
    )
    result = significance(effects)
    assert result.tests == 0
    assert result.frame.null_count().row(0)[1:] == (1,) * 6

"""The summary of outliers: filters, and control over many tests."""

import math

import polars as pl
import pytest
import synthetic
from statsmodels.stats.multitest import multipletests

from mesonet.analysis import condition_response, condition_summary, example_campaign


def campaign():
    return synthetic.campaign(alternatives=("reno", "a", "b", "c", "d", "e", "scalable"))


@pytest.mark.parametrize("method", ["holm", "fdr_bh"])
def test_adjusted_p_values_are_those_of_statsmodels_over_all_cells(method):
    responses = ["loss_rate", "goodput_DD", "connection_failures"]
    summary = condition_summary(campaign(), responses=responses, adjust=method)
    each = pl.concat([condition_response(campaign(), response=name).frame for name in responses])
    tested = each["p"].is_finite()
    assert summary.tested == tested.sum() == 32 * 2 + 32 - each.filter(~tested).height
    expected = multipletests(each.filter(tested)["p"].to_numpy(), method=method)[1]
    adjusted = summary.cells.filter(pl.col("p").is_finite())["p_adjusted"].to_numpy()
    assert adjusted == pytest.approx(expected, abs=1e-12)
    assert summary.frame.height == (expected < 0.05).sum()
    assert math.isnan(summary.expected)


def test_control_keeps_fewer_outliers_and_holm_the_fewest():
    kept = [
        condition_summary(campaign(), responses=synthetic.RESPONSES, adjust=method).frame.height
        for method in ("holm", "fdr_bh", "none")
    ]
    assert 0 < kept[0] < kept[1] < kept[2]


def test_both_filters_apply():
    summary = condition_summary(
        campaign(), responses=synthetic.RESPONSES, adjust="fdr_bh", minimum_relative=0.65
    )
    assert summary.frame.height
    assert summary.frame["p_adjusted"].max() < 0.05
    assert summary.frame["relative"].abs().min() >= 0.65
    dropped = summary.cells.filter(pl.col("outlier") & ~pl.col("kept"))
    assert dropped.height
    assert dropped["relative"].abs().max() < 0.65


def test_the_critical_value_of_the_sources_can_be_used():
    # At 2.08 instead of 2.02 for seven algorithms, fewer cells are called outliers.
    ours = condition_summary(campaign(), responses=synthetic.RESPONSES)
    theirs = condition_summary(campaign(), responses=synthetic.RESPONSES, critical=2.08)
    assert theirs.frame.height < ours.frame.height
    assert theirs.frame["g"].min() > 2.08
    # It has no level, so nothing is known of chance.
    assert math.isnan(theirs.expected)
    assert not any("chance" in note for note in theirs.notes)


def test_cells_without_all_alternatives_are_counted_over_all_responses():
    gone = pl.when((pl.col("condition") > 2) | (pl.col("alternative") != "e"))
    frame = campaign().with_columns(z=gone.then("loss_rate"))
    notes = " ".join(condition_summary(frame, responses=["loss_rate", "z"]).notes)
    cells = 2 * frame["condition"].n_unique()
    assert f"In 2 of {cells} cells of condition and response not every alternative" in notes


def test_the_worked_example():
    campaign = example_campaign()
    summary = condition_summary(campaign.frame, responses=campaign.responses)
    most = summary.counts.sort("outliers", descending=True).row(0, named=True)
    assert most["alternative"] == "Scalable"
    strict = condition_summary(campaign.frame, responses=campaign.responses, adjust="fdr_bh")
    assert 0 < strict.frame.height < summary.frame.height / 2

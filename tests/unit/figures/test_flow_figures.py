"""Drawings of the goodput comparisons."""

import math

import drawings
import polars as pl
import pytest

from mesonet import figures
from mesonet.analysis import compare_flows, difference_histogram, example_campaign, flow_ranks
from mesonet.figures import Look, Names

CAMPAIGN = example_campaign("mixed")
LOOK = Look.of(CAMPAIGN.alternatives)
NAMES = Names(responses={"g17": ("Goodput", "segments/s")})


def drawn(frame, group="g17"):
    result = compare_flows(frame, groups=group, order_by="loss_rate")
    histogram, ranks = difference_histogram(result), flow_ranks(result).alternate
    both = {"group": group, "look": LOOK, "names": NAMES}
    sheet = {"alternative": result.alternatives[0], "names": NAMES} if result.alternatives else None
    return {
        "biplot": figures.biplot_chart(result, **both),
        "bars": figures.goodput_bars_chart(result, **both),
        "histogram": figures.difference_histogram_chart(histogram, **both),
        **({"sheet": figures.rank_sheet_chart(ranks, **sheet)} if sheet else {}),
    }


@pytest.mark.parametrize(
    "frame",
    [
        CAMPAIGN.frame,
        CAMPAIGN.frame.filter(condition=1),
        CAMPAIGN.frame.filter(pl.col("alternative").is_in(["BIC", "CTCP"])),
        CAMPAIGN.frame.with_columns(pl.col("^g17.*$") * 0 + 1.0),
        CAMPAIGN.frame.with_columns(pl.col("^g17.*$") * math.nan),
        CAMPAIGN.frame.with_columns(pl.lit(0.0).alias("g17:reno")),
    ],
)
def test_everything_draws_or_says_why_not(frame):
    drawings.draws(*drawn(frame).values())


def test_a_biplot_has_one_mark_per_condition_and_a_diagonal():
    chart = drawn(CAMPAIGN.frame)["biplot"]
    marks = [row for row in drawings.values(chart) if "condition" in row]
    assert len(marks) == 8 * 4
    frame = CAMPAIGN.frame.filter(condition=3, alternative="HTCP")
    (mark,) = [row for row in marks if (row["condition"], row["alternative"]) == (3, "HTCP")]
    assert mark["alternate"] == frame["g17:htcp:nist"].item()
    assert mark["standard"] == frame["g17:reno"].item()
    ends = [row for row in drawings.values(chart) if "condition" not in row]
    assert ends
    assert all(row["alternate"] == row["standard"] for row in ends)


def test_bars_are_fractions_of_the_largest():
    chart = drawn(CAMPAIGN.frame)["bars"]
    bars = drawings.values(chart)
    assert len(bars) == 8 * 4 * 2
    for condition in range(1, 9):
        fractions = [bar["fraction"] for bar in bars if bar["condition"] == condition]
        assert max(fractions) == 1.0
        assert min(fractions) > 0.0


def test_a_histogram_counts_every_condition_once():
    chart = drawn(CAMPAIGN.frame)["histogram"]
    assert sum(row["count"] for row in drawings.values(chart)) == 8 * 4


def test_a_rank_sheet_prints_every_rank():
    chart = drawn(CAMPAIGN.frame)["sheet"]
    assert len([row for row in drawings.values(chart) if row.get("text")]) == 8
    assert "mean rank" in chart.to_dict()["title"]

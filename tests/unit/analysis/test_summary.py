"""The plain summary, and the tables that it rests on."""

import math

import polars as pl
import pytest
import synthetic

from mesonet.analysis import condition_summary, example_campaign, paired_differences, plain_summary

BETTER = {
    "loss_rate": "lower",
    "retransmission_rate": "lower",
    **dict.fromkeys(synthetic.GOODPUTS, "higher"),
}


def told(frame, **options):
    options = {"better": BETTER, "order_by": "loss_rate", "factors": synthetic.FACTORS} | options
    return plain_summary(
        frame, responses=synthetic.RESPONSES, baseline=options.pop("baseline", "reno"), **options
    )


CAMPAIGNS = {
    "typical": synthetic.campaign(),
    "repeated": synthetic.campaign(replicates=2, conditions=8),
    "alone": synthetic.campaign(alternatives=("reno",), conditions=8),
    "two": synthetic.campaign(alternatives=("reno", "ctcp"), conditions=8),
    "one condition": synthetic.campaign(conditions=1),
    "one condition, repeated": synthetic.campaign(conditions=1, replicates=3),
    "missing runs": synthetic.campaign(conditions=8).head(20),
    "constant": synthetic.campaign(conditions=8).with_columns(
        pl.lit(1.0).alias(name) for name in synthetic.RESPONSES
    ),
    "undefined": synthetic.campaign(conditions=8).with_columns(
        pl.lit(math.nan).alias(name) for name in synthetic.RESPONSES
    ),
    "zero baseline": synthetic.campaign(conditions=8).with_columns(
        pl.when(pl.col("alternative") == "reno").then(0.0).otherwise("loss_rate").alias("loss_rate")
    ),
    "braces": synthetic.campaign(alternatives=("reno", "{0}", "{x}"), conditions=8),
}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_campaign_has_sentences(name):
    summary = told(CAMPAIGNS[name])
    assert summary.frame["text"].to_list() == [it.text for it in summary.sentences] != []


def test_verdicts_count_the_paired_differences():
    summary = told(synthetic.campaign())
    paired = paired_differences(synthetic.campaign(), response=list(BETTER), baseline="reno").frame
    for row in summary.tables["verdicts"].iter_rows(named=True):
        mine = paired.filter(alternative=row["alternative"])
        sure = mine.filter(pl.col("p_holm") < 0.05)
        better = sum(
            (pair["difference"] > 0) == (BETTER[pair["response"]] == "higher")
            for pair in sure.iter_rows(named=True)
        )
        assert (row["better"], row["worse"]) == (better, sure.height - better)
        assert row["judged"] == mine.height
        assert row["open"] == mine.height - sure.height
    verdicts = summary.tables["verdicts"].filter(alternative="ctcp")
    # Planted: 4 % more goodput in all four classes.
    assert verdicts["better"].item() >= 3


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("alone", "there is one alternative"),
        ("two", "needs three alternatives"),
        ("one condition", "cannot be judged"),
        ("constant", "No factor has a significant effect"),
        ("undefined", "conditions have no order"),
    ],
)
def test_what_cannot_be_said_is_a_note(name, text):
    assert any(text in note for note in told(CAMPAIGNS[name]).notes)


def test_a_response_that_nothing_moves_is_in_the_answer():
    same = synthetic.campaign(conditions=8).with_columns(loss_rate=pl.lit(0.25))
    answers = [it.text for it in told(same).sentences if it.topic == "paired"]
    assert "loss_rate (0.25)" in answers[0]
    assert set(told(same).tables["verdicts"]["judged"]) == {len(BETTER) - 1}


def test_the_clearest_difference_has_the_smallest_p():
    """One that is the same in every condition has an infinite t, and a p of 2^(1-n)."""
    frame = synthetic.campaign(alternatives=("reno", "ctcp"), conditions=12)
    ours = (pl.col("alternative") == "ctcp").cast(pl.Float64)
    noise = 1e-3 * pl.col("condition").mul(7).mod(5)
    summary = plain_summary(
        frame.with_columns(x=1 + ours, y=1 + ours * (1 + noise)),
        responses=["x", "y"],
        baseline="reno",
        better={"x": "higher", "y": "higher"},
    )
    (text,) = (it.text for it in summary.sentences if "most clearly" in it.text)
    assert "better on y: +1" in text
    # A change of all but everything is no power of ten.
    assert "+100 % (" in text
    assert "e+" not in text


@pytest.mark.parametrize("change", [0.5, 0.0])
def test_a_difference_names_the_factor_that_changes_it_most(change):
    frame = synthetic.campaign(alternatives=("reno", "ctcp"), conditions=16)
    a, b = synthetic.FACTORS[:2]
    ours = (pl.col("alternative") == "ctcp").cast(pl.Float64)
    noise = 1e-2 * pl.col("condition").mul(7).mod(5)
    gain = 0.5 + 0.5 * change * pl.col(b) + noise - noise.mean()
    frame = frame.with_columns(y=1 + ours * gain)
    summary = plain_summary(
        frame,
        responses=["y"],
        baseline="reno",
        better={"y": "higher"},
        factors=[a, b],
        names={b: "speed"},
    )
    said = [it.text for it in summary.sentences if it.text.startswith("It is ")]
    start = "It is +75 % where speed is 1600 p/ms, and +25 % where it is 800 p/ms: the clearest"
    assert [text[: len(start)] for text in said] == [start] * bool(change)


def test_outliers_are_counted_before_those_near_the_mean_are_left_out():
    rows = synthetic.campaign(alternatives=tuple("abcdefg"), conditions=6)
    value = pl.when(alternative="g").then(1.05).otherwise(1 + pl.col("condition") * 1e-4)
    steps = pl.col("alternative").cast(pl.Categorical).to_physical().cast(pl.Float64) * 1e-5
    frame = rows.with_columns(x=value + steps)
    kept = condition_summary(frame, responses=["x"], minimum_relative=0.1)
    summary = plain_summary(frame, responses=["x"], baseline="a", outliers=kept)
    (text,) = (it.text for it in summary.sentences if it.topic == "outliers")
    assert text.startswith("Of 6 cells of condition and response Grubbs' test calls 6 an outlier")
    assert "Of these 0 are far enough" in text


def test_missing_runs_and_single_replicates_are_loud():
    loud = [it.text for it in told(CAMPAIGNS["missing runs"]).sentences if it.loud]
    assert loud[0].startswith("1 run is missing") or "missing" in loud[0]
    assert "1 replicate" in loud[1]
    assert not any(it.loud for it in told(CAMPAIGNS["repeated"]).sentences)


def test_factors_of_equal_influence_are_named_together():
    a, b, c = synthetic.FACTORS[:3]
    frame = CAMPAIGNS["typical"].with_columns(
        (10.0 * pl.col(a) - 10.0 * pl.col(b) + 0.01 * pl.col("loss_rate")).alias("loss_rate")
    )
    summary = plain_summary(frame, responses=["loss_rate"], baseline="reno", factors=[c, a, b])
    (text,) = (it.text for it in summary.sentences if it.topic == "factors")
    assert text == (
        f"The factors with the widest influence, equally, are {a}: significant at p < 0.01 on 1 "
        f"and at p < 0.05 on another 0 of 1 response; {b}: significant at p < 0.01 on 1 and at "
        "p < 0.05 on another 0 of 1 response."
    )


def test_the_worked_example():
    """The sentences that the page on paired comparisons prints."""
    campaign = example_campaign()
    summary = plain_summary(
        campaign.frame,
        responses=campaign.responses,
        baseline="Reno",
        better=campaign.better,
        order_by="loss_rate",
    )
    texts = [sentence.text for sentence in summary.sentences]
    assert texts[0] == "96 runs of 3 alternatives (Reno, Scalable, CTCP) under 32 conditions."
    assert any(
        text.startswith("Against Reno, Scalable is better on 5 and worse on 35 of 59 responses")
        for text in texts
    )


def test_what_only_one_alternative_has_takes_no_part_in_verdicts_and_ranks():
    frame = synthetic.campaign(conditions=8)
    whole = told(frame)
    own = frame.with_columns(
        pl.when(pl.col("alternative") == "ctcp").then("goodput_DD").alias("own_goodput")
    )
    summary = told(own, better={**BETTER, "own_goodput": "higher"})
    assert summary.tables["ranks"].equals(whole.tables["ranks"])
    assert summary.tables["verdicts"].equals(whole.tables["verdicts"])

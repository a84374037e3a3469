import polars as pl
import pytest
import synthetic

from mesonet.analysis import paired_differences
from mesonet.analysis.few_conditions import over_few_conditions


def runs(*, conditions, replicates):
    return synthetic.campaign(replicates=replicates).filter(pl.col("condition") <= conditions)


@pytest.mark.parametrize(
    ("conditions", "replicates", "few"),
    [(1, 3, False), (2, 2, False), (2, 3, True), (5, 3, True), (6, 3, False)],
)
def test_which_campaigns_speak_of_their_conditions_alone(conditions, replicates, few):
    frame = runs(conditions=conditions, replicates=replicates)
    means = over_few_conditions(frame, responses=["loss_rate"])
    assert (means is not None) == few


def test_differences_are_those_of_exactly_these_conditions():
    frame = runs(conditions=2, replicates=5)
    over = paired_differences(frame, response=synthetic.GOODPUTS, baseline="reno")
    means = over_few_conditions(frame, responses=synthetic.GOODPUTS)
    here = paired_differences(means, response=synthetic.GOODPUTS, baseline="reno")
    assert (over.unit, here.unit) == ("condition", "replicate")
    assert here.frame["n"].to_list() == over.frame["seeds"].to_list()
    for ours, theirs in (
        ("difference", "difference"),
        ("baseline_mean", "baseline_mean"),
        ("lower", "seed_lower"),
        ("upper", "seed_upper"),
        ("p", "seed_p"),
        ("p_holm", "seed_holm"),
    ):
        assert here.frame[ours].to_list() == pytest.approx(over.frame[theirs].to_list())


def test_a_mean_needs_a_value_under_every_condition():
    first = (pl.col("condition") == 1) & (pl.col("replicate") == 1)
    undefined = pl.when(first).then(float("nan")).otherwise(pl.col("loss_rate"))
    frame = runs(conditions=2, replicates=3)
    means = over_few_conditions(
        frame.with_columns(undefined.alias("loss_rate")), responses=["loss_rate"]
    )
    assert means.filter(pl.col("loss_rate").is_null())["replicate"].unique().to_list() == [1]
    # Without the run itself there are two replicates that every condition has.
    left = frame.filter(~first)
    assert over_few_conditions(left, responses=["loss_rate"]) is None

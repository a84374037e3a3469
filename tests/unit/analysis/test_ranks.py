import math

import polars as pl
import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from mesonet.analysis import condition_order, congestion, describe, rank_matrix


def frame_of(table):
    return pl.DataFrame(
        [
            {"condition": c, "alternative": a, "replicate": 1, "y": v, "loss": -float(c)}
            for c, values in table.items()
            for a, v in zip("abcd", values, strict=False)
        ]
    )


def test_ties_share_the_mean_rank():
    result = rank_matrix(frame_of({1: [1.0, 2.0, 2.0, 5.0]}), response="y")
    assert result.frame["rank"].to_list() == [1.0, 2.5, 2.5, 4.0]


def test_lower_is_better_turns_the_ranks():
    result = rank_matrix(frame_of({1: [1.0, 2.0, 3.0]}), response="y", better={"y": "lower"})
    assert result.frame["rank"].to_list() == [3.0, 2.0, 1.0]


def test_conditions_are_ranked_where_every_alternative_has_a_value():
    result = rank_matrix(frame_of({1: [1.0, math.nan, 3.0], 2: [3.0, 1.0, 2.0]}), response="y")
    assert result.frame["rank"].to_list() == [None, None, None, 3.0, 1.0, 2.0]
    assert result.frame["value"].to_list() == [1.0, None, 3.0, 3.0, 1.0, 2.0]
    assert result.summary["n"].to_list() == [1, 1, 1]
    assert result.summary["mean"].to_list() == [3.0, 1.0, 2.0]
    assert any(note.endswith("not ranked: y in 1 of 2.") for note in result.notes)


def test_the_only_alternative_with_a_value_is_neither_best_nor_worst():
    # As of a response to the flows of one algorithm: the others have none.
    table = {c: [float(c), 10.0 - c, 5.0] for c in (1, 2, 3)}
    both = frame_of(table).with_columns(
        pl.when(pl.col("alternative") == "a").then("y").alias("only a")
    )
    result = rank_matrix(both, response=["y", "only a"])
    assert result.frame.filter(response="only a")["rank"].null_count() == 9
    assert result.summary.equals(rank_matrix(both, response="y").summary)
    assert result.tests.filter(response="only a")["conditions"].item() == 0


def test_conditions_are_ordered_by_congestion():
    result = rank_matrix(frame_of({1: [1.0, 2.0], 2: [2.0, 1.0]}), response="y", order_by="loss")
    assert result.frame["condition"].unique(maintain_order=True).to_list() == [2, 1]


def test_hand_computed_friedman():
    # Ranks always 1, 2, 3: 12 n / (k (k+1)) * sum (R/n - 2)^2 = 2n; W = 1.
    table = {c: [1.0, 2.0, 3.0] for c in range(1, 6)}
    friedman = rank_matrix(frame_of(table), response="y").tests.row(0, named=True)
    assert friedman["statistic"] == pytest.approx(10.0)
    assert friedman["p"] == pytest.approx(math.exp(-5.0))
    assert friedman["concordance"] == pytest.approx(1.0)


def test_all_ties_say_nothing():
    tests = rank_matrix(frame_of({1: [1.0] * 3, 2: [2.0] * 3}), response="y").tests
    assert tests["p"].item() == 1.0


def test_planted_winner_has_the_best_mean_rank():
    result = rank_matrix(synthetic.campaign(), response=synthetic.GOODPUTS, order_by="loss_rate")
    best = result.summary.sort("mean", descending=True).row(0, named=True)
    assert best["alternative"] == "ctcp"
    assert best["n"] == 4 * 32
    assert result.per_response.height == 12


def test_one_alternative():
    result = rank_matrix(frame_of({1: [1.0], 2: [3.0]}), response="y")
    assert result.frame["rank"].to_list() == [1.0, 1.0]
    assert math.isnan(result.tests["p"].item())


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=4))
def test_ranks_always_sum_to_the_same(values):
    result = rank_matrix(frame_of({1: values}), response="y")
    n = len(values)
    assert result.frame["rank"].sum() == pytest.approx(n * (n + 1) / 2)


def test_order_without_a_response_keeps_the_numbers():
    order = condition_order(frame_of({3: [1.0], 1: [2.0]}), response=None)
    assert order["condition"].to_list() == [1, 3]


def test_congestion_and_description():
    frame = synthetic.campaign()
    result = congestion(frame, response="loss_rate")
    values = result.conditions["value"].to_list()
    assert values == sorted(values)
    assert values[0] == 0.0
    table = describe(frame, responses=["loss_rate", "recovery_time"]).frame
    assert table.filter(response="recovery_time")["conditions"].max() < 32
    assert table.filter(response="loss_rate", alternative="reno")["minimum"].item() == 0.0


def test_alternatives_are_ranked_over_the_replicates_that_all_of_them_have():
    # Equal in both replicates; the second is missing of one, as a killed campaign leaves it.
    values = {("a", 1): 1.0, ("a", 2): 5.0, ("b", 1): 1.0}
    rows = [
        {"condition": 1, "alternative": label, "replicate": replicate, "run": label, "y": value}
        for (label, replicate), value in values.items()
    ]
    ranks = rank_matrix(pl.DataFrame(rows), response="y").frame
    assert ranks["rank"].to_list() == [1.5, 1.5]
    assert ranks["value"].to_list() == [1.0, 1.0]

import math
import random

import polars as pl
import pytest
import synthetic
from scipy import stats

from mesonet.analysis import (
    correlations,
    example_campaign,
    response_clusters,
    suggest_threshold,
)
from mesonet.errors import InputError

EXAMPLE = example_campaign()


def frame_of(columns):
    count = len(next(iter(columns.values())))
    return pl.DataFrame(
        {
            "condition": range(1, count + 1),
            "alternative": ["reno"] * count,
            "replicate": [1] * count,
            **columns,
        }
    )


@pytest.mark.parametrize("ranks", [False, True])
def test_scipy_agrees_also_where_values_are_missing(ranks):
    responses = ["y1", "y6", "y22", "g14", "loss_rate"]
    related = correlations(EXAMPLE.frame, responses=responses, by="alternative", ranks=ranks)
    function = stats.spearmanr if ranks else stats.pearsonr
    for row in related.frame.iter_rows(named=True):
        both = EXAMPLE.frame.select(row["first"], row["second"]).fill_nan(None).drop_nulls()
        expected = function(both[row["first"]].to_numpy(), both[row["second"]].to_numpy())
        assert row["n"] == both.height
        assert row["r"] == pytest.approx(expected.statistic, rel=1e-9)
        assert row["size"] == abs(row["r"])
    assert related.frame.filter(first="y22", second="g14")["n"].item() < 96


def test_condition_means_are_the_observations_by_default():
    related = correlations(EXAMPLE.frame, responses=["y1", "y6"])
    means = EXAMPLE.frame.group_by("condition").agg(pl.col("y1", "y6").mean())
    expected = stats.pearsonr(means["y1"].to_numpy(), means["y6"].to_numpy()).statistic
    assert related.frame["r"].item() == pytest.approx(expected, rel=1e-12)
    assert related.observations.height == 32


def test_large_offsets_do_not_cancel():
    draw = random.Random(1)
    a = [draw.gauss(0, 1) for _ in range(30)]
    b = [x + draw.gauss(0, 1) for x in a]
    near = correlations(frame_of({"a": a, "b": b}), responses=["a", "b"]).frame["r"].item()
    far = frame_of({"a": [1e9 + x for x in a], "b": b})
    assert correlations(far, responses=["a", "b"]).frame["r"].item() == pytest.approx(near, 1e-6)


def test_responses_are_ordered_by_mean_size():
    related = correlations(EXAMPLE.frame, responses=["y1", "y6", "y7", "loss_rate"])
    sizes = related.frame.filter((pl.col("first") == "y6") | (pl.col("second") == "y6"))["size"]
    mean = related.order.filter(response="y6")["mean_size"].item()
    assert mean == pytest.approx(sizes.mean())
    assert related.order["mean_size"].is_sorted(descending=True)
    assert related.frequencies["count"].sum() == 6


def test_a_distribution_of_its_own_at_the_strong_end_is_found():
    # As in the paper's figure 8: 231 pairs, of which 42 form a hill of their own above 0.65.
    draw = random.Random(8)
    weak = [abs(draw.gauss(0.0, 0.2)) for _ in range(189)]
    strong = [min(draw.gauss(0.85, 0.06), 1.0) for _ in range(42)]
    value, why = suggest_threshold(weak + strong)
    assert 0.55 < value < 0.75
    assert "last valley" in why
    assert sum(size > value for size in weak + strong) == pytest.approx(42, abs=3)


def test_one_hill_falls_back_on_otsu_and_says_so():
    value, why = suggest_threshold([k / 40 for k in range(21)])
    assert value == pytest.approx(0.25, abs=0.03)
    assert "one hill only" in why


@pytest.mark.parametrize("least", [0.8, 0.9, 0.995])
def test_strong_correlations_alone_are_one_hill(least):
    """Below them the density is exactly zero: an end of that is no valley."""
    value, why = suggest_threshold([least + k * (1 - least) / 20 for k in range(20)])
    assert least < value <= 0.99 or least > 0.99
    assert value < 1
    assert "one hill only" in why


def test_no_threshold_for_few_or_equal_pairs():
    assert suggest_threshold([0.2, 0.9]) == (None, "There are fewer than ten pairs of responses.")
    assert suggest_threshold([0.5] * 20)[0] is None


def three_groups():
    """a1, a2, a3 and b1, b2 go together; c is on its own; d follows a3 more than it follows a1."""
    draw = random.Random(3)
    a, b, c = ([draw.gauss(0, 1) for _ in range(64)] for _ in range(3))

    def near(base, noise):
        return [x + noise * draw.gauss(0, 1) for x in base]

    return frame_of(
        {
            "c": c,
            "b1": near(b, 0.1),
            "a1": near(a, 0.1),
            "a2": near(a, 0.1),
            "b2": [-x for x in near(b, 0.1)],
            "a3": near(a, 0.1),
        }
    )


def test_clusters_are_self_contained():
    names = ["c", "b1", "a1", "a2", "b2", "a3"]
    groups = response_clusters(correlations(three_groups(), responses=names), threshold=0.8)
    assert groups.clusters["size"].to_list() == [3, 2, 1]
    assert groups.clusters["pairs"].to_list() == groups.clusters["possible"].to_list() == [3, 1, 0]
    cluster = dict(groups.frame.select("response", "cluster").iter_rows())
    assert cluster["b1"] == cluster["b2"] == 2, "negative correlations count"
    assert cluster["c"] == 3
    # The axes of the index-index plot: small clusters first.
    assert groups.frame["index"].to_list() == [1, 2, 3, 4, 5, 6]
    assert groups.frame["cluster"].to_list() == [3, 2, 2, 1, 1, 1]
    assert groups.frame["representative"].sum() == 3
    assert not groups.suggested


def test_no_pair_leaves_a_cluster():
    groups = response_clusters(correlations(EXAMPLE.frame, responses=EXAMPLE.responses))
    cluster = dict(groups.frame.select("response", "cluster").iter_rows())
    for a, b in groups.pairs.select("first", "second").iter_rows():
        assert cluster[a] == cluster[b]
    assert groups.clusters["pairs"].sum() == groups.pairs.height
    assert groups.clusters["size"].sum() == groups.frame.height == 73


def test_degenerate_responses_are_left_out_and_named():
    frame = synthetic.campaign().with_columns(nothing=math.nan)
    related = correlations(frame, responses=["loss_rate", "connection_failures", "nothing"])
    assert related.responses == ("loss_rate",)
    assert related.frame.is_empty()
    assert any("Did not vary, so left out: connection_failures." in note for note in related.notes)
    assert any("Fewer than two values, so left out: nothing." in note for note in related.notes)
    assert related.suggestion is None
    nothing = response_clusters(related)
    assert nothing.clusters.is_empty()
    assert "none is suggested: There are fewer than ten pairs" in nothing.notes[0]
    alone = response_clusters(related, threshold=0.5)
    assert alone.clusters["responses"].to_list() == ["loss_rate"]


def test_one_condition():
    related = correlations(synthetic.campaign(conditions=1), responses=synthetic.RESPONSES)
    assert related.frame.is_empty()


@pytest.mark.parametrize("threshold", [-0.1, 1.0, math.nan])
def test_thresholds_are_fractions(threshold):
    with pytest.raises(InputError):
        response_clusters(correlations(EXAMPLE.frame, responses=["y1", "y2"]), threshold=threshold)

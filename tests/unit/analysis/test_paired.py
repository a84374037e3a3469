import math
import random

import numpy as np
import polars as pl
import pytest
import synthetic
from scipy import stats
from statsmodels.stats.multitest import multipletests

from mesonet.analysis import paired_differences


def frame_of(base, other, *, replicates=1):
    rows = []
    for index, (a, b) in enumerate(zip(base, other, strict=True)):
        condition, replicate = index // replicates + 1, index % replicates + 1
        rows += [
            {"condition": condition, "alternative": name, "replicate": replicate, "y": value}
            for name, value in (("reno", a), ("new", b))
        ]
    return pl.DataFrame(rows)


def only(result):
    return result.frame.row(0, named=True)


def test_hand_computed_paired_t():
    # Differences 1, 2, 3: mean 2, sd 1, t = 2 sqrt 3, t(0.975, 2) = 4.3027.
    row = only(
        paired_differences(frame_of([10, 10, 10], [11, 12, 13]), response="y", baseline="reno")
    )
    assert row["difference"] == pytest.approx(2.0)
    assert row["t"] == pytest.approx(2 * math.sqrt(3))
    assert row["upper"] == pytest.approx(2 + 4.30265 / math.sqrt(3), abs=1e-4)
    assert row["relative"] == pytest.approx(0.2)
    assert (row["above"], row["equal"], row["below"]) == (3, 0, 0)
    # For two degrees of freedom: p = 1 - t / sqrt(2 + t^2).
    t = row["t"]
    assert row["p"] == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert row["wilcoxon_p"] == pytest.approx(0.25)


def test_conditions_are_the_blocks_when_there_are_replicates():
    result = paired_differences(
        frame_of([10, 12, 20, 22], [11, 15, 21, 23], replicates=2), response="y", baseline="reno"
    )
    assert result.unit == "condition"
    assert only(result)["n"] == 2
    assert result.blocks["difference"].to_list() == [2.0, 1.0]
    first = result.blocks.row(0, named=True)
    assert first["upper"] == pytest.approx(2 + 12.7062 * 1.0, abs=1e-3)


def test_holm_covers_all_rows():
    frame = synthetic.campaign()
    result = paired_differences(frame, response=synthetic.GOODPUTS, baseline="reno")
    table = result.frame
    smallest = table.sort("p").row(0, named=True)
    assert smallest["p_holm"] == pytest.approx(min(1.0, smallest["p"] * table.height))
    assert (table["p_holm"] >= table["p"]).all()


def test_no_difference_at_all():
    row = only(paired_differences(frame_of([1, 2], [1, 2]), response="y", baseline="reno"))
    assert (row["difference"], row["p"], row["wilcoxon_p"]) == (0.0, 1.0, 1.0)
    assert row["equal"] == 2


@pytest.mark.parametrize("n", [2, 8])
def test_the_same_difference_everywhere_has_the_p_of_equal_signs(n):
    """Without variance a t-test would be certain of any two pairs; no n pairs can be."""
    base = [float(value) for value in range(n)]
    frame = frame_of(base, [value + 1.0 for value in base])
    row = only(paired_differences(frame, response="y", baseline="reno"))
    assert (row["t"], row["p"]) == (math.inf, 2.0 ** (1 - n))
    assert row["p"] == pytest.approx(row["wilcoxon_p"])
    assert row["lower"] == row["upper"] == 1.0


def test_a_single_pair_has_no_interval():
    result = paired_differences(frame_of([1], [2]), response="y", baseline="reno")
    assert math.isnan(only(result)["p_holm"])
    assert any("no confidence interval" in note for note in result.notes)


def test_undefined_values_break_their_pair_only():
    row = only(
        paired_differences(frame_of([1, 2, 4], [2, math.nan, 7]), response="y", baseline="reno")
    )
    assert row["n"] == 2


def test_seeds_are_the_blocks_for_exactly_these_conditions():
    # Differences by condition and replicate: (1, 3) and (5, 5); means over conditions 3 and 4.
    row = only(
        paired_differences(
            frame_of([0, 0, 0, 0], [1, 3, 5, 5], replicates=2), response="y", baseline="reno"
        )
    )
    assert row["difference"] == pytest.approx(3.5)
    assert row["seeds"] == 2
    assert row["seed_upper"] == pytest.approx(3.5 + 12.7062 * 0.5, abs=1e-3)
    # t = 7 with one degree of freedom.
    assert row["seed_p"] == pytest.approx(1 - 2 * math.atan(7.0) / math.pi)


def test_benjamini_and_hochberg_by_statsmodels():
    frame = synthetic.campaign()
    differences = paired_differences(frame, response=synthetic.GOODPUTS, baseline="reno").frame
    expected = multipletests(differences["p"].to_numpy(), method="fdr_bh")[1]
    assert differences["p_bh"].to_numpy() == pytest.approx(expected, abs=1e-12)
    assert (differences["p_bh"] <= differences["p_holm"]).all()


def beside_zero(cells, campaigns):
    """Differences of campaigns without any, each an alternative beside one that is always zero.

    As alternatives of one response they are read once; as responses each would be read anew.
    """
    zero = np.zeros(cells.height)
    names = [f"y{k}" for k in range(len(campaigns))]
    frame = pl.concat(
        cells.with_columns(pl.lit(label).alias("alternative"), pl.Series("y", values))
        for label, values in zip(["reno", *names], [zero, *campaigns], strict=True)
    )
    return paired_differences(frame, response="y", baseline="reno")


def cross_of(conditions, seeds):
    cells = [(c, r) for c in range(1, conditions + 1) for r in range(1, seeds + 1)]
    return pl.DataFrame(cells, schema=["condition", "replicate"], orient="row")


def crossed(*, conditions, seeds, shared, campaigns=250):
    """Campaigns without any difference, chance of 1 in every pair."""
    draw = random.Random(31)
    values = [
        [draw.gauss(0.0, shared) for _ in range(campaigns)] for _ in range(seeds)
    ] * conditions
    flat = np.array([[value + draw.gauss(0.0, 1.0) for value in row] for row in values])
    return beside_zero(cross_of(conditions, seeds), flat.T)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_intervals_over_conditions_cover_what_the_conditions_of_a_seed_share(shared):
    differences = crossed(conditions=16, seeds=4, shared=shared).frame
    covered = ((differences["lower"] <= 0) & (differences["upper"] >= 0)).mean()
    # 250 draws: 0.95 with a standard error of 0.014.
    assert 0.91 <= covered <= 0.99
    assert (differences["p"] < 0.05).mean() == pytest.approx(1 - covered, abs=1e-9)
    assert (differences["wilcoxon_p"] < 0.05).mean() < 0.08


def test_one_seed_cannot_show_what_all_conditions_share_and_says_so():
    alone = crossed(conditions=16, seeds=1, shared=1.0)
    assert (alone.frame["p"] < 0.05).mean() > 0.5
    assert any("moves all conditions" in note for note in alone.notes)
    assert any("apart from chance common to all conditions" in note for note in alone.notes)
    both = crossed(conditions=16, seeds=2, shared=1.0, campaigns=1)
    assert not any("common to all" in note or "One seed" in note for note in both.notes)


@pytest.mark.parametrize("replicates", [1, 3])
def test_conditions_with_seeds_of_their_own_are_independent(replicates):
    """Chance as large as a pair's own, but none that conditions share: p means what it says."""
    draw = random.Random(5)
    pairs = 16 * replicates
    cells = cross_of(16, replicates).with_columns(seed=pl.int_range(1, pairs + 1))
    values = [[draw.gauss(0.0, 1.0) for _ in range(pairs)] for _ in range(250)]
    result = beside_zero(cells, values)
    assert not result.shared_seed
    assert not any("seed for all" in note or "common to all" in note for note in result.notes)
    assert 0.02 <= (result.frame["p"] < 0.05).mean() <= 0.09
    means = np.array(values[0]).reshape(16, replicates).mean(axis=1)
    first = result.frame.row(by_predicate=pl.col("alternative") == "y0", named=True)
    assert first["p"] == pytest.approx(stats.ttest_1samp(means, 0).pvalue)


def test_seeds_in_a_frame_that_conditions_share_change_nothing():
    frame = frame_of([0, 0, 0, 0], [1, 3, 5, 6], replicates=2)
    known = paired_differences(
        frame.with_columns(seed=pl.col("replicate") + 6), response="y", baseline="reno"
    )
    assert known.shared_seed
    assert known.frame.equals(paired_differences(frame, response="y", baseline="reno").frame)


def test_hand_computed_two_way_error():
    # Conditions (1, 4), (2, 5), (6, 9): means 2.5, 3.5, 7.5; seeds 3 and 6, nothing else varies.
    # MS conditions 2 * 7 = 14, MS seeds 3 * 4.5 = 13.5, MS error 0: (14 + 13.5) / 6.
    row = only(
        paired_differences(
            frame_of([0] * 6, [1, 4, 2, 5, 6, 9], replicates=2), response="y", baseline="reno"
        )
    )
    variance, df = 27.5 / 6, 27.5**2 / (14**2 / 2 + 13.5**2)
    assert row["difference"] == pytest.approx(4.5)
    assert row["df"] == pytest.approx(df)
    assert row["t"] == pytest.approx(4.5 / math.sqrt(variance))
    assert row["upper"] == pytest.approx(4.5 + stats.t.isf(0.025, df) * math.sqrt(variance))


def test_seeds_that_differ_no_more_than_pairs_leave_the_interval_over_conditions():
    # Both seeds have the mean 3: nothing is shared.
    row = only(
        paired_differences(
            frame_of([0] * 6, [1, 3, 2, 4, 6, 2], replicates=2), response="y", baseline="reno"
        )
    )
    means = np.array([2.0, 3.0, 4.0])
    assert row["df"] == 2
    assert row["t"] == pytest.approx(3.0 / (means.std(ddof=1) / math.sqrt(3)))


def test_missing_pairs_leave_an_error_of_conditions_and_seeds():
    whole = frame_of([0] * 8, [1, 4, 2, 5.5, 6, 9, 3, 6], replicates=2)
    part = whole.filter(~((pl.col("condition") == 4) & (pl.col("replicate") == 2)))
    rows = [
        only(paired_differences(frame, response="y", baseline="reno")) for frame in (whole, part)
    ]
    assert (rows[1]["n"], rows[1]["seeds"]) == (4, 1)
    # The effect of the seeds, 3.1, is still seen from three conditions.
    assert rows[1]["df"] < 3
    assert rows[1]["upper"] - rows[1]["lower"] > 10
    assert rows[0]["df"] == pytest.approx(rows[1]["df"], rel=0.5)


def test_replicates_without_variance_count_as_one():
    once = only(
        paired_differences(frame_of([0.1] * 4, [1, 3, 4, 9]), response="y", baseline="reno")
    )
    twice = only(
        paired_differences(
            frame_of([0.1] * 8, [1, 1, 3, 3, 4, 4, 9, 9], replicates=2),
            response="y",
            baseline="reno",
        )
    )
    assert twice["p"] == pytest.approx(once["p"], rel=1e-9)
    assert twice["df"] == once["df"] == 3


def test_signed_ranks_of_few_conditions_are_never_surer_than_exactly():
    # All of four conditions are above: exactly, one of eight arrangements of signs on either side.
    values = [1.5, 1.52, 2.0, 2.02, 3.0, 3.02, 40.0, 41.0]
    result = paired_differences(
        frame_of([1.0] * 8, values, replicates=2), response="y", baseline="reno"
    )
    row = only(result)
    assert row["wilcoxon_p"] == pytest.approx(0.125)
    assert row["wilcoxon_p"] == stats.wilcoxon(result.blocks["difference"]).pvalue


@pytest.mark.parametrize(("conditions", "seeds"), [(6, 2), (8, 3)])
def test_signed_ranks_alarm_no_more_often_than_they_say(conditions, seeds):
    """Effects of conditions without a common direction, and little chance inside them."""
    draw = random.Random(17)
    cells = cross_of(conditions, seeds)
    effects = [[draw.gauss(0.0, 1.0) for _ in range(conditions)] for _ in range(250)]
    differences = beside_zero(
        cells,
        [[own[c - 1] + draw.gauss(0.0, 0.1) for c in cells["condition"]] for own in effects],
    ).frame
    # 250 draws at 0.05: a standard error of 0.014.
    assert (differences["wilcoxon_p"] < 0.05).mean() <= 0.08

"""Replicates that are the same run again are no evidence."""

import math
from itertools import product

import polars as pl
import pytest

from mesonet.analysis import (
    harm,
    interactions,
    main_effects,
    paired_differences,
    rank_matrix,
)

NUMBERS = ("lower", "upper", "p", "p_holm")


def campaign(values, *, conditions=1, **more):
    """The response of each alternative in replicate 1, 2, ... of equal conditions."""
    return pl.DataFrame(
        [
            {"condition": condition, "alternative": label, "replicate": place, "y": value, **more}
            for condition in range(1, conditions + 1)
            for label, row in values.items()
            for place, value in enumerate(row, start=1)
        ]
    )


COPIES = campaign({"reno": [2.0] * 3, "cubic": [3.0, 3.0 + 1e-15, 3.0]})
ANALYSES = {
    "paired": lambda frame: paired_differences(frame, response="y", baseline="reno"),
    "harm": lambda frame: harm(frame, response="y", solo="reno"),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_equal_replicates_are_a_single_pair_of_runs(name):
    result = ANALYSES[name](COPIES)
    row = result.frame.row(0, named=True)
    assert row["n"] == 1
    assert all(math.isnan(row[each]) for each in NUMBERS)
    assert any(
        note.startswith("All replicates are equal: y. They count as a single pair of runs")
        for note in result.notes
    )


@pytest.mark.parametrize("name", ANALYSES)
def test_one_side_that_varies_makes_replicates_evidence(name):
    result = ANALYSES[name](campaign({"reno": [2.0] * 3, "cubic": [3.0, 3.1, 3.3]}))
    row = result.frame.row(0, named=True)
    assert row["n"] == 3
    assert row["lower"] < row["upper"]
    assert not any("single pair" in note for note in result.notes)


def test_means_stay_and_ranks_and_seeds_have_no_test_either():
    row = paired_differences(COPIES, response="y", baseline="reno").frame.row(0, named=True)
    assert (row["baseline_mean"], row["difference"], row["relative"]) == (2.0, 1.0, 0.5)
    assert (row["above"], row["equal"], row["below"]) == (1, 0, 0)
    assert all(math.isnan(row[name]) for name in ("t", "wilcoxon_p", "wilcoxon_holm", "seed_p"))


def test_equal_differences_of_replicates_that_vary_are_evidence():
    frame = campaign({"reno": [2.0, 4.0, 7.0], "cubic": [3.0, 5.0, 8.0]})
    row = paired_differences(frame, response="y", baseline="reno").frame.row(0, named=True)
    assert (row["n"], row["p"]) == (3, 0.25)


def test_only_responses_that_no_chance_reaches_lose_their_test():
    frame = campaign(
        {"reno": [2.0, 2.0], "cubic": [3.0, 3.0], "vegas": [4.0, 5.0]}, z=1.0
    ).with_columns(z=pl.col("replicate") * pl.col("y"))
    result = paired_differences(frame, response=["y", "z"], baseline="reno")
    known = result.frame.filter(pl.col("p").is_finite()).select("response", "alternative").rows()
    assert known == [("y", "vegas"), ("z", "cubic"), ("z", "vegas")]
    assert any(note.startswith("All replicates are equal: y (cubic).") for note in result.notes)
    assert any(note.startswith("3 differences tested together") for note in result.notes)


def test_an_excess_of_equal_replicates_has_no_test():
    same = {"solo": [4.0, 4.0], "reno": [2.0, 2.0], "new": [1.0, 1.0]}
    result = harm(campaign(same), response="y", solo="solo", own="reno")
    row = result.frame.filter(alternative="new").row(0, named=True)
    assert row["excess"] == 0.25
    assert all(math.isnan(row[name]) for name in ("excess_lower", "excess_upper", "p"))
    own = campaign(same | {"reno": [2.0, 3.0]})
    row = harm(own, response="y", solo="solo", own="reno").frame.row(1, named=True)
    assert row["n"] == 1
    assert 0 < row["p"] < 1


def test_conditions_stay_blocks_where_their_replicates_are_equal():
    frame = pl.concat(
        campaign({"reno": [1.0] * 2, "cubic": [1.0 + gain] * 2}).with_columns(
            condition=pl.lit(condition)
        )
        for condition, gain in enumerate((1.0, 2.0, 4.0), start=1)
    )
    twice = paired_differences(frame, response="y", baseline="reno")
    once = paired_differences(frame.filter(replicate=1), response="y", baseline="reno")
    assert twice.frame.select("n", "p", "lower", "upper", "wilcoxon_p").row(0) == pytest.approx(
        once.frame.select("n", "p", "lower", "upper", "wilcoxon_p").row(0)
    )
    # Within a condition nothing says how sure the difference is.
    assert twice.blocks["replicates"].to_list() == [2, 2, 2]
    assert twice.blocks["lower"].null_count() == twice.blocks["upper"].null_count() == 3


def with_runs(conditions):
    """Conditions by the number in the ids of their runs, and what CUBIC gains in them."""
    return pl.DataFrame(
        [
            {
                "condition": condition,
                "alternative": label,
                "replicate": 1,
                "run": f"{label}-{number}",
                "y": 2.0 + (gain if label == "cubic" else 0.0),
            }
            for condition, (number, gain) in enumerate(conditions, start=1)
            for label in ("reno", "cubic")
        ]
    )


@pytest.mark.parametrize("name", ANALYSES)
def test_conditions_that_are_the_same_runs_count_once(name):
    """Points of a drawn design fall together where a factor has few values."""
    once = ANALYSES[name](with_runs([(1, 1.0), (2, 1.5), (3, 1.25)]))
    often = ANALYSES[name](with_runs([(1, 1.0), (2, 1.5), (1, 1.0), (3, 1.25), (2, 1.5), (1, 1.0)]))
    without = pl.exclude("worst_condition")
    assert often.frame.select(without).equals(once.frame.select(without), null_equal=True)
    assert (
        "3 of 6 conditions are the same runs as others and were left out: 3, 5, 6." in often.notes
    )
    assert not any("same runs" in note for note in once.notes)


@pytest.mark.parametrize("name", ANALYSES)
def test_where_all_conditions_are_the_same_runs_replicates_are_the_blocks(name):
    frame = campaign({"reno": [2.0, 2.1, 1.9], "cubic": [3.0, 3.4, 3.1]}, conditions=2)
    runs = pl.concat_str("alternative", pl.lit("-"), "replicate")
    row = ANALYSES[name](frame.with_columns(run=runs)).frame.row(0, named=True)
    assert row["n"] == 3
    assert row["lower"] < row["upper"]


def test_a_factor_of_one_alternative_repeats_only_the_pairs_of_the_others():
    rows = [
        {"condition": condition, "alternative": label, "replicate": 1, "run": run, "y": value}
        for condition, own in ((1, "a"), (2, "b"), (3, "c"))
        for label, run, value in (
            ("reno", "r", 2.0),
            ("cubic", "q", 3.0),
            ("ctcp", own, 2.0 + condition),
        )
    ]
    result = paired_differences(pl.DataFrame(rows), response="y", baseline="reno")
    counted = dict(result.frame.select("alternative", "n").iter_rows())
    assert counted == {"cubic": 1, "ctcp": 3}
    said = "2 of 3 conditions are the same runs as others and were left out for cubic: 2, 3."
    assert said in result.notes


def test_conditions_that_are_the_same_runs_are_ranked_once():
    runs = with_runs([(1, 1.0), (2, -1.0), (1, 1.0), (1, 1.0)])
    third = runs.filter(alternative="reno").with_columns(
        alternative=pl.lit("bic"), run=pl.concat_str("run", pl.lit("b")), y=pl.lit(1.5)
    )
    ranks = rank_matrix(pl.concat([runs, third]), response="y")
    assert ranks.summary["n"].to_list() == [2, 2, 2]
    assert ranks.summary["mean"].to_list() == [2.5, 2.0, 1.5]
    assert ranks.tests["conditions"].item() == 2
    assert ranks.frame["position"].max() == 2
    assert "2 of 4 conditions are the same runs as others and were left out: 3, 4." in ranks.notes


HEIGHTS = {(-1, -1): 10.0, (1, -1): 14.0, (-1, 1): 11.0, (1, 1): 17.5}


def crossed(*, idle=(0,), repeats=1):
    """Factors a and b, and c, which changes no run."""
    every = [*product((-1, 1), (-1, 1), idle)] * repeats
    return pl.DataFrame(
        [
            {"condition": condition, "alternative": label, "replicate": 1, "a": a, "b": b, "c": c}
            | {"run": f"{label}{a}{b}", "y": HEIGHTS[a, b] + gain}
            for condition, (a, b, c) in enumerate(every, start=1)
            for label, gain in (("reno", 0.0), ("cubic", 1.0))
        ]
    )


@pytest.mark.parametrize("method", ["model", "two-sample"])
@pytest.mark.parametrize("by", [None, "alternative"])
def test_a_factor_that_changes_no_run_makes_other_effects_no_surer(method, by):
    options = {"responses": "y", "by": by, "method": method}
    with_it = main_effects(crossed(idle=(-1, 1)), factors="abc", **options)
    without = main_effects(crossed(), factors="ab", **options)
    tests = ["factor", "effect", "effect_lower", "effect_upper", "t", "df", "p"]
    kept = with_it.frame.filter(pl.col("factor") != "c")
    for mine, expected in zip(
        kept.select(tests).rows(), without.frame.select(tests).rows(), strict=True
    ):
        assert mine == pytest.approx(expected)
    idle = with_it.frame.filter(factor="c").row(0, named=True)
    assert idle["effect"] == 0.0
    assert math.isnan(idle["p"])
    assert (
        "4 of 8 conditions are the same runs as others at other levels: they are in the means, and "
        "count once in intervals and tests." in with_it.notes
    )


def test_an_interaction_counts_conditions_of_the_same_runs_once():
    def with_slope(frame):
        third = pl.concat(
            frame.with_columns(
                d=pl.lit(level),
                condition=pl.col("condition") + (50 if level > 0 else 0),
                run=pl.concat_str("run", pl.lit(str(level))),
                y=pl.col("y") + level * (2.0 + 0.1 * pl.col("a") * pl.col("b")),
            )
            for level in (-1, 1)
        )
        return third.sort("condition", maintain_order=True)

    with_it = interactions(with_slope(crossed(idle=(-1, 1))), factors="abcd", responses="y").frame
    without = interactions(with_slope(crossed()), factors="abd", responses="y").frame
    kept = with_it.filter((pl.col("first") != "c") & (pl.col("second") != "c"))
    tests = ["effect", "t", "df", "p"]
    for mine, expected in zip(kept.select(tests).rows(), without.select(tests).rows(), strict=True):
        assert mine == pytest.approx(expected, nan_ok=True)
    assert kept["p"].is_finite().any()


def test_a_factor_that_changes_few_runs_keeps_its_mean_effect():
    """Where there is no b, levels of b are the same runs."""
    frame = crossed().with_columns(
        run=pl.when(pl.col("a") < 0).then("alternative").otherwise("run"),
        y=pl.when(pl.col("a") < 0).then(10.0 + (pl.col("alternative") == "cubic")).otherwise("y"),
    )
    effects = main_effects(frame, factors="ab", responses="y").frame
    assert effects["effect"].to_list() == pytest.approx([(14.0 + 17.5) / 2 - 10.0, 3.5 / 2])
    assert effects["df"].max() < 4

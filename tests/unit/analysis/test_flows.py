"""Alternate flows beside standard flows: by hand, on printed rank matrices, on the example."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from refusals import refused

from mesonet.analysis import (
    compare_flows,
    difference_histogram,
    example_campaign,
    flow_ranks,
    rank_summary,
)
from mesonet.errors import InputError
from mesonet_studies.nist.exp2.mixed import printed_ranks


def campaign(rows, *, group="g1"):
    """Rows of (condition, alternative, alternate goodput, standard goodput, loss)."""
    algorithms = sorted({alternative for _, alternative, *_ in rows} - {"reno"})
    return pl.DataFrame(
        [
            {
                "condition": condition,
                "alternative": alternative,
                "replicate": 1,
                "loss_rate": loss,
                f"{group}:reno": standard,
                **{
                    f"{group}:{name}": alternate if name == alternative else math.nan
                    for name in algorithms
                },
            }
            for condition, alternative, alternate, standard, loss in rows
        ]
    )


SMALL = campaign(
    [
        (1, "a", 30.0, 20.0, 0.2),
        (1, "b", 10.0, 40.0, 0.2),
        (1, "c", 20.0, 20.0, 0.2),
        (2, "a", 50.0, 25.0, 0.1),
        (2, "b", 40.0, 50.0, 0.1),
        (2, "c", 60.0, 0.0, 0.1),
    ]
)


def test_differences_and_fractions_by_hand():
    result = compare_flows(SMALL, groups="g1", order_by="loss_rate")
    assert result.frame["condition"].to_list() == [2, 2, 2, 1, 1, 1]
    assert result.frame["position"].to_list() == [1, 1, 1, 2, 2, 2]
    assert result.alternatives == ("a", "b", "c")
    cell = result.frame.filter(condition=1, alternative="b").row(0, named=True)
    assert cell["algorithm"] == "b"
    assert (cell["difference"], cell["relative"], cell["maximum"]) == (-30.0, -0.75, 40.0)
    assert (cell["alternate_fraction"], cell["standard_fraction"]) == (0.25, 1.0)
    undefined = result.frame.filter(condition=2, alternative="c")["relative"].item()
    assert math.isnan(undefined)
    summary = result.summary.filter(alternative="c").row(0, named=True)
    assert (summary["above"], summary["equal"], summary["below"]) == (1, 1, 0)
    assert (summary["mean"], summary["median"], summary["relative"]) == (30.0, 30.0, 0.0)


def test_replicates_are_averaged():
    again = SMALL.with_columns(pl.lit(2).alias("replicate").cast(pl.Int64), pl.col("g1:a") + 10)
    result = compare_flows(pl.concat([SMALL, again], how="vertical_relaxed"), groups="g1")
    assert result.frame.filter(condition=1, alternative="a")["alternate"].item() == 35.0


def test_histograms_share_bins_with_an_edge_at_zero():
    histogram = difference_histogram(compare_flows(SMALL, groups="g1"), bins=5)
    table = histogram.frame
    # From -30 to 60 in about five bins: steps of 20.
    assert table.filter(alternative="a")["low"].to_list() == [-40.0, -20.0, 0.0, 20.0, 40.0]
    assert table.filter(alternative="a")["count"].to_list() == [0, 0, 1, 1, 0]
    assert table.filter(alternative="b")["count"].to_list() == [1, 1, 0, 0, 0]
    # The last bin holds its high end, too.
    assert table.filter(alternative="c")["count"].to_list() == [0, 0, 1, 0, 1]


def test_ranks_of_both_kinds_by_hand():
    ranks = flow_ranks(compare_flows(SMALL, groups="g1", order_by="loss_rate"))
    alternate = ranks.alternate.frame.sort("position", maintain_order=True)["rank"].to_list()
    # Condition 2 comes first: 50, 40, 60; then condition 1: 30, 10, 20.
    assert alternate == [2.0, 1.0, 3.0, 3.0, 1.0, 2.0]
    standard = ranks.standard.frame.sort("position", maintain_order=True)["rank"].to_list()
    # 25, 50, 0; then 20, 40, 20, where two share the ranks 1 and 2.
    assert standard == [2.0, 3.0, 1.0, 1.5, 3.0, 1.5]
    row = ranks.frame.filter(alternative="b").row(0, named=True)
    assert (row["alternate_mean"], row["standard_mean"], row["mean"]) == (1.0, 3.0, 2.0)
    assert (row["alternate_sd"], row["sd"], row["n"]) == (0.0, 1.0, 4)


@pytest.mark.parametrize(
    ("kind", "mean", "sd"),
    # NIST, Measurement Science for Complex Information Systems: slide 24, "Goodput rank matrix –
    # CTCP flows under high initial sst", and slide 25, "TCP flows competing with CTCP flows".
    [("alternate", 4.10, 1.91), ("standard", 5.15, 1.64)],
)
def test_mean_and_deviation_of_the_printed_rank_matrices(kind, mean, sd):
    printed = printed_ranks(kind)
    assert printed["condition"].sort().to_list() == list(range(1, 33))
    ranks = printed.unpivot(index="condition", variable_name="group", value_name="rank")
    summary = rank_summary(ranks.with_columns(alternative=pl.lit("CTCP")), by=["alternative"])
    assert summary["n"].item() == 32 * 24
    assert summary["mean"].item() == pytest.approx(mean, abs=0.005)
    assert summary["sd"].item() == pytest.approx(sd, abs=0.005)
    matrix = printed.drop("condition").to_numpy()
    assert summary["mean"].item() == pytest.approx(np.mean(matrix), abs=1e-12)
    assert summary["sd"].item() == pytest.approx(np.std(matrix), abs=1e-12)


def test_several_alternate_algorithms_must_be_told_apart():
    mixed = SMALL.with_columns(pl.lit(1.0).alias("g1:cubic"))
    with refused(InputError, ("a", "ambiguous"), ("b", "ambiguous"), ("c", "ambiguous")):
        compare_flows(mixed, groups="g1")
    with refused(InputError, ("c", "ambiguous")):
        compare_flows(mixed, groups="g1", algorithms={"a": "cubic", "b": "b"})
    chosen = compare_flows(mixed, groups="g1", algorithms={"a": "cubic", "b": "b", "c": "c"})
    assert chosen.alternatives == ("a", "b", "c")
    assert dict(chosen.frame.select("alternative", "algorithm").iter_rows())["a"] == "cubic"


def test_names_that_are_not_there_are_refused():
    with refused(InputError, *[("algorithms", "unknown_name")] * 2):
        compare_flows(SMALL, groups="g1", algorithms={"z": "no"})


def test_rows_keep_the_order_of_the_alternatives():
    many = pl.concat(
        SMALL.with_columns(condition=pl.col("condition") + 10 * place) for place in range(100)
    )
    labels = compare_flows(many, groups="g1").frame.group_by("condition", maintain_order=True)
    assert {tuple(rows["alternative"]) for _, rows in labels} <= {
        kept for n in range(1, 4) for kept in combinations("abc", n)
    }


def test_the_worked_example():
    """The numbers that the page on goodput comparisons prints."""
    groups = [f"g{k}" for k in range(15, 25)]
    result = compare_flows(example_campaign("mixed").frame, groups=groups, order_by="loss_rate")
    ranks = flow_ranks(result).frame
    means = dict(ranks.select("alternative", "standard_mean").iter_rows())
    assert max(means, key=means.get) == "CTCP"
    assert min(means, key=means.get) == "BIC"
    assert means == pytest.approx(
        {"BIC": 2.025, "CTCP": 2.96, "HTCP": 2.75, "Scalable": 2.26}, abs=0.01
    )

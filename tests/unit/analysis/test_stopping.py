"""Sequential stopping: half-widths against a table, and who asks for more."""

import polars as pl
import pytest

from mesonet.analysis import precision, stopping_state
from mesonet.plan import Precision, Stopping


def rule(value, *, relative=False, most=10):
    return Stopping({"y": Precision(value, relative)}, 0.95, most)


def frame(*cells):
    """Cells are lists of values by replicate; each a condition of one alternative."""
    rows = [
        {"condition": c, "alternative": "a", "replicate": r, "run": f"{c}-{r}", "y": value}
        for c, values in enumerate(cells, start=1)
        for r, value in enumerate(values, start=1)
    ]
    return pl.DataFrame(rows, schema_overrides={"y": pl.Float64})


def asking(cells, stopping):
    """Conditions that are not known precisely enough."""
    return precision(cells, stopping).filter(enough=False)["condition"].to_list()


def test_the_half_width_is_that_of_the_t_interval():
    # t(0.975, 2) = 4.30265; the standard deviation of 1, 2, 3 is 1.
    row = precision(frame([1, 2, 3]), rule(0.1)).row(0, named=True)
    assert row["half_width"] == pytest.approx(4.30265 / 3**0.5, rel=1e-5)
    assert (row["n"], row["mean"], row["wanted"], row["enough"]) == (3, 2.0, 0.1, False)


def test_only_cells_that_are_not_known_well_enough_ask():
    assert asking(frame([10, 10.1, 9.9], [10, 20, 30]), rule(1.0)) == [2]
    assert asking(frame([10, 10.1, 9.9], [20, 20.1, 19.9]), rule(1.0)) == []


def test_a_share_is_of_the_mean_of_the_cell():
    cells = frame([100, 101, 99], [1, 2, 0])
    assert asking(cells, rule(0.05, relative=True)) == [2]


def test_one_replicate_is_never_enough():
    assert asking(frame([5], [float("nan")]), rule(0.1)) == [1, 2]


def test_undefined_values_count_as_missing_but_do_not_ask_for_ever():
    nan = float("nan")
    precisions = precision(frame([nan, nan], [1, nan], [nan, 1]), rule(0.1))
    assert precisions["enough"].to_list() == [True, False, False]
    assert precisions["n"].to_list() == [0, 1, 1]


def test_equal_replicates_are_enough():
    cells = frame([5, 5, 5], [7, 7, 7])
    assert asking(cells, rule(0.1)) == []


def test_the_state_says_after_how_many_replicates_the_rule_is_content():
    state = stopping_state(frame([10, 10.1, 9.9], [20, 20.1, 19.9]), rule(1.0))
    assert (state.replicates, state.cells, state.asking) == (3, 2, 0)
    assert state.content
    assert not state.at_most
    assert state.text.startswith("After 3 of at most 10 replicates all 2 cells are known")


def test_the_state_says_that_the_limit_ended_a_campaign_and_what_is_not_known():
    # t(0.975, 2) = 4.30265; the standard deviation of 10, 20, 30 is 10.
    state = stopping_state(frame([10, 10.1, 9.9], [10, 20, 30]), rule(1.0, most=3))
    assert (state.asking, state.content, state.at_most) == (1, False, True)
    assert "1 of 2 cells is not known as precisely as the plan asks: y to 1" in state.text
    assert "y under condition 2 with a: 20 ± 25 instead of ± 1" in state.text
    assert "goes on" not in state.text


def test_cells_of_the_same_runs_are_counted_once():
    cells = frame([10, 20, 30], [10, 20, 30], [5, 5.1, 4.9])
    same = pl.concat_str(pl.lit("1-"), "replicate")
    again = cells.with_columns(run=pl.when(condition=2).then(same).otherwise("run"))
    state = stopping_state(again, rule(1.0))
    assert (state.cells, state.asking) == (2, 1)
    assert asking(again, rule(1.0)) == [1]
    assert stopping_state(cells, rule(1.0)).cells == 3

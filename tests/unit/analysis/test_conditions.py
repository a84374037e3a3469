import math

import polars as pl
import pytest
import synthetic

from mesonet.analysis import condition_response, condition_summary, grubbs_critical


def frame_of(table, *, name="y"):
    rows = [
        {"condition": condition, "alternative": alternative, "replicate": 1, name: value}
        for condition, values in table.items()
        for alternative, value in zip("abcdefgh", values, strict=False)
    ]
    return pl.DataFrame(rows)


def test_hand_computed_residuals_and_order():
    result = condition_response(frame_of({1: [1.0, 2.0, 6.0], 2: [5.0, 5.0, 5.0]}), response="y")
    assert result.frame["condition"].to_list() == [2, 1]
    same, apart = result.frame.to_dicts()
    assert (same["extreme"], same["direction"], same["range"]) == (None, "same", 0.0)
    assert not same["outlier"]
    assert (apart["extreme"], apart["direction"]) == ("c", "high")
    assert apart["mean"] == pytest.approx(3.0)
    assert apart["residual"] == pytest.approx(3.0)
    assert apart["relative"] == pytest.approx(1.0)
    assert apart["g"] == pytest.approx(3.0 / math.sqrt(7.0))
    assert apart["critical"] == pytest.approx(1.1543, abs=5e-5)
    assert apart["magnitude"] == pytest.approx(math.log10(3.0))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_values_whose_squares_are_larger_than_any_float():
    """Deviations of 1, 2 and -3 times 1e300: their squares sum to 14e600 over 2."""
    result = condition_response(frame_of({1: [1e300, 0.0, 5e300]}), response="y")
    (row,) = result.frame.to_dicts()
    assert row["sd"] == pytest.approx(1e300 * math.sqrt(14 / 2))


def test_low_outlier_of_seven():
    values = [10.0, 10.1, 9.9, 10.05, 9.95, 10.0, 4.0]
    result = condition_response(frame_of({1: values}), response="y")
    row = result.frame.row(0, named=True)
    assert (row["extreme"], row["direction"], row["outlier"]) == ("g", "low", True)
    assert row["critical"] == pytest.approx(grubbs_critical(7))


def test_replicates_are_averaged():
    frame = frame_of({1: [1.0, 2.0, 6.0]})
    twice = pl.concat([frame, frame.with_columns(replicate=pl.lit(2, pl.Int64), y=pl.col("y") + 2)])
    result = condition_response(twice, response="y")
    assert result.frame["mean"][0] == pytest.approx(4.0)
    assert result.frame["n"][0] == 3


def test_zero_mean_has_no_relative_effect():
    row = condition_response(frame_of({1: [-1.0, 0.0, 1.0]}), response="y").frame.row(0, named=True)
    assert math.isnan(row["relative"])


def test_undefined_everywhere_gives_an_empty_answer():
    result = condition_response(frame_of({1: [math.nan] * 3}), response="y")
    assert result.frame.is_empty()


def test_summary_counts_and_filters():
    near, far = (
        [100.0, 100.1, 99.9, 100.0, 100.05, 101.5],
        [100.0, 100.1, 99.9, 100.0, 100.05, 150.0],
    )
    frame = frame_of({1: near, 2: far, 3: [1.0] * 6})
    everything = condition_summary(frame, responses="y")
    assert everything.frame["condition"].to_list() == [1, 2]
    assert everything.counts.filter(alternative="f")["high"].item() == 2
    assert everything.tested == 2
    assert everything.expected == pytest.approx(0.1)
    strong = condition_summary(frame, responses="y", minimum_relative=0.1)
    assert strong.frame["condition"].to_list() == [2]


def test_planted_outlier_is_found():
    frame = synthetic.campaign(alternatives=("reno", "a", "b", "c", "d", "e", "scalable"))
    summary = condition_summary(frame, responses="loss_rate")
    counts = dict(summary.counts.select("alternative", "high").iter_rows())
    assert counts["scalable"] == max(counts.values()) > 3

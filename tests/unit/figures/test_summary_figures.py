"""Pictures of descriptions, elementary effects, impact and warm-up show the numbers they are of."""

import polars as pl
import pytest
import synthetic
from drawings import values, words

from mesonet.analysis import describe, elementary_effects, impact, warm_up, warm_up_of_runs
from mesonet.design import morris
from mesonet.figures import (
    Look,
    Names,
    describe_chart,
    elementary_effects_chart,
    impact_chart,
    warm_up_chart,
)

NAMES = Names(responses={"loss_rate": ("Loss rate", ""), "goodput_DD": ("Goodput", "segments/s")})


@pytest.fixture(scope="module")
def campaign():
    return synthetic.campaign()


def look_of(frame):
    return Look.of(frame["alternative"].unique(maintain_order=True))


def test_a_description_draws_its_rows(campaign):
    found = describe(campaign, responses=["loss_rate", "goodput_DD"])
    chart = describe_chart(found, look=look_of(campaign), names=NAMES)
    drawn = values(chart, response="goodput_DD")
    wanted = found.frame.filter(pl.col("response") == "goodput_DD")
    assert [row["median"] for row in drawn] == wanted["median"].to_list()
    assert "Goodput (segments/s)" in words(chart)
    some = describe_chart(found, look=look_of(campaign), names=NAMES, only=["loss_rate"])
    assert not values(some, response="goodput_DD")


def effects(function):
    design = morris(["a", "b"], trajectories=6)
    rows = [
        {**row, "run": "r", "alternative": "x", "replicate": 1, "y": function(row)}
        for row in design.matrix.to_dicts()
    ]
    return elementary_effects(pl.DataFrame(rows), factors=["a", "b"], responses="y")


def test_elementary_effects_say_their_direction():
    chart = elementary_effects_chart(effects(lambda row: 3 * row["a"] - row["b"]), names=Names())
    (first,), (second,) = values(chart, factor="a"), values(chart, factor="b")
    assert (first["size"], first["direction"]) == (pytest.approx(6), "rises")
    assert (second["size"], second["direction"]) == (pytest.approx(2), "falls")
    assert second["sd"] == pytest.approx(0, abs=1e-9)
    bent = elementary_effects_chart(effects(lambda row: row["a"] * row["b"]), names=Names())
    assert values(bent, factor="a")[0]["direction"] == "rises or falls"


def test_impact_draws_changes_and_fills_what_is_sure(campaign):
    look = look_of(campaign)
    found = impact(campaign, response=["loss_rate", "goodput_DD"], baseline=look.alternatives[0])
    drawn = [row for row in values(impact_chart(found, look=look, names=NAMES)) if "sure" in row]
    known = found.frame.drop_nans("change")
    assert [row["middle"] for row in drawn] == pytest.approx((100 * known["change"]).to_list())
    assert [row["sure"] for row in drawn] == (known["p_holm"] < 0.05).to_list()


def steps(at):
    series = [0.0] * at + [8.0, 10.0, 9.0, 11.0, 12.0] * ((120 - at) // 5)
    return pl.DataFrame({"time": range(1, 121), "queue": series, "still": [1.0] * 120})


def test_a_warm_up_has_its_course_and_its_end():
    found = warm_up(steps(20))
    course = found.course.filter(pl.col("series") == "queue")
    assert course["time"].to_list() == list(range(1, 121))
    assert course["running_mean"].to_list()[-1] == pytest.approx(found.frame["mean"][0])
    chart = warm_up_chart(found)
    assert values(chart, cut=20.0)
    after = values(chart, line="mean after the warm-up")
    assert [(row["time"], row["value"]) for row in after] == [(20, 10), (120, 10)]
    # Nothing happens there.
    assert "still" not in words(chart)


def test_warm_up_of_runs_shows_where_it_ends_and_what_did_not_settle():
    runs = pl.DataFrame(
        [
            {"run": name, "condition": 1, "alternative": name[0], "replicate": 1}
            for name in ("a1", "a2", "b1")
        ]
    )
    rising = steps(20).with_columns(pl.col("time").alias("queue"))
    kept = {"a1": steps(20), "a2": rising, "b1": steps(40)}
    chart = warm_up_chart(warm_up_of_runs(runs, read=kept.get))
    assert [row["share"] for row in values(chart, series="queue", alternative="a")] == [
        pytest.approx(1 / 6),
        None,
    ]
    assert "1 of 3 not settled" in words(chart)
    assert "2 of 3" not in words(warm_up_chart(warm_up_of_runs(runs, read=None)))

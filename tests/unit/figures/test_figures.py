import math

import polars as pl
import pytest
import synthetic
from drawings import values
from hypothesis import given
from hypothesis import strategies as st

from mesonet import figures
from mesonet.analysis import (
    condition_response,
    condition_summary,
    congestion,
    harm,
    main_effects,
    paired_differences,
    rank_matrix,
)
from mesonet.figures import Look, Names

NAMES = Names(
    responses={"loss_rate": ("Loss rate", ""), "goodput_DD": ("Goodput", "segments/s")},
    factors={
        name: (label, *levels)
        for name, label, levels in zip(
            synthetic.FACTORS, synthetic.LABELS, synthetic.LEVELS, strict=True
        )
    },
)
GEOMETRY = {
    "nodes": [
        {"name": "A", "label": "Seattle", "lat": 47.6, "lon": -122.3},
        {"name": "B", "label": "New York", "lat": 40.7, "lon": -74.0},
        {"name": "C", "label": "Nowhere", "lat": None, "lon": None},
    ],
    "links": [{"a": "A", "b": "B", "delay_ms": 22.0}, {"a": "A", "b": "C", "delay_ms": 1.0}],
}


def drawn(frame):
    """Every chart and figure of a campaign, by name."""
    labels = tuple(frame["alternative"].unique(maintain_order=True))
    look = Look.of(labels)
    levels = frame.group_by("condition", maintain_order=True).first()
    levels = levels.select("condition", *synthetic.FACTORS)
    response = condition_response(frame, response="loss_rate")
    effects = main_effects(frame, factors=synthetic.FACTORS, responses=["loss_rate", "goodput_DD"])
    each = main_effects(frame, factors=synthetic.FACTORS, responses="loss_rate", by="alternative")
    ranks = rank_matrix(frame, response=synthetic.GOODPUTS, order_by="loss_rate")
    paired = paired_differences(
        frame, response=["loss_rate", "goodput_DD", "recovery_time"], baseline=labels[0]
    )
    harmed = harm(frame, response=["loss_rate", "goodput_DD"], solo=labels[0], own=labels[-1])
    loss = congestion(frame, response="loss_rate")
    summary = condition_summary(frame, responses=synthetic.RESPONSES)
    both = {"look": look, "names": NAMES}
    return {
        "congestion chart": figures.congestion_chart(loss, **both),
        "condition chart": figures.condition_response_chart(response, levels=levels, **both),
        "bare condition chart": figures.condition_response_chart(response, **both),
        "summary chart": figures.condition_summary_chart(summary, **both),
        "effects chart": figures.main_effects_chart(
            effects, response="loss_rate", alternatives=each, **both
        ),
        "influence chart": figures.influence_chart(effects, names=NAMES),
        **{
            function.__name__: function(effects, response="loss_rate", names=NAMES)
            for function in (figures.effects_half_normal_chart, figures.residuals_chart)
        },
        "rank overview": figures.rank_overview_chart(ranks, names=NAMES),
        "rank chart": figures.rank_matrix_chart(ranks, names=NAMES),
        "scatter chart": figures.rank_scatter_chart(ranks, look=look),
        "forest chart": figures.forest_chart(paired, **both),
        "harm chart": figures.harm_chart(harmed, **both),
        "network chart": figures.network_chart(GEOMETRY),
    }


CAMPAIGNS = {
    "typical": synthetic.campaign(),
    "repeated": synthetic.campaign(replicates=2, conditions=4),
    "alone": synthetic.campaign(alternatives=("reno",), conditions=4),
    "one condition": synthetic.campaign(conditions=1),
    "no loss": synthetic.campaign(conditions=4).with_columns(loss_rate=0.0),
    "undefined": synthetic.campaign(conditions=4).with_columns(loss_rate=math.nan),
    "many": synthetic.campaign(alternatives=tuple("abcdefghijklm"), conditions=2),
}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_everything_draws(name):
    for chart in drawn(CAMPAIGNS[name]).values():
        chart.to_dict(validate=True)


def test_zeros_are_shown_below_the_smallest_decade():
    frame = synthetic.campaign()
    result = congestion(frame, response="loss_rate")
    chart = figures.congestion_chart(result, look=Look.of(synthetic.ALTERNATIVES), names=NAMES)
    smallest = frame.filter(frame["loss_rate"] > 0)["loss_rate"].min()
    zeros = values(chart, value=0.0)
    assert zeros
    assert all(0 < row["shown"] < smallest / 9 for row in zeros)


def test_condition_response_prints_the_statistics():
    frame = synthetic.campaign()
    result = condition_response(frame, response="goodput_DD")
    chart = figures.condition_response_chart(
        result, look=Look.of(synthetic.ALTERNATIVES), names=NAMES
    )
    for row in result.frame.iter_rows(named=True):
        (cell,) = values(chart, condition=row["condition"], statistic="Grubbs G")
        assert cell["text"] == f"{row['g']:.2f}"


def test_nodes_without_a_position_are_left_out():
    chart = figures.network_chart(GEOMETRY)
    assert values(chart, label="Seattle")
    assert not values(chart, label="Nowhere")
    assert len(values(chart, delay="22")) >= 1
    assert not values(chart, delay="1")
    assert not figures.has_map({"nodes": [], "links": []})
    assert not figures.has_map(None)


def test_known_algorithms_keep_their_colour():
    for others in ([], ["cubic"], ["own", "cubic"], ["reno", "vegas", "prague"]):
        assert Look.of([*others, "bbr3"]).colour("bbr3") == Look.of(["bbr3"]).colour("bbr3")
    assert Look.of(["cubic", "mine", "bbr3"]).colour("mine") == Look.of(["mine"]).colour("mine")
    first, second = Look.of(("reno", "ctcp")), Look.of(("scalable", "CTCP 70 %", "tcp reno"))
    assert first.colour("ctcp") == second.colour("CTCP 70 %")
    assert first.colour("reno") == second.colour("tcp reno")


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_every_number_can_be_written(value):
    for text in (
        figures.number(value),
        figures.number(value, signed=True),
        figures.percent(value),
        figures.probability(abs(value)),
    ):
        assert text
        assert "-" not in text
        assert "nan" not in text


def test_the_summary_of_outliers_draws_each_once_with_the_levels_below():
    frame = synthetic.campaign(alternatives=tuple("abcdefg"))
    levels = frame.group_by("condition", maintain_order=True).first()
    levels = levels.select("condition", *synthetic.FACTORS)
    summary = condition_summary(frame, responses=synthetic.RESPONSES)
    look = Look.of(tuple("abcdefg"))
    chart = figures.condition_summary_chart(summary, look=look, names=NAMES, levels=levels)
    signs = [row for row in values(chart) if "sign" in row]
    assert len(signs) == 32 * len(synthetic.FACTORS)
    numbers = [row["number"] for row in values(chart) if "number" in row]
    assert sorted(numbers) == sorted(map(look.number, summary.frame["alternative"]))
    assert "outliers in" in str(chart.to_dict()["vconcat"][0]["title"])


def test_the_answer_turns_responses_round_of_which_less_is_better():
    frame = synthetic.campaign()
    better = {"loss_rate": "lower", "goodput_DD": "higher", "sending_sources": "neither"}
    result = paired_differences(frame, response=list(better), baseline="reno")
    both = {"look": Look.of(("reno", "ctcp", "scalable")), "names": NAMES}
    chart = figures.answer_chart(result, better=better, **both)
    points = [row for row in values(chart) if "middle" in row]
    assert len(points) == 2 * 2
    assert {point["name"] for point in points} == {"Loss rate", "Goodput"}
    for point in points:
        response = "loss_rate" if point["name"] == "Loss rate" else "goodput_DD"
        row = result.frame.row(
            by_predicate=(pl.col("response") == response)
            & (pl.col("alternative") == point["alternative"]),
            named=True,
        )
        sign = -1 if response == "loss_rate" else 1
        assert point["middle"] == pytest.approx(100 * sign * row["relative"])
        if point["verdict"]:
            assert (point["middle"] > 0) == (point["verdict"] == "better")
    (nothing,) = values(figures.answer_chart(result, better={}, **both))
    assert nothing["text"]

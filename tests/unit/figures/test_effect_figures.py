from __future__ import annotations

import math

import drawings
import pytest
import synthetic

from mesonet import figures
from mesonet.analysis import (
    example_campaign,
    influence,
    interactions,
    main_effects,
    significance,
)
from mesonet.figures import Names

EXAMPLE = example_campaign()
NAMES = Names(responses=EXAMPLE.response_names, factors=EXAMPLE.factor_names)
PLAIN = Names()


def test_the_interaction_matrix_shows_every_pair_and_every_factor():
    result = interactions(EXAMPLE.frame, factors=EXAMPLE.factors, responses="y1")
    chart = figures.interactions_chart(result, response="y1", names=NAMES)
    drawings.draws(chart)
    ends = drawings.values(chart, line="Network speed at its low level, by Mean think time")
    (pair,) = result.frame.filter(first="speed", second="think").iter_rows(named=True)
    assert [end["value"] for end in ends] == [
        figures.number(pair["low_low"]),
        figures.number(pair["low_high"]),
    ]
    assert ends[0]["y"] < ends[1]["y"], "the larger mean stands higher"
    effect = figures.number(pair["effect"], digits=3, signed=True) + pair["stars"]
    assert drawings.values(chart, text=effect)
    lines = {end["line"] for end in drawings.values(chart) if "line" in end}
    assert len(lines) == 6 + 2 * 15


def test_only_the_largest_factors_are_drawn_and_that_is_said():
    result = interactions(EXAMPLE.frame, factors=EXAMPLE.factors, responses="y1")
    chart = figures.interactions_chart(result, response="y1", names=NAMES, most=3)
    said = drawings.words(chart)
    assert "the 3 factors of 6 with the largest effects" in said
    assert "Distribution of" in said
    assert "Propagation" not in said


@pytest.mark.parametrize("response", ["connection_failures", "nothing"])
def test_what_cannot_be_estimated_is_said_instead(response):
    frame = synthetic.campaign().with_columns(nothing=math.nan)
    effects = main_effects(frame, factors=synthetic.FACTORS, responses=response)
    products = interactions(frame, factors=synthetic.FACTORS, responses=response)
    summary = significance(effects)
    every = influence({"a set": effects})
    look = figures.Look.of(synthetic.ALTERNATIVES)
    drawn = [
        figures.main_effects_chart(effects, response=response, look=look, names=PLAIN),
        figures.influence_chart(effects, names=PLAIN),
        figures.interactions_chart(products, response=response, names=PLAIN),
        figures.significance_chart(summary, names=PLAIN),
        figures.influence_sets_chart(every, names=PLAIN),
    ]
    drawings.draws(*drawn)
    if response == "nothing":
        assert "No main effect of nothing could be estimated" in drawings.words(drawn[0])
        assert "No response had a value" in drawings.words(drawn[1])
        assert "No interaction of nothing could be estimated" in drawings.words(drawn[2])


def test_the_significance_summary_has_a_cell_for_every_test():
    effects = main_effects(EXAMPLE.frame, factors=EXAMPLE.factors, responses=["y1", "g1", "y6"])
    summary = significance(effects)
    chart = figures.significance_chart(summary, names=NAMES)
    drawings.draws(chart)
    (cell,) = drawings.values(chart, row="active flows", column="Network speed")
    assert (cell["text"], cell["stars"]) == ("−**", "**")
    movies = NAMES.response("g1")
    assert {cell["text"] for cell in drawings.values(chart, row=movies)} == {"–"}
    fractions = [cell["text"] for cell in drawings.values(chart, row="Ψ × 100")]
    assert fractions == [f"{100 * value:.0f}" for value in summary.influence["influence"]]
    one = figures.significance_chart(summary, names=NAMES, only=["y6"])
    assert not drawings.values(one, row="active flows")


def test_influence_over_sets_has_a_row_per_set_and_their_mean():
    sets = {
        name: main_effects(EXAMPLE.frame, factors=EXAMPLE.factors, responses=responses)
        for name, responses in {"network": ["y1", "y6", "y7"], "movies": ["g1"]}.items()
    }
    result = influence(sets)
    chart = figures.influence_sets_chart(result, names=NAMES)
    drawings.draws(chart)
    assert {cell["text"] for cell in drawings.values(chart, row="movies")} == {"–"}
    assert len(drawings.values(chart, row="Weighted mean")) == 6

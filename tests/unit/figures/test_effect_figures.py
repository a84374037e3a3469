import drawings
import polars as pl

from mesonet import figures
from mesonet.analysis import (
    example_campaign,
    influence,
    interactions,
    level_means,
    main_effects,
    significance,
)
from mesonet.figures import Look, Names

EXAMPLE = example_campaign()
NAMES = Names(responses=EXAMPLE.response_names, factors=EXAMPLE.factor_names)


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
    some = figures.significance_chart(summary, names=NAMES, only=["y6"])
    assert not drawings.values(some, row="active flows")


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


def test_means_at_levels_have_a_panel_for_each_factor():
    result = level_means(EXAMPLE.frame, factors=["speed", "think"], responses="y1")
    look = Look.of(EXAMPLE.alternatives)
    chart = figures.level_means_chart(result, response="y1", look=look, names=NAMES)
    (point,) = drawings.values(chart, factor="speed", code=1.0, alternative="CTCP")
    (mean,) = result.frame.filter(factor="speed", code=1.0, alternative="CTCP")["mean"]
    assert (point["place"], point["mean"]) == (1, mean)
    panels = chart.to_dict()["concat"]
    assert [len(panel["layer"]) for panel in panels] == [2, 2]
    # Nine levels: marks stand alone, and only the first and the last are named.
    nine = EXAMPLE.frame.with_columns(speed=pl.col("condition") % 9 - 4)
    result = level_means(nine, factors=["speed"], responses="y1")
    chart = figures.level_means_chart(result, response="y1", look=look, names=NAMES)
    (panel,) = chart.to_dict()["concat"]
    assert len(panel["layer"]) == 1
    assert panel["layer"][0]["encoding"]["x"]["axis"]["values"] == [0, 8]

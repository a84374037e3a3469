from __future__ import annotations

import math
from itertools import pairwise

import drawings
import polars as pl
import pytest
import synthetic

from mesonet import figures
from mesonet.analysis import (
    algorithm_clusters,
    correlations,
    example_campaign,
    principal_components,
    response_clusters,
)
from mesonet.figures import Look, Names

EXAMPLE = example_campaign()
NAMES = Names(responses=EXAMPLE.response_names, factors=EXAMPLE.factor_names)
LOOK = Look.of(EXAMPLE.alternatives)
PLAIN = Names()


@pytest.fixture(scope="module")
def related():
    return correlations(EXAMPLE.frame, responses=EXAMPLE.responses)


def test_the_matrix_has_plots_above_and_coefficients_below(related):
    chart = figures.correlation_chart(related, names=NAMES, most=6)
    drawings.draws(chart)
    points = [row for row in drawings.values(chart) if "band" in row and "text" not in row]
    texts = [row for row in drawings.values(chart) if "band" in row and "text" in row]
    assert len(points) == 15 * 32
    assert len(texts) == 15
    assert all(point["x"] > point["y"] for point in points)
    assert all(text["x"] < text["y"] for text in texts)
    first, second = related.order["response"][:2]
    own = related.frame.filter(pl.col("first").is_in([first, second]))
    own = own.filter(pl.col("second").is_in([first, second]))
    assert texts[0]["text"] in {f"{100 * r:.0f}".replace("-", "−") for r in related.frame["r"]}
    assert drawings.values(chart, x=0.5, y=1.5, text=f"{100 * own['r'].item():.0f}")
    assert "the 6 of 73 responses" in drawings.words(chart)


def test_points_rise_with_their_response():
    frame = synthetic.campaign().with_columns(twice=2 * pl.col("goodput_DD"))
    related = correlations(frame, responses=["goodput_DD", "twice"])
    chart = figures.correlation_chart(related, names=PLAIN)
    points = sorted(
        (row["x"], row["y"]) for row in drawings.values(chart) if "band" in row and "tip" not in row
    )
    assert all(a[1] >= b[1] for a, b in pairwise(points)), "y points down"


def test_bins_above_the_threshold_are_marked(related):
    chart = figures.frequency_chart(related, threshold=0.65)
    drawings.draws(chart)
    bars = [row for row in drawings.values(chart) if "count" in row]
    assert sum(bar["count"] for bar in bars) == related.frame.height
    assert min(bar["low"] for bar in bars if bar["above"]) == pytest.approx(0.65)
    said = drawings.words(chart)
    assert "chosen 0.65" in said
    assert f"suggested {related.suggestion:.2f}" in said
    assert "chosen" not in drawings.words(figures.frequency_chart(related))


def test_the_index_plot_has_a_dot_on_both_sides_of_the_diagonal(related):
    found = response_clusters(related)
    chart = figures.index_chart(found, names=NAMES)
    drawings.draws(chart)
    dots = {(row["x"], row["y"]) for row in drawings.values(chart) if "pair" in row}
    assert len(dots) == 2 * found.pairs.height
    assert all((y, x) in dots for x, y in dots)
    boxes = [row for row in drawings.values(chart) if "x2" in row]
    for x, y in dots:
        assert any(b["x"] < x < b["x2"] and b["y"] < y < b["y2"] for b in boxes)
    assert "(suggested)" in drawings.words(figures.index_chart(found, names=NAMES))


def test_components_are_drawn_with_what_separates_them():
    found = principal_components(
        EXAMPLE.frame, responses=EXAMPLE.responses, factors=EXAMPLE.factors
    )
    chart = figures.components_chart(found, look=LOOK, names=NAMES)
    drawings.draws(
        chart,
        figures.scree_chart(found),
        figures.loadings_chart(found, names=NAMES),
    )
    points = [row for row in drawings.values(chart) if "settings" in row]
    assert len(points) == 96
    assert {point["level"].split(" 60")[0].split(" 120")[0] for point in points} == {
        "Network speed"
    }
    chosen = figures.components_chart(found, look=LOOK, names=NAMES, by=["think"])
    levels = {row["level"] for row in drawings.values(chosen) if "settings" in row}
    assert levels == {"Mean think time 2.5 s", "Mean think time 5 s"}
    for row in drawings.values(chosen):
        if "step" in row:
            assert any(p["x"] == row["x"] and p["y"] == row["y"] for p in points)
    said = drawings.words(chart)
    assert "PC1 (32" in said


def test_every_condition_has_its_dendrogram():
    found = algorithm_clusters(EXAMPLE.frame, responses=EXAMPLE.responses)
    chart = figures.dendrograms_chart(found, look=LOOK)
    drawings.draws(
        chart,
        figures.stand_apart_chart(found, look=LOOK),
    )
    rows = drawings.values(chart)
    assert len([row for row in rows if row.get("title") is True]) == 32
    assert len({row["line"] for row in rows if "line" in row}) == 64
    marked = [row["tip"] for row in rows if row.get("apart") is True]
    assert len(marked) == found.summary["apart"].sum() == 15
    assert all(tip.startswith("Scalable") for tip in marked)
    few = figures.dendrograms_chart(found, look=LOOK, conditions=[2, 5])
    titles = [row["text"] for row in drawings.values(few) if row.get("title") is True]
    assert titles == ["2", "5"]


def test_numbers_of_two_digits_have_room_in_dendrograms():
    found = algorithm_clusters(EXAMPLE.frame, responses=EXAMPLE.responses)
    few = figures.dendrograms_chart(found, look=LOOK).to_dict()
    others = (f"other {n}" for n in range(11 - len(LOOK.alternatives)))
    many = figures.dendrograms_chart(found, look=Look.of([*LOOK.alternatives, *others])).to_dict()
    assert (few["width"], few["height"]) == (848, 4 * 98)
    assert (many["width"], many["height"]) == (848, 8 * 98)


def test_identical_alternatives_say_so():
    frame = synthetic.campaign(conditions=4).with_columns(
        loss_rate=pl.when(pl.col("condition") == 2).then(0.1).otherwise("goodput_DD")
    )
    found = algorithm_clusters(frame, responses=["loss_rate"])
    chart = figures.dendrograms_chart(found, look=Look.of(synthetic.ALTERNATIVES))
    assert "2 identical" in drawings.words(chart)


@pytest.mark.parametrize(
    ("frame", "responses"),
    [
        (synthetic.campaign(), ["connection_failures"]),
        (synthetic.campaign().with_columns(nothing=math.nan), ["nothing", "loss_rate"]),
        (synthetic.campaign(conditions=1, alternatives=("reno",)), list(synthetic.RESPONSES)),
        (synthetic.campaign(alternatives=("reno", "ctcp"), conditions=2), ["loss_rate"]),
        (synthetic.campaign().with_columns(twice=2 * pl.col("loss_rate")), ["loss_rate", "twice"]),
    ],
    ids=["constant", "undefined", "one run", "two alternatives", "one component"],
)
def test_degenerate_data_draws_a_sentence(frame, responses):
    look = Look.of(tuple(frame["alternative"].unique(maintain_order=True)))
    related = correlations(frame, responses=responses)
    grouped = response_clusters(related, threshold=0.65)
    parts = principal_components(frame, responses=responses, factors=synthetic.FACTORS)
    trees = algorithm_clusters(frame, responses=responses)
    drawings.draws(figures.index_chart(response_clusters(related), names=PLAIN))
    if grouped.pairs.is_empty() and not grouped.frame.is_empty():
        assert "each is a cluster of its own" in drawings.words(
            figures.index_chart(grouped, names=PLAIN)
        )
    drawings.draws(
        figures.correlation_chart(related, names=PLAIN),
        figures.frequency_chart(related),
        figures.index_chart(grouped, names=PLAIN),
        figures.scree_chart(parts),
        figures.loadings_chart(parts, names=PLAIN),
        figures.components_chart(parts, look=look, names=PLAIN),
        figures.dendrograms_chart(trees, look=look),
        figures.stand_apart_chart(trees, look=look),
    )

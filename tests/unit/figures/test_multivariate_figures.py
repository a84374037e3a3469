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
    chart = figures.correlation_chart(related, names=NAMES, limit=6)
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


def test_the_index_plot_has_a_dot_on_both_sides_of_the_diagonal(related):
    clusters = response_clusters(related)
    chart = figures.index_chart(clusters, names=NAMES)
    drawings.draws(chart)
    dots = {(row["x"], row["y"]) for row in drawings.values(chart) if "pair" in row}
    assert len(dots) == 2 * clusters.pairs.height
    assert all((y, x) in dots for x, y in dots)
    boxes = [row for row in drawings.values(chart) if "x2" in row]
    for x, y in dots:
        assert any(b["x"] < x < b["x2"] and b["y"] < y < b["y2"] for b in boxes)
    assert "(suggested)" in drawings.words(figures.index_chart(clusters, names=NAMES))


def test_components_are_drawn_with_what_separates_them():
    components = principal_components(
        EXAMPLE.frame, responses=EXAMPLE.responses, factors=EXAMPLE.factors
    )
    chart = figures.components_chart(components, look=LOOK, names=NAMES)
    drawings.draws(
        chart,
        figures.scree_chart(components),
        figures.loadings_chart(components, names=NAMES),
    )
    points = [row for row in drawings.values(chart) if "settings" in row]
    assert len(points) == 96
    assert {point["level"].split(" 60")[0].split(" 120")[0] for point in points} == {
        "Network speed"
    }
    chosen = figures.components_chart(components, look=LOOK, names=NAMES, by=["think"])
    levels = {row["level"] for row in drawings.values(chosen) if "settings" in row}
    assert levels == {"Mean think time 2.5 s", "Mean think time 5 s"}
    said = drawings.words(chart)
    assert "PC1 (32" in said


def test_every_condition_has_its_dendrogram():
    clusters = algorithm_clusters(EXAMPLE.frame, responses=EXAMPLE.responses)
    chart = figures.dendrograms_chart(clusters, look=LOOK)
    drawings.draws(
        chart,
        figures.stand_apart_chart(clusters, look=LOOK),
    )
    rows = drawings.values(chart)
    assert len([row for row in rows if row.get("title") is True]) == 32
    assert len({row["line"] for row in rows if "line" in row}) == 64
    marked = [row["tip"] for row in rows if row.get("apart") is True]
    assert len(marked) == clusters.summary["apart"].sum() == 15
    assert all(tip.startswith("Scalable") for tip in marked)
    few = figures.dendrograms_chart(clusters, look=LOOK, conditions=[2, 5])
    titles = [row["text"] for row in drawings.values(few) if row.get("title") is True]
    assert titles == ["2", "5"]

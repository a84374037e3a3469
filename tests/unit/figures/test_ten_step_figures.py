from __future__ import annotations

import math

import drawings
import pytest
import synthetic

from mesonet import figures
from mesonet.analysis import contour, example_campaign, ten_steps
from mesonet.figures import Names

EXAMPLE = example_campaign()
NAMES = Names(responses=EXAMPLE.response_names, factors=EXAMPLE.factor_names)
STEPS = [
    "ordered",
    "scatter",
    "effects",
    "interactions",
    "blocks",
    "youden",
    "sizes",
    "half_normal",
    "residual_sd",
    "contour",
]


@pytest.fixture(scope="module")
def result():
    return ten_steps(EXAMPLE.frame, factors=EXAMPLE.factors, response="loss_rate")


@pytest.fixture(scope="module")
def charts(result):
    return figures.ten_steps_charts(result, names=NAMES)


def test_one_call_makes_all_ten(result, charts):
    assert list(charts) == STEPS
    drawings.draws(*charts.values())


def test_ordered_data_shows_every_condition_and_its_settings(result, charts):
    points = [row for row in drawings.values(charts["ordered"]) if "value" in row]
    assert [point["value"] for point in points] == result.ordered.frame["value"].to_list()
    worst = drawings.values(charts["ordered"], position=32, factor="Network speed")
    assert [cell["level"] for cell in worst] == ["60 p/ms"]


def test_blocks_count_their_signs(charts):
    said = drawings.words(charts["blocks"])
    assert "up in 0 of 16, p < 0.0001" in said
    assert len(drawings.values(charts["blocks"], level="high level")) == 6 * 16


def test_the_largest_terms_are_named_and_margins_drawn(result, charts):
    sizes = drawings.values(charts["sizes"])
    terms = [row for row in sizes if "shown" in row]
    assert len(terms) == 24
    assert terms[0]["shown"] == "buffers"
    margins = [row["absolute"] for row in sizes if "margin" in str(row["text"])]
    assert margins == [result.terms.margin, result.terms.simultaneous_margin]
    chart = figures.half_normal_chart(result.terms, names=NAMES)
    assert "speed × sources" in drawings.words(chart)


def test_the_youden_diagonal_is_no_effect(charts):
    (line,) = drawings.values(charts["youden"], line="no effect")
    assert (line["low"], line["x2"]) == (line["high"], line["y2"])


def test_the_contour_has_the_corners_that_were_simulated(result, charts):
    corners = [
        row["text"] for row in drawings.values(charts["contour"]) if set(row) == {"x", "y", "text"}
    ]
    assert corners == [figures.number(mean) for mean in result.contour.frame["mean"]]


@pytest.mark.parametrize(
    ("frame", "response"),
    [
        (synthetic.campaign(), "connection_failures"),
        (synthetic.campaign().with_columns(nothing=math.nan), "nothing"),
        (synthetic.campaign(conditions=1), "loss_rate"),
        (synthetic.campaign(conditions=2), "loss_rate"),
        (synthetic.campaign(), "recovery_time"),
    ],
    ids=["constant", "undefined", "one condition", "two conditions", "holes"],
)
def test_degenerate_data_draws_a_sentence(frame, response):
    result = ten_steps(frame, factors=synthetic.FACTORS, response=response)
    plain = Names()
    charts = figures.ten_steps_charts(result, names=plain)
    drawings.draws(*charts.values())
    if response in ("nothing", "connection_failures"):
        for step in ("youden", "sizes", "half_normal", "residual_sd", "contour"):
            assert f"{response} " in drawings.words(charts[step])


def test_labels_with_quotes_do_not_break_the_axes():
    names = Names(factors={"x1": ("the oven's heat", "1'", "2'"), "x2": ("b\\c", "-", "+")})
    found = contour(synthetic.springs(), factors=["x1", "x2"], response="y")
    drawings.draws(figures.contour_chart(found, names=names))
    assert "1\\\\'" in drawings.words(figures.contour_chart(found, names=names))

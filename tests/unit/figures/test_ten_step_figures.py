import drawings
import pytest

from mesonet import figures
from mesonet.analysis import example_campaign, ten_steps
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


def test_the_youden_diagonal_is_no_effect(charts):
    (line,) = drawings.values(charts["youden"], line="no effect")
    assert (line["low"], line["x2"]) == (line["high"], line["y2"])


def test_the_contour_has_the_corners_that_were_simulated(result, charts):
    corners = [
        row["text"] for row in drawings.values(charts["contour"]) if set(row) == {"x", "y", "text"}
    ]
    assert corners == [figures.number(mean) for mean in result.contour.frame["mean"]]

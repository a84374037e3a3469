"""What notebooks show: the picture of a thing with what to know of it, or its table."""

import json

import altair as alt
import polars as pl
import pytest
import synthetic

import mesonet
from mesonet import figures
from mesonet.analysis import REGISTRY, Analyses, Subject
from mesonet.studies.rules import Rule
from mesonet.studies.scorecard import Claim, Scorecard, ScoredClaim


def shown(result):
    bundle = result._repr_mimebundle_()
    return dict(bundle[0] if isinstance(bundle, tuple) else bundle)


@pytest.fixture(scope="module")
def analyses():
    return Analyses(
        Subject(
            frame=synthetic.campaign(),
            factors=synthetic.FACTORS,
            responses=["loss_rate", "goodput_DD"],
        )
    )


@pytest.mark.parametrize("name", REGISTRY)
def test_every_analysis_shows_itself(analyses, name):
    result = analyses.result(name)
    for part in result if isinstance(result, tuple) else [result]:
        bundle = shown(part)
        assert bundle["text/plain"] == repr(part)
        # This campaign of made-up numbers has no groups of flows, trajectories or series.
        drawn = part.plot()
        assert (drawn is None) == (name == "flow_comparison"), name
        for note in part.notes:
            assert note[:20].split("<")[0].split("'")[0] in bundle["text/html"]


def test_charts_exist():
    kinds = [kind for kind in mesonet.Result.__subclasses__() if kind.chart]
    assert kinds
    for kind in kinds:
        assert callable(getattr(figures, kind.chart)), kind
    assert all(entry.charts for entry in REGISTRY.values())


def test_reservations_stand_above_and_are_no_markup():
    bundle = shown(mesonet.Result(frame=pl.DataFrame({"p": [1.0]}), notes=("1 < 2 <script>",)))
    assert bundle["text/html"].startswith("<p>1 &lt; 2 &lt;script&gt;</p>")
    assert "<table" in bundle["text/html"]


def test_designs_and_plans_show_their_levels():
    design = mesonet.fractional_factorial(["a", "b", "c"], {"c": "a*b"})
    values = json.loads(design.plot().to_dict()["data"]["values"])
    assert len(values) == 4 * 3
    assert {(row["condition"], row["factor"], row["code"]) for row in values} == {
        (row["condition"], name, float(row[name]))
        for row in design.matrix.iter_rows(named=True)
        for name in ("a", "b", "c")
    }
    assert design.name in shown(design)["text/html"]


def test_scorecards_show_verdicts():
    rule = Rule(words="is so", needs=(), measured=lambda _: "1")
    claims = [Claim(id=f"c{k}", text="<b>", published="1", source="s", rule=rule) for k in (1, 2)]
    card = Scorecard(
        "study",
        "pocket",
        (ScoredClaim(claims[0], "1", "agrees"), ScoredClaim(claims[1], "2", "disagrees")),
    )
    html = card._repr_html_()
    assert "study, size pocket: 1 agrees, 1 disagrees, 0 fitted" in html
    assert html.count("&lt;b&gt;") == 2
    assert card.to_frame().height == 2


def test_charts_show_themselves_without_network_unless_another_way_is_chosen():
    design = mesonet.fractional_factorial(["a", "b", "c"], {"c": "a*b"})
    chart = design.plot()
    changed = chart.properties(title="Another")
    assert [*shown(chart)] == [*shown(changed)] == ["image/svg+xml"]
    drawing = shown(changed)["image/svg+xml"]
    assert drawing.startswith("<svg")
    assert "Another" in drawing
    with alt.renderers.enable("html"):
        assert "<script" in shown(chart)["text/html"]


def test_a_picture_that_cannot_be_drawn_leaves_the_table():
    class Broken(mesonet.Result):
        def plot(self):
            raise mesonet.CampaignError("file x is damaged")

    bundle = shown(Broken(frame=pl.DataFrame({"p": [1.0]})))
    assert "No picture: file x is damaged" in bundle["text/html"]

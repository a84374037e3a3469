import base64
import json
import math
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser

import altair as alt
import pages
import polars as pl
import pytest
import synthetic

from mesonet.report import build, render
from mesonet.report.front import front
from mesonet.report.page import assemble
from mesonet.report.results import analysed
from mesonet.report.sections import contents

SECTIONS = [
    "summary",
    "paired",
    "ranks",
    "condition-response",
    "clusters",
    "main-effects",
    "ten-steps",
    "reduction",
    "components",
    "network",
    "design",
    "congestion",
    "through-time",
    "responses",
    "provenance",
    "runs",
]


FEW = ("loss_rate", "recovery_time")
"""Responses with plots where the number of plots does not matter: drawing takes the time."""


def unpacked(text):
    return zlib.decompress(base64.b64decode(text)).decode()


def chart_class(spec):
    """The class that a specification was made from; trying them all takes ten times as long."""
    classes = {
        "layer": alt.LayerChart,
        "vconcat": alt.VConcatChart,
        "hconcat": alt.HConcatChart,
        "concat": alt.ConcatChart,
        "facet": alt.FacetChart,
    }
    return next((chart for key, chart in classes.items() if key in spec), alt.Chart)


class Page(HTMLParser):
    """Contents of a page for the tests: ids, links, loads, summary sentences, charts."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = [], [], []
        self.sentences, self.specs, self.places, self.texts = [], {}, [], []
        self._packed = None
        self._front = False
        self._silent = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values.get("href", ""))
        self.loads += [values[key] for key in ("src", "srcset", "data", "poster") if key in values]
        if tag == "link":
            self.loads.append(values.get("href"))
        if "data-chart" in values:
            self.places.append(values["data-chart"])
        if tag == "script" and values.get("type") == "text/plain":
            self._packed = values["id"]
        if tag in ("script", "style"):
            self._silent += 1
        if tag == "section":
            self._front = values["id"] == "summary"
        if self._front and tag in ("li", "p"):
            self.sentences.append({"text": "", "links": []})
        elif self._front and tag == "a" and self.sentences:
            self.sentences[-1]["links"].append(values["href"])

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._silent -= 1
            self._packed = None

    def handle_data(self, data):
        if self._packed == "packed-charts":
            self.specs = json.loads(unpacked(data))
        if not self._silent:
            self.texts.append(data)
        if self._front and self.sentences:
            self.sentences[-1]["text"] += data

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def source():
    return render(pages.inputs(key_responses=FEW))


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


def test_every_section_is_there_once_and_in_order(page):
    assert [name for name in page.ids if name in SECTIONS] == SECTIONS
    assert len(page.ids) == len(set(page.ids))


def test_links_inside_the_page_lead_somewhere(page):
    targets = {link[1:] for link in page.links if link.startswith("#")}
    assert targets <= set(page.ids)
    assert set(SECTIONS) <= targets


def test_the_page_loads_nothing(page, source):
    assert page.loads == []
    assert all(link.startswith(("#", "data:text/csv")) for link in page.links)
    styles = "".join(re.findall(r"<style>(.*?)</style>", source, re.DOTALL))
    assert "url(" not in styles
    assert "@import" not in styles
    assert "default-src 'none'" in source
    assert not any('"url"' in json.dumps(spec) for spec in page.specs.values())


def test_vega_is_inlined_once(source):
    (vega,) = re.findall(r'id="packed-vega">(.*?)</script>', source)
    assert unpacked(vega).count("window.vegaEmbed=") == 1
    assert source.count("<script>") == 1


def test_every_chart_has_a_valid_specification(page):
    assert len(page.places) == len(set(page.places)) > 15
    assert set(page.places) == set(page.specs)
    for spec in page.specs.values():
        chart_class(spec).validate(spec)


def test_same_inputs_same_bytes(source):
    assert source == render(pages.inputs(key_responses=FEW))


def test_text_is_escaped(page, source):
    assert "<in words>" not in source
    assert "<in words>" in page.text
    assert "ctcp & scalable" in page.text
    title = "</title><script>alert(1)</script>"
    assert "<script>alert" not in render(pages.inputs(title=title, sections=("runs",)))


def test_the_centre_of_a_design_has_no_part_in_main_effects(source):
    frame = synthetic.campaign()
    centre = frame.filter(pl.col("condition") == 1).with_columns(
        *(pl.lit(0, pl.Int64).alias(name) for name in synthetic.FACTORS),
        pl.lit(33, pl.Int64).alias("condition"),
    )
    inputs = pages.inputs(key_responses=FEW, frame=pl.concat([frame, centre]))
    matrix = pl.concat([pages.DESIGN.matrix, pages.DESIGN.matrix.head(1) * 0]).with_columns(
        condition=pl.int_range(1, 34)
    )
    inputs = replace(inputs, design=replace(pages.DESIGN, centre=True, matrix=matrix))
    assert "Condition 33 is the centre of the design" in Page(render(inputs)).text
    # It is a condition like others in all that is no effect of a factor.
    assert analysed(inputs).plain.tables["campaign"]["conditions"].item() == 33


def test_few_conditions_are_judged_by_their_replicates():
    frame = synthetic.campaign(replicates=4).filter(pl.col("condition") <= 2)
    results = analysed(pages.inputs(key_responses=FEW, frame=frame))
    assert (results.paired.unit, results.judged.unit) == ("condition", "replicate")
    assert results.plain.tables["paired"].equals(results.judged.frame)
    assert set(results.judged.frame["n"]) == {4}
    many = analysed(pages.inputs(key_responses=FEW, frame=synthetic.campaign()))
    assert many.judged is many.paired


def test_front_page_and_section_count_the_same_outliers():
    results = analysed(pages.inputs())
    counted = results.plain.tables["outliers"]
    assert counted["all"][0] == results.analyses.result("condition_summary").frame.height > 0
    assert counted["tested"][0] == results.analyses.result("condition_summary").tested


def test_a_middle_level_of_all_factors_is_a_condition_like_others():
    numbers = (1, 2, 5)
    frame = synthetic.campaign(replicates=2).filter(pl.col("condition").is_in(numbers))
    code = pl.col("condition").replace_strict(numbers, (-1, 0, 1)).alias(synthetic.FACTORS[0])
    inputs = pages.inputs(key_responses=FEW, frame=frame.with_columns(code), design={})
    inputs = replace(inputs, factors=inputs.factors[:1])
    results = analysed(inputs)
    assert results.plain.tables["campaign"]["conditions"].item() == 3
    assert results.plain.tables["campaign"]["runs"].item() == frame.height
    assert sorted(results.plain.tables["congestion"]["condition"]) == list(numbers)
    assert results.plain.tables["outliers"]["tested"][0] == len(FEW) * 3
    components = results.analyses.result("principal_components")
    assert components.scores["condition"].n_unique() == 3
    assert results.effects is None


def test_factors_of_several_levels_have_means_at_each():
    names = (1, 2, 5, 6)
    first, second = synthetic.FACTORS[:2]
    place = pl.col("condition").replace_strict(names, (0, 1, 2, 3))
    frame = synthetic.campaign().filter(pl.col("condition").is_in(names))
    levels = (place % 2 * 2 - 1).alias(first), ((place - 1.5) / 1.5).alias(second)
    inputs = pages.inputs(key_responses=FEW, frame=frame.with_columns(levels), design={})
    inputs = replace(inputs, factors=inputs.factors[:2], sections=("main-effects",))
    results = analysed(inputs)
    _, content = contents(results)["main-effects"]
    assert [part["title"] for part in content["parts"]] == [
        "Main effects",
        "Level means",
        "Significance",
    ]
    assert "factors" in {sentence.topic for sentence in results.plain.sentences}
    assert set(results.plain.tables["explained"]["factor"]) <= {first, second}
    two_level = analysed(pages.inputs(key_responses=FEW, sections=("main-effects",)))
    titles = [part["title"] for part in contents(two_level)["main-effects"][1]["parts"]]
    assert "Level means" not in titles


def test_with_one_algorithm_the_answer_is_what_factors_do():
    frame = synthetic.campaign().filter(alternative=synthetic.ALTERNATIVES[0])
    of_one = front(analysed(pages.inputs(key_responses=FEW, frame=frame)), {"main-effects": ""})
    assert [verdict.section for verdict in of_one.answer] == ["main-effects"]
    assert "main-effects" not in [sentence.section for sentence in of_one.simulated]
    compared = front(analysed(pages.inputs(key_responses=FEW)), {"main-effects": ""})
    assert "main-effects" in [sentence.section for sentence in compared.simulated]


def test_downloads_hold_exact_numbers(page):
    encoded = next(link for link in reversed(page.links) if link.startswith("data:text/csv"))
    content = base64.b64decode(encoded.split(",", 1)[1])
    assert pl.read_csv(content)["loss_rate"].equals(synthetic.campaign()["loss_rate"])


def test_build_writes_one_file(tmp_path):
    out = build(pages.inputs(sections=("runs",)), tmp_path / "new" / "report.html")
    assert sorted(path.name for path in out.parent.iterdir()) == ["report.html", "report.json"]
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "frame",
    [
        synthetic.campaign(alternatives=("reno",)),
        synthetic.campaign(conditions=1),
        synthetic.campaign().head(7),
        synthetic.campaign().head(0),
        synthetic.campaign().with_columns(
            pl.lit(math.nan).alias(name) for name in synthetic.RESPONSES
        ),
        synthetic.campaign().with_columns(pl.lit(1.0).alias(n) for n in synthetic.RESPONSES),
    ],
    ids=["alone", "one", "begun", "none", "nan", "constant"],
)
def test_odd_campaigns_still_give_a_page(frame):
    page = Page(render(pages.inputs(key_responses=FEW, frame=frame)))
    assert "summary" in page.ids
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert set(page.places) == set(page.specs)


def test_without_factors_geometry_and_congestion():
    page = Page(
        render(
            pages.inputs(
                key_responses=FEW,
                factors=(),
                design={},
                geometry={},
                congestion=None,
                commands={},
            )
        )
    )
    assert "The plan varies no factors" in page.text
    assert not {"network", "congestion"} & set(page.ids)


def test_choices_of_the_plan_are_honoured():
    inputs = pages.inputs(
        key_responses=("goodput_FF",),
        sections=("paired", "condition-response", "main-effects"),
        baseline="ctcp",
        analysis={"condition_response": {"critical": 2.08}, "main_effects": {"by": None}},
    )
    report = assemble(inputs)
    page = Page(report.html)
    assert inputs.shown == ("goodput_FF",)
    assert inputs.subject.baseline == "ctcp"
    assert "Each alternative minus ctcp" in page.text
    tables = json.loads(report.json)["sections"]["condition-response"]["tables"]
    assert set(tables["condition-response"]["critical"]) == {2.08}

"""Files beside the page, and parts that the plan can leave out of it."""

import json
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pages
import polars as pl
import pytest
import synthetic

import mesonet
from mesonet.campaign import RecordedRun
from mesonet.page.charts import drawings
from mesonet.report import ReportInputs, build
from mesonet.report.inputs import recorded_run
from mesonet.report.page import assemble
from mesonet.report.pages import with_code
from mesonet.report.results import analysed

FEW = ("loss_rate", "goodput_FF")


@pytest.fixture(scope="module")
def about():
    return json.loads(assemble(pages.inputs(key_responses=FEW)).json)


@pytest.fixture(scope="module")
def results():
    """What the page about `FEW` shows, computed beside it."""
    return analysed(pages.inputs(key_responses=FEW))


@cache
def bundled(name):
    """The report of a bundled campaign, with plots of two responses; tests change nothing."""
    inputs = ReportInputs.from_example(name)
    return assemble(replace(inputs, key_responses=tuple(inputs.responses)[:2]))


def test_json_has_every_sentence(about, results):
    plain = results.plain
    assert [told["text"] for told in about["sentences"]] == [it.text for it in plain.sentences]


def test_json_has_every_table_with_all_rows_and_digits(about, results):
    tables = about["sections"]["paired"]["tables"]
    assert (
        tables["paired-differences"]["difference"] == results.paired.frame["difference"].to_list()
    )
    assert len(tables["paired-blocks"]["condition"]) == results.paired.blocks.height
    whole = about["sections"]["runs"]["tables"]["results"]
    assert whole["loss_rate"] == synthetic.campaign()["loss_rate"].to_list()
    assert whole["recovery_time"].count(None) > 0


def test_the_plan_chooses_sections():
    inputs = pages.inputs(key_responses=FEW, sections=("ranks", "runs"))
    shown = json.loads(assemble(inputs).json)["sections"]
    assert list(shown) == ["ranks", "runs"]


@pytest.mark.parametrize("name", ["pocket", "mixed"])
def test_a_bundled_campaign_makes_a_report_without_simulating(name):
    shown = json.loads(bundled(name).json)["sections"]
    assert {"paired", "ranks", "ten-steps", "reduction", "components", "clusters"} <= set(shown)
    assert ("goodput" in shown) == (name == "mixed")
    assert not [name for name, section in shown.items() if "why" in section]


def test_harm_is_there_where_the_plan_asks_for_it(about):
    asked = {"harm": {"solo": "reno", "own": "ctcp"}}
    key = ("loss_rate", "goodput_FF", "sending_sources")
    report = assemble(pages.inputs(key_responses=key, analysis=asked, sections=("harm",)))
    section = json.loads(report.json)["sections"]["harm"]
    harmed = section["tables"]["harm"]
    # By the better end of each response; sending sources have none.
    assert set(harmed["response"]) == {"loss_rate", "goodput_FF"}
    assert harmed["harm"] == report.results.analyses.result("harm").frame["harm"].to_list()
    assert "excess" in harmed
    assert any("sending_sources" in note for note in section["notes"])
    assert "harm-harm" in {name for name, _ in drawings(report.content)}
    assert "harm" not in about["sections"]


def test_runs_that_are_missing_are_told_by_the_plan():
    whole = synthetic.campaign(conditions=8, replicates=2)
    planned = whole.select("condition", "alternative", "replicate")
    frame = whole.filter(pl.col("condition") != 3)
    report = assemble(
        pages.inputs(
            key_responses=FEW,
            frame=frame,
            planned=planned,
            sections=("responses", "runs"),
        )
    )
    about = json.loads(report.json)
    (warning,) = (told["text"] for told in about["sentences"] if told["warning"])
    assert warning.startswith("6 of 48 planned runs are missing: all 6 of condition 3; reno 2")
    assert about["summary_tables"]["missing"]["runs"] == [6, 2, 2, 2]
    assert report.html.count("planned runs are missing") == 1


def test_figures_are_written_as_svg_and_pdf(tmp_path):
    inputs = pages.inputs(
        key_responses=("loss_rate",),
        frame=synthetic.campaign(conditions=8),
        responses={name: pages.about(name) for name in ("loss_rate", "goodput_FF", "goodput_NN")},
    )
    # Figures are those of all sections, whatever the page shows.
    shown = replace(inputs, sections=("runs",))
    build(shown, tmp_path / "report.html", figures=tmp_path / "figures")
    names = {name for name, _ in drawings(assemble(inputs).content)}
    assert "answer" in names
    assert {"paired-forest", "ranks-rank-matrix", "clusters-dendrograms", "network"} <= names
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        f"{name}.{kind}" for name in names for kind in ("svg", "pdf")
    }
    assert (tmp_path / "figures" / "paired-forest.svg").read_text().startswith("<svg")
    assert (tmp_path / "figures" / "paired-forest.pdf").read_bytes().startswith(b"%PDF")


def test_no_two_figures_have_one_file():
    names = [name for name, _ in drawings(bundled("mixed").content)]
    assert len(names) == len(set(names)) > 40
    assert {"main-effects-significance", "ranks-rank-overview", "components-scree"} <= set(names)


def test_a_run_that_kept_its_series_is_shown_through_time():
    world = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", flows=["reno", "cubic"], duration="3 s", interval="100 ms"
    )
    inputs = pages.inputs(
        key_responses=FEW,
        geometry=world.geometry(),
        recorded=mesonet.simulate(world, seed=1),
        recorded_name="condition 3, reno, replicate 1",
        sections=("through-time",),
    )
    report = assemble(inputs)
    assert "condition 3, reno, replicate 1" in report.html
    assert "trace" in {name for name, _ in drawings(report.content)}
    tables = json.loads(report.json)["sections"]["through-time"]["tables"]
    assert len(tables["network-over-time"]["time"]) >= 20


def test_the_run_shown_is_that_of_the_most_congested_condition():
    frame = synthetic.campaign()
    worst = frame.sort("loss_rate", descending=True).row(0, named=True)
    kept = pl.DataFrame({"time": [1.0]})
    campaign = SimpleNamespace(
        plan=SimpleNamespace(analysis=SimpleNamespace(congestion_response="loss_rate")),
        kept_tables=lambda run: ["series", "flows", "queues"] if run == worst["run"] else [],
        recorded_run=lambda run: RecordedRun(f"scenario of {run}", 1, kept, kept, kept),
    )
    run, name = recorded_run(campaign, frame)
    assert run.scenario == f"scenario of {worst['run']}"
    assert name == f"condition {worst['condition']}, {worst['alternative']}, replicate 1"
    campaign.kept_tables = lambda run: []
    assert recorded_run(campaign, frame) == (None, "")


def test_definitions_of_responses_have_code_and_no_markup_of_others():
    assert with_code("`g1:NAME` <b> & `x`") == "<code>g1:NAME</code> &lt;b&gt; &amp; <code>x</code>"

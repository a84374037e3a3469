"""Options of analyses are checked when a plan is read, not when its campaign is done."""

import copy
import inspect
from importlib import import_module

import pytest
from typer.testing import CliRunner

from mesonet import Campaign
from mesonet.analyses import REGISTRY
from mesonet.campaign.sequential import run_plan
from mesonet.cli import app
from mesonet.errors import PlanError
from mesonet.plan import load_plan, plan_from_dict
from mesonet.store import open_files, read_manifest
from mesonet.store.manifest import write_manifest

BASE = {
    "name": "test",
    "scenario": {
        "kind": "dumbbell",
        "rate": "5 Mbit/s",
        "rtt": "40 ms",
        "flows": ["reno", "reno"],
        "duration": "1 s",
    },
    "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
    "alternatives": [
        {"label": "Reno", "set": {"flows[0].algorithm": "reno"}},
        {"label": "Scalable", "set": {"flows[0].algorithm": "scalable"}},
    ],
    "responses": ["utilization", "loss_rate", "flow_goodput:reno"],
}


def refused(analysis):
    with pytest.raises(PlanError) as caught:
        plan_from_dict({**copy.deepcopy(BASE), "analysis": analysis})
    return {problem.loc: problem.message for problem in caught.value.problems}


# Functions that are called otherwise than their analysis, and what these do with their options.
FUNCTIONS = {
    "flow_comparison": ("compare_flows", {}),
    "warm_up": ("warm_up_of_runs", {}),
    "significance": ("main_effects", {}),
    "response_clusters": ("response_clusters", {"ranks", "by"}),
    "rank_matrix": ("rank_matrix", {"responses"}),
}
GIVEN = {"frame", "factors", "responses", "response", "read", "correlations"}


@pytest.mark.parametrize("name", REGISTRY)
def test_options_are_those_of_the_function_with_its_defaults(name):
    function, others = FUNCTIONS.get(name, (name, set()))
    module = import_module(f"mesonet.analysis.{REGISTRY[name].module}")
    parameters = inspect.signature(getattr(module, function)).parameters
    fields = REGISTRY[name].options.model_fields
    given = GIVEN | ({"by"} if name == "significance" else set())
    given -= {"response"} if name == "congestion" else set()
    if name != "response_clusters":
        assert set(fields) - set(others) == set(parameters) - given
    for option in set(fields) & set(parameters):
        default = parameters[option].default
        # What the function wants, the analysis chooses; the rest has one default.
        if default is not inspect.Parameter.empty and (name, option) != ("harm", "better"):
            assert fields[option].default == default, option


@pytest.mark.parametrize("name", REGISTRY)
def test_every_option_is_explained(name):
    assert all(field.description for field in REGISTRY[name].options.model_fields.values())


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("harm", {"baseline": "Reno"}, "no such option; there are better, confidence, own, solo"),
        ("harm", {"bettr": "lower"}, 'did you mean "better"'),
        ("rank_matrix", {"foo": 1}, "no such option; there are better, by, order_by, responses"),
        ("harm", {"solo": "Nobody"}, 'got "Nobody"; there are Reno, Scalable'),
        ("harm", {"own": "reno"}, 'did you mean "Reno"'),
        ("harm", {"better": "up"}, 'expected "higher" or "lower", got "up"'),
        ("impact", {"baseline": 3}, "expected the label of an alternative, got 3"),
        ("impact", {"confidence": 95}, "expected a number between 0 and 1, got 95"),
        ("flow_comparison", {"algorithms": ["reno"]}, "expected a table such as"),
        ("flow_comparison", {"groups": 3}, "expected a text or a list of texts, got 3"),
        ("flow_comparison", {"groups": ["g1"]}, '"g1:reno" is not in responses'),
        ("rank_matrix", {"order_by": "los_rate"}, 'did you mean "loss_rate"'),
        ("describe", {"by": "alternatives"}, 'did you mean "alternative"'),
        ("main_effects", {"method": "two sample"}, 'did you mean "two-sample"'),
        ("correlations", {"ranks": "yes"}, "expected true or false"),
        ("principal_components", {"keep": 0}, "expected a whole number of at least 1, got 0"),
        ("condition_summary", {"minimum_relative": -1}, "expected a number of at least 0, got -1"),
    ],
)
def test_an_option_that_does_not_fit_is_named(name, options, text):
    (option,) = options
    found = refused({name: options})
    assert list(found) == [f"analysis.{name}.{option}"]
    assert text in found[f"analysis.{name}.{option}"]


def test_entries_of_tables_are_named_and_all_problems_are_found_at_once():
    found = refused(
        {
            "harm": {"better": {"loss_rat": "lower", "utilization": "down"}},
            "flow_comparison": {"algorithms": {"Renoo": "reno", "Scalable": 4}},
            "paired_differences": {"baseline": "reno"},
        }
    )
    assert set(found) == {
        "analysis.harm.better.loss_rat",
        "analysis.harm.better.utilization",
        "analysis.flow_comparison.algorithms.Renoo",
        "analysis.flow_comparison.algorithms.Scalable",
        "analysis.paired_differences.baseline",
    }


def test_what_fits_is_accepted():
    options = {
        "describe": {"by": "rtt_level"},
        "main_effects": {"by": "alternative", "confidence": 0.9, "method": "model"},
        "rank_matrix": {"better": {"loss_rate": "lower"}, "order_by": "loss_rate"},
        "flow_comparison": {
            "algorithms": {"Scalable": "scalable"},
            "groups": "flow_goodput",
            "maximum": {"flow_goodput": 1e6},
            "standard": "reno",
        },
        "harm": {"solo": "Reno", "own": "Scalable", "better": {"loss_rate": "lower"}},
        "warm_up": {"batch": 5, "series": ["delivered"]},
    }
    plan = plan_from_dict({**BASE, "analysis": options})
    assert plan.analysis.kinds() == options
    assert plan_from_dict(plan.to_dict()).analysis.kinds() == options


def test_a_plan_without_alternatives_has_one_that_can_be_named():
    alone = {key: value for key, value in BASE.items() if key != "alternatives"}
    assert plan_from_dict({**alone, "analysis": {"impact": {"baseline": "base"}}})


def test_a_campaign_that_was_begun_opens_and_a_corrected_plan_mends_its_analyses(tmp_path):
    plan = plan_from_dict({**BASE, "analysis": {"harm": {}}})
    run_plan(plan, out=tmp_path / "out", workers=1)
    files = open_files(tmp_path / "out")
    manifest = read_manifest(files)
    manifest["plan"]["analysis"]["harm"] = {"baseline": "Reno"}
    write_manifest(files, manifest)
    assert Campaign.open(tmp_path / "out").results().height == 4
    for command in ("analyze", "report"):
        result = CliRunner().invoke(app, [command, str(tmp_path / "out")])
        assert result.exit_code == 2
        assert "analysis.harm.baseline: no such option" in result.stderr
    assert not (tmp_path / "out" / "report.html").exists()
    run_plan(plan, out=tmp_path / "out", workers=1)
    assert CliRunner().invoke(app, ["analyze", str(tmp_path / "out")]).exit_code == 0


def test_plan_refuses_before_anything_is_simulated(tmp_path):
    plan = plan_from_dict(BASE).to_toml() + '\n[analysis.harm]\nbaseline = "Reno"\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(tmp_path / "plan.toml")])
    assert result.exit_code == 2
    assert "analysis.harm.baseline: no such option" in result.stderr
    with pytest.raises(PlanError):
        load_plan(tmp_path / "plan.toml")

"""Options of analyses are checked when a plan is read, not when its campaign is done."""

import copy
import inspect
from importlib import import_module

import pytest
from typer.testing import CliRunner

from mesonet.analysis import REGISTRY
from mesonet.cli import app
from mesonet.errors import PlanError
from mesonet.plan import load_plan, plan_from_dict

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
    "significance": ("main_effects", {}),
    "response_clusters": ("response_clusters", {"ranks", "by"}),
    "rank_matrix": ("rank_matrix", {"responses"}),
}
SUPPLIED_ALWAYS = {"frame", "factors", "responses", "response", "correlations"}


@pytest.mark.parametrize("name", REGISTRY)
def test_options_are_those_of_the_function_with_its_defaults(name):
    function, others = FUNCTIONS.get(name, (name, set()))
    module = import_module(f"mesonet.analysis.{REGISTRY[name].folder}.estimate")
    parameters = inspect.signature(getattr(module, function)).parameters
    fields = REGISTRY[name].options.model_fields
    # Its stars come from p alone.
    supplied = SUPPLIED_ALWAYS | ({"by", "confidence"} if name == "significance" else set())
    supplied -= {"response"} if name == "congestion" else set()
    if name != "response_clusters":
        assert set(fields) - set(others) == set(parameters) - supplied
    for option in set(fields) & set(parameters):
        default = parameters[option].default
        # What the function wants, the analysis chooses; the rest has one default.
        if default is not inspect.Parameter.empty and (name, option) != ("harm", "better"):
            assert fields[option].default == default, option


@pytest.mark.parametrize("name", REGISTRY)
def test_every_option_is_explained(name):
    assert all(field.description for field in REGISTRY[name].options.model_fields.values())


@pytest.mark.parametrize(
    ("name", "options", "kind"),
    [
        ("harm", {"bettr": "lower"}, "unknown_key"),
        ("harm", {"solo": "Nobody"}, "unknown_label"),
        ("harm", {"better": "up"}, "union"),
        ("harm", {"solo": 3}, "string_type"),
        ("harm", {"confidence": 95}, "less_than"),
        ("flow_comparison", {"algorithms": ["reno"]}, "dict_type"),
        ("flow_comparison", {"groups": 3}, "union"),
        ("flow_comparison", {"groups": ["g1"]}, "unknown_response"),
        ("rank_matrix", {"order_by": "los_rate"}, "unknown_response"),
        ("main_effects", {"by": "alternatives"}, "unknown_column"),
        ("main_effects", {"method": "two sample"}, "literal_error"),
        ("correlations", {"ranks": "yes"}, "bool_type"),
        ("condition_summary", {"minimum_relative": -1}, "greater_than_equal"),
    ],
)
def test_an_option_that_does_not_fit_is_named(name, options, kind):
    (option,) = options
    with pytest.raises(PlanError) as caught:
        plan_from_dict({**copy.deepcopy(BASE), "analysis": {name: options}})
    (problem,) = caught.value.problems
    assert (problem.loc, problem.kind) == (f"analysis.{name}.{option}", kind)


def test_entries_of_tables_are_named_and_all_problems_are_found_at_once():
    refusals = refused(
        {
            "harm": {"better": {"loss_rat": "lower", "utilization": "down"}},
            "flow_comparison": {"algorithms": {"Renoo": "reno", "Scalable": 4}},
            "paired_differences": {"baseline": "reno"},
        }
    )
    assert set(refusals) == {
        "analysis.harm.better.loss_rat",
        "analysis.harm.better.utilization",
        "analysis.flow_comparison.algorithms.Renoo",
        "analysis.flow_comparison.algorithms.Scalable",
        "analysis.paired_differences.baseline",
    }


def test_what_fits_is_accepted():
    options = {
        "correlations": {"by": "rtt_level"},
        "main_effects": {"by": "alternative", "confidence": 0.9, "method": "model"},
        "rank_matrix": {"better": {"loss_rate": "lower"}, "order_by": "loss_rate"},
        "flow_comparison": {
            "algorithms": {"Scalable": "scalable"},
            "groups": "flow_goodput",
            "standard": "reno",
        },
        "harm": {"solo": "Reno", "own": "Scalable", "better": {"loss_rate": "lower"}},
    }
    plan = plan_from_dict({**BASE, "analysis": options})
    assert plan.analysis.kinds() == options
    assert plan_from_dict(plan.to_dict()).analysis.kinds() == options


def test_a_plan_without_alternatives_has_one_that_can_be_named():
    alone = {key: value for key, value in BASE.items() if key != "alternatives"}
    assert plan_from_dict({**alone, "analysis": {"harm": {"solo": "base"}}})


def test_plan_refuses_before_anything_is_simulated(tmp_path):
    plan = plan_from_dict(BASE).to_toml() + '\n[analysis.harm]\nbaseline = "Reno"\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", str(tmp_path / "plan.toml")])
    assert result.exit_code == 2
    assert "analysis.harm.baseline: " in result.stderr
    with pytest.raises(PlanError):
        load_plan(tmp_path / "plan.toml")

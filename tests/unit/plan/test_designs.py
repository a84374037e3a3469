"""Plans with designs of every kind, levels of every kind, mixes, and stopping rules."""

import copy

import pytest
from dumbbells import LITTLE
from refusals import refused

from mesonet import internet
from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict

BASE = {
    "name": "test",
    "scenario": LITTLE | {"flows": ["reno", "cubic"], "buffer": "1 bdp", "loss": 0.001},
    "factors": {
        "rate": {"path": "rate", "low": "10 Mbit/s", "high": "40 Mbit/s", "scale": "log"},
        "rtt": {"path": "rtt", "low": "20 ms", "high": "80 ms"},
        "loss": {"path": "loss", "low": 0.0001, "high": 0.01, "scale": "log"},
    },
}
FRACTION = {"kind": "fractional_factorial"}
BUFFER = {"path": "buffer", "low": "1 bdp", "high": "2 bdp"}
DURATION = {"path": "duration", "low": "1 s", "high": "2 s"}
LISTED = {"path": "flows[0].algorithm", "levels": ["reno", "cubic", "ctcp"]}


def changed(**changes):
    return copy.deepcopy(BASE) | changes


def with_factor(**factors):
    return changed(factors=BASE["factors"] | factors)


def kinds(data, **kwargs):
    with pytest.raises(PlanError) as caught:
        plan_from_dict(data, **kwargs).runs()
    return {problem.loc: problem.kind for problem in caught.value.problems}


DESIGNS = {
    "full": ({"kind": "full_factorial"}, 8),
    "centre": ({"kind": "full_factorial", "centre": True}, 9),
    "generators": ({"kind": "fractional_factorial", "generators": {"loss": "rate*rtt"}}, 4),
    "runs": ({"kind": "fractional_factorial", "runs": 4}, 4),
    "resolution": ({"kind": "fractional_factorial", "resolution": "III"}, 4),
    "folded": ({"kind": "fractional_factorial", "runs": 4, "fold_over": True}, 8),
    "folded over one": ({"kind": "fractional_factorial", "runs": 4, "fold_over": ["rtt"]}, 8),
    "screening": ({"kind": "plackett_burman", "runs": 12}, 12),
    "one at a time": ({"kind": "one_at_a_time"}, 4),
    "hypercube": ({"kind": "latin_hypercube", "points": 5}, 5),
    "sobol": ({"kind": "sobol", "points": 4, "seed": 3}, 4),
    "custom": ({"kind": "custom", "conditions": [[-1, 1, 0.5], [1, 0, -1]]}, 2),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_every_kind_of_design_makes_runs_and_survives_being_written_down(name):
    table, conditions = DESIGNS[name]
    plan = plan_from_dict(changed(design=table))
    runs = plan.runs()
    assert plan.conditions == conditions
    assert len(runs) == conditions
    again = plan_from_dict(plan.to_dict())
    assert again == plan
    assert again.runs() == runs


def test_what_is_drawn_by_lot_is_written_down_as_it_was_drawn():
    plan = plan_from_dict(changed(design={"kind": "latin_hypercube", "points": 5}))
    assert plan.to_dict()["design"]["conditions"] == plan.design.coded.tolist()
    # What another version of a library would draw does not matter once it is there.
    other = plan.to_dict()
    other["design"]["conditions"] = (-plan.design.coded).tolist()
    assert plan_from_dict(other).coded(1) == {k: -v for k, v in plan.coded(1).items()}


def test_codes_are_whole_numbers_in_two_level_designs_only():
    assert {type(code) for code in plan_from_dict(BASE).coded(1).values()} == {int}
    plan = plan_from_dict(changed(design={"kind": "sobol", "points": 4}))
    assert {type(code) for code in plan.coded(1).values()} == {float}


def test_values_between_reach_the_scenario_on_their_scale():
    plan = plan_from_dict(changed(design={"kind": "custom", "conditions": [[0, 0, 0], [1, 1, 1]]}))
    scenario = plan.scenario_of(1, plan.alternatives[0])
    assert scenario.rate.value == 20e6
    assert scenario.rtt == 0.05
    assert scenario.loss == 0.001


def test_listed_levels_are_crossed_and_reach_the_scenario():
    plan = plan_from_dict(with_factor(algorithm=LISTED))
    assert plan.design.name == "2 x 2 x 2 x 3"
    algorithms = {run.scenario.flows[0].algorithm for run in plan.runs()}
    assert algorithms == {"reno", "cubic", "ctcp"}
    assert plan.factors[3].text(plan.coded(24)["algorithm"]) == "ctcp"


def test_a_custom_design_beside_the_plan(tmp_path):
    (tmp_path / "mine.csv").write_text("rate,rtt,loss\n-,-,-\n+,0,+\n", encoding="utf-8")
    data = changed(design={"kind": "custom", "file": "mine.csv"})
    plan = plan_from_dict(data, folder=tmp_path)
    assert plan.coded(2) == {"rate": 1, "rtt": 0, "loss": 1}
    # A campaign's manifest needs no file beside it.
    assert plan_from_dict(plan.to_dict()) == plan


def mixed(mix):
    scenario = internet(duration="5 s", scale=0.1, jumbo="none", long_flows="none", startup="early")
    return {"name": "mixes", "scenario": scenario, **mix}


THREE = {"ctcp": 0.5, "cubic": 0.2, "reno": 0.3}


def test_mixes_of_any_number_of_algorithms():
    alternatives = [
        {"label": "one", "set": {"algorithms": "ctcp"}},
        {"label": "three", "set": {"algorithms": THREE}},
    ]
    factor = {"path": "algorithms", "levels": [{"reno": 1.0}, THREE, {"bic": 0.7, "reno": 0.3}]}
    plan = plan_from_dict(mixed({"alternatives": alternatives}))
    assert [dict(run.scenario.algorithms) for run in plan.runs()] == [{"ctcp": 1.0}, THREE]
    plan = plan_from_dict(mixed({"factors": {"mix": factor}}))
    assert [dict(run.scenario.algorithms) for run in plan.runs()] == factor["levels"]
    assert plan.factors[0].text(0) == "ctcp 0.5, cubic 0.2, reno 0.3"


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (
            {"alternatives": [{"label": "x", "set": {"algorithms": {"ctcp": 0.5, "reno": 0.3}}}]},
            "alternatives[0].set",
        ),
        (
            {
                "factors": {
                    "m": {"path": "algorithms", "levels": ["reno", {"ctcp": 0.7, "bic": 0.7}]}
                }
            },
            "factors.m.levels[1]",
        ),
    ],
)
def test_shares_that_do_not_sum_to_one_name_their_place(data, place):
    assert kinds(mixed(data))[place] == "value_error"


@pytest.mark.parametrize(
    ("data", "place", "kind"),
    [
        (with_factor(f={"path": "rat", "levels": [1, 2]}), "factors.f.path", "unknown_key"),
        (
            with_factor(f={"path": "transport.rto_mn", "levels": ["1 s", "2 s"]}),
            "factors.f.path",
            "unknown_key",
        ),
        (
            with_factor(f={"path": "flows[7].algorithm", "low": "a", "high": "b"}),
            "factors.f.path",
            "path",
        ),
        (
            with_factor(f={"path": "rto_min", "low": "1 s", "high": "2 s"}),
            "factors.f.path",
            "unknown_key",
        ),
        (
            with_factor(f={"path": "rate", "low": "1 Mbit/s", "high": "2 Mbit/s"}),
            "factors.f.path",
            "shared_path",
        ),
        (with_factor(f={"path": [], "low": [], "high": [1]}), "factors.f.path", "levels"),
        (with_factor(f={"path": "interval", "levels": ["1 ms"]}), "factors.f.levels", "too_short"),
        (
            with_factor(f={"path": "interval", "levels": ["1 ms", "1 ms"]}),
            "factors.f.levels",
            "levels",
        ),
        (
            with_factor(f={"path": "interval", "levels": ["1 ms", "2 ms"], "low": "1 ms"}),
            "factors.f.low",
            "conflict",
        ),
        (
            with_factor(f={"path": "interval", "levels": ["1 ms", "soon"]}),
            "factors.f.levels[1]",
            "value_error",
        ),
        (
            with_factor(f={"path": "flows[0].algorithm", "low": "a", "high": "b", "scale": "log"}),
            "factors.f.scale",
            "scale",
        ),
        (changed(design={"kind": "latin_hypercube"}), "design.points", "missing"),
        (changed(design={"kind": "sobol", "points": 4, "runs": 4}), "design.runs", "unknown_key"),
        (changed(design={"kind": "custom"}), "design.file", "missing"),
        (changed(design={"centre": "yes"}), "design.centre", "value_error"),
        (changed(design={"fold_over": "yes"}), "design.fold_over", "union"),
        (
            changed(design={"kind": "custom", "file": "no.csv", "conditions": [[1, 1, 1]]}),
            "design.conditions",
            "conflict",
        ),
        (changed(design={"kind": "custom", "file": "no.csv"}), "no.csv", "missing_file"),
        (changed(design={"kind": "nist-2^(9-4)"}), "design.kind", "factors"),
        (
            changed(design=FRACTION | {"runs": 4, "generators": {"loss": "rate*rtt"}}),
            "design.generators",
            "conflict",
        ),
        (
            changed(design={"kind": "fractional_factorial", "resolution": "fine"}),
            "design.resolution",
            "resolution",
        ),
        (
            with_factor(a=LISTED) | {"design": {"kind": "plackett_burman"}},
            "factors.a.levels",
            "levels",
        ),
        (
            with_factor(a={"path": "flows[0].algorithm", "low": "reno", "high": "ctcp"})
            | {"design": {"centre": True}},
            "factors.a",
            "levels",
        ),
        (
            changed(design={"kind": "fractional_factorial", "runs": 4, "effects": "two_factor"}),
            "design.effects",
            "too_few_runs",
        ),
        (
            changed(design=FRACTION | {"runs": 4, "effects": ["rate", "rtt*loss"]}),
            "design.effects",
            "confounded",
        ),
        (
            changed(design=FRACTION | {"runs": 4, "effects": ["rate", "rate*rtt"]}),
            "design.effects",
            "confounded",
        ),
        (
            with_factor(a=BUFFER, b=DURATION)
            | {
                "design": {
                    "kind": "fractional_factorial",
                    "generators": {"a": "rate*rtt", "b": "rate*loss"},
                    "effects": ["rate", "rtt", "loss*rtt", "rate*rtt"],
                }
            },
            "design.effects",
            "confounded",
        ),
        (changed(design={"effects": ["rate", "rtt*los"]}), "design.effects[1]", "unknown_factor"),
        (
            changed(design=FRACTION | {"generators": {"loss": "rate*rtt", "rtt": "rate*loss"}}),
            "design.generators.rtt",
            "unknown_factor",
        ),
        (changed(replicates=200_000), "replicates", "too_many"),
    ],
)
def test_every_problem_names_its_place(data, place, kind, tmp_path):
    problems = kinds(data, folder=tmp_path)
    assert kind in [kind for loc, kind in problems.items() if loc.endswith(place)]


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (
            {"kind": "sobol", "runs": 4, "pionts": 4},
            {"runs": "unknown_key", "pionts": "unknown_key"},
        ),
        (
            {"kind": "sobol", "points": 0, "seed": "four", "centre": True},
            {"points": "greater_than_equal", "seed": "value_error", "centre": "unknown_key"},
        ),
        (
            FRACTION | {"generators": {"loss": "rate*rtt"}, "runs": 4, "resolution": "fine"},
            {"generators": "conflict", "resolution": "resolution"},
        ),
        ({"kind": "sobl", "points": 4}, {"kind": "union_tag_invalid"}),
        ({"kind": 3}, {"kind": "union_tag_invalid"}),
        ("sobol", {"": "model_attributes_type"}),
    ],
)
def test_all_that_is_wrong_with_a_design_is_said_beside_what_is_wrong_elsewhere(design, expected):
    problems = kinds(changed(design=design, responses=["utilisation"]))
    assert "responses[0]" in problems
    of_design = {loc: kind for loc, kind in problems.items() if loc.startswith("design")}
    assert of_design == {f"design.{key}".rstrip("."): kind for key, kind in expected.items()}


def test_what_is_wrong_in_condition_17_is_named_before_anything_runs():
    # In condition 17 alone: each level is right, and so are all other combinations.
    factors = {
        "duration": {"path": "duration", "low": "20 s", "high": "2 s"},
        "interval": {"path": "interval", "low": "5 s", "high": "1 s"},
        "rtt": BASE["factors"]["rtt"],
    }
    scenario = BASE["scenario"] | {"duration": "20 s", "interval": "1 s"}
    rows = [[-1, -1, -1 + number / 20] for number in range(16)] + [[1, -1, -1], [1, 1, 1]]
    data = changed(
        scenario=scenario, factors=factors, design={"kind": "custom", "conditions": rows}
    )
    assert kinds(data) == {"condition 17, base": "too_large"}


STOPPING = {"responses": {"utilization": "5 %", "mean_queue": 2.5}, "max_replicates": 9}


def stopping(**changes):
    return changed(responses=["utilization", "mean_queue"], stopping=STOPPING | changes)


def test_more_replicates_keep_the_ids_of_the_first():
    plan = plan_from_dict(stopping())
    first = {(r.condition, r.replicate): r.id for r in plan.runs()}
    longer = plan.with_replicates(5)
    more = {(r.condition, r.replicate): r.id for r in longer.runs()}
    assert len(more) == 5 * 8
    assert first.items() <= more.items()
    assert plan_from_dict(longer.to_dict()) == longer
    with refused(PlanError, ("replicates", "range")):
        plan.with_replicates(10)


@pytest.mark.parametrize(
    ("changes", "place", "kind"),
    [
        (
            {"responses": {"utilisation": "5 %"}},
            "stopping.responses.utilisation",
            "unknown_response",
        ),
        ({"responses": {"utilization": "5 ms"}}, "stopping.responses.utilization", "precision"),
        ({"responses": {"utilization": 0}}, "stopping.responses.utilization", "precision"),
        ({"responses": {"utilization": "-5 %"}}, "stopping.responses.utilization", "precision"),
        ({"responses": {}}, "stopping.responses", "too_short"),
        ({"max_replicates": 1}, "stopping.max_replicates", "greater_than_equal"),
        ({"confidence": 95}, "stopping.confidence", "less_than"),
    ],
)
def test_stopping_rules_that_cannot_be(changes, place, kind):
    assert kinds(stopping(**changes))[place] == kind


def test_interactions_that_no_main_effect_hides_are_accepted():
    fifth = {"kind": "fractional_factorial", "generators": {"b": "rate*rtt*loss*a"}}
    data = with_factor(a=BUFFER, b=DURATION)
    asked = ["rate", "rate*rtt", "a*b"]
    assert plan_from_dict(data | {"design": fifth | {"effects": asked}}).conditions == 16
    screening = {"kind": "plackett_burman", "runs": 12, "effects": asked}
    assert plan_from_dict(data | {"design": screening}).conditions == 12

"""Plans: what runs they make, and that their problems are all found, each with its place."""

import copy
from pathlib import Path

import pytest
from dumbbells import LITTLE
from refusals import refused

from mesonet.errors import PlanError
from mesonet.plan import load_plan, plan_from_dict
from mesonet.responses import registry

EXAMPLES = Path(__file__).parents[3] / "examples" / "plans"

BASE = {
    "name": "test",
    "scenario": LITTLE,
    "factors": {
        "rate": {"path": "rate", "low": "10 Mbit/s", "high": "20 Mbit/s", "symbol": "X1"},
        "rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"},
    },
    "alternatives": [
        {"label": "reno", "set": {"flows[0].algorithm": "reno"}},
        {"label": "scalable", "set": {"flows[0].algorithm": "scalable"}},
    ],
    "replicates": 2,
    "seed": 7,
}


def changed(**changes):
    return {**copy.deepcopy(BASE), **changes}


def problems(data, **kwargs):
    with pytest.raises(PlanError) as caught:
        plan_from_dict(data, **kwargs).runs()
    return {problem.loc: problem.message for problem in caught.value.problems}


def test_runs_are_conditions_by_alternatives_by_replicates():
    runs = plan_from_dict(BASE).runs()
    assert len(runs) == 4 * 2 * 2
    assert [(r.condition, r.alternative, r.replicate) for r in runs[:4]] == [
        (1, "reno", 1),
        (1, "reno", 2),
        (1, "scalable", 1),
        (1, "scalable", 2),
    ]
    assert len({run.id for run in runs}) == len(runs)
    assert runs == plan_from_dict(BASE).runs()


def test_all_cells_of_a_replicate_share_its_seed():
    seeds = {run.replicate: set() for run in plan_from_dict(BASE).runs()}
    for run in plan_from_dict(BASE).runs():
        seeds[run.replicate].add(run.seed)
    assert seeds == {1: {7}, 2: {8}}


def test_every_condition_may_have_seeds_of_its_own():
    plan = plan_from_dict(changed(seed_per="condition"))
    runs = plan.runs()
    seeds = {(run.replicate, run.condition): run.seed for run in runs}
    assert [seeds[1, c] for c in (1, 2, 3, 4)] == [7, 8, 9, 10]
    assert [seeds[2, c] for c in (1, 2, 3, 4)] == [11, 12, 13, 14]
    assert all(run.seed == seeds[run.replicate, run.condition] for run in runs)
    assert list(plan.seeds) == sorted(seeds.values())
    longer = {run.id for run in plan.with_replicates(3).runs()}
    assert {run.id for run in runs} < longer
    assert plan_from_dict(plan.to_dict()).runs() == runs


def test_levels_and_alternatives_reach_the_scenario():
    plan = plan_from_dict(BASE)
    run = next(r for r in plan.runs() if r.condition == 2 and r.alternative == "scalable")
    assert plan.coded(2) == {"rate": 1, "rtt": -1}
    assert run.scenario.rate.value == 20e6
    assert run.scenario.rtt == 0.02
    assert run.scenario.flows[0].algorithm == "scalable"


MIXED = {
    "name": "mixed",
    "scenario": {"kind": "internet", "base_sources": 1, "duration": "10 s"},
    "factors": {
        "share": {
            "path": "algorithms",
            "low": {"alternate": 0.3, "reno": 0.7},
            "high": {"alternate": 0.7, "reno": 0.3},
        }
    },
    "alternatives": [
        {"label": "CTCP", "names": {"alternate": "ctcp"}},
        {"label": "Reno", "names": {"alternate": "reno"}},
    ],
}


def test_alternatives_say_what_a_name_stands_for():
    plan = plan_from_dict(MIXED)
    mixes = [(run.condition, run.alternative, run.scenario.algorithms) for run in plan.runs()]
    assert mixes == [
        (1, "CTCP", {"ctcp": 0.3, "reno": 0.7}),
        (1, "Reno", {"reno": 1.0}),
        (2, "CTCP", {"ctcp": 0.7, "reno": 0.3}),
        (2, "Reno", {"reno": 1.0}),
    ]
    assert plan_from_dict(plan.to_dict()).alternatives == plan.alternatives


def test_parameters_beside_names_are_of_what_these_stand_for():
    own = {"label": "CTCP", "names": {"alternate": "ctcp"}}
    tuned = {**own, "label": "tuned", "set": {"parameters": {"ctcp": {"gamma": 20}}}}
    runs = plan_from_dict({**MIXED, "alternatives": [own, tuned]}).runs()
    assert [(run.alternative, run.scenario.parameters) for run in runs] == [
        ("CTCP", {}),
        ("tuned", {"ctcp": {"gamma": 20}}),
    ] * 2
    assert len({run.id for run in runs}) == 4
    wrong = {**own, "set": {"parameters": {"alternate": {"gamma": 20}}}}
    with refused(PlanError, ("condition 1, CTCP", "unknown_key")) as caught:
        plan_from_dict({**MIXED, "alternatives": [wrong]}).runs()
    assert "parameters.alternate" in str(caught.value)


def test_the_id_follows_scenario_and_seed_only():
    ids = [run.id for run in plan_from_dict(BASE).runs()]
    renamed = changed(name="other", title="t", analysis={"main_effects": {}})
    assert [run.id for run in plan_from_dict(renamed).runs()] == ids
    reseeded = [run.id for run in plan_from_dict(changed(seed=8)).runs()]
    assert set(ids) & set(reseeded)  # replicate 2 of one is replicate 1 of the other
    assert ids != reseeded
    slower = copy.deepcopy(BASE)
    slower["scenario"]["duration"] = "3 s"
    assert not set(ids) & {run.id for run in plan_from_dict(slower).runs()}


def test_cells_that_are_the_same_run_share_its_id():
    labels = [{"label": "a", "set": {}}, {"label": "b", "set": {}}]
    runs = plan_from_dict(changed(alternatives=labels, replicates=1)).runs()
    assert len(runs) == 8
    assert len({run.id for run in runs}) == 4


def test_a_plan_survives_a_round_trip():
    halves = {**BASE["scenario"], "periods": 2}
    asked = changed(
        scenario=halves, analysis={"main_effects": {}}, responses=["y6@2", "flow_goodput:reno"]
    )
    plan = plan_from_dict(asked)
    again = plan_from_dict(plan.to_dict())
    assert again == plan
    assert again.runs() == plan.runs()
    assert plan.responses == ("y6@2", "flow_goodput:reno", "loss_rate")


def test_a_name_is_one_line():
    with pytest.raises(PlanError):
        plan_from_dict(changed(name="a\nb\x1b[2J"))


def test_the_scenario_file_is_beside_the_plan(tmp_path):
    (tmp_path / "base.toml").write_text(plan_from_dict(BASE).scenario.to_toml(), "utf-8")
    plan = plan_from_dict(changed(scenario="base.toml"), folder=tmp_path)
    assert plan.scenario == plan_from_dict(BASE).scenario


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_example_plans_are_right(file):
    plan = load_plan(file)
    assert plan.question
    assert plan.runs()


FRACTION = {"kind": "fractional_factorial"}
FROM_ITS_BEGINNING = {**BASE["scenario"], "rate_changes": [["0 s", "3 Mbit/s"]]}


@pytest.mark.parametrize(
    ("changes", "place", "kind"),
    [
        ({"name": ""}, "name", "string_too_short"),
        ({"nmae": "x"}, "nmae", "unknown_key"),
        ({"scenario": None}, "scenario", "missing"),
        ({"scenario": 3}, "scenario", "type"),
        ({"scenario": "nowhere.toml"}, "scenario", "missing_file"),
        ({"scenario": {"kind": "dumbell"}}, "scenario.kind", "kind"),
        ({"replicates": 0}, "replicates", "greater_than_equal"),
        ({"seed": -1}, "seed", "greater_than_equal"),
        ({"seed": 2**63 - 1}, "seed", "too_large"),
        ({"responses": ["y1", "y99"]}, "responses[1]", "unknown_response"),
        ({"responses": "y1"}, "responses", "list_type"),
        ({"analysis": {"responses": ["y99"]}}, "analysis.responses[0]", "unknown_response"),
        ({"analysis": {"main_efects": {}}}, "analysis.main_efects", "unknown_key"),
        (
            {"analysis": {"paired_differences": {"baseline": "rno"}}},
            "analysis.paired_differences.baseline",
            "unknown_label",
        ),
        (
            {"analysis": {"congestion": {"response": "los_rate"}}},
            "analysis.congestion.response",
            "unknown_response",
        ),
        (
            {"responses": ["loss_rate", "flow_goodput:scalabel"]},
            "responses[1]",
            "unknown_algorithm",
        ),
        ({"responses": ["flow_goodput:xcp"]}, "responses[0]", "unknown_algorithm"),
        ({"responses": ["utilization", "utilization@2"]}, "responses[1]", "unknown_period"),
        ({"design": {"kind": "factorial"}}, "design.kind", "union_tag_invalid"),
        ({"design": FRACTION}, "design.generators", "missing"),
        ({"design": {"generators": {"rtt": "rate"}}}, "design.generators", "unknown_key"),
        (
            {"design": {**FRACTION, "generators": {"rtt": "rate*x"}}},
            "design.generators.rtt",
            "unknown_factor",
        ),
        ({"alternatives": [{"set": {}}]}, "alternatives[0].label", "missing"),
        ({"alternatives": [{"label": "a\x07"}]}, "alternatives[0].label", "value_error"),
        ({"alternatives": [{"label": "a"}, {"label": "a"}]}, "alternatives", "duplicate"),
        (
            {"alternatives": [{"label": "a", "set": {"flwos[0].algorithm": "reno"}}]},
            "alternatives[0].set",
            "unknown_key",
        ),
        ({"factors": {"f": {"path": "rate", "low": "1 Mbit/s"}}}, "factors.f.high", "missing"),
        ({"factors": {"f": {"path": "rate", "low": 1, "high": 1}}}, "factors.f", "levels"),
        (
            {"factors": {"f": {"path": "rate", "low": "-1 Mbit/s", "high": "1 Mbit/s"}}},
            "factors.f.low",
            "value_error",
        ),
        (
            {"factors": {"f": {"path": "rtt", "low": "1 ms", "high": "1 parsec"}}},
            "factors.f.high",
            "value_error",
        ),
        (
            {"factors": {"f": {"path": "spede", "low": 1, "high": 2, "lable": 3}}},
            "factors.f.path",
            "unknown_key",
        ),
        ({"scenario": FROM_ITS_BEGINNING}, "factors.rate.low", "conflict"),
        (
            {"factors": {"f": {"path": ["rate", "rtt"], "low": "1 Mbit/s", "high": [1]}}},
            "factors.f.low",
            "levels",
        ),
        (
            {"factors": {"seed": {"path": "rtt", "low": "1 s", "high": "2 s"}}},
            "factors.seed",
            "name",
        ),
        ({"factors": {"y1": {"path": "rtt", "low": "1 s", "high": "2 s"}}}, "factors.y1", "name"),
    ],
)
def test_every_problem_names_its_place(changes, place, kind, tmp_path):
    with pytest.raises(PlanError) as caught:
        plan_from_dict(changed(**changes), folder=tmp_path).runs()
    assert kind in [it.kind for it in caught.value.problems if it.loc.startswith(place)]


def test_unknown_algorithms_are_found_before_anything_runs():
    alternatives = [{"label": "x", "set": {"flows[0].algorithm": "rno"}}]
    refusals = problems(changed(alternatives=alternatives))
    assert list(refusals) == ["condition 1, x"]
    assert "flows[0].algorithm" in refusals["condition 1, x"]
    assert '"reno"' in refusals["condition 1, x"]
    assert "3 other cells" in refusals["condition 1, x"]


def test_responses_by_algorithm_are_of_any_cell():
    named = {**BASE["scenario"], "flows": [{"algorithm": "vegas", "name": "old"}, "cubic"]}
    factors = {"first": {"path": "flows[0].algorithm", "low": "reno", "high": "bic"}}
    data = changed(scenario=named, factors=factors)
    data["alternatives"] = [
        {"label": "as it is", "set": {}},
        {"label": "scalable", "set": {"flows[1].algorithm": "scalable"}},
    ]
    algorithms = ("reno", "bic", "cubic", "scalable")
    data["responses"] = [f"flow_goodput:{name}" for name in algorithms]
    assert plan_from_dict(data).responses[:4] == tuple(data["responses"])
    data["responses"] = ["flow_goodput:old", "flow_goodput:cubci"]
    refusals = problems(data)
    assert list(refusals) == ["responses[1]"], "flows have names, too"
    assert 'did you mean "cubic"' in refusals["responses[1]"]


def test_responses_by_period_are_of_any_cell():
    data = changed(factors={"periods": {"path": "periods", "low": 1, "high": 3}})
    data["responses"] = ["utilization@3", "utilization@4"]
    assert problems(data) == {"responses[1]": "no cell has a period 4; the last is 3"}
    data["alternatives"] = [{"label": "four", "set": {"periods": 4}}]
    data["factors"] = {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}}
    assert plan_from_dict(data).responses[:2] == tuple(data["responses"])


def test_responses_that_no_cell_can_have_are_refused():
    data = {
        "name": "without",
        "scenario": {"kind": "internet", "scale": 0.01, "duration": "20 s", "long_flows": "none"},
        "responses": ["loss_rate", "flow_rtt", "utilization", "bottleneck_delay_p95", "y8"],
    }
    refusals = problems(data)
    assert list(refusals) == ["responses[1]", "responses[2]", "responses[3]"]
    assert '"flow_rtt"' in refusals["responses[1]"]
    del data["scenario"]["long_flows"]
    assert list(problems(data)) == ["responses[2]", "responses[3]"]
    dumbbell_has = changed(responses=data["responses"][:4])
    assert plan_from_dict(dumbbell_has).responses == tuple(data["responses"][:4])


def test_responses_of_a_population_are_refused_in_a_laboratory():
    needing = [name for name, response in registry.items() if response.needs == "population"]
    assert {"y1", "y8", "y9", "y36", "g1", "n24", "share_movie", "throughput_VF"} <= {*needing}
    refused = problems(changed(responses=[*needing, "y33", "y3"]))
    assert list(refused) == [f"responses[{place}]" for place in range(len(needing) + 1)]
    named = {**BASE["scenario"], "flows": [{"algorithm": "reno", "name": "L1"}]}
    assert plan_from_dict(changed(scenario=named, responses=["y33"])).responses[0] == "y33"
    assert problems(changed(scenario=named, responses=["y34"]))


def test_responses_of_what_no_run_records_are_refused():
    asked = ["flow_retransmission", "completion_time", "completion_time_p95", "sojourn_p50"]
    refused = problems(changed(responses=asked))
    assert list(refused) == [f"responses[{place}]" for place in range(4)]
    files = {"flows": [{"algorithm": "reno", "size": "1 MB"}], "record_transfers": True}
    recorded = {**BASE["scenario"], **files, "record_queues": True}
    kept = plan_from_dict(changed(scenario=recorded, responses=asked)).responses
    assert set(asked) <= set(kept)
    stops = {"path": "flows[0].stop", "levels": ["1 s", "2 s"]}
    ending = changed(factors={"stop": stops}, responses=["completion_time"])
    assert list(problems(ending).values()) == [
        '"completion_time" needs record_transfers, which no cell has'
    ]
    ending["scenario"]["record_transfers"] = True
    assert plan_from_dict(ending)
    # Requests are always recorded.
    rpc = {"kind": "rpc", "size": "10 kB", "every": "1 s"}
    asking = {**BASE["scenario"], "flows": [{"algorithm": "reno", "application": rpc}]}
    assert plan_from_dict(changed(scenario=asking, responses=["completion_time_p95", "file_time"]))


def test_responses_by_algorithm_know_what_names_stand_for():
    mix = {
        "path": "algorithms",
        "low": {"new": 0.3, "reno": 0.7},
        "high": {"new": 0.7, "reno": 0.3},
    }
    data = {
        "name": "mix",
        "scenario": {"kind": "internet", "scale": 0.01, "duration": "20 s"},
        "factors": {"mix": mix},
        "alternatives": [{"label": "CTCP", "names": {"new": "ctcp"}}],
        "responses": ["g1:ctcp", "g1:reno"],
    }
    assert plan_from_dict(data).responses[:2] == ("g1:ctcp", "g1:reno")
    # One misspelt part is said once: algorithms of a part that cannot be read are not missed.
    data["responses"] = ["g24:ctpc"]
    assert list(problems(data)) == ["responses[0]"]
    data["alternatives"][0]["nmaes"] = {}
    assert list(problems(data)) == ["alternatives[0].nmaes"]


CONTROLLER = """
import mesonet

class Delay(mesonet.Controller):
    def __init__(self, initial, target=0.01):
        super().__init__(initial)

    def on_ack(self, ack, flow):
        pass

    def on_congestion(self, event, flow):
        pass
"""


@pytest.mark.parametrize(
    "factor",
    [
        {"path": "parameters.python:slow.Delay.target", "low": 0.002, "high": 0.02},
        {"path": "parameters.python:slow.Delay", "levels": [{"target": 0.002}, {"target": 0.02}]},
    ],
    ids=["one", "table"],
)
def test_a_parameter_of_an_own_controller_is_a_factor(tmp_path, monkeypatch, factor):
    (tmp_path / "slow.py").write_text(CONTROLLER)
    monkeypatch.syspath_prepend(tmp_path)
    scenario = {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "10 ms"}
    plan = plan_from_dict(
        {"name": "targets", "responses": ["utilization"], "factors": {"target": factor},
         "scenario": scenario | {"flows": ["python:slow.Delay"]}}
    )  # fmt: skip
    targets = [run.scenario.parameters["python:slow.Delay"]["target"] for run in plan.runs()]
    assert targets == [0.002, 0.02]

"""Short names of own algorithms: files keep the code, readers see the name."""

import pytest

import mesonet
from mesonet.controller import name_of, name_problems
from mesonet.plan import plan_from_dict
from mesonet.scenario import scenario_from_dict

SOURCE = """
import mesonet

class Mine(mesonet.Controller):
    cadence = "round"
    def __init__(self, initial, gain=1.0):
        self.cwnd, self.gain = 4.0 * initial.smss, gain
    def on_round(self, round, flow):
        self.cwnd += self.gain * flow.smss
    def on_congestion(self, event, flow):
        self.cwnd = max(self.cwnd / 2, flow.smss)
"""
OWN = "mine=python:own_mine.Mine"
SCENARIO = {
    "kind": "dumbbell",
    "rate": "5 Mbit/s",
    "rtt": "20 ms",
    "flows": [OWN, "cubic"],
    "duration": "2 s",
    "parameters": {"mine": {"gain": 2.0}},
}


@pytest.fixture(autouse=True)
def _code(tmp_path, look_in_folders):
    (tmp_path / "own_mine.py").write_text(SOURCE, encoding="utf-8")
    look_in_folders(tmp_path)


def test_tables_flows_and_responses_have_the_name_and_the_scenario_keeps_the_code():
    scenario = scenario_from_dict(SCENARIO)
    assert scenario.to_dict()["flows"][0]["algorithm"] == OWN
    run = mesonet.simulate(scenario)
    assert {"mine-1", "cubic-1"} == set(run.flows["flow"])
    assert run.responses["flow_goodput:mine"] > 0
    slower = mesonet.simulate(scenario.replace({"parameters.mine.gain": 0.01}))
    assert slower.responses["flow_goodput:mine"] < run.responses["flow_goodput:mine"]


def test_plans_and_comparisons_have_the_name():
    table = {
        "name": "own",
        "scenario": SCENARIO,
        "responses": ["flow_goodput:mine"],
        "alternatives": [{"label": "own", "set": {"flows[0].algorithm": OWN}}],
    }
    (run,) = plan_from_dict(table).runs()
    assert run.scenario.flows[0].algorithm == OWN
    answer = mesonet.compare("reno", OWN, rate="2 Mbit/s", duration="2 s", replicates=1, threads=1)
    assert set(answer.frame["algorithm"]) == {"reno", "mine"}
    assert not any("python:" in text for text in answer.sentences())


@pytest.mark.parametrize(
    ("names", "wrong"),
    [
        (["cubic=python:own_mine.Mine"], ["name"]),
        ([OWN, "mine=python:own_other.Other"], ["name"]),
        ([OWN, "python:own_mine.Mine"], []),
    ],
)
def test_a_short_name_is_that_of_one_algorithm(names, wrong):
    problems = list(name_problems({name: ["flows"] for name in names}, {}, loaded=False))
    assert [problem.kind for problem in problems] == wrong


def test_a_file_of_a_policy_is_its_name():
    assert name_of("nets/p.onnx") == "policy:nets/p.onnx"
    assert name_of("mine=p.onnx") == "mine=policy:p.onnx"

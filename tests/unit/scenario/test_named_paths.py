"""Paths by name: what a word sets, what stands beside it, and levels of plans."""

import pytest

import mesonet
from mesonet import ScenarioError
from mesonet.plan import plan_from_dict
from mesonet.scenario import load_scenario, scenario_from_dict
from mesonet.scenario.named_paths import named_paths


def _lab(**keys):
    return mesonet.dumbbell(**{"flows": ["cubic"], "duration": "2 s"} | keys)


@pytest.mark.parametrize("name", named_paths())
def test_a_name_is_its_keys_and_each_has_a_source(name):
    path = named_paths()[name]
    assert path.sources.keys() == path.keys.keys() >= {"rate", "rtt", "buffer"}
    assert _lab(path=name) == _lab(**path.keys)
    run = mesonet.simulate(_lab(path=name))
    assert run.responses["utilization"] > 0.001


def test_keys_beside_a_name_take_the_place_of_its_own():
    changed = _lab(path="geo", rate="7 Mbit/s", reverse_buffer="9 kB")
    assert changed == _lab(path="geo").replace(rate="7 Mbit/s", reverse_buffer="9 kB")
    assert changed.reverse_rate == _lab(path="geo").reverse_rate


def test_another_name_leaves_nothing_of_the_first():
    assert _lab(path="cable", loss=0.01).replace(path="lte") == _lab(path="lte", loss=0.01)
    both = _lab(path="cable").replace({"rate": "7 Mbit/s", "path": "lte"})
    assert both == _lab(path="lte", rate="7 Mbit/s")


def test_files_and_what_is_written_of_them(tmp_path):
    file = tmp_path / "lab.toml"
    file.write_text('kind = "dumbbell"\npath = "starlink"\nflows = ["cubic"]\nduration = "2 s"\n')
    scenario = load_scenario(file)
    assert scenario == _lab(path="starlink") == scenario_from_dict(scenario.to_dict())


def test_names_are_levels_of_a_plan():
    plan = plan_from_dict(
        {
            "name": "paths",
            "scenario": {"kind": "dumbbell", "path": "lte", "duration": "2 s", "flows": ["reno"]},
            "factors": {
                "buffer": {"path": "buffer", "levels": ["10 kB", "90 kB"]},
                "path": {"path": "path", "levels": ["lte", "cable", "dsl"]},
            },
            "responses": ["utilization"],
        }
    )
    cells = [plan.scenario_of(number + 1, plan.alternatives[0]) for number in range(6)]
    assert cells == [
        _lab(path=path, buffer=room, flows=["reno"])
        for path in ("lte", "cable", "dsl")
        for room in ("10 kB", "90 kB")
    ]


def test_an_unknown_name_does_not_hide_other_problems_nor_bring_more():
    with pytest.raises(ScenarioError) as caught:
        _lab(path="starling", duration="soon")
    kinds = {problem.loc: problem.kind for problem in caught.value.problems}
    assert kinds.keys() == {"path", "duration"}
    assert kinds["path"] == "unknown"

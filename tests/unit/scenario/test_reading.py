import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from mesonet.errors import ScenarioError
from mesonet.scenario import load_scenario, scenario_from_dict
from mesonet.scenario.flows import MAX_RTT
from mesonet.scenario.keywords import dumbbell, internet
from mesonet.scenario.transport import PROFILES

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "scenarios").glob("*.toml"))


def problems(call, *args, **options):
    with pytest.raises(ScenarioError) as caught:
        call(*args, **options)
    return {problem.loc: problem.message for problem in caught.value.problems}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_resolve_and_survive_writing(path, tmp_path):
    scenario = load_scenario(path)
    scenario.resolve()
    copy = tmp_path / "copy.toml"
    copy.write_text(scenario.to_toml(), "utf-8")
    assert load_scenario(copy) == scenario


def test_a_missing_file_is_named(tmp_path):
    path = tmp_path / "none.toml"
    for file, kind in ((path, "missing_file"), (tmp_path, "bad_file")):
        with refused(ScenarioError, (str(file), kind)):
            load_scenario(file)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    path = tmp_path / "lab.toml"
    path.write_text(EXAMPLES[0].read_text("utf-8"), "utf-8-sig")
    assert load_scenario(path) == load_scenario(EXAMPLES[0])


def test_kinds():
    assert "it is missing" in problems(scenario_from_dict, {})["kind"]
    assert 'did you mean "dumbbell"?' in problems(scenario_from_dict, {"kind": "dumbell"})["kind"]
    assert set(problems(scenario_from_dict, {"kind": 3})) == {"kind"}


def test_topology_files_are_found_beside_the_scenario(tmp_path):
    (tmp_path / "net.graphml").write_text("")
    path = tmp_path / "world.toml"
    path.write_text('kind = "internet"\ntopology = "net.graphml"\n')
    assert load_scenario(path).topology == str(tmp_path / "net.graphml")


def test_replace_by_path():
    scenario = dumbbell(rate="10 Mbit/s", rtt="10 ms", flows=["reno", "cubic"])
    changed = scenario.replace(
        {"flows[1].algorithm": "ctcp", "rtt": "20 ms", "transport.rto_min": "200 ms"}
    )
    assert [flow.algorithm for flow in changed.flows] == ["reno", "ctcp"]
    assert changed.rtt == 0.02
    assert changed.transport.rto_min == 0.2
    assert scenario.rtt == 0.01


def test_replace_reaches_inside_lists_and_tables():
    world = internet().replace(
        {
            "larger_files.probability[1]": 0.01,
            "algorithms": {"ctcp": 0.7, "reno": 0.3},
            "jumbo": "none",
            "parameters.ctcp.gamma": 20,
        }
    )
    assert world.larger_files.probability == (0.1, 0.01, 0.0)
    assert world.parameters == {"ctcp": {"gamma": 20.0}}
    assert world.jumbo.factor == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("thnk_time", 'did you mean "think_time"?'),
        ("transport.rto", "unknown key"),
        ("think_time.x", "expected a table"),
        ("watch[9]", "a list with [9]"),
        ("speed[0]", "expected a list"),
        ("[0]", "expected a path"),
        ("", "expected a path"),
        ("flows[0].algorithm", "unknown key"),
    ],
)
def test_replace_of_unknown_paths(path, message):
    assert any(message in text for text in problems(internet().replace, {path: "5 s"}).values())


def test_replace_reports_all_problems():
    refusals = problems(internet().replace, {"think_time": 5, "speed": "fast"})
    assert set(refusals) == {"think_time", "speed"}
    refusals = problems(internet().replace, {"ratee": 4, "think_time": "4 parsec", "warm_up": 3})
    assert set(refusals) == {"ratee", "think_time", "warm_up"}


def test_replace_leaves_names_that_stand_for_something():
    mix = internet(algorithms={"new": 0.5, "reno": 0.5})
    assert set(problems(mix.replace, {"think_time": 5})) == {"think_time"}


TIMES = st.floats(1e-6, 1e5)
PROBABILITIES = st.floats(0, 1)


@st.composite
def internets(draw):
    first = draw(PROBABILITIES)
    duration = draw(st.floats(1, 1e5))
    return {
        "delay_multiplier": draw(st.floats(0.01, 100)),
        "speed": f"{draw(st.floats(0.001, 1e6))!r} p/ms",
        "buffers": draw(
            st.one_of(st.sampled_from(["rtt*c", "rtt*c/sqrt(n)"]), st.floats(0.001, 100))
        ),
        "base_sources": draw(st.integers(1, 1000)),
        "source_distribution": draw(st.sampled_from(["uniform", [0.1, 0.6, 0.3]])),
        "fast_interface_probability": draw(PROBABILITIES),
        "think_time": f"{draw(TIMES)!r} s",
        "patience": draw(PROBABILITIES),
        "web_object_mean": draw(st.floats(1, 1e6)),
        "jumbo": draw(st.sampled_from(["on", "none"])),
        "long_flows": draw(st.sampled_from(["three", "none"])),
        "startup": draw(st.sampled_from(["early", "exponential"])),
        "algorithms": {"reno": first, "scalable:nist": 1 - first},
        "initial_ssthresh": draw(st.one_of(st.just("inf"), st.floats(1, 1e9))),
        "duration": f"{duration!r} s",
        "interval": f"{duration / draw(st.integers(1, 10_000))!r} s",
        "transport": draw(st.fixed_dictionaries({}, optional={"ack_cost": st.booleans()})),
        "profile": draw(st.sampled_from(sorted(PROFILES))),
        "record_transfers": draw(st.booleans()),
    }


@st.composite
def dumbbells(draw):
    name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
    flows = draw(
        st.lists(
            st.fixed_dictionaries(
                {"algorithm": name},
                optional={
                    "start": st.sampled_from(["0 s", "1.5 s"]),
                    "stop": st.just("30 s"),
                    "size": st.sampled_from(["1 packets", "3 MB", "1_000 B"]),
                    "rtt": st.just("7 ms"),
                    "count": st.integers(1, 5),
                    "reverse": st.booleans(),
                },
            ),
            min_size=1,
            max_size=4,
        )
    )
    return {
        "rate": draw(st.sampled_from(["100 Mbit/s", "1.234 kbit/s", "21 p/ms", "3 p/s"])),
        "rtt": f"{min(draw(TIMES), MAX_RTT)!r} s",
        "buffer": draw(st.sampled_from(["1 bdp", "0.123 bdp", "17 packets", "64 KiB"])),
        "loss": draw(st.floats(0, 0.5)),
        "flows": [{**flow, "name": f"flow {here}"} for here, flow in enumerate(flows)],
    }


@settings(max_examples=50, deadline=None)
@given(
    st.one_of(internets().map(lambda p: internet(**p)), dumbbells().map(lambda p: dumbbell(**p)))
)
def test_scenarios_survive_toml(scenario):
    again = scenario_from_dict(tomllib.loads(scenario.to_toml()))
    assert again == scenario
    assert again.to_toml() == scenario.to_toml()

"""Links of comparisons from scenarios and from recorded links."""

import pytest

import mesonet
from mesonet.comparison import question
from mesonet.errors import InputError

ASKED = {
    "rate": None,
    "rtt": None,
    "buffer": None,
    "loss": None,
    "queue": None,
    "versus": (),
    "flows": 1,
    "replicates": 1,
    "duration": None,
    "seed": 1,
}


def test_a_scenario_gives_what_is_not_said_and_no_flows(tmp_path):
    file = tmp_path / "link.toml"
    own = mesonet.dumbbell(
        rate="8 Mbit/s", rtt="30 ms", queue="codel", flows=["reno", "bic"], duration="5 s"
    )
    file.write_text(own.to_toml(), encoding="utf-8")
    asked = question(["cubic"], **ASKED | {"scenario": file, "rtt": "10 ms"})
    scenario = asked.plan.scenario
    assert (str(scenario.rate), scenario.rtt, scenario.duration) == ("8 Mbit/s", 0.01, 5.0)
    assert asked.conditions[0].queue == "codel"
    assert [flow.algorithm for flow in scenario.flows] == ["cubic"]
    assert asked.words(asked.conditions[0]).startswith("link.toml: ")


def test_traces_are_the_rates_of_both_directions(tmp_path):
    for name, every in (("down", 2), ("up", 20)):
        lines = (str(ms) for ms in range(every, 1000, every))
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("down", "up")]
    scenario = question(["cubic"], **ASKED | {"trace": files}).plan.scenario
    assert scenario.rate_changes
    assert 9 < scenario.rate.value / scenario.reverse_rate.value < 11
    stations = scenario.resolve()["stations"]
    assert all(station["rate_changes"]["period"] for station in stations)
    with pytest.raises(InputError) as refused:
        question(["cubic"], **ASKED | {"trace": files, "rate": "5 Mbit/s"})
    assert [problem.loc for problem in refused.value.problems] == ["rate"]

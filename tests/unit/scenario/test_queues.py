"""Queue disciplines in scenarios: read from the engine's catalogue, written in SI units."""

import itertools
import pickle
import re
from pathlib import Path

import pytest
from refusals import refused

import mesonet
from mesonet import ScenarioError, dumbbell, internet
from mesonet.plan import plan_from_dict
from mesonet.scenario import load_scenario, scenario_from_dict
from mesonet.scenario.queues import Queue, range_of, values_of, written
from mesonet.scenario.topology import load_topology

ROOT = Path(__file__).resolve().parents[3]
LAB = {
    "rate": "10 Mbit/s",
    "rtt": "20 ms",
    "buffer": "100 packets",
    "flows": ["cubic"],
    "duration": "2 s",
}


def lab(**changes):
    return dumbbell(**(LAB | changes))


def problems(**changes):
    with pytest.raises(ScenarioError) as caught:
        lab(**changes)
    return {problem.loc: problem.message for problem in caught.value.problems}


def network_problems(**changes):
    with pytest.raises(ScenarioError) as caught:
        internet(**changes).resolve()
    return {problem.loc: problem.message for problem in caught.value.problems}


def disciplines(scenario):
    return [station["discipline"] for station in scenario.resolve()["stations"]]


@pytest.mark.parametrize("info", mesonet.queues(), ids=lambda info: info.name)
def test_every_discipline_is_taken_by_name_with_its_defaults(info):
    scenario = lab(queue=info.name, buffer="2 MB")
    defaults = {parameter.name: parameter.default for parameter in info.parameters}
    assert disciplines(scenario) == 2 * [{"name": info.name} | defaults]
    assert info.summary
    assert info.source


@pytest.mark.parametrize("info", mesonet.queues(), ids=lambda info: info.name)
def test_every_parameter_is_read_back_as_it_is_written(info):
    values = {each.name: written(each, each.default) for each in info.parameters}
    scenario = lab(queue={"kind": info.name, **values}, buffer="2 MB")
    assert disciplines(scenario) == disciplines(lab(queue=info.name, buffer="2 MB"))
    assert scenario.to_dict()["queue"] == {"kind": info.name, **values}
    for parameter in info.parameters:
        assert parameter.doc
        assert values_of(parameter)
        assert (range_of(parameter) == "") == (parameter.kind == "switch")


def test_values_carry_the_units_of_scenarios():
    table = {"kind": "codel", "target": "10 ms", "interval": "200 ms", "ecn": True}
    forward, reverse = disciplines(lab(queue=table))
    assert forward == reverse
    assert forward == {
        "name": "codel",
        "target": 0.01,
        "interval": 0.2,
        "ecn": True,
        "ce_threshold": None,
    }
    marked = lab(queue=table | {"ce_threshold": "1 ms"})
    assert disciplines(marked)[0]["ce_threshold"] == 0.001
    assert marked.replace({"queue.ce_threshold": "none"}).queue.settings["ce_threshold"] is None
    assert lab(queue={"kind": "step", "threshold": "20 packets"}).queue == Queue(
        "step", {"threshold": 20}
    )


def test_each_direction_may_have_a_queue_of_its_own():
    scenario = lab(queue="codel", reverse_queue={"kind": "step", "threshold": 9})
    assert [each["name"] for each in disciplines(scenario)] == ["codel", "step"]
    assert problems(rate="1 p/ms", reverse_queue="codel").keys() == {"reverse_queue"}


def test_scenarios_with_queues_survive_files_and_processes(tmp_path):
    networks = {"kind": "step", "access": {"kind": "codel", "share": 0.5, "share_seed": 2}}
    for scenario in (
        lab(queue={"kind": "codel", "target": "7 ms"}, reverse_queue="step"),
        internet(queue=networks | {"D": "droptail"}),
    ):
        path = tmp_path / "scenario.toml"
        path.write_text(scenario.to_toml(), encoding="utf-8")
        assert load_scenario(path) == scenario
        assert pickle.loads(pickle.dumps(scenario)) == scenario
        assert scenario_from_dict(scenario.to_dict()).resolve() == scenario.resolve()


def test_all_that_is_wrong_with_a_queue_is_said_at_once():
    refusals = problems(
        rate="fast",
        queue={
            "kind": "codel",
            "target": 5,
            "interval": "3 kg",
            "ecn": "yes",
            "ce_threshold": "11 s",
            "trget": 1,
        },
        reverse_queue={"kind": "codle"},
    )
    of_queue = {f"queue.{name}" for name in ("interval", "trget", "target", "ecn", "ce_threshold")}
    assert refusals.keys() == {"rate", "reverse_queue.kind"} | of_queue


@pytest.mark.parametrize(
    ("queue", "place", "kind"),
    [
        ("codle", "queue", "unknown"),
        (["codel"], "queue", "type"),
        ({"target": "5 ms"}, "queue.kind", "missing"),
        ({"kind": ["codel"]}, "queue.kind", "unknown"),
        ({"kind": "codel", "share": 0.5}, "queue.share", "unknown_key"),
        ({"kind": "codel", "target": "200 ms"}, "queue.target", "parameter"),
        ({"kind": "step", "threshold": 100}, "queue.threshold", "parameter"),
        ({"kind": "step", "threshold": 1.5}, "queue.threshold", "value"),
        ({"kind": "step", "threshold": "5 kB"}, "queue.threshold", "value"),
        ({"kind": "step", "threshold": 10**40}, "queue.threshold", "range"),
    ],
)
def test_what_is_no_queue(queue, place, kind):
    with refused(ScenarioError, (place, kind)):
        lab(queue=queue)


def test_a_queue_by_tier_and_class():
    queue = {
        "kind": "step",
        "threshold": 9,
        "pop": "droptail",
        "access": "codel",
        "N": {"kind": "codel", "target": "9 ms"},
    }
    topology = load_topology("abilene")
    spec = internet(queue=queue).resolve()
    by_router = {station["name"]: station["discipline"] for station in spec["stations"]}
    assert {by_router[node.name]["name"] for node in topology.nodes} == {"step"}
    assert {by_router[name]["name"] for name, _ in topology.pops} == {"droptail"}
    targets = {(router.kind, by_router[router.name]["target"]) for router in topology.access}
    assert targets == {("D", 0.005), ("F", 0.005), ("N", 0.009)}


def having(queue, kind="codel"):
    spec = internet(queue=queue).resolve()
    return {each["name"] for each in spec["stations"] if each["discipline"]["name"] == kind}


def test_shares_of_a_tier_are_nested_and_as_large_as_asked():
    access = [router.name for router in load_topology("abilene").access]
    shares = (0, 0.2, 0.4, 0.6, 0.995, 1)
    chosen = [having({"access": {"kind": "codel", "share": share}}) for share in shares]
    assert [len(each) for each in chosen] == [0, 28, 56, 83, 138, len(access)]
    for fewer, more in itertools.pairwise(chosen):
        assert fewer < more
    assert chosen[-1] == set(access)


def test_draws_are_repeated_and_have_a_seed_and_do_not_touch_each_other():
    def drawn(seed, **others):
        access = {"kind": "codel", "share": 0.5, "share_seed": seed}
        return having({"access": access, **others})

    assert drawn(1) == drawn(1) == having({"access": {"kind": "codel", "share": 0.5}})
    assert 40 < len(drawn(1) ^ drawn(2)) < 100
    assert drawn(1, backbone={"kind": "step", "share": 0.5}) == drawn(1)
    # Kept for good: runs of a campaign depend on it.
    assert sorted(drawn(1))[:4] == ["A1a", "A1d", "A1e", "A1f"]


def test_routers_without_their_share_take_the_next_queue():
    queue = {
        "kind": "step",
        "access": {"kind": "codel", "share": 0.5},
        "D": {"kind": "droptail", "share": 0.5},
    }
    spec = internet(queue=queue).resolve()
    kinds = {each["name"]: each["discipline"]["name"] for each in spec["stations"]}
    access = load_topology("abilene").access
    direct = [kinds[router.name] for router in access if router.kind == "D"]
    assert direct.count("droptail") == 3
    codel = having({"access": {"kind": "codel", "share": 0.5}})
    for router in access:
        if kinds[router.name] != "droptail":
            assert kinds[router.name] == ("codel" if router.name in codel else "step")
    everywhere = internet(queue={"kind": "codel", "share": 0.25}).resolve()["stations"]
    assert [each["discipline"]["name"] for each in everywhere].count("codel") == 43


def test_all_that_is_wrong_with_the_queues_of_a_network():
    refusals = network_problems(
        queue={
            "acces": "codel",
            "pop": "codle",
            "N": {"kind": "codel", "share": 1.5, "share_seed": -1, "target": "2 s"},
        }
    )
    assert refusals.keys() == {
        "queue.pop",
        "queue.acces",
        "queue.N.target",
        "queue.N.share",
        "queue.N.share_seed",
    }
    assert "queue.kind" in network_problems(queue={"kind": "codle", "access": "codel"})


def plan(factors, **scenario):
    base = {"kind": "dumbbell", **LAB} | scenario
    return plan_from_dict(
        {
            "name": "queues",
            "scenario": base,
            "responses": ["utilization"],
            "factors": factors,
            "design": {"kind": "full_factorial"},
        }
    )


def test_queues_and_their_parameters_are_factors():
    levels = ["droptail", {"kind": "codel", "target": "9 ms"}, {"kind": "codel", "ecn": True}]
    planned = plan({"queue": {"path": "queue", "levels": levels}})
    assert [disciplines(run.scenario)[0]["name"] for run in planned.runs()] == [
        "droptail",
        "codel",
        "codel",
    ]
    (factor,) = planned.factors
    texts = [factor.text(code) for code in factor.codes]
    assert texts == ["droptail", "codel (target 9 ms)", "codel (ecn true)"]
    target = {"path": "queue.target", "low": "2 ms", "high": "8 ms"}
    planned = plan({"target": target}, queue={"kind": "codel", "ecn": True})
    assert [disciplines(run.scenario)[0]["target"] for run in planned.runs()] == [0.002, 0.008]
    assert planned.factors[0].continuous


def test_a_parameter_is_a_factor_beside_the_discipline_but_not_before_it():
    kinds = {"path": "queue", "levels": ["codel", {"kind": "codel", "ecn": True}]}
    target = {"path": "queue.target", "low": "2 ms", "high": "8 ms"}
    planned = plan({"kind": kinds, "target": target}, queue="codel")
    cells = [disciplines(run.scenario)[0] for run in planned.runs()]
    assert sorted((each["ecn"], each["target"]) for each in cells) == [
        (False, 0.002),
        (False, 0.008),
        (True, 0.002),
        (True, 0.008),
    ]
    with pytest.raises(mesonet.PlanError):
        plan({"target": target, "kind": kinds}, queue="codel")


def test_a_share_is_a_factor():
    base = {"kind": "internet", "queue": {"access": "codel"}}
    shares = {"path": "queue.access.share", "levels": [0.0, 0.6, 1.0]}
    plan_of_shares = plan_from_dict(
        {
            "name": "deployed",
            "scenario": base,
            "responses": ["y1"],
            "factors": {"share": shares},
            "design": {"kind": "full_factorial"},
        }
    )
    counts = [
        [each["name"] for each in disciplines(run.scenario)].count("codel")
        for run in plan_of_shares.runs()
    ]
    assert counts == [0, 83, 139]


def test_routers_may_change_the_ecn_field():
    scenario = lab(ecn_impairment="bleach")
    forward, reverse = scenario.resolve()["stations"]
    assert forward["ecn_impairment"] == "bleach"
    assert "ecn_impairment" not in reverse
    assert "ecn_impairment" not in lab().resolve()["stations"][0]
    network = internet(ecn_impairment={"N": {"kind": "strip", "share": 0.1}, "pop": "bleach"})
    kinds = [each.get("ecn_impairment") for each in network.resolve()["stations"]]
    assert (kinds.count("strip"), kinds.count("bleach"), kinds.count(None)) == (11, 22, 139)
    assert scenario_from_dict(network.to_dict()) == network
    assert network.replace({"ecn_impairment.N.share": 1}).ecn_impairment.by_tier["N"].share == 1
    assert network_problems(
        ecn_impairment={"N": {"kind": "strp"}, "F": {"kind": "strip", "x": 1}}
    ) == {
        "ecn_impairment.N.kind": 'expected one of "none", "bleach", "strip", "ect1_to_ect0", '
        'got "strp" (did you mean "strip"?)',
        "ecn_impairment.F.x": "unknown key; known keys are kind, share, share_seed",
    }
    with refused(ScenarioError, ("ecn_impairment", "literal_error")):
        lab(ecn_impairment="wash")


def test_an_impairment_hides_no_control_variable():
    """Without ECN there is nothing to strip."""

    def controls(impairment):
        scenario = lab(queue="pie", ecn_impairment=impairment, record_queues=True)
        return mesonet.simulate(scenario, seed=1).queue_states["control"].to_list()

    assert controls("strip") == controls("none")
    assert max(controls("none")) > 0


def test_the_models_page_has_every_discipline_and_its_page():
    folder = ROOT / "docs" / "models"
    page = (folder / "queues.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|.*\| ([^|]*) \|$", page, re.MULTILINE)
    pages = {name: cell for names, cell in rows for name in re.findall(r"`(\w+)`", names)}
    for info in mesonet.queues():
        link = re.search(r"\(([\w-]+\.md)\)", pages[info.name])
        assert pages[info.name] == "this one" if link is None else (folder / link[1]).is_file()


@pytest.mark.parametrize(
    ("buffer", "packets"), [("100 packets", 100), ("150 kB", 100), ("1 bdp", 34)]
)
def test_a_threshold_is_compared_with_rooms_in_every_unit(buffer, packets):
    table = {
        "kind": "dumbbell",
        "rate": "10 Mbit/s",
        "rtt": "40 ms",
        "buffer": buffer,
        "flows": ["reno"],
    }
    step = {"kind": "step", "threshold": packets}
    red = {"kind": "red", "min_th": packets, "max_th": 2 * packets}
    for queue, place in ((step, "queue.threshold"), (red, "queue.min_th")):
        with refused(ScenarioError, (place, "parameter")):
            scenario_from_dict({**table, "queue": queue}).resolve()
    scenario_from_dict({**table, "queue": {**step, "threshold": packets - 1}}).resolve()

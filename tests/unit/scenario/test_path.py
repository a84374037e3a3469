"""Conditions of a link that change: what scenarios say of them, and what flows see."""

import numpy as np
import pytest

import mesonet
from mesonet.plan import plan_from_dict
from mesonet.scenario import load_scenario


def _lab(**changes):
    fields = {"rate": "12 Mbit/s", "rtt": "40 ms", "flows": ["cubic"], "duration": "12 s"} | changes
    return mesonet.dumbbell(**fields)


def _spec(**path):
    return _lab(path=path).resolve()["stations"][0]["path"]


def test_pairs_and_ramps_are_steps_of_the_engine():
    changes = [("1 s", "10 ms"), {"at": "2 s", "delay": "50 ms", "over": "1 s", "steps": 4}]
    delay = _spec(delay_changes=changes, period="10 s")["delay"]
    assert delay["times"] == [1.0, 2.25, 2.5, 2.75, 3.0]
    assert delay["period"] == 10
    assert delay["values"] == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    ramp = {"at": "0 s", "loss": 0.3, "over": "2 s", "steps": 2}
    loss = _lab(loss=0.1, path={"loss_changes": [ramp]}).resolve()["stations"][0]["path"]["loss"]
    assert loss["values"] == pytest.approx([0.2, 0.3])


@pytest.mark.parametrize(
    "path",
    [
        {"model": "leo"},
        {"model": {"kind": "cellular", "variation": 1.5}},
        {"model": {"kind": "wifi", "suspended": "0.2 s"}, "jitter_changes": [("1 s", "2 ms")]},
        {"on_changes": [("1 s", False), ("2 s", True)], "while_off": "lose", "period": "5 s"},
        {"reordering": {"probability": 0.01, "depth": 3}, "thin_acks": 2},
    ],
)
def test_paths_survive_files(path, tmp_path):
    lab = _lab(path=path, reverse_path=path)
    (tmp_path / "lab.toml").write_text(lab.to_toml())
    assert load_scenario(tmp_path / "lab.toml") == lab
    assert mesonet.Dumbbell.from_dict(lab.to_dict()) == lab
    assert lab.to_dict()["path"].keys() == path.keys()


def test_paths_change_by_their_place():
    lab = _lab().replace({"path.loss_changes": [("1 s", 0.1)], "path.model": "leo"})
    assert lab.path is not None
    assert lab.path.model is not None
    assert lab.replace({"path.model.period": "10 s"}).path.model.period == 10


def test_a_path_is_a_factor_of_plans():
    plan = plan_from_dict(
        {
            "name": "paths",
            "scenario": {**_lab().to_dict(), "kind": "dumbbell"},
            "factors": {
                "model": {"path": "path.model", "levels": ["leo", "wifi"]},
                "delay": {
                    "path": "path.delay_changes",
                    "levels": [[["1 s", "5 ms"]], [["1 s", "50 ms"]]],
                },
            },
            "responses": ["utilization"],
        }
    )
    paths = [run.scenario.resolve()["stations"][0]["path"] for run in plan.runs()]
    assert len({str(path) for path in paths}) == 4


def test_contenders_make_frames_go_out_together():
    model = {"kind": "wifi", "jitter": "2 ms", "contenders": 3, "airtime": "2 ms"}
    aggregation = _spec(model=model)["model"]
    assert aggregation == {"kind": "aggregation", "airtime": 0.002, "contenders": 3}
    assert "model" not in _spec(model={"kind": "wifi", "airtime": "2 ms"})


def test_wifi_is_jitter_and_switches():
    spec = _spec(model={"kind": "wifi", "jitter": "2 ms", "active": "1 s", "suspended": "0.5 s"})
    assert spec["jitter"] == {"times": [0.0], "values": [0.002], "period": None}
    assert spec["on"] == {"times": [1.0], "values": [0.0], "period": 1.5}
    ramp = {"at": "2 s", "jitter": "20 ms", "over": "4 s", "steps": 4}
    spec = _spec(model={"kind": "wifi", "jitter": "12 ms"}, jitter_changes=[ramp])
    assert spec["jitter"]["times"] == [0, 3, 4, 5, 6]
    assert spec["jitter"]["values"] == pytest.approx([0.012, 0.014, 0.016, 0.018, 0.02])


@pytest.mark.parametrize(
    ("path", "problems"),
    [
        (
            {
                "delay_changes": [("2 s", "1 ms"), ("1 s", "2 ms")],
                "loss_changes": [("1 s", 0.1)] * 2,
            },
            {"path.delay_changes[1].at": "too_small", "path.loss_changes[1].at": "too_small"},
        ),
        (
            {"delay_changes": [{"at": "2 s", "delay": "1 ms", "over": "2 s"}, ("3 s", "2 ms")]},
            {"path.delay_changes[1].at": "too_small"},
        ),
        (
            {"on_changes": [("2 s", False)]},
            {"path.on_changes": "outage"},
        ),
        ({"period": "2 s"}, {"path.period": "conflict"}),
        ({"model": "cellular", "while_off": "lose"}, {"path.while_off": "conflict"}),
        (
            {"jitter_changes": [("2 s", "1 ms")], "period": "2 s"},
            {"path.jitter_changes[0].at": "too_large"},
        ),
        ({"model": "starlink"}, {"path.model.kind": "union_tag_invalid"}),
        (
            {"model": {"kind": "leo", "delay": ["4 ms", "3 ms"]}},
            {"path.model.delay": "range"},
        ),
        ({"reordering": {"probability": 0.1}}, {"path.reordering": "conflict"}),
        ({"loss_changes": [("1 s", 1.1)]}, {"path.loss_changes[0].loss": "less_than_equal"}),
        (
            {
                "model": {"kind": "wifi", "suspended": "0.1 s"},
                "on_changes": [("1 s", False), ("2 s", True)],
            },
            {"path.on_changes": "conflict"},
        ),
    ],
)
def test_wrong_paths_are_told_at_once(path, problems):
    with pytest.raises(mesonet.ScenarioError) as caught:
        _lab(path=path)
    assert {each.loc: each.kind for each in caught.value.problems} == problems


def test_a_path_that_the_engine_refuses_is_named_by_its_key():
    changes = [("1 s", "1 ms"), ("1.0000001 s", "2 ms")]
    for path, place in (
        ({"delay_changes": changes}, "path.delay_changes"),
        ({"model": {"kind": "leo", "interruption": ["1 s", "9 s"]}}, "path.model.interruption"),
    ):
        with pytest.raises(mesonet.ScenarioError) as caught:
            mesonet.simulate(_lab(path=path))
        assert [each.loc for each in caught.value.problems] == [place]


def test_a_reverse_path_needs_a_reverse_direction():
    with pytest.raises(mesonet.ScenarioError) as caught:
        _lab(rate="8 p/ms", reverse_path={"model": "leo"})
    assert [each.loc for each in caught.value.problems] == ["reverse_path"]


def _srtt(run, start, end):
    flows = run.flows.filter((run.flows["time"] > start) & (run.flows["time"] <= end))
    return float(flows["srtt"].mean())


def test_round_trips_follow_the_delay_of_both_directions():
    path = {"delay_changes": [("4 s", "60 ms")]}
    lab = _lab(path=path, reverse_path={"delay_changes": [("8 s", "100 ms")]}, buffer="5 packets")
    run = mesonet.simulate(lab)
    for start, end, expected in ((2, 4, 0.042), (6, 8, 0.102), (10, 12, 0.202)):
        assert _srtt(run, start, end) == pytest.approx(expected, rel=0.1)


def test_every_model_runs_and_its_seed_makes_another_run():
    for model in ("gilbert_elliott", "cellular", "leo", "delay_walk", "wifi"):
        lab = _lab(path={"model": model}, flows=["cubic", "bbr3"])
        acked = [mesonet.simulate(lab, seed=seed).flows["acked"].to_numpy() for seed in (1, 1, 2)]
        assert np.array_equal(acked[0], acked[1])
        assert not np.array_equal(acked[0], acked[2])
        assert acked[0].sum() > 1000


def test_utilization_knows_when_the_link_was_off():
    switches = [("4 s", False), ("8 s", True)]
    run = mesonet.simulate(_lab(path={"on_changes": switches}, buffer="3 bdp", profile="linux"))
    # Work over what the link could do: four of twelve seconds do not count.
    assert run.responses["utilization"] > 0.9


def test_links_of_other_laboratories_have_paths():
    lot = mesonet.parking_lot(
        rate="12 Mbit/s",
        rtt="40 ms",
        hops=2,
        flows=["cubic"],
        duration="3 s",
        path={"reordering": {"probability": 0.1, "depth": 2}, "model": "leo"},
    )
    paths = [station.get("path") for station in lot.resolve()["stations"]]
    assert sum(path is not None for path in paths) == 2
    assert mesonet.simulate(lot).flows["acked"].sum() > 500

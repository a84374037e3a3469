"""Trained policies: files that say what their numbers mean, in environments, runs and campaigns."""

import json
from pathlib import Path

import numpy as np
import pytest
from labs import RIVALS as LAB
from refusals import refused
from typer.testing import CliRunner

import mesonet
from mesonet import ControllerError, InputError, ScenarioError
from mesonet.cli import app
from mesonet.controller import changed_since, fingerprint, fingerprints, look_in, written_in
from mesonet.controller.policy import METADATA
from mesonet.gym import MVFST_RL, Action, PolicySettings

for library in ("gymnasium", "onnx", "onnxruntime"):
    pytest.importorskip(library, reason="the extras gym and onnx are not installed")

import onnx

from mesonet.gym import MesonetEnv, label_policy, load_policy, save_policy

SETTINGS = PolicySettings(
    observation=("rtt_ratio", "loss_ratio"),
    history=2,
    action=Action(target="window", rule="multiply", step=0.3, most=200),
    round_trips=1.0,
)


def played(env, policy, **begin):
    """The run of an episode in which a policy decides."""
    seen, _ = env.reset(**begin)
    over, steps = False, 0
    while not over:
        seen, _, terminated, truncated, _ = env.step(policy(seen))
        over, steps = terminated or truncated, steps + 1
    assert steps > 15
    return env.finish()


def layers(settings, answers=1):
    random = np.random.default_rng(1)
    return [
        (random.normal(size=(settings.width, 8)), random.normal(size=8)),
        (random.normal(size=(8, answers)), random.normal(size=answers)),
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_policy("p.onnx", layers(SETTINGS), settings=SETTINGS)
    return tmp_path


@pytest.mark.parametrize(
    ("settings", "answers"),
    [
        (SETTINGS, 1),
        (PolicySettings(action=Action(rule="level", most="20 Mbit/s"), every="30 ms"), 1),
        (MVFST_RL, 5),
    ],
)
def test_an_episode_and_a_run_of_the_same_policy_are_the_same(settings, answers, folder):
    width = settings.width
    scale = np.full(width, 2.0)
    mean = np.full(width, 0.1)
    save_policy("q.onnx", layers(settings, answers), settings=settings, mean=mean, scale=scale)
    policy = load_policy("q.onnx")
    assert policy.settings.to_json() == settings.to_json()
    episode = played(MesonetEnv(LAB, settings=policy.settings), policy, seed=4)
    run = mesonet.simulate(LAB.replace({"flows[0].algorithm": "policy:q.onnx"}), seed=episode.seed)
    assert run.flows.equals(episode.flows)
    assert run.totals == episode.totals
    assert run.responses["utilization"] == episode.responses["utilization"]


def test_the_network_is_that_of_the_layers(folder):
    policy = load_policy("p.onnx")
    seen = np.array([1.0, 0.1, 1.2, 0.3], dtype=np.float32)
    (first, bias), (last, shift) = layers(SETTINGS)
    expected = np.clip(np.tanh(seen @ first + bias) @ last + shift, -1, 1)
    assert policy(seen) == pytest.approx(expected, abs=1e-6)


def test_an_answer_that_is_no_number_is_refused(folder):
    settings = PolicySettings(observation=SETTINGS.observation, history=2, action=MVFST_RL.action)
    save_policy("q.onnx", [(np.ones((4, 5)), np.full(5, np.nan))], settings=settings)
    with pytest.raises(ControllerError):
        load_policy("q.onnx")(np.zeros(4, dtype=np.float32))
    with pytest.raises(ControllerError):
        mesonet.simulate(LAB.replace({"flows[0].algorithm": "policy:q.onnx"}))


def test_a_policy_is_looked_for_where_the_scenario_lies(folder):
    (folder / "world").mkdir()
    Path("p.onnx").rename("world/p.onnx")
    named = LAB.replace({"flows[0].algorithm": "policy:p.onnx"})
    Path("world/scenario.toml").write_text(named.to_toml(), encoding="utf-8")
    done = CliRunner().invoke(app, ["simulate", "world/scenario.toml"])
    assert done.exit_code == 0, done.stderr


def plan():
    return mesonet.plan_from_dict(
        {
            "name": "policies",
            "responses": ["utilization", "goodput"],
            "scenario": LAB.to_dict(),
            "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
            "design": {"kind": "full_factorial"},
            "alternatives": [
                {"label": "reno"},
                {"label": "policy", "set": {"flows[0].algorithm": "policy:p.onnx"}},
            ],
        }
    )


def test_a_campaign_has_the_numbers_of_the_environment(folder, tmp_path_factory, monkeypatch):
    look_in(folder)
    campaign = mesonet.run_campaign(plan(), out=folder / "out", workers=1)
    assert campaign.status()["failed"] == 0
    policy = load_policy("p.onnx")
    rows = {row["run"]: row for row in campaign.results().iter_rows(named=True)}
    for run in [run for run in plan().runs() if run.alternative == "policy"]:
        env = MesonetEnv(run.scenario, flow="mine", settings=policy.settings)
        episode = played(env, policy, options={"simulation_seed": run.seed})
        for response in ("utilization", "goodput"):
            exact = pytest.approx(episode.responses[response], rel=0, abs=0, nan_ok=True)
            assert rows[run.id][response] == exact
    # Verification looks where the run did, from any folder.
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert CliRunner().invoke(app, ["verify", str(folder / "out")]).exit_code == 0


def test_a_run_is_identified_by_the_content_of_the_file(folder):
    before = {run.alternative: run.id for run in plan().runs()}
    prints = fingerprints(["policy:p.onnx", "reno"])
    assert list(prints) == ["policy:p.onnx"]
    assert written_in("policy:p.onnx") == ["p.onnx"]
    other = [(weights * 2, biases) for weights, biases in layers(SETTINGS)]
    save_policy("p.onnx", other, settings=SETTINGS)
    after = {run.alternative: run.id for run in plan().runs()}
    assert before["reno"] == after["reno"]
    assert before["policy"] != after["policy"]
    assert fingerprint([{"name": "policy:p.onnx", "params": {}}]) != prints["policy:p.onnx"]
    assert changed_since(prints) == ["policy:p.onnx has changed since (p.onnx)"]


def test_other_libraries_files_are_labelled(folder):
    bare = onnx.load("p.onnx")
    del bare.metadata_props[:]
    onnx.save(bare, "bare.onnx")
    with pytest.raises(ControllerError, match=r"bare\.onnx"):
        load_policy("bare.onnx")
    label_policy("bare.onnx", settings=SETTINGS)
    seen = np.zeros(4, dtype=np.float32)
    assert load_policy("bare.onnx")(seen) == load_policy("p.onnx")(seen)
    with refused(InputError, ("none.onnx", "missing_file")):
        label_policy("none.onnx", settings=SETTINGS)
    with refused(InputError, ("bare.onnx", "network")):
        label_policy("bare.onnx", settings=PolicySettings(history=2))


def broken(folder, change):
    """Name of a file whose metadata were changed."""
    model = onnx.load("p.onnx")
    (entry,) = model.metadata_props
    assert entry.key == METADATA
    told = json.loads(entry.value)
    change(told)
    entry.value = json.dumps(told)
    onnx.save(model, "broken.onnx")
    return "broken.onnx"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told: told["settings"].update(history=3), "mean"),
        (lambda told: told["settings"].update(history=3), "6 floats"),
        (lambda told: told.update(format=2), "format"),
        (lambda told: told["settings"].update(observation=["rtt"]), '"rtt"'),
        (lambda told: told.update(scale=[0, 1, 1, 1]), "scale"),
        (
            lambda told: told["settings"]["action"].update(
                rule={"choose": {"choices": [[1, 0], [0.5, 0]]}}
            ),
            "2 floats .*answer",
        ),
    ],
)
def test_what_does_not_fit_has_one_clear_error(folder, change, message):
    name = broken(folder, change)
    with pytest.raises(ScenarioError, match=message) as caught:
        mesonet.simulate(LAB.replace({"flows[0].algorithm": f"policy:{name}"}))
    assert [problem.loc for problem in caught.value.problems] == ["flows[0].algorithm"]


def endless():
    """A loop of 2^62 turns."""
    value, boolean = onnx.helper.make_tensor_value_info, onnx.TensorProto.BOOL
    inputs = [value("turn", onnx.TensorProto.INT64, []), value("go", boolean, [])]
    node = onnx.helper.make_node("Identity", ["go"], ["still"])
    body = onnx.helper.make_graph([node], "body", inputs, [value("still", boolean, [])])
    return onnx.helper.make_node("Loop", ["turns", "true"], [], body=body)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (endless(), "Loop"),
        (onnx.helper.make_node("RandomNormalLike", ["observation"], ["drawn"]), "RandomNormalLike"),
        (onnx.helper.make_node("Dropout", ["observation"], ["drawn"]), "Dropout"),
        (onnx.helper.make_node("Gelu", ["observation"], ["y"], domain="com.x"), "com.x.Gelu"),
    ],
)
def test_a_network_that_loops_or_draws_is_refused_with_its_operator(folder, node, name):
    model = onnx.load("p.onnx")
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.int64(2**62), "turns"))
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.bool_(True), "true"))
    model.graph.node.append(node)
    onnx.save(model, "other.onnx")
    with pytest.raises(ControllerError, match=f"{name}$"):
        load_policy("other.onnx")


@pytest.mark.parametrize(
    "options",
    [
        {"layers": []},
        {"layers": layers(SETTINGS, 2)},
        {"layers": layers(PolicySettings())},
        {"scale": [1, 0, 1, 1]},
        {"mean": [0, 1]},
    ],
)
def test_layers_that_do_not_fit_are_refused_and_nothing_is_written(folder, options):
    arguments = {"layers": layers(SETTINGS), "settings": SETTINGS} | options
    with refused(InputError, ("new.onnx", "network")):
        save_policy("new.onnx", arguments.pop("layers"), **arguments)
    assert not Path("new.onnx").exists()

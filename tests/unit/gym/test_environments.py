"""Environments keep the rules of their libraries, and simulate what runs do."""

import math
import signal
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from labs import RIVALS as LAB
from labs import lab
from refusals import refused

import mesonet
from mesonet import InputError
from mesonet.gym import (
    REWARDS,
    Action,
    Choice,
    LogUniform,
    PolicySettings,
    Reward,
    Uniform,
    features,
    quantities,
)

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from mesonet.gym import MesonetEnv, MesonetVectorEnv

WINDOW = PolicySettings(
    observation=("rtt_ratio", "loss_ratio"),
    history=3,
    action=Action(target="window", rule="level", most=200),
    every="25 ms",
)
CHOICES = ((1.0, 0.0), (0.5, 0.0), (1.0, 10.0))
VARY = {
    "rate": LogUniform("4 Mbit/s", "20 Mbit/s"),
    "rtt": Uniform("10 ms", "60 ms"),
    "flows[1].algorithm": Choice(["reno", "cubic", "bbr3"]),
}


def episode(env, seed):
    """Observations and rewards of an episode of actions by another seed."""
    random = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    observations, rewards, over = [seen], [], False
    while not over:
        seen, reward, terminated, truncated, _ = env.step(random.uniform(-1, 1, 1))
        observations.append(seen)
        rewards.append(reward)
        over = terminated or truncated
    return observations, rewards


@pytest.mark.parametrize(
    "settings",
    [
        PolicySettings(),
        WINDOW,
        PolicySettings(action=Action(target="window", rule="choose", choices=CHOICES)),
        PolicySettings(action=Action(rule="absolute", least="1 Mbit/s", most="9.9 Mbit/s")),
    ],
    ids=lambda settings: settings.action.rule,
)
def test_gymnasium_finds_nothing_wrong(settings):
    with warnings.catch_warnings():
        # Advice on spaces that are not from -1 to 1, and on environments that are not registered.
        warnings.simplefilter("ignore", UserWarning)
        check_env(MesonetEnv(LAB, settings=settings, vary=VARY))


def test_a_seed_says_everything_and_another_seed_something_else():
    first, second, other = (
        episode(MesonetEnv(LAB, settings=WINDOW, vary=VARY), seed) for seed in (5, 5, 6)
    )
    assert first[1] == second[1] != other[1]
    assert all((a == b).all() for a, b in zip(first[0], second[0], strict=True))


def test_episodes_are_whole_runs_and_conserve_packets():
    env = MesonetEnv(LAB, settings=WINDOW)
    observations, rewards = episode(env, 3)
    run = env.finish()
    assert run.conservation["missing"] == 0
    assert run.scenario == LAB
    assert run.series["time"][-1] == 2.0
    # Decisions every 25 ms from the first ACK on, and the end.
    assert 75 <= len(rewards) <= 79
    assert all(math.isfinite(reward) for reward in rewards)
    assert all(env.observation_space.contains(seen) for seen in observations)
    with refused(InputError, ("", "state")):
        env.finish()


def test_another_episode_after_one_that_was_left_begins_anew():
    env = MesonetEnv(LAB, settings=WINDOW)
    whole, _ = episode(env, 3)
    env.reset(seed=9)
    env.step(np.array([0.3]))
    again, _ = episode(env, 3)
    assert all((a == b).all() for a, b in zip(whole, again, strict=True))


def test_records_say_what_the_flow_did():
    alone = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", buffer="2 bdp", flows=["reno"], duration="2 s"
    )
    absolute = PolicySettings(action=Action(target="window", rule="absolute"), every="100 ms")
    env = MesonetEnv(alone, settings=absolute)
    env.reset(seed=1)
    for _ in range(10):
        _, _, _, _, info = env.step(np.array([10.0]))
    assert info["elapsed"] == pytest.approx(0.1)
    assert info["window"] == 10 * 1460
    assert info["lost"] == info["timeouts"] == 0
    # Ten segments per round trip, by Little's law.
    assert info["delivered"] / 0.1 == pytest.approx(14600 / info["rtt"], rel=0.02)
    assert info["least_rtt"] == pytest.approx(info["rtt"], rel=0.2)


def test_records_count_all_from_the_first_ack_on():
    alone = lab(mesonet.flow("reno", name="mine"), loss=0.2, duration="30 s", profile="rfc")
    absolute = PolicySettings(action=Action(target="window", rule="absolute"), every="5 ms")
    env = MesonetEnv(alone, flow="mine", settings=absolute)
    infos, over = [env.reset(seed=1)[1]], False
    assert 0 < infos[0]["delivered"] <= 10e6 / 8 * infos[0]["elapsed"]
    while not over:
        *_, over, info = env.step(np.array([6.0]))
        infos.append(info)
    totals = env.finish().totals
    # The first window left before, and what timeouts take for lost counts.
    for name, number in (("sent", totals["data_sent"] - 10), ("lost", totals["retransmitted"])):
        assert sum(info[name] for info in infos) == 1460 * number
    assert sum(info["timeouts"] for info in infos) == totals["timeouts"] > 0


def test_an_episode_without_a_decision_is_over_with_its_first_step():
    for change, flag in (({"flows[0].size": "2 packets"}, 2), ({"flows[0].start": "1.99 s"}, 3)):
        env = MesonetEnv(LAB.replace(change), flow="mine", settings=WINDOW)
        seen, _ = env.reset(seed=1)
        after, reward, *flags, _ = env.step(np.array([0.5]))
        assert (reward, flags, *after) == (0.0, [flag == 2, flag == 3], *seen)


def test_a_flow_that_ends_terminates_the_episode():
    short = LAB.replace({"flows[0].size": "200 packets"})
    env = MesonetEnv(short, flow="mine", settings=WINDOW)
    env.reset(seed=1)
    delivered, over = 0.0, False
    while not over:
        _, _, terminated, over, info = env.step(np.array([-0.2]))
        delivered += info["delivered"]
        over = over or terminated
    assert terminated
    assert delivered <= 200 * 1460
    with refused(InputError, ("", "state")):
        env.step(np.array([0.5]))


@pytest.mark.parametrize("vary", [VARY, {"flows[0].size": Choice(["2 packets", "400 packets"])}])
def test_a_vector_is_its_environments_bit_by_bit(vary):
    vector = MesonetVectorEnv(LAB, num_envs=3, settings=WINDOW, vary=vary, threads=2)
    singles = [MesonetEnv(LAB, settings=WINDOW, vary=vary) for _ in range(3)]
    random = np.random.default_rng(1)
    seen, _ = vector.reset(seed=11)
    for at, env in enumerate(singles):
        assert (env.reset(seed=11 + at)[0] == seen[at]).all()
    over = [False] * 3
    for _ in range(200):
        actions = random.uniform(-1, 1, (3, 1)).astype(np.float32)
        seen, rewards, terminated, truncated, infos = vector.step(actions)
        for at, env in enumerate(singles):
            if over[at]:
                alone, info = env.reset()
                outcome = (0.0, False, False)
            else:
                alone, *outcome, info = env.step(actions[at])
            assert (alone == seen[at]).all()
            assert tuple(outcome) == (rewards[at], terminated[at], truncated[at])
            assert all(infos[name][at] == value for name, value in info.items() if name in infos)
            over[at] = outcome[1] or outcome[2]


def test_episodes_of_a_vector_begin_with_the_step_after_the_last():
    vector = MesonetVectorEnv(LAB, num_envs=2, settings=WINDOW)
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    vector.reset(seed=1)
    truncated = np.zeros(2, dtype=bool)
    while not truncated.any():
        _, _, _, truncated, infos = vector.step(np.zeros((2, 1), dtype=np.float32))
    assert truncated.all()
    assert (infos["time"] == 2.0).all()
    _, rewards, _, truncated, infos = vector.step(np.zeros((2, 1), dtype=np.float32))
    assert (rewards == 0).all()
    assert not truncated.any()
    assert (infos["time"] < 0.2).all()


def test_values_are_drawn_for_every_episode_and_can_be_given():
    env = MesonetEnv(LAB, settings=WINDOW, vary=VARY)
    drawn = [env.reset(seed=1)[1], *(env.reset()[1] for _ in range(5))]
    rates = [mesonet.units.parse_rate(info["changes"]["rate"]).value for info in drawn]
    assert len(set(rates)) == 6
    assert all(4e6 <= rate <= 20e6 for rate in rates)
    assert {info["changes"]["flows[1].algorithm"] for info in drawn} <= {"reno", "cubic", "bbr3"}
    options = {"changes": {"rate": "7 Mbit/s"}, "simulation_seed": 12}
    info = env.reset(seed=1, options=options)[1]
    assert info["changes"]["rate"] == "7 Mbit/s"
    assert info["changes"]["rtt"] == drawn[0]["changes"]["rtt"]
    assert env.finish().seed == 12


def test_a_function_makes_scenarios_of_any_shape():
    def crowd(random):
        rivals = [mesonet.flow("cubic") for _ in range(int(random.integers(1, 4)))]
        flows = [mesonet.flow("reno", name="mine"), *rivals]
        return mesonet.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, duration="1 s")

    env = MesonetEnv(crowd, flow="mine", settings=WINDOW)
    crowds = set()
    for seed in range(8):
        env.reset(seed=seed)
        crowds.add(len(env.finish().scenario.flows))
    assert crowds == {2, 3, 4}


def test_networks_and_other_queues_have_environments_too():
    worlds = [
        LAB.replace({"queue": "fq_codel"}),
        mesonet.internet(scale=0.01, duration="4 s", think_time="500 ms"),
    ]
    for world in worlds:
        env = MesonetEnv(world, settings=WINDOW)
        observations, _ = episode(env, 4)
        assert len(observations) > 20
        assert env.finish().conservation["missing"] == 0


def test_rewards_are_named_weighted_or_functions():
    def delivered(records):
        return records["delivered"] / 1e6

    named, weighted, own = (
        MesonetEnv(LAB, settings=WINDOW, reward=reward)
        for reward in ("aurora", Reward("aurora", {"delay": 0.0, "loss": 0.0}), delivered)
    )
    for env in (named, weighted, own):
        env.reset(seed=1)
        _, reward, _, _, info = env.step(np.array([0.2]))
        if env is own:
            assert reward == info["delivered"] / 1e6 > 0
        elif env is weighted:
            assert reward == pytest.approx(10 * info["delivered"] / info["elapsed"] / 1460)
        else:
            assert reward < 10 * info["delivered"] / info["elapsed"] / 1460


@pytest.mark.parametrize(
    ("action", "place", "kind"),
    [
        (np.array([1.5]), "action[0]", "range"),
        (np.array([np.nan]), "action[0]", "range"),
        ("up", "action", "type"),
        (np.zeros(2), "action", "type"),
    ],
)
def test_actions_out_of_range_are_refused_and_the_episode_goes_on(action, place, kind):
    env = MesonetEnv(LAB, settings=WINDOW)
    env.reset(seed=1)
    with refused(InputError, (place, kind)):
        env.step(action)
    assert env.step(np.array([1.0]))[4]["time"] > 0


@pytest.mark.parametrize(
    ("make", "problems"),
    [
        (
            lambda: Action(rule="multply", least="1 ms", most="1 p/ms", step="2"),
            {
                "rule": "literal_error",
                "least": "value_error",
                "most": "value_error",
                "step": "float_type",
            },
        ),
        (
            lambda: PolicySettings(history=True, every="3", ecn="clasic"),
            {"history": "int_type", "every": "value_error", "ecn": "literal_error"},
        ),
        (
            lambda: PolicySettings(every="3 ms", round_trips=2.0, at_least="1 ms"),
            {"round_trips": "conflict", "at_least": "conflict"},
        ),
        (
            lambda: Action(rule="level", step=0.1, choices=CHOICES),
            {"step": "conflict", "choices": "conflict"},
        ),
        (
            lambda: PolicySettings(observation=["rtt_rato"], history=0),
            {"observation": "unknown_feature", "history": "range"},
        ),
        (lambda: PolicySettings(every="0 ms"), {"every": "range"}),
        (lambda: Uniform("1 ms", "long"), {"high": "quantity"}),
        (lambda: MesonetEnv(LAB, vary={"rtt": ["10 ms", "20 ms"]}), {"vary.rtt": "type"}),
        (
            lambda: MesonetEnv(LAB).reset(options={"change": {}, "simulation_seed": -1}),
            {"options": "unknown_key", "options.simulation_seed": "range"},
        ),
        (lambda: MesonetVectorEnv(LAB, num_envs=2.5), {"num_envs": "range"}),
        (lambda: MesonetEnv("scenario.toml"), {"": "type"}),
    ],
)
def test_faults_of_settings_are_told_at_once(make, problems):
    with pytest.raises(InputError) as caught:
        make()
    assert {problem.loc: problem.kind for problem in caught.value.problems} == problems


def test_the_reference_has_every_feature_quantity_and_reward():
    page = Path(__file__).parents[3] / "docs" / "reference" / "gym.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    for it in features():
        row = f"| `{it.name}` | {it.unit} | {it.low:g} to {it.high:g} | {it.doc} | {it.source} |"
        assert row in lines
    for it in quantities():
        assert f"| `{it.name}` | {it.unit} | {it.doc} |" in lines
    for name, weights in REWARDS.items():
        (row,) = [line for line in lines if line.startswith(f"| `{name}` |")]
        assert all(f"`{key}` {value:g}" in row for key, value in weights.items())


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_step_wherever_the_engine_is(threads):
    """The flow begins just before the first decision; the step after that would take long."""
    mine = {"algorithm": "reno", "name": "mine", "start": "99999.9 s"}
    world = LAB.replace(
        {"flows": [mine], "rate": "100 Mbit/s", "interval": "1000 s"} | {"duration": "200000 s"}
    )
    settings = PolicySettings(every="100000 s", action=Action(target="window", most=1000))
    envs = MesonetVectorEnv(world, num_envs=2, flow="mine", settings=settings, threads=threads)
    envs.reset(seed=1)

    def send():
        time.sleep(0.3)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        envs.step(np.zeros((2, 1)))
    sender.join()
    with refused(InputError, ("", "state")):
        envs.step(np.zeros((2, 1)))
    with refused(InputError, ("", "state")):
        envs.finish(0)
    _, infos = envs.reset(seed=1)
    assert (infos["delivered"] > 0).all()

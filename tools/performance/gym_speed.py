"""Steps per second of the environments of `mesonet.gym`: one alone, and vectors on some threads.

    python tools/performance/gym_speed.py [--seconds 3]

A step is a decision: the simulation goes on to the next one, an observation and a reward come back.
Actions are drawn at random; episodes that end begin anew, which counts. Seconds are those of the
clock; seconds of the processor stand beside them, for a machine that does other things, too.
"""

from __future__ import annotations

import argparse
import itertools
import time

import numpy as np

import mesonet
from mesonet.gym import Action, MesonetEnv, MesonetVectorEnv, PolicySettings

SMSS = 1460
SETTINGS = PolicySettings(
    action=Action(target="window", rule="multiply", step=0.1, least=2, most=400), every="20 ms"
)
WORLDS = {
    "10 Mbit/s, alone": (
        mesonet.dumbbell(
            rate="10 Mbit/s", rtt="20 ms", buffer="1 bdp", flows=["reno"], duration="20 s"
        )
    ),
    "50 Mbit/s, alone": (
        mesonet.dumbbell(
            rate="50 Mbit/s", rtt="20 ms", buffer="1 bdp", flows=["reno"], duration="20 s"
        )
    ),
    "50 Mbit/s, beside CUBIC and BBR 3, FQ-CoDel": (
        mesonet.dumbbell(
            rate="50 Mbit/s",
            rtt="20 ms",
            buffer="2 bdp",
            queue="fq_codel",
            flows=["reno", "cubic", "bbr3"],
            duration="20 s",
        )
    ),
}


def single(scenario: mesonet.Scenario, seconds: float) -> tuple[float, float, float]:
    """Steps per second of the clock and of the processor, and segments delivered per step."""
    env = MesonetEnv(scenario, settings=SETTINGS)
    random = np.random.default_rng(1)
    actions = random.uniform(-1, 1, (1000, 1)).astype(np.float32)
    env.reset(seed=1)
    began, worked, steps, delivered = time.perf_counter(), time.process_time(), 0, 0.0
    for action in itertools.cycle(actions):
        *_, terminated, truncated, info = env.step(action)
        steps += 1
        delivered += info["delivered"]
        if terminated or truncated:
            env.reset()
        if steps % 100 == 0 and time.perf_counter() - began > seconds:
            break
    clock, processor = time.perf_counter() - began, time.process_time() - worked
    return steps / clock, steps / processor, delivered / SMSS / steps


def vector(
    scenario: mesonet.Scenario, count: int, threads: int, seconds: float
) -> tuple[float, float, float]:
    """Steps of all environments per second of the clock and of the processor, segments per step."""
    env = MesonetVectorEnv(scenario, num_envs=count, settings=SETTINGS, threads=threads)
    random = np.random.default_rng(1)
    actions = random.uniform(-1, 1, (100, count, 1)).astype(np.float32)
    env.reset(seed=1)
    began, worked, steps, delivered = time.perf_counter(), time.process_time(), 0, 0.0
    for action in itertools.cycle(actions):
        *_, infos = env.step(action)
        steps += count
        delivered += float(infos["delivered"].sum())
        if time.perf_counter() - began > seconds:
            break
    clock, processor = time.perf_counter() - began, time.process_time() - worked
    return steps / clock, steps / processor, delivered / SMSS / steps


def main() -> None:
    """Prints a row for every world and environment."""
    parser = argparse.ArgumentParser(description="Steps per second of mesonet.gym.")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each row [s]")
    seconds = parser.parse_args().seconds
    print("| World | Environment | Threads | Steps/s | Steps per CPU-s | Segments per step |")
    print("|---|---|---|---|---|---|")
    for name, scenario in WORLDS.items():
        row = "| {} | {} | {} | {:,.0f} | {:,.0f} | {:.0f} |"
        print(row.format(name, "single", 1, *single(scenario, seconds)))
        for count, threads in ((16, 1), (16, 2), (64, 1), (64, 2)):
            measured = vector(scenario, count, threads, seconds)
            print(row.format(name, f"vector of {count}", threads, *measured))


if __name__ == "__main__":
    main()

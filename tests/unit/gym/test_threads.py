"""Threads of Python may step the same environments at once."""

import subprocess
import sys

import pytest

pytest.importorskip("gymnasium", reason="the extra gym is not installed")

# A process of its own, for threads that wait for each other leave nobody to tell. Steps take longer
# than the engine takes until it asks Python for signals.
STEPS = """
import threading

import mesonet
import numpy as np
from mesonet.gym import Action, MesonetVectorEnv, PolicySettings

times = {"duration": "100000 s", "interval": "1000 s"}
world = mesonet.dumbbell(rate="100 Mbit/s", rtt="20 ms", buffer="1 bdp", flows=["reno"], **times)
settings = PolicySettings(every="4000 s", action=Action(target="window", most=1000))
envs = MesonetVectorEnv(world, num_envs=1, settings=settings)
envs.reset(seed=1)

def step():
    for _ in range(2):
        envs.step(np.zeros((1, 1)))

threads = [threading.Thread(target=step) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""


def test_threads_that_step_together_do_not_wait_for_each_other_for_ever():
    # A step takes half a second; the limit is there so that a fault does not last for ever.
    ran = subprocess.run(
        [sys.executable, "-c", STEPS], capture_output=True, text=True, check=False, timeout=300
    )
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "done", "")

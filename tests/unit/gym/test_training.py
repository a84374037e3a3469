"""The example learns, in a few seconds less than it does in half a minute."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

for library in ("gymnasium", "onnx"):
    pytest.importorskip(library, reason="the extras gym and onnx are not installed")

EXAMPLE = Path(__file__).parents[3] / "examples" / "train_policy.py"


def test_a_short_training_beats_the_best_fixed_window():
    spec = importlib.util.spec_from_file_location("train_policy", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    policy, env = example.Policy(1), example.environment(example.ENVS)

    def act(seen):
        return np.clip(policy.forward(seen)[2], -1, 1)[:, np.newaxis]

    before = example.score(16, act)
    for iteration in range(30):
        example.collect(env, policy, seed=100_000 + iteration * example.ENVS)
    learned = example.score(16, act)
    _, fixed = example.best_fixed(16)
    assert before < fixed < learned

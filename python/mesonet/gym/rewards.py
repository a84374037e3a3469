"""Rewards for the time between two decisions, by name or as functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.errors import InputError, unknown

RewardFunction = Callable[[Mapping[str, NDArray[np.float64]]], NDArray[np.float64]]
"""Makes rewards of the quantities of records, arrays of the shape (environments, flows)."""

REWARDS: Mapping[str, Mapping[str, float]] = {
    "aurora": {"throughput": 10.0, "delay": 1000.0, "loss": 2000.0},
    "orca": {"loss": 5.0, "margin": 1.25},
    "log_utility": {"delay": 1.0},
}
"""Rewards by name, with their weights.

"aurora": `throughput T - delay D - loss L` of the delivery rate `T` [segments/s], the mean RTT `D`
[s] and the part `L` of the data that was lost (Jay et al., ICML 2019).

"orca": `(T - loss L) / greatest T x d` of the delivery rate `T` and the rate of losses `L`; `d` is
1 while the smoothed RTT is at most `margin` times the least, and then the quotient of these
(Abbasloo, Yen, Chao, Sigcomm 2020, and its code).

"log_utility": `ln T - delay ln(D / least D)` of the delivery rate `T` [Mbit/s] and the mean RTT `D`
(after Winstein, Balakrishnan, Sigcomm 2013). Its sum over flows is largest where rates are
proportionally fair.
"""


@dataclass(frozen=True)
class Reward:
    """A reward by name, with weights that differ from those of its source."""

    name: str
    weights: Mapping[str, float]


def reward_of(reward: str | Reward | RewardFunction) -> tuple[str, RewardFunction | None]:
    """The reward that the engine computes, as JSON, and the function that is used instead."""
    if callable(reward):
        return _json("orca", {}), reward
    reward = Reward(reward, {}) if isinstance(reward, str) else reward
    problems = unknown("reward", "unknown", reward.name, REWARDS)
    for key in () if problems else reward.weights:
        problems += unknown(f"reward.{key}", "unknown_key", key, REWARDS[reward.name])
    if problems:
        raise InputError(problems)
    return _json(reward.name, reward.weights), None


def _json(name: str, weights: Mapping[str, Any]) -> str:
    return json.dumps({"name": name, **REWARDS[name], **weights})

"""Spaces of observations and actions, and actions as the engine takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from mesonet.errors import InputError, Problem, show
from mesonet.gym.settings import PolicySettings


def observation_space(settings: PolicySettings) -> Space[NDArray[np.float32]]:
    """The features of each record in their ranges, the oldest record first."""
    ends = [(feature.low, feature.high) for feature in settings.chosen]
    low, high = np.tile(np.array(ends, dtype=np.float32), (settings.history, 1)).T
    box: Space[Any] = Box(low, high, dtype=np.float32)
    return box


def action_space(settings: PolicySettings) -> Space[Any]:
    """One number in the range of the rule, or an index of a choice."""
    low, high = settings.maker.range
    if settings.action.discrete:
        return Discrete(int(high) + 1)
    return Box(np.float32(low), np.float32(high), shape=(1,), dtype=np.float32)


def number_of(action: Any, settings: PolicySettings) -> float:
    """An action of the space as the number that the engine takes."""
    numbers = np.asarray(action)
    if numbers.size != 1 or numbers.dtype.kind not in "iuf":
        message = f"expected one number, got {show(action)}"
        raise InputError([Problem("action", "type", message)])
    number = float(numbers.ravel()[0])
    low, high = settings.maker.range if settings.action.rule == "absolute" else (-1.0, 1.0)
    if settings.action.discrete:
        return number
    # A bound in single precision may lie beyond the bound itself.
    if low > number >= float(np.float32(low)):
        return low
    return high if high < number <= float(np.float32(high)) else number

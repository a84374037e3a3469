"""Environment of Gymnasium with one controlled flow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from mesonet.errors import InputError, Problem
from mesonet.gym.rewards import Reward, RewardFunction
from mesonet.gym.settings import AURORA, PolicySettings
from mesonet.gym.spaces import action_space, number_of, observation_space
from mesonet.gym.stage import ScenarioMaker, Stage, Turn
from mesonet.gym.varying import Draw
from mesonet.run import Run
from mesonet.scenario import Scenario

_ACTIVE = np.ones(1, dtype=np.bool_)


class MesonetEnv(gymnasium.Env[NDArray[np.float32], Any]):
    """One flow of a scenario, decided for by an agent; all others keep their algorithms.

    An episode is one simulation. It is `truncated` at the end of the scenario's duration and
    `terminated` when the flow has sent all it had; with the first step at the earliest. `info` has
    the record of the time since the decision before, by the names of `quantities`. The same seed
    and actions give the same numbers on any machine.

    Args:
        scenario: A scenario with named flows, or a function that makes one of a generator of numpy.
        flow: The controlled flow; the first if `None`. Its own algorithm is replaced.
        settings: Observation, times of decisions, meaning of the actions.
        reward: A name of `REWARDS`, a `Reward`, or a function of the quantities by name, arrays of
            the shape (1, 1).
        vary: Values of the scenario that are drawn anew for every episode, by path, such as
            `{"rate": LogUniform("5 Mbit/s", "100 Mbit/s")}`.

    Examples:
        >>> import mesonet
        >>> from mesonet.gym import MesonetEnv
        >>> scenario = mesonet.dumbbell(
        ...     rate="10 Mbit/s", rtt="20 ms", flows=["reno"], duration="1 s"
        ... )
        >>> env = MesonetEnv(scenario)
        >>> observation, info = env.reset(seed=1)
        >>> observation.shape
        (30,)
    """

    def __init__(
        self,
        scenario: Scenario | ScenarioMaker,
        *,
        flow: str | None = None,
        settings: PolicySettings = AURORA,
        reward: str | Reward | RewardFunction = "log_utility",
        vary: Mapping[str, Draw] | None = None,
    ) -> None:
        self.settings = settings
        self.observation_space = observation_space(settings)
        self.action_space = action_space(settings)
        self._stage = Stage(scenario, flow, settings, reward, vary)
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode, up to the first decision.

        Args:
            seed: Seed of the draws of this episode and of those that follow; None goes on drawing.
            options: `changes` of the scenario by path, in place of draws, and `simulation_seed`.
        """
        super().reset(seed=seed)
        episode = self._stage.reset(0, self.np_random, options)
        turn = self._stage.look()
        self._running = True
        info = _info(turn) | {"simulation_seed": episode.seed, "changes": dict(episode.changes)}
        return turn.observations[0, 0], info

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Puts an action in force, and goes to the next decision."""
        if not self._running:
            raise InputError([Problem("", "state", "there is no episode; call reset first")])
        numbers = np.array([number_of(action, self.settings)])
        turn = self._stage.step(numbers, _ACTIVE)
        terminated, truncated = bool(turn.terminated[0, 0]), bool(turn.truncated[0])
        self._running = not (terminated or truncated)
        reward = float(turn.rewards[0, 0])
        return turn.observations[0, 0], reward, terminated, truncated, _info(turn)

    def finish(self) -> Run:
        """Goes on to the end of the scenario under the last action, and returns the whole run."""
        self._running = False
        return self._stage.finish(0)


def _info(turn: Turn) -> dict[str, Any]:
    return {name: float(values[0, 0]) for name, values in turn.quantities().items()}

"""Vector environment of Gymnasium: many episodes with one controlled flow each, stepped in Rust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mesonet.errors import InputError, Problem
from mesonet.gym.rewards import Reward, RewardFunction
from mesonet.gym.settings import AURORA, PolicySettings
from mesonet.gym.spaces import action_space, number_of, observation_space
from mesonet.gym.stage import ScenarioMaker, Stage, Turn
from mesonet.gym.varying import Draw
from mesonet.run import Run
from mesonet.scenario import Scenario
from mesonet.simulation import MAX_THREADS, beyond


class MesonetVectorEnv(VectorEnv[NDArray[np.float32], NDArray[Any], NDArray[Any]]):
    """Many environments that are stepped together, on threads of the engine.

    Environment number `i` gives what `MesonetEnv` gives, to the last bit, reset with the seed of
    the whole plus `i`. Python is at work only where an episode begins. `info` has arrays by the
    names of `quantities`. After an episode the next begins with the next step, whose action is
    ignored there (`AutoresetMode.NEXT_STEP`).

    Args:
        scenario: As for `MesonetEnv`, like all that is not named here.
        num_envs: Number of environments.
        flow: The controlled flow.
        settings: Observation, times of decisions, meaning of the actions.
        reward: Name of a reward, a `Reward`, or a function on arrays of the shape (`num_envs`, 1).
        vary: Values of the scenario that are drawn anew for every episode.
        threads: Threads that step the environments; what comes out does not depend on them.
    """

    def __init__(
        self,
        scenario: Scenario | ScenarioMaker,
        *,
        num_envs: int,
        flow: str | None = None,
        settings: PolicySettings = AURORA,
        reward: str | Reward | RewardFunction = "log_utility",
        vary: Mapping[str, Draw] | None = None,
        threads: int = 1,
    ) -> None:
        if problems := beyond(num_envs=(num_envs, 1, 100_000), threads=(threads, 1, MAX_THREADS)):
            raise InputError(problems)
        self.num_envs = num_envs
        self.threads = threads
        self.settings = settings
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_observation_space = observation_space(settings)
        self.single_action_space = action_space(settings)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._stage = Stage(scenario, flow, settings, reward, vary, count=num_envs)
        self._random: list[Any] = [None] * num_envs
        self._done = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins episodes in all environments.

        Args:
            seed: A seed for each, or one to which the number of the environment is added.
            options: As for `MesonetEnv`.
        """
        for index, own in enumerate(self._seeds(seed)):
            if own is not None or self._random[index] is None:
                self._random[index], _ = seeding.np_random(own)
            self._stage.reset(index, self._random[index], options)
        turn = self._stage.look()
        self._done[:] = False
        return turn.observations[:, 0], _infos(turn)

    def step(
        self, actions: Any
    ) -> tuple[
        NDArray[np.float32],
        NDArray[Any],
        NDArray[Any],
        NDArray[Any],
        dict[str, Any],
    ]:
        """Puts the actions in force, and goes to the next decision in every environment."""
        late = self._done.copy()
        numbers = self._numbers(actions)
        turn = self._stage.step(numbers, ~late, threads=self.threads)
        if late.any():
            turn = self._begin(late, turn)
        self._done = turn.terminated[:, 0] | turn.truncated
        infos, observations = _infos(turn), turn.observations[:, 0]
        return observations, turn.rewards[:, 0], turn.terminated[:, 0], turn.truncated, infos

    def finish(self, index: int) -> Run:
        """Goes on to the end of one environment's scenario, and returns the whole run."""
        self._done[index] = True
        return self._stage.finish(index)

    def _begin(self, which: NDArray[np.bool_], before: Turn) -> Turn:
        """Begins episodes; rewards and ends of those are nothing, the rest is as it was."""
        for index in map(int, np.flatnonzero(which)):
            self._stage.reset(index, self._random[index], None)
        look = self._stage.look()
        rewards = np.where(which[:, np.newaxis], 0.0, before.rewards)
        terminated, truncated = look.terminated & ~which[:, np.newaxis], look.truncated & ~which
        return Turn(look.observations, rewards, terminated, truncated, look.records)

    def _numbers(self, actions: Any) -> NDArray[np.float64]:
        numbers = np.asarray(actions)
        if numbers.shape not in ((self.num_envs,), (self.num_envs, 1)):
            message = f"expected {self.num_envs} actions, got an array of the shape {numbers.shape}"
            raise InputError([Problem("actions", "shape", message)])
        if self.settings.action.rule == "absolute":
            return np.array([number_of(number, self.settings) for number in numbers.ravel()])
        return numbers.ravel().astype(np.float64)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int):
            return [seed + index for index in range(self.num_envs)]
        if len(seed) != self.num_envs:
            message = f"expected {self.num_envs} seeds, got {len(seed)}"
            raise InputError([Problem("seed", "shape", message)])
        return seed


def _infos(turn: Turn) -> dict[str, Any]:
    everywhere = np.ones(len(turn.truncated), dtype=np.bool_)
    infos = {name: values[:, 0] for name, values in turn.quantities().items()}
    return infos | {f"_{name}": everywhere for name in infos}

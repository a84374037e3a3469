"""Environment of PettingZoo: several controlled flows in one simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import Space
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from mesonet.errors import InputError, Problem, show
from mesonet.gym.rewards import Reward, RewardFunction
from mesonet.gym.settings import PolicySettings
from mesonet.gym.spaces import action_space, number_of, observation_space
from mesonet.gym.stage import ScenarioMaker, Stage, Turn
from mesonet.gym.varying import Draw
from mesonet.run import Run
from mesonet.scenario import Scenario

SETTINGS = PolicySettings(every="40 ms")
"""Settings of several agents: as Aurora, but all decide at the same times."""

_ACTIVE = np.ones(1, dtype=np.bool_)


class MesonetParallelEnv(ParallelEnv[str, NDArray[np.float32], Any]):
    """Several flows of a scenario, each decided for by an agent of its name.

    All decide at the same times, multiples of the settings' `every`. An agent whose flow is not
    connected yet gets zeros, and its actions do nothing. It is terminated when its flow has sent
    all it had; all are truncated at the end of the scenario's duration.

    Args:
        scenario: A scenario with named flows, or a function that makes one of a generator of numpy.
        flows: The controlled flows, whose names are the agents.
        settings: Observation, times of decisions, actions; decisions have to come by an interval.
        reward: A name of `REWARDS`, a `Reward`, or a function of the quantities by name, arrays of
            the shape (1, number of flows).
        vary: Values of the scenario that are drawn anew for every episode, by path.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "mesonet_v0", "render_modes": []}
    render_mode = None

    def __init__(
        self,
        scenario: Scenario | ScenarioMaker,
        *,
        flows: Sequence[str],
        settings: PolicySettings = SETTINGS,
        reward: str | Reward | RewardFunction = "log_utility",
        vary: Mapping[str, Draw] | None = None,
    ) -> None:
        if settings.every is None:
            message = 'expected an interval, such as every="40 ms": all decide at the same times'
            raise InputError([Problem("settings.every", "missing", message)])
        self.settings = settings
        self.possible_agents = list(flows)
        self.agents: list[str] = []
        self._observation = {name: observation_space(self.settings) for name in flows}
        self._action = {name: action_space(self.settings) for name in flows}
        self._stage = Stage(scenario, flows, settings, reward, vary)
        self._random: Any = None

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of an agent's observations."""
        return self._observation[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """The space of an agent's actions."""
        return self._action[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins an episode, up to the first decision of any flow.

        Args:
            seed: Seed of the draws of this episode and of those that follow; None goes on drawing.
            options: As for `MesonetEnv`.
        """
        if seed is not None or self._random is None:
            self._random, _ = seeding.np_random(seed)
        self._stage.reset(0, self._random, options)
        turn = self._stage.look()
        over = turn.terminated[0] | turn.truncated[0]
        self.agents = [
            name for name, ended in zip(self.possible_agents, over, strict=True) if not ended
        ]
        return self._of_agents(turn.observations[0], self.agents), self._infos(turn, self.agents)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, NDArray[np.float32]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Puts the actions of all agents in force, and goes to the next decision."""
        present = self.agents
        if not present:
            message = "there is no episode to be stepped; call reset first"
            raise InputError([Problem("", "state", message)])
        problems = [
            Problem(f"actions[{show(name)}]", "missing", "every agent needs an action")
            for name in present
            if name not in actions
        ]
        if problems:
            raise InputError(problems)
        idle = self.settings.maker.range[0]
        numbers = np.array(
            [
                number_of(actions[name], self.settings, f"actions[{show(name)}]")
                if name in present
                else idle
                for name in self.possible_agents
            ]
        )
        turn = self._stage.step(numbers, _ACTIVE)
        truncated = bool(turn.truncated[0])
        ended = self._of_agents(turn.terminated[0], present)
        terminations = {name: bool(flag) for name, flag in ended.items()}
        self.agents = [] if truncated else [name for name in present if not terminations[name]]
        rewards = self._of_agents(turn.rewards[0], present)
        return (
            self._of_agents(turn.observations[0], present),
            {name: float(reward) for name, reward in rewards.items()},
            terminations,
            dict.fromkeys(present, truncated),
            self._infos(turn, present),
        )

    def finish(self) -> Run:
        """Goes on to the end of the scenario under the last actions, and returns the whole run."""
        self.agents = []
        return self._stage.finish(0)

    def _of_agents(self, rows: Any, agents: Sequence[str]) -> dict[str, Any]:
        by_name = dict(zip(self.possible_agents, rows, strict=True))
        return {name: by_name[name] for name in agents}

    def _infos(self, turn: Turn, agents: Sequence[str]) -> dict[str, dict[str, Any]]:
        columns = {name: values[0] for name, values in turn.quantities().items()}
        return {
            agent: {
                name: float(values[self.possible_agents.index(agent)])
                for name, values in columns.items()
            }
            for agent in agents
        }


parallel_env = MesonetParallelEnv
"""The environment by the name that PettingZoo's modules have for it."""

"""Stage of an environment: scenarios become episodes of the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet import _core
from mesonet.checked import checked
from mesonet.controller import engine_errors
from mesonet.errors import InputError, Problem, show, unknown
from mesonet.gym.rewards import Reward, RewardFunction, reward_of
from mesonet.gym.settings import PolicySettings, quantities
from mesonet.gym.varying import Draw
from mesonet.run import Run
from mesonet.scenario import Scenario
from mesonet.scenario.base import ScenarioBase
from mesonet.simulation import MAX_SEED, beyond
from mesonet.tables import Tables

ScenarioMaker = Callable[[Any], Scenario]
"""Makes the scenario of an episode, given a generator of numpy."""

SEEDS = 2**63
"""Seeds of simulations are drawn below this."""


@dataclass(frozen=True)
class Episode:
    """Scenario and seed of an episode, and what was drawn or given for it, by path."""

    scenario: Scenario
    """The scenario after all draws and changes; the controlled flows keep their algorithms here."""
    seed: int
    changes: Mapping[str, Any]
    spec: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """Outcome of a step, by environment, then by flow."""

    observations: NDArray[np.float32]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    """By environment alone."""
    records: NDArray[np.float64]
    """By environment, flow and quantity."""

    def quantities(self) -> dict[str, NDArray[np.float64]]:
        """Quantities of the records by name."""
        return {it.name: self.records[:, :, at] for at, it in enumerate(quantities())}


class Stage:
    """Some environments in the engine; without `flow` the first of each scenario is controlled."""

    def __init__(
        self,
        scenario: Scenario | ScenarioMaker,
        flow: str | None,
        settings: PolicySettings,
        reward: str | Reward | RewardFunction,
        vary: Mapping[str, Draw] | None,
        *,
        count: int = 1,
    ) -> None:
        self._scenario, self._flow, self._settings = scenario, flow, settings
        self._vary = vary or {}
        kinds = "expected a draw, Uniform, LogUniform or Choice, got "
        problems = [
            Problem(f"vary.{path}", "type", kinds + show(draw))
            for path, draw in self._vary.items()
            if not isinstance(draw, Draw)
        ]
        if problems:
            raise InputError(problems)
        text, self._function = reward_of(reward)
        self._engine = _core.Environments(settings.maker, text, 1, count)
        self._episodes: list[Episode | None] = [None] * count
        self._begun = np.zeros(count, dtype=np.bool_)
        self._over: NDArray[np.bool_] | None = None
        self._fixed: tuple[Episode, _core.Spec] | None = None
        if isinstance(scenario, ScenarioBase) or not callable(scenario):
            # Tells what is wrong before the first episode.
            self._prepared(scenario, {}, 0)

    def reset(self, index: int, random: Any, options: Mapping[str, Any] | None) -> Episode:
        """Begins an episode in one environment, with draws by a generator of numpy."""
        seed, changes = self._drawn(random, options or {})
        scenario = self._scenario
        if not isinstance(scenario, ScenarioBase):
            scenario = scenario(random)
        episode, spec = self._prepared(scenario, changes, seed)
        self._begun[index] = False
        with engine_errors():
            self._engine.reset(index, spec, seed)
        self._episodes[index], self._begun[index] = episode, True
        return episode

    def look(self) -> Turn:
        """The outcome without a step."""
        turn = self._turn(self._engine.look())
        self._over = over if (over := turn.terminated[:, 0] | turn.truncated).any() else None
        return turn

    def step(
        self, actions: NDArray[np.float64], active: NDArray[np.bool_], *, threads: int = 1
    ) -> Turn:
        """Steps the environments that are `active`; `actions` has one number for every flow.

        One in an episode that was over when it began only says so, without a reward. After Ctrl-C
        the episodes of all that were to be stepped are over.
        """
        if (active & ~self._begun).any():
            raise InputError([Problem("", "state", "there is no episode; call reset first")])
        going = active if self._over is None else active & ~self._over
        try:
            with engine_errors():
                raw = self._engine.step(actions, going, threads)
        except ValueError as error:
            (at,), (low, high) = error.args, self._settings.maker.range
            whole = "a whole number" if self._settings.action.discrete else "a number"
            message = f"expected {whole} from {low:g} to {high:g}, got {actions[at]:g}"
            raise InputError([Problem(f"action[{at}]", "range", message)]) from None
        except KeyboardInterrupt:
            self._begun &= ~active
            raise
        turn = self._turn(raw)
        wrong = np.isnan(turn.rewards) & going[:, np.newaxis] if self._function else None
        if wrong is not None and wrong.any():
            at = ", ".join(map(str, np.argwhere(wrong)[0]))
            message = f"expected numbers, got nan at [{at}] (environment, flow)"
            raise InputError([Problem("reward", "nan", message)])
        if self._over is not None:
            return replace(turn, rewards=np.where(going[:, np.newaxis], turn.rewards, 0.0))
        return turn

    def finish(self, index: int) -> Run:
        """Goes on to the end of the simulation under the last decision; the whole run."""
        episode = self._episodes[index]
        if episode is None or not self._begun[index]:
            raise InputError([Problem("", "state", "there is no episode; call reset first")])
        self._begun[index] = False
        with engine_errors():
            raw = self._engine.finish(index)
        return Run(
            scenario=episode.scenario,
            seed=episode.seed,
            tables=Tables(episode.spec, raw),
            totals=raw["totals"],
        )

    def _turn(self, raw: Mapping[str, Any]) -> Turn:
        turn = Turn(**raw)
        if self._function is None:
            return turn
        rewards = np.asarray(self._function(turn.quantities()), dtype=np.float64)
        if rewards.shape != turn.rewards.shape:
            message = f"expected rewards of the shape {turn.rewards.shape}, got {rewards.shape}"
            raise InputError([Problem("reward", "shape", message)])
        return Turn(**{**raw, "rewards": rewards})

    def _drawn(self, random: Any, options: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        # Drawn whatever the options say, so that later episodes do not depend on them.
        changes = {path: draw.draw(random) for path, draw in self._vary.items()}
        seed = options.get("simulation_seed", int(random.integers(SEEDS)))
        problems = beyond(**{"options.simulation_seed": (seed, 0, MAX_SEED)})
        for key in options:
            problems += unknown("options", "unknown_key", key, ("changes", "simulation_seed"))
        if problems:
            raise InputError(problems)
        return seed, {**changes, **options.get("changes", {})}

    def _prepared(
        self, scenario: Scenario, changes: Mapping[str, Any], seed: int
    ) -> tuple[Episode, _core.Spec]:
        fixed = scenario is self._scenario and not changes
        if fixed and self._fixed is not None:
            episode, spec = self._fixed
            return replace(episode, seed=seed), spec
        world = scenario.replace(changes) if changes else scenario
        accepted = checked(world)
        name = _controlled(world, self._flow)
        table, plugins = json.loads(accepted.text), dict(accepted.plugins)
        plugins["external:0"] = self._settings.maker
        place = next(at for at, flow in enumerate(table["flows"]) if flow["name"] == name)
        table["flows"][place]["algorithm"] = len(table["algorithms"])
        table["algorithms"].append({"name": "external:0", "params": {}})
        if table.get("population"):
            table["population"]["algorithm_shares"].append(0.0)
        with engine_errors():
            spec = _core.Spec(json.dumps(table), plugins)
        prepared = Episode(world, seed, dict(changes), table), spec
        if fixed:
            self._fixed = prepared
        return prepared


def _controlled(scenario: Scenario, flow: str | None) -> str:
    """The name of the controlled flow."""
    named = list(scenario.named_flows())
    if not named:
        message = "the scenario has no named flow, and only those can be controlled"
        raise InputError([Problem("flow", "unknown", message)])
    if flow is None:
        return named[0]
    if problems := unknown("flow", "unknown", flow, named):
        raise InputError(problems)
    return flow

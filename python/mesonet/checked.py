"""Checked scenarios: the engine parses and checks each of them once in a process."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mesonet import _core
from mesonet.controller import built_in, constructors, name_problems, short
from mesonet.errors import Problem, ScenarioError, show
from mesonet.scenario.base import ScenarioBase
from mesonet.scenario.rate_changes import VaryingRate

HANDLES = 32
"""Most handles that a process keeps; a worker executes the runs of one scenario close together."""

_LOCK = threading.Lock()
_KEPT: dict[object, _core.Spec] = {}
"""The handles used last."""
_ACCEPTED: set[object] = set()
"""Keys of the scenarios that were checked, without those of others' code."""


@dataclass(frozen=True, eq=False)
class CheckedScenario:
    """A scenario that the engine accepts."""

    spec: dict[str, Any]
    """The resolved scenario in SI units."""
    text: str
    """The resolved scenario as JSON with sorted keys: the text that run ids hash."""
    plugins: dict[str, Any]
    """Makers of the controllers that are not built in, by name."""

    @cached_property
    def _key(self) -> object:
        # A class or a library that was replaced since is another one, under the same name.
        makers = [(name, getattr(maker, "func", maker)) for name, maker in self.plugins.items()]
        return (hashlib.sha256(self.text.encode()).digest(), *makers)

    def handle(self) -> _core.Spec:
        """The engine's handle, for any number of runs; kept for the next that asks for it."""
        with _LOCK:
            handle = _KEPT.pop(self._key, None) or _core.Spec(self.text, self.plugins)
            _KEPT[self._key] = handle
            if len(_KEPT) > HANDLES:
                del _KEPT[next(iter(_KEPT))]
        return handle

    def check(self) -> None:
        """Has the engine check it, unless it did so before."""
        if self._key not in _ACCEPTED:
            self.handle()
            if not self.plugins:
                _ACCEPTED.add(self._key)


def checked(scenario: ScenarioBase) -> CheckedScenario:
    """Resolves a scenario and has the engine check it, unless it did so before."""
    if not isinstance(scenario, ScenarioBase):
        raise ScenarioError([Problem("", "type", f"expected a scenario, got {show(scenario)}")])
    places = scenario.algorithm_places()
    problems = [*name_problems(places, scenario.parameters), *_idle_echo(scenario, places)]
    try:
        spec = scenario.resolve()
    except ScenarioError as error:
        raise ScenarioError([*problems, *error.problems]) from None
    if problems:
        raise ScenarioError(problems)
    text = json.dumps(spec, sort_keys=True, allow_nan=False)
    accepted = CheckedScenario(spec, text, constructors(spec["algorithms"]))
    try:
        accepted.check()
    except _core.ScenarioProblem as error:
        problems = [_in_scenario(Problem(*problem), scenario, spec) for problem in error.args[0]]
        # Stations that are alike have the same problem.
        raise ScenarioError(dict.fromkeys(problems)) from None
    return accepted


def varying_rate(scenario: ScenarioBase, seed: int) -> VaryingRate | None:
    """Capacity of the bottleneck over time in a run; `None` where it does not change."""
    if scenario.bottleneck() is None:
        return None
    accepted = checked(scenario)
    path = accepted.spec["stations"][0].get("path", {})
    waits = "on" in path and path.get("while_off") != "lose"
    if not waits and path.get("model", {}).get("kind") not in ("cellular", "leo"):
        return scenario.varying_rate()
    # What is in the queue at the end leaves later.
    end = scenario.duration + 100.0
    return VaryingRate.through(accepted.handle().carried(seed, 0, end))


def _idle_echo(scenario: ScenarioBase, algorithms: Iterable[str]) -> Iterator[Problem]:
    """An echo that is given where no connection has ECN: it would do nothing."""
    options = scenario.transport_options()
    ecn_of = {info.name: info.ecn for info in built_in()}
    # Those that are not built in may ask for anything.
    if options.get("ecn") or not all(
        ecn_of.get(name) in ("none", "classic") for name in algorithms
    ):
        return
    if "echo" in options:
        message = (
            f"does nothing without ECN, which no algorithm here asks for; got "
            f"{show(options['echo'])}, and transport.ecn = true switches it on"
        )
        yield Problem("transport.echo", "conflict", message)


def _in_scenario(problem: Problem, scenario: ScenarioBase, spec: dict[str, Any]) -> Problem:
    """The engine names places of the resolved scenario; those of the file are asked for."""
    if problem.kind == "discipline":
        return problem._replace(loc="queue" if hasattr(scenario, "queue") else "links")
    if problem.kind == "parameter":
        return problem._replace(loc=f"queue.{problem.loc.rpartition('.')[2]}")
    for here, algorithm in enumerate(spec["algorithms"]):
        if problem.loc == f"algorithms[{here}]":
            return problem._replace(loc=f"parameters.{short(algorithm['name'])}")
    return problem._replace(loc=scenario.place_of(problem.loc))

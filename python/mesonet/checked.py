"""Checked scenarios: the engine parses and checks each of them once in a process."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import _core
from mesonet.controller import built_in, constructors, name_problems
from mesonet.errors import Problem, ScenarioError, show
from mesonet.scenario.base import ScenarioBase

HANDLES = 32
"""Most handles that a process keeps; a worker executes the runs of one scenario close together."""
DIGESTS = 100_000
"""Most scenarios that a process remembers as checked; 32 bytes each."""


@dataclass(frozen=True, eq=False)
class CheckedScenario:
    """A scenario that the engine accepts."""

    spec: dict[str, Any]
    """The resolved scenario in SI units."""
    text: str
    """The resolved scenario as JSON with sorted keys: the text that run ids hash."""
    plugins: dict[str, Any]
    """Makers of the controllers that are not built in, by name."""

    def handle(self) -> _core.Spec:
        """The engine's handle, for any number of runs; kept for the next that asks for it."""
        return _HANDLES.handle(self.text, self.plugins)


def checked(scenario: ScenarioBase) -> CheckedScenario:
    """Resolves a scenario and has the engine check it, unless it did so before."""
    if not isinstance(scenario, ScenarioBase):
        raise ScenarioError([Problem("", "type", _no_scenario(scenario))])
    places = scenario.algorithm_places()
    problems = [*name_problems(places, scenario.parameters), *_idle_options(scenario, places)]
    try:
        spec = scenario.resolve()
    except ScenarioError as error:
        raise ScenarioError([*problems, *error.problems]) from None
    if problems:
        raise ScenarioError(problems)
    text = json.dumps(spec, sort_keys=True, allow_nan=False)
    accepted = CheckedScenario(spec, text, constructors(spec["algorithms"]))
    try:
        _HANDLES.check(accepted.text, accepted.plugins)
    except _core.ScenarioProblem as error:
        problems = [_in_scenario(Problem(*problem), scenario, spec) for problem in error.args[0]]
        # Stations that are alike have the same problem.
        raise ScenarioError(dict.fromkeys(problems)) from None
    return accepted


def _idle_options(scenario: ScenarioBase, algorithms: Iterable[str]) -> Iterator[Problem]:
    """Options of ECN that are given where no connection has it: they would do nothing."""
    options = scenario.transport_options()
    ecn_of = {info.name: info.ecn for info in built_in()}
    # Those that are not built in may ask for anything.
    if options.get("ecn") or not all(
        ecn_of.get(name) in ("none", "classic") for name in algorithms
    ):
        return
    for name, idle in (("echo", "auto"), ("ecn_plus_plus", False)):
        if options.get(name, idle) != idle:
            message = (
                f"does nothing without ECN, which no algorithm here asks for; got "
                f"{show(options[name])}, and transport.ecn = true switches it on"
            )
            yield Problem(f"transport.{name}", "conflict", message)


class Handles:
    """The handles used last, and digests of the scenarios that were checked."""

    def __init__(self, handles: int = HANDLES, digests: int = DIGESTS) -> None:
        self._most, self._most_digests = handles, digests
        self._kept: dict[object, _core.Spec] = {}
        self._right: dict[bytes, None] = {}
        self._lock = threading.Lock()

    def handle(self, text: str, plugins: dict[str, Any]) -> _core.Spec:
        """The handle of a resolved scenario, parsed and checked if none is kept."""
        digest = hashlib.sha256(text.encode()).digest()
        # A class or a library that was replaced since is another one, under the same name.
        makers = [(name, getattr(made, "func", made)) for name, made in plugins.items()]
        key = (digest, *makers)
        with self._lock:
            found = self._kept.pop(key, None) or _core.Spec(text, plugins)
            self._kept[key] = found
            _shorten(self._kept, self._most)
            if not plugins:
                self._right[digest] = None
                _shorten(self._right, self._most_digests)
        return found

    def check(self, text: str, plugins: dict[str, Any]) -> None:
        """Has the engine check a resolved scenario, unless it did so before."""
        if plugins or hashlib.sha256(text.encode()).digest() not in self._right:
            self.handle(text, plugins)

    def clear(self) -> None:
        """Forgets everything."""
        self._kept.clear()
        self._right.clear()


_HANDLES = Handles()


def _shorten(kept: dict[Any, Any], most: int) -> None:
    """Drops the oldest entry of a table that has one too many."""
    if len(kept) > most:
        del kept[next(iter(kept))]


def _no_scenario(value: object) -> str:
    if isinstance(value, str | Path):
        what = "a text" if isinstance(value, str) else "a path"
        return f"expected a scenario, got {what}; mesonet.load_scenario(PATH) reads one"
    if isinstance(value, Mapping):
        return "expected a scenario, got a table; mesonet.scenario_from_dict(TABLE) makes one"
    return f"expected a scenario, got {show(value)}"


def _in_scenario(problem: Problem, scenario: ScenarioBase, spec: dict[str, Any]) -> Problem:
    """The engine names places of the resolved scenario; those of the file are asked for."""
    if problem.kind == "discipline":
        return problem._replace(loc="queue")
    if problem.kind == "parameter":
        return problem._replace(loc=f"queue.{problem.loc.rpartition('.')[2]}")
    for here, algorithm in enumerate(spec["algorithms"]):
        if problem.loc == f"algorithms[{here}]":
            return problem._replace(loc=f"parameters.{algorithm['name']}")
    return problem._replace(loc=scenario.place_of(problem.loc))

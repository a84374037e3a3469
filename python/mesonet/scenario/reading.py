"""Reading of scenarios from TOML files and plain data."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.controller import name_problems
from mesonet.errors import Problem, ScenarioError, did_you_mean, show
from mesonet.scenario.dumbbell import Dumbbell
from mesonet.scenario.internet import Internet
from mesonet.scenario.toml import read_toml
from mesonet.scenario.topology import BUILT_IN

Scenario = Internet | Dumbbell
"""Any scenario; `kind` in a file says which."""

KINDS: dict[str, type[Internet] | type[Dumbbell]] = {"internet": Internet, "dumbbell": Dumbbell}
"""Kinds of scenario by the name that a file gives them."""


def load_scenario(path: str | Path) -> Scenario:
    """Reads a scenario from a TOML file; paths in it are relative to its folder.

    Raises `ScenarioError` with every problem: file missing, not TOML, unknown keys, wrong units;
    beside these, algorithms that do not exist.
    """
    path = Path(path)
    data = read_toml(path, ScenarioError)
    if "scenario" in data and "kind" not in data:
        message = (
            "is a plan, expected a scenario; `mesonet plan` shows what a plan stands for, "
            "`mesonet run` executes it"
        )
        raise ScenarioError([Problem(str(path), "kind", message)])
    topology = data.get("topology")
    if isinstance(topology, str) and topology not in BUILT_IN:
        beside = path.parent / topology
        # What no file can be called is said when it is checked.
        with contextlib.suppress(OSError):
            if beside.is_file():
                data["topology"] = str(beside)
    return scenario_from_dict(data)


def scenario_from_dict(data: Mapping[str, Any], *, prefix: str = "") -> Scenario:
    """Reads a scenario from plain data such as `to_dict` gives.

    Raises `ScenarioError` with every problem, places below `prefix`.
    """
    kind = data.get("kind")
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        choices = " or ".join(f'"{name}"' for name in KINDS)
        got = (
            f", got {show(kind)}{did_you_mean(kind, KINDS)}"
            if "kind" in data
            else "; it is missing"
        )
        loc = f"{prefix}.kind" if prefix else "kind"
        raise ScenarioError([Problem(loc, "kind", f"expected {choices}{got}")])
    try:
        return model.from_dict(data, prefix=prefix)
    except ScenarioError as error:
        # What is wrong with the rest must not hide a misspelt algorithm until the next attempt.
        unknown = name_problems(_algorithm_places(data, prefix), {})
        raise ScenarioError([*error.problems, *unknown]) from None


def _algorithm_places(data: Mapping[str, Any], prefix: str) -> dict[str, list[str]]:
    """Places that name algorithms, in data that may be wrong otherwise."""
    named = data.get("algorithms")
    found = [("algorithms", name) for name in ([named] if isinstance(named, str) else ())]
    if isinstance(named, Mapping):
        found += [(f"algorithms.{name}", name) for name in named]
    flows = data.get("flows")
    for here, flow in enumerate(flows if isinstance(flows, list | tuple) else ()):
        name = flow.get("algorithm") if isinstance(flow, Mapping) else flow
        if isinstance(name, str) and name:
            found.append((f"flows[{here}].algorithm", name))
    places: dict[str, list[str]] = {}
    for loc, name in found:
        places.setdefault(name, []).append(f"{prefix}.{loc}" if prefix else loc)
    return places

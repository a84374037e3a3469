"""Reading of scenarios from TOML files and plain data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from mesonet.errors import Problem, ScenarioError, did_you_mean, gathered, show
from mesonet.scenario.toml import read_toml, with_lines

if TYPE_CHECKING:
    from mesonet.scenario.custom import Custom
    from mesonet.scenario.dumbbell import Dumbbell
    from mesonet.scenario.internet import Internet
    from mesonet.scenario.parking_lot import ParkingLot

    Scenario: TypeAlias = Internet | Dumbbell | ParkingLot | Custom
    """Any scenario; `kind` in a file says which."""

# A model takes as long to import as a small run takes, so that of another kind is left out.
KINDS = {
    "internet": "Internet",
    "dumbbell": "Dumbbell",
    "parking_lot": "ParkingLot",
    "custom": "Custom",
}
"""Kinds of scenario by the name that a file gives them: the class, in the module of that name."""


def __getattr__(name: str) -> Any:
    if name == "Scenario":
        return reduce(or_, map(model, KINDS))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def model(kind: str) -> Any:
    """The class of a kind of scenario."""
    return getattr(import_module(f"mesonet.scenario.{kind}"), KINDS[kind])


def load_scenario(path: str | Path) -> Scenario:
    """Reads a scenario from a TOML file; paths in it are relative to its folder."""
    path = Path(path)
    data = read_toml(path, ScenarioError)
    if "scenario" in data and "kind" not in data:
        message = (
            "is a plan, expected a scenario; `mesonet plan` shows what a plan stands for, "
            "`mesonet run` executes it"
        )
        raise ScenarioError([Problem(str(path), "kind", message)])
    topology = data.get("topology")
    if isinstance(topology, str):
        from mesonet.scenario.topology import BUILT_IN

        beside = path.parent / topology
        if topology not in BUILT_IN and beside.is_file():
            data["topology"] = str(beside)
    with with_lines(path):
        return scenario_beside(path.parent, data)


def scenario_beside(folder: Path, data: Mapping[str, Any]) -> Scenario:
    """Reads a scenario from plain data that may name recorded links and transfers in a folder."""
    problems: list[Problem] = []
    if data.get("kind") == "dumbbell":
        from mesonet.scenario.rate_trace import with_named_traces

        data = with_named_traces(data, folder, problems)
    from mesonet.scenario.transfer_trace import with_transfer_traces

    data = with_transfer_traces(data, folder, problems)
    with gathered(problems):
        scenario = scenario_from_dict(data)
    if problems:
        raise ScenarioError(problems)
    return scenario


def scenario_from_dict(data: Mapping[str, Any]) -> Scenario:
    """Reads a scenario from plain data such as `to_dict` gives."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        choices = ", ".join(f'"{name}"' for name in KINDS)
        suffix = (
            f", got {show(kind)}{did_you_mean(kind, KINDS)}"
            if "kind" in data
            else "; it is missing"
        )
        raise ScenarioError([Problem("kind", "kind", f"expected one of {choices}{suffix}")])
    try:
        scenario: Scenario = model(kind).from_dict(data)
    except ScenarioError as error:
        from mesonet.controller import name_problems

        named: dict[str, list[str]] = {}
        for loc, name in algorithms_in(data):
            named.setdefault(name, []).append(loc)
        wrong = name_problems(named, {}, loaded=False)
        raise ScenarioError(dict.fromkeys([*error.problems, *wrong])) from None
    return scenario


_FLOW = re.compile(r"(long_)?flows\[\d+\]")


def algorithms_in(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Places and names of algorithms in values by path, whatever else is wrong with these."""
    for path, value in settings.items():
        if path in ("flows", "long_flows") and isinstance(value, list | tuple):
            yield from algorithms_in({f"{path}[{at}]": it for at, it in enumerate(value)})
        elif _FLOW.fullmatch(path):
            name = value.get("algorithm") if isinstance(value, Mapping) else value
            yield from algorithms_in({f"{path}.algorithm": name})
        elif path.rpartition(".")[2] == "algorithm" and isinstance(value, str):
            yield path, value

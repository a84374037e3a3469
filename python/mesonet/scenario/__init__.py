"""Scenarios: everything of a run but the seed, read from TOML files or plain data."""

from typing import TYPE_CHECKING, Any

from mesonet.scenario.reading import KINDS, load_scenario, scenario_beside, scenario_from_dict

if TYPE_CHECKING:
    from mesonet.scenario.reading import Scenario

__all__ = ["KINDS", "Scenario", "load_scenario", "scenario_beside", "scenario_from_dict"]


def __getattr__(name: str) -> Any:
    if name == "Scenario":
        from mesonet.scenario import reading

        return reading.Scenario
    raise AttributeError(f"module 'mesonet.scenario' has no attribute {name!r}")

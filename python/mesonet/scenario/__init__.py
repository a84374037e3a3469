"""Scenarios: everything of a run but the seed, read from TOML files or plain data."""

from mesonet.scenario.reading import KINDS, Scenario, load_scenario, scenario_from_dict

__all__ = ["KINDS", "Scenario", "load_scenario", "scenario_from_dict"]

"""Scenarios: everything of a run but the seed, read from TOML files or plain data."""

from mesonet.lazy import lazily
from mesonet.scenario.reading import KINDS, load_scenario, scenario_beside, scenario_from_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mesonet.scenario.reading import Scenario

__all__ = ["KINDS", "Scenario", "load_scenario", "scenario_beside", "scenario_from_dict"]
__getattr__, _ = lazily(__name__, {"reading": "Scenario"})

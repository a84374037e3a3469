"""Designed experiments on congestion control, packet by packet, at the scale of the Internet.

A `Scenario` is everything of a run but the seed; `simulate` makes a `Run` of it. A `Plan` varies
factors over a scenario; `run_campaign` executes it into a folder, a `Campaign`, which can be killed
and resumed. The analyses take a campaign's frame and return results with their uncertainty.

Examples:
    >>> import mesonet
    >>> scenario = mesonet.dumbbell(
    ...     rate="10 Mbit/s", rtt="20 ms", flows=["reno"], duration="2 s"
    ... )
    >>> run = mesonet.simulate(scenario, seed=1)
    >>> 0 < run.responses["utilization"] <= 1
    True
"""

from __future__ import annotations

from mesonet.lazy import lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mesonet.adversary import Search as Search
    from mesonet.adversary import search as search
    from mesonet.analysis import Result as Result
    from mesonet.analysis import condition_response as condition_response
    from mesonet.analysis import main_effects as main_effects
    from mesonet.analysis import paired_differences as paired_differences
    from mesonet.analysis import rank_matrix as rank_matrix
    from mesonet.analysis.outliers.estimate import condition_summary as condition_summary
    from mesonet.campaign import Campaign as Campaign
    from mesonet.campaign import run_campaign as run_campaign
    from mesonet.comparison import Comparison as Comparison
    from mesonet.comparison import compare as compare
    from mesonet.conformance import check_controller as check_controller
    from mesonet.controller import Controller as Controller
    from mesonet.controller import controllers as controllers
    from mesonet.design import Design as Design
    from mesonet.design import Factor as Factor
    from mesonet.design import fractional_factorial as fractional_factorial
    from mesonet.design import full_factorial as full_factorial
    from mesonet.errors import CampaignError as CampaignError
    from mesonet.errors import ControllerError as ControllerError
    from mesonet.errors import InputError as InputError
    from mesonet.errors import InterruptedWarning as InterruptedWarning
    from mesonet.errors import MesonetError as MesonetError
    from mesonet.errors import PlanError as PlanError
    from mesonet.errors import Problem as Problem
    from mesonet.errors import ScenarioError as ScenarioError
    from mesonet.evaluation import Evaluation as Evaluation
    from mesonet.evaluation import evaluate as evaluate
    from mesonet.plan import Plan as Plan
    from mesonet.plan import load_plan as load_plan
    from mesonet.plan import plan_from_dict as plan_from_dict
    from mesonet.run import Run as Run
    from mesonet.scenario import Scenario as Scenario
    from mesonet.scenario import load_scenario as load_scenario
    from mesonet.scenario import scenario_from_dict as scenario_from_dict
    from mesonet.scenario.dumbbell import Dumbbell as Dumbbell
    from mesonet.scenario.internet import Internet as Internet
    from mesonet.scenario.keywords import custom as custom
    from mesonet.scenario.keywords import dumbbell as dumbbell
    from mesonet.scenario.keywords import flow as flow
    from mesonet.scenario.keywords import internet as internet
    from mesonet.scenario.keywords import parking_lot as parking_lot
    from mesonet.scenario.mechanisms import queues as queues
    from mesonet.scenario.rate_trace import rate_trace as rate_trace
    from mesonet.scenario.transfer_trace import transfer_trace as transfer_trace
    from mesonet.simulation import simulate as simulate

    __version__: str

# The modules that bring numpy, polars or pydantic are imported when a name is first used.
_late, __all__ = lazily(
    __name__,
    {
        "adversary": "Search search",
        "analysis": "Result condition_response condition_summary main_effects paired_differences "
        "rank_matrix",
        "campaign": "Campaign run_campaign",
        "comparison": "Comparison compare",
        "conformance": "check_controller",
        "controller": "Controller controllers",
        "design": "Design Factor fractional_factorial full_factorial",
        "errors": "CampaignError ControllerError InputError InterruptedWarning MesonetError "
        "PlanError Problem ScenarioError",
        "evaluation": "Evaluation evaluate",
        "plan": "Plan load_plan plan_from_dict",
        "run": "Run",
        "scenario": "Scenario load_scenario scenario_from_dict",
        "scenario.dumbbell": "Dumbbell",
        "scenario.internet": "Internet",
        "scenario.keywords": "custom dumbbell flow internet parking_lot",
        "scenario.mechanisms": "queues",
        "scenario.rate_trace": "rate_trace",
        "scenario.transfer_trace": "transfer_trace",
        "simulation": "simulate",
    },
)

if not TYPE_CHECKING:  # Checkers know the names above, and no others.

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("mesonet")
        return _late(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

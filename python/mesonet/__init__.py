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

# As `typing.TYPE_CHECKING`, whose import would take most of the time of `import mesonet`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mesonet.analysis import (
        Result,
        condition_response,
        main_effects,
        paired_differences,
        rank_matrix,
    )

    # It has the name of its module, which a checker may meet first.
    from mesonet.analysis.condition_summary import condition_summary
    from mesonet.campaign import Campaign, run_campaign
    from mesonet.campaign.sequential import run_plan
    from mesonet.comparison import Comparison, compare
    from mesonet.conformance import check_controller
    from mesonet.controller import Controller, controllers
    from mesonet.design import Design, Factor, fractional_factorial, full_factorial
    from mesonet.errors import (
        CampaignError,
        ControllerError,
        InputError,
        InterruptedWarning,
        MesonetError,
        PlanError,
        Problem,
        ScenarioError,
    )
    from mesonet.plan import Plan, load_plan, plan_from_dict
    from mesonet.run import Run
    from mesonet.scenario import Scenario, load_scenario, scenario_from_dict
    from mesonet.scenario.dumbbell import Dumbbell
    from mesonet.scenario.internet import Internet
    from mesonet.scenario.keywords import dumbbell, flow, internet
    from mesonet.scenario.mechanisms import queues
    from mesonet.scenario.rate_trace import rate_trace
    from mesonet.simulation import simulate

    __version__: str

# Imported when it is first used, so that a process loads what it needs and nothing else.
_LAZY = {
    "Campaign": "campaign",
    "CampaignError": "errors",
    "Comparison": "comparison",
    "Controller": "controller",
    "ControllerError": "errors",
    "Design": "design",
    "Dumbbell": "scenario.dumbbell",
    "Factor": "design",
    "InputError": "errors",
    "Internet": "scenario.internet",
    "InterruptedWarning": "errors",
    "MesonetError": "errors",
    "Plan": "plan",
    "PlanError": "errors",
    "Problem": "errors",
    "Result": "analysis",
    "Run": "run",
    "Scenario": "scenario",
    "ScenarioError": "errors",
    "check_controller": "conformance",
    "compare": "comparison",
    "condition_response": "analysis",
    "condition_summary": "analysis",
    "controllers": "controller",
    "dumbbell": "scenario.keywords",
    "flow": "scenario.keywords",
    "fractional_factorial": "design",
    "full_factorial": "design",
    "internet": "scenario.keywords",
    "load_plan": "plan",
    "load_scenario": "scenario",
    "main_effects": "analysis",
    "paired_differences": "analysis",
    "plan_from_dict": "plan",
    "queues": "scenario.mechanisms",
    "rank_matrix": "analysis",
    "rate_trace": "scenario.rate_trace",
    "run_campaign": "campaign",
    "run_plan": "campaign.sequential",
    "scenario_from_dict": "scenario",
    "simulate": "simulation",
}

__all__ = [
    "Campaign",
    "CampaignError",
    "Comparison",
    "Controller",
    "ControllerError",
    "Design",
    "Dumbbell",
    "Factor",
    "InputError",
    "Internet",
    "InterruptedWarning",
    "MesonetError",
    "Plan",
    "PlanError",
    "Problem",
    "Result",
    "Run",
    "Scenario",
    "ScenarioError",
    "check_controller",
    "compare",
    "condition_response",
    "condition_summary",
    "controllers",
    "dumbbell",
    "flow",
    "fractional_factorial",
    "full_factorial",
    "internet",
    "load_plan",
    "load_scenario",
    "main_effects",
    "paired_differences",
    "plan_from_dict",
    "queues",
    "rank_matrix",
    "rate_trace",
    "run_campaign",
    "run_plan",
    "scenario_from_dict",
    "simulate",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("mesonet")
    elif name in _LAZY:
        value = getattr(import_module(f"mesonet.{_LAZY[name]}"), name)
    else:
        from mesonet.errors import did_you_mean

        hint = "" if name.startswith("_") else did_you_mean(name, __all__)
        raise AttributeError(f"module 'mesonet' has no attribute {name!r}{hint}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

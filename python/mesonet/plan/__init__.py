"""Plans: a base scenario, the factors varied over it, a design, alternatives and replicates.

A plan file is TOML; `docs/reference/plan-file.md` describes it. Reading one finds all its problems
at once, those of the base scenario and of every level included.
"""

from mesonet.plan.cost import SECONDS_PER_EVENT, Expected, cpu_seconds, expected
from mesonet.plan.model import Plan, RunSpec, run_id
from mesonet.plan.reading import load_plan, plan_from_dict
from mesonet.plan.stopping import Precision, Stopping

__all__ = [
    "SECONDS_PER_EVENT",
    "Expected",
    "Plan",
    "Precision",
    "RunSpec",
    "Stopping",
    "cpu_seconds",
    "expected",
    "load_plan",
    "plan_from_dict",
    "run_id",
]

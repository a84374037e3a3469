"""Plans: a base scenario, the factors varied over it, a design, alternatives and replicates.

A plan file is TOML; `docs/reference/plan-file.md` describes it. Reading one finds all its problems
at once, those of the base scenario and of every level included.
"""

from mesonet.plan.cost import SECONDS_PER_EVENT, Expected, cpu_seconds, expected
from mesonet.plan.design_tables import DESIGN_TABLES
from mesonet.plan.model import Plan, RunSpec, run_id
from mesonet.plan.reading import load_plan, plan_from_dict, plan_from_manifest
from mesonet.plan.stopping import Precision, Stopping
from mesonet.plan.tables import (
    CONGESTION,
    MAX_RUNS,
    MAX_SEED,
    Alternative,
    Analysis,
    FactorTable,
    PlanTable,
    ReportTable,
)

__all__ = [
    "CONGESTION",
    "DESIGN_TABLES",
    "MAX_RUNS",
    "MAX_SEED",
    "SECONDS_PER_EVENT",
    "Alternative",
    "Analysis",
    "Expected",
    "FactorTable",
    "Plan",
    "PlanTable",
    "Precision",
    "ReportTable",
    "RunSpec",
    "Stopping",
    "cpu_seconds",
    "expected",
    "load_plan",
    "plan_from_dict",
    "plan_from_manifest",
    "run_id",
]

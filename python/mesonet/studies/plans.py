"""The plan files of studies."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Any

from mesonet.errors import PlanError, Problem
from mesonet.plan import Plan, plan_from_dict
from mesonet.studies.study import Options


def plan_table(name: str) -> dict[str, Any]:
    """The table of a plan file among the studies, NAME.toml."""
    text = resources.files("mesonet.studies").joinpath(f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


def study_plan(
    name: str, options: Options, *, labels: Mapping[str, str] | None = None, **changes: Any
) -> Plan:
    """The plan of a file with options; the sources of each alternative use one algorithm.

    Args:
        name: name of the file, without its ending.
        options: options of the study; algorithms replace the plan's alternatives.
        labels: labels of algorithms; others go by their names.
        changes: top-level tables that replace those of the file. Of `scenario`, only the entries
            given are replaced.

    Raises:
        PlanError: an option does not fit.
    """
    table = plan_table(name)
    scenario = table["scenario"] | changes.pop("scenario", {})
    table |= changes | options.plan_changes() | {"scenario": scenario}
    if options.algorithms is not None:
        if not options.algorithms:
            message = "expected at least one algorithm, got none"
            raise PlanError([Problem("algorithms", "empty", message)])
        table["alternatives"] = [
            {"label": (labels or {}).get(name, name), "set": {"algorithms": name}}
            for name in options.algorithms
        ]
        first = table["alternatives"][0]["label"]
        paired = table.get("analysis", {}).get("paired_differences", {})
        if "baseline" in paired:
            paired["baseline"] = first
    return plan_from_dict(table)

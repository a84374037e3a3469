"""The check that the tables of a campaign are those of its plan."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.errors import DamageError, Problem, show
from mesonet.plan import Plan
from mesonet.store import MANIFEST, REWRITE, Columns, Store, remedy


def refuse_unless_fitting(store: Store, plan: Plan) -> None:
    """Refuses tables of a campaign that are not those of its plan.

    Raises:
        DamageError: names file and column.
    """
    files = store.files
    if store.manifest["responses"] != list(plan.responses):
        expected, got = show(list(plan.responses)), show(store.manifest["responses"])
        message = f"expected those of the plan, {expected}, got {got}"
        problem = Problem("responses", "other", message)
        raise DamageError(files.address(MANIFEST), [problem], remedy(files))
    types: dict[str, Any] = {factor.name: pl.Float64 for factor in plan.factors}
    types |= {f"{factor.name}_level": pl.String for factor in plan.factors}
    problems = list(Columns(types).problems(store.conditions))
    if set(store.conditions["condition"]) != set(range(1, plan.conditions + 1)):
        message = f"expected the numbers from 1 to {plan.conditions}"
        problems.append(Problem("column condition", "other", message))
    if problems:
        raise DamageError(files.address("conditions.parquet"), problems, REWRITE)
    labels = pl.DataFrame(
        {
            "position": range(len(plan.alternatives)),
            "label": [alternative.label for alternative in plan.alternatives],
        },
        schema={"position": pl.Int64, "label": pl.String},
    )
    cells = store.cells.join(labels, on="position", how="left")
    for place, right, expected in (
        ("condition", cells["condition"] <= plan.conditions, f"1 to {plan.conditions}"),
        ("alternative", cells["alternative"].eq_missing(cells["label"]), "those of the plan"),
    ):
        if not right.all():
            got = show(cells.filter(~right)[place][0])
            problem = Problem(f"column {place}", "other", f"expected {expected}, got {got}")
            raise DamageError(files.address("cells.parquet"), [problem], REWRITE)

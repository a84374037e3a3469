"""From the `[design]` of a plan file to its conditions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mesonet.design import Design, Factor, parse_product
from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.plan.design_tables import DesignTable, FullFactorial
from mesonet.plan.tables import MAX_RUNS


def build_design(
    factors: Sequence[Factor], table: DesignTable, folder: Path, problems: list[Problem]
) -> Design | None:
    """The design of a plan; None without factors, or with the reasons in `problems`."""
    unfit = {factor.name: it for factor in factors if (it := table.level_problem(factor))}
    if unfit:
        problems += unfit.values()
        fit = [factor for factor in factors if factor.name not in unfit]
        # Levels that do not fit hide nothing of the rest of the design.
        build_design(with_stand_ins(fit, [it.name for it in factors]), table, folder, problems)
        return None
    if not factors and table == FullFactorial():
        return None
    # To make millions of conditions takes long, and they would be refused all the same.
    if too_many := _count_problem(factors, table):
        problems.append(too_many)
        return None
    try:
        design = table.make(factors, folder)
    except PlanError as error:
        problems += error.problems
        return None
    effects = _effect_problems(design, table.effects)
    problems += effects
    return None if effects else design


def with_stand_ins(factors: Sequence[Factor], names: Sequence[str]) -> list[Factor]:
    """Factors in the order of their names, any two levels for those that cannot be used.

    What is wrong with the rest of a design can be told with these.
    """
    usable = {factor.name: factor for factor in factors}
    return [usable.get(name) or Factor(name, (), 0.0, 1.0) for name in names]


def _count_problem(factors: Sequence[Factor], table: DesignTable) -> Problem | None:
    """Problem of more conditions than a plan may have runs, where the table alone shows it."""
    loc, count = table.count(factors)
    if count <= MAX_RUNS:
        return None
    hint = "; a fractional factorial needs fewer" if isinstance(table, FullFactorial) else ""
    message = f"expected at most {MAX_RUNS} conditions, got {count}{hint}"
    return Problem(loc, "too_many", message)


def _effect_problems(design: Design, effects: str | list[str] | None) -> list[Problem]:
    """Problems of a design that cannot estimate the requested effects separately."""
    names = design.factors
    mains = [(name,) for name in names]
    if effects is None:
        return []
    if isinstance(effects, str):
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        products = [*mains, *(pairs if effects == "two_factor" else [])]
    else:
        products = [parse_product(text).factors for text in effects]
    unknown = [
        Problem(
            f"design.effects[{position}]",
            "unknown_factor",
            f'"{name}" is not a factor{did_you_mean(name, names)}',
        )
        for position, product in enumerate(products)
        for name in product
        if name not in names
    ]
    if unknown:
        return unknown
    if len(products) + 1 > len(design.coded):
        message = (
            f"{len(products)} effects and a mean need at least {len(products) + 1} conditions; the "
            f"design has {len(design.coded)}"
        )
        return [Problem("design.effects", "too_few_runs", message)]
    # Factors are varied because they may matter, whether or not their effects are asked for. Of
    # main effects that are confounded with each other, one stands for all.
    first = [effect for effect in products if len(effect) == 1]
    estimated: list[tuple[str, ...]] = []
    for effect in dict.fromkeys([*first, *mains, *products]):
        if design.estimable([*estimated, effect]):
            estimated.append(effect)
        elif effect in products:
            alike = (product for product in estimated if not design.estimable([product, effect]))
            alias = "*".join(next(alike, ())) or "other effects together"
            message = f"the design cannot tell {'*'.join(effect)} from {alias}"
            return [Problem("design.effects", "confounded", message)]
    return []


def frozen(design: Design, table: dict[str, Any]) -> dict[str, Any]:
    """The `[design]` of a drawn design to write down, with the conditions that were drawn."""
    rows = design.coded.tolist()
    if table.get("fold_over"):
        rows = rows[: len(rows) // 2]
    return {key: value for key, value in table.items() if key != "file"} | {"conditions": rows}

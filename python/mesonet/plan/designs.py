"""From the `[design]` of a plan file to its conditions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mesonet.design import Design, Factor, parse_product
from mesonet.errors import PlanError, Problem, did_you_mean
from mesonet.plan.design_tables import DesignTable, FullFactorial, table_of
from mesonet.plan.tables import MAX_RUNS


def build_design(
    factors: Sequence[Factor], table: DesignTable, folder: Path, problems: list[Problem]
) -> Design | None:
    """The design of a plan; None without factors, or with the reasons in `problems`."""
    unfit = {factor.name: found for factor in factors if (found := table.level_problem(factor))}
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
        _require_effects(design, table)
    except PlanError as error:
        problems += error.problems
        return None
    return design


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


def _require_effects(design: Design, table: DesignTable) -> None:
    """Refuses a design that cannot estimate the requested `effects` separately."""
    if table.effects is None:
        return
    effects, problems = _asked(design, table.effects)
    if not problems and len(effects) + 1 > len(design.coded):
        message = (
            f"{len(effects)} effects and a mean need at least {len(effects) + 1} conditions; the "
            f"design has {len(design.coded)}"
        )
        problems = [Problem("design.effects", "too_few_runs", message)]
    elif not problems and not design.estimable(effects):
        message = "the design cannot tell them apart: " + _confounded(design, effects)
        problems = [Problem("design.effects", "confounded", message)]
    elif not problems and (hidden := _hidden(design, effects)):
        # Factors are varied because they may matter, whether or not their effects are asked for.
        message = f"the design cannot tell them from main effects: {hidden}"
        problems = [Problem("design.effects", "confounded", message)]
    if problems:
        raise PlanError(problems)


def _hidden(design: Design, effects: Sequence[tuple[str, ...]]) -> str:
    """The first interaction of these that main effects, and those before it, determine."""
    known: list[tuple[str, ...]] = []
    for name in design.factors:
        # Of main effects that are confounded with each other, one stands for all.
        if design.estimable([*known, (name,)]):
            known.append((name,))
    mains = tuple(known)
    for effect in (effect for effect in effects if len(effect) > 1):
        if design.estimable([*known, effect]):
            known.append(effect)
            continue
        text = "*".join(effect)
        alike = (main for main in mains if not design.estimable([main, effect]))
        if (main := next(alike, None)) is not None:
            return f"{text} is the column of {main[0]}"
        before = " and of interactions before it" if len(known) > len(mains) else ""
        return f"{text} is a mixture of main effects{before}"
    return ""


def _asked(design: Design, effects: str | list[str]) -> tuple[list[tuple[str, ...]], list[Problem]]:
    names = design.factors
    if isinstance(effects, str):
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        return [*((name,) for name in names), *(pairs if effects == "two_factor" else [])], []
    problems = []
    products: list[tuple[str, ...]] = []
    for position, text in enumerate(effects):
        product = parse_product(text).factors
        problems += [
            Problem(
                f"design.effects[{position}]",
                "unknown_factor",
                f'"{name}" is not a factor{did_you_mean(name, names)}',
            )
            for name in product
            if name not in names
        ]
        products.append(product)
    return products, problems


def _confounded(design: Design, effects: Sequence[tuple[str, ...]]) -> str:
    """The first effect that those before it determine."""
    for last in range(1, len(effects) + 1):
        if not design.estimable(effects[:last]):
            rest = effects[: last - 1]
            for other in rest:
                if not design.estimable([other, effects[last - 1]]):
                    return f"{'*'.join(effects[last - 1])} and {'*'.join(other)}"
            return f"{'*'.join(effects[last - 1])} and those before it"
    return ""


def frozen(design: Design, table: dict[str, Any]) -> dict[str, Any]:
    """The `[design]` to write down, with the conditions where the file alone does not give them."""
    if not table_of(design.kind).drawn:
        return table
    rows = design.coded.tolist()
    if table.get("fold_over"):
        rows = rows[: len(rows) // 2]
    return {key: value for key, value in table.items() if key != "file"} | {"conditions": rows}

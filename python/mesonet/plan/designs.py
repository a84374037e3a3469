"""From the `[design]` of a plan file to its conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mesonet.design import (
    NAMED,
    Design,
    Factor,
    best_fraction,
    custom_design,
    fold_over,
    fractional_factorial,
    full_factorial,
    latin_hypercube,
    morris,
    named_fraction,
    one_at_a_time,
    parse_product,
    plackett_burman,
    read_codes,
    roman,
    sobol,
    with_centre,
)
from mesonet.errors import PlanError, Problem, did_you_mean, show
from mesonet.plan.tables import MAX_RUNS, DesignTable

DRAWN = ("latin_hypercube", "sobol", "morris", "custom")
"""Kinds whose conditions do not follow from the plan file alone: manifests hold them."""

_TWO_LEVEL = ("fractional_factorial", "plackett_burman", *NAMED)
_COMMON = {"kind", "effects"}
_OPTIONS = {
    "full_factorial": {"fold_over", "centre"},
    "fractional_factorial": {"generators", "runs", "resolution", "fold_over", "centre"},
    **{name: {"fold_over", "centre"} for name in NAMED},
    "plackett_burman": {"runs", "fold_over", "centre"},
    "one_at_a_time": {"centre"},
    "latin_hypercube": {"points", "seed", "conditions"},
    "sobol": {"points", "seed", "conditions"},
    "morris": {"trajectories", "levels", "seed", "conditions"},
    "custom": {"file", "conditions", "fold_over", "centre"},
}
_REQUIRED = {"latin_hypercube": "points", "sobol": "points", "morris": "trajectories"}


def build_design(
    factors: Sequence[Factor], table: DesignTable, folder: Path, problems: list[Problem]
) -> Design | None:
    """The design of a plan; None without factors, or with the reasons in `problems`."""
    found = [*_option_problems(table), *_level_problems(factors, table)]
    if found:
        problems += found
        return None
    if not factors and table == DesignTable():
        return None
    # To make millions of conditions takes long, and they would be refused all the same.
    if too_many := _count_problem(factors, table):
        problems.append(too_many)
        return None
    try:
        design = _base(factors, table, folder)
        if table.fold_over:
            design = fold_over(design, None if table.fold_over is True else table.fold_over)
        if table.centre:
            design = with_centre(design)
        _require_effects(design, table)
    except PlanError as error:
        problems += error.problems
        return None
    return design


def _option_problems(table: DesignTable) -> list[Problem]:
    # A seed of 0 is a seed, but 0 equals False.
    given = {
        name
        for name in table.model_fields_set
        if (value := getattr(table, name)) is not None and value is not False and value != {}
    }
    allowed = _OPTIONS[table.kind] | _COMMON
    problems = [
        Problem(
            f"design.{name}",
            "conflict",
            f'a design of kind "{table.kind}" takes no {name}; it takes '
            f"{', '.join(sorted(_OPTIONS[table.kind]))}",
        )
        for name in sorted(given - allowed)
    ]
    if table.kind == "fractional_factorial":
        if not given & {"generators", "runs", "resolution"}:
            message = "missing; expected generators, or runs or a resolution to find them for"
            problems.append(Problem("design.generators", "missing", message))
        if "generators" in given and given & {"runs", "resolution"}:
            message = "generators say how many runs and which resolution; give one or the other"
            problems.append(Problem("design.generators", "conflict", message))
    drawn = _REQUIRED.get(table.kind)
    if drawn and drawn not in given and "conditions" not in given:
        message = f'missing; a design of kind "{table.kind}" needs it'
        problems.append(Problem(f"design.{drawn}", "missing", message))
    if table.kind == "custom" and len(given & {"file", "conditions"}) != 1:
        message = "expected the path of a CSV file with a column of codes for each factor"
        problems.append(Problem("design.file", "missing", message))
    if table.resolution is not None and _resolution(table.resolution) is None:
        message = f'expected a resolution such as 4 or "IV", got {show(table.resolution)}'
        problems.append(Problem("design.resolution", "resolution", message))
    return problems


def _resolution(value: int | str) -> int | None:
    if isinstance(value, int):
        return value
    numerals = {roman(number): number for number in range(1, 11)}
    return numerals.get(value.strip().upper())


def _level_problems(factors: Sequence[Factor], table: DesignTable) -> list[Problem]:
    """Factors whose levels the kind of design has no use for."""
    problems = []
    for factor in factors:
        n = len(factor.codes)
        loc = f"factors.{factor.name}"
        if n > 2 and (table.kind in _TWO_LEVEL or table.fold_over or table.centre):
            what = table.kind if table.kind in _TWO_LEVEL else "fold_over or centre"
            message = f"has {n} levels; {what} takes factors of two"
            problems.append(Problem(f"{loc}.levels", "levels", message))
        elif table.centre and not _has_middle(factor):
            message = (
                "has no middle for the centre of the design: expected two numbers of the same unit "
                "as low and high, and 2.0 in place of 2 where a number need not be whole"
            )
            problems.append(Problem(loc, "levels", message))
        elif table.kind == "morris" and not factor.continuous:
            message = "has no values between low and high, which a Morris design needs"
            problems.append(Problem(loc, "levels", message))
    return problems


def _count_problem(factors: Sequence[Factor], table: DesignTable) -> Problem | None:
    """Problem of more conditions than a plan may have runs, where the table alone shows it."""
    count, loc = 0, "factors"
    if table.conditions is not None:
        count, loc = len(table.conditions), "design.conditions"
    elif table.kind == "full_factorial":
        count = math.prod(len(factor.codes) for factor in factors)
    elif table.generators:
        count, loc = 2 ** max(len(factors) - len(table.generators), 0), "design.generators"
    elif table.kind == "fractional_factorial" and table.runs:
        count, loc = table.runs, "design.runs"
    elif table.kind == "morris":
        count, loc = (table.trajectories or 0) * (len(factors) + 1), "design.trajectories"
    elif table.points:
        count, loc = table.points, "design.points"
    if count <= MAX_RUNS:
        return None
    made = f"{count}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"
    hint = "; a fractional factorial needs fewer" if table.kind == "full_factorial" else ""
    message = f"expected at most {MAX_RUNS} conditions, got {made}{hint}"
    return Problem(loc, "too_many", message)


def _has_middle(factor: Factor) -> bool:
    """True if there is a level exactly halfway, which rounding would miss."""
    if not factor.continuous:
        return False
    whole = isinstance(factor.low, int) and isinstance(factor.high, int)
    return not (whole and factor.scale == "linear" and (factor.low + factor.high) % 2)  # type: ignore[operator]


def _base(factors: Sequence[Factor], table: DesignTable, folder: Path) -> Design:
    names = [factor.name for factor in factors]
    if table.conditions is not None:
        return custom_design(factors, table.conditions, kind=table.kind)
    if table.kind in NAMED:
        return named_fraction(table.kind, names)
    seed = 1 if table.seed is None else table.seed
    levels = {factor.name: len(factor.codes) for factor in factors}
    listed = {factor.name: factor.codes for factor in factors if not factor.continuous}
    makers: dict[str, Callable[[], Design]] = {
        "full_factorial": lambda: full_factorial(names, levels=levels),
        "fractional_factorial": lambda: _fraction(names, table),
        "plackett_burman": lambda: plackett_burman(names, runs=table.runs),
        "one_at_a_time": lambda: one_at_a_time(names, levels=levels),
        "latin_hypercube": lambda: latin_hypercube(
            names, points=table.points or 0, listed=listed, seed=seed
        ),
        "sobol": lambda: sobol(names, points=table.points or 0, listed=listed, seed=seed),
        "morris": lambda: morris(
            names, trajectories=table.trajectories or 0, levels=table.levels or 4, seed=seed
        ),
        "custom": lambda: _from_file(factors, folder / str(table.file)),
    }
    return makers[table.kind]()


def _fraction(names: Sequence[str], table: DesignTable) -> Design:
    if table.generators:
        return fractional_factorial(names, table.generators)
    resolution = None if table.resolution is None else _resolution(table.resolution)
    return best_fraction(names, runs=table.runs, resolution=resolution)


def _from_file(factors: Sequence[Factor], path: Path) -> Design:
    return custom_design(factors, read_codes(path, factors), loc=str(path))


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
    found: list[tuple[str, ...]] = []
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
        found.append(product)
    return found, problems


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
    if design.kind not in DRAWN:
        return table
    rows = design.coded.tolist()
    if table.get("fold_over"):
        rows = rows[: len(rows) // 2]
    return {key: value for key, value in table.items() if key != "file"} | {"conditions": rows}

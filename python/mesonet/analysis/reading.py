"""Options of analyses as they stand in a plan, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from mesonet.analysis.declaration import Analysis
from mesonet.analysis.options import Known, Options
from mesonet.analysis.registry import REGISTRY
from mesonet.errors import InputError, Problem, did_you_mean, from_pydantic, join


def lookup(name: str) -> Analysis:
    """The analysis of this name."""
    if name not in REGISTRY:
        raise InputError([_unknown(name)])
    return REGISTRY[name]


def option_problems(
    analyses: Mapping[str, Mapping[str, Any]], *, plan: Known | None = None, prefix: str = ""
) -> list[Problem]:
    """Problems with analyses and their options, with their places.

    Args:
        analyses: Options by analysis.
        plan: Names that options may refer to; they are not checked without.
        prefix: Place of `analyses` in the input.
    """
    problems = []
    for name, options in analyses.items():
        place = join(prefix, name)
        if name not in REGISTRY:
            problems.append(_unknown(name)._replace(loc=place))
            continue
        try:
            REGISTRY[name].options.model_validate(options, context=plan)
        except ValidationError as error:
            problems += from_pydantic(error, InputError, place, data=options).problems
    return problems


def read_options(analyses: Mapping[str, Mapping[str, Any]]) -> dict[str, Options]:
    """Options of analyses by name; names of alternatives and responses are not checked."""
    problems = option_problems(analyses)
    if problems:
        raise InputError(problems)
    return {name: REGISTRY[name].options(**options) for name, options in analyses.items()}


def _unknown(name: str) -> Problem:
    hint = did_you_mean(name, REGISTRY) or f"; there are {', '.join(REGISTRY)}"
    return Problem(name, "unknown_analysis", f"no such analysis{hint}")

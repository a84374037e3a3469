"""The analyses in the order in which they are listed, and their options as a plan has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from mesonet.analysis.components.entry import ENTRIES as COMPONENTS
from mesonet.analysis.conditions.entry import ENTRIES as CONDITIONS
from mesonet.analysis.correlation.entry import ENTRIES as CORRELATION
from mesonet.analysis.declaration import Analysis
from mesonet.analysis.dendrograms.entry import ENTRIES as DENDROGRAMS
from mesonet.analysis.description.entry import ENTRIES as DESCRIPTION
from mesonet.analysis.effects.entry import ENTRIES as EFFECTS
from mesonet.analysis.fairness.entry import ENTRIES as FAIRNESS
from mesonet.analysis.flows.entry import ENTRIES as FLOWS
from mesonet.analysis.interaction.entry import ENTRIES as INTERACTION
from mesonet.analysis.levels.entry import ENTRIES as LEVELS
from mesonet.analysis.options import Known, Options
from mesonet.analysis.outliers.entry import ENTRIES as OUTLIERS
from mesonet.analysis.paired.entry import ENTRIES as PAIRED
from mesonet.analysis.ranks.entry import ENTRIES as RANKS
from mesonet.analysis.response_groups.entry import ENTRIES as RESPONSE_GROUPS
from mesonet.analysis.significant.entry import ENTRIES as SIGNIFICANT
from mesonet.analysis.terms.entry import ENTRIES as TERMS
from mesonet.errors import InputError, Problem, from_pydantic, join, unknown

REGISTRY: dict[str, Analysis] = {
    analysis.name: analysis
    for analysis in (
        *DESCRIPTION,
        *EFFECTS,
        *LEVELS,
        *SIGNIFICANT,
        *INTERACTION,
        *TERMS,
        *CORRELATION,
        *RESPONSE_GROUPS,
        *COMPONENTS,
        *DENDROGRAMS,
        *CONDITIONS,
        *OUTLIERS,
        *RANKS,
        *PAIRED,
        *FLOWS,
        *FAIRNESS,
    )
}
"""Every analysis by name."""

COLUMNS = {table.name: table.columns for analysis in REGISTRY.values() for table in analysis.tables}
"""Columns of every table by its name."""


def lookup(name: str) -> Analysis:
    """The analysis of this name."""
    if problems := unknown(name, "unknown_analysis", name, REGISTRY):
        raise InputError(problems)
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
            problems += unknown(place, "unknown_analysis", name, REGISTRY)
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

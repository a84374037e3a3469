"""Options of the analyses that a plan asks for, checked against what the plan has."""

from __future__ import annotations

from collections.abc import Sequence

from mesonet.analysis import Known
from mesonet.analysis import option_problems as problems_of
from mesonet.errors import Problem
from mesonet.plan.tables import Analysis

_NO_ALTERNATIVE = ("base",)


def option_problems(
    analysis: Analysis,
    *,
    labels: Sequence[str],
    responses: Sequence[str],
    factors: Sequence[str],
) -> list[Problem]:
    """Problems with the options of analyses, with their places in the plan.

    Args:
        analysis: The analyses that are asked for.
        labels: Labels of the alternatives; the one of a plan without any if empty.
        responses: Responses that the plan keeps.
        factors: Names of the factors.
    """
    columns = ("run", "condition", "alternative", "replicate", "seed", "packets", *factors)
    levels = (f"{name}_level" for name in factors)
    known = Known(labels or _NO_ALTERNATIVE, responses, (*columns, *levels, *responses))
    return problems_of(analysis.kinds(), known=known, prefix="analysis")

"""Options of the analyses that a plan asks for, and what is wrong with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mesonet.errors import PlanError, Problem, did_you_mean, show
from mesonet.plan.tables import Analysis

if TYPE_CHECKING:
    from mesonet.plan.model import Plan

_NO_ALTERNATIVE = ("base",)


@dataclass(frozen=True)
class _Known:
    """Names that options may refer to."""

    labels: Sequence[str]
    responses: Sequence[str]
    columns: Sequence[str]
    """Columns of the frame of results."""


Found = Iterator[tuple[str, str, str]]
"""Place in the option, kind and message of each problem."""
Check = Callable[[object, _Known], Found]


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
    known = _Known(labels or _NO_ALTERNATIVE, responses, (*columns, *levels, *responses))
    problems = []
    for name, options in analysis.kinds().items():
        checks = OPTIONS[name]
        for option, value in options.items():
            loc = f"analysis.{name}.{option}"
            if option not in checks:
                message = f"no such option{did_you_mean(option, checks)}; there are "
                message += ", ".join(sorted(checks)) or "none"
                problems.append(Problem(loc, "unknown_option", message))
                continue
            found = checks[option](value, known)
            problems += [Problem(f"{loc}{place}", kind, text) for place, kind, text in found]
    if not any(problem.loc.startswith("analysis.flow_comparison") for problem in problems):
        problems += _group_problems(analysis.flow_comparison or {}, responses)
    return problems


def require_options(plan: Plan) -> None:
    """Refuses a plan, perhaps one that was begun long ago, whose analyses cannot be made.

    Raises:
        PlanError: Every problem, with its place.
    """
    problems = option_problems(
        plan.analysis,
        labels=[alternative.label for alternative in plan.alternatives],
        responses=plan.responses,
        factors=[factor.name for factor in plan.factors],
    )
    if problems:
        raise PlanError(problems)


def _group_problems(options: Mapping[str, object], responses: Sequence[str]) -> list[Problem]:
    """Groups of flows of which the plan keeps no response of the standard flows."""
    standard, groups = options.get("standard", "reno"), options.get("groups", ())
    named = [groups] if isinstance(groups, str) else groups
    assert isinstance(named, Sequence)
    return [
        Problem(
            "analysis.flow_comparison.groups",
            "unknown_response",
            f'"{group}:{standard}" is not in responses'
            f"{did_you_mean(f'{group}:{standard}', responses)}",
        )
        for group in named
        if f"{group}:{standard}" not in responses
    ]


def _label(value: object, known: _Known) -> Found:
    if value not in known.labels:
        hint = did_you_mean(value, known.labels) or f"; there are {', '.join(known.labels)}"
        message = f"expected the label of an alternative, got {show(value)}{hint}"
        yield "", "unknown_label", message


def _response(value: object, known: _Known) -> Found:
    if value not in known.responses:
        message = f"{show(value)} is not in responses{did_you_mean(value, known.responses)}"
        yield "", "unknown_response", message


def _column(value: object, known: _Known) -> Found:
    if value not in known.columns:
        hint = did_you_mean(value, known.columns)
        message = f"expected a column of the results such as alternative, got {show(value)}{hint}"
        yield "", "unknown_column", message


def _text(value: object, _: _Known) -> Found:
    if not isinstance(value, str):
        yield "", "type", f"expected text, got {show(value)}"


def _texts(value: object, _: _Known) -> Found:
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    if not listed and not isinstance(value, str):
        yield "", "type", f"expected a text or a list of texts, got {show(value)}"


def _truth(value: object, _: _Known) -> Found:
    if not isinstance(value, bool):
        yield "", "type", f"expected true or false, got {show(value)}"


def _one_of(*choices: str) -> Check:
    def check(value: object, _: _Known) -> Found:
        if value not in choices:
            expected = " or ".join(f'"{choice}"' for choice in choices)
            hint = did_you_mean(value, choices)
            yield "", "choice", f"expected {expected}, got {show(value)}{hint}"

    return check


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _share(value: object, _: _Known) -> Found:
    if not (_is_number(value) and 0.0 < value < 1.0):  # type: ignore[operator]
        yield "", "range", f"expected a number between 0 and 1, got {show(value)}"


def _positive(value: object, _: _Known) -> Found:
    if not (_is_number(value) and 0.0 <= value < math.inf):  # type: ignore[operator]
        yield "", "range", f"expected a number of at least 0, got {show(value)}"


def _count(value: object, _: _Known) -> Found:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        yield "", "range", f"expected a whole number of at least 1, got {show(value)}"


def _table(keys: Check | None, values: Check, example: str) -> Check:
    """A table whose keys, unless `None`, and values are checked one by one."""

    def check(value: object, known: _Known) -> Found:
        if not isinstance(value, Mapping):
            yield "", "type", f"expected a table such as {example}, got {show(value)}"
            return
        for key, one in value.items():
            found = [*(keys(key, known) if keys else ()), *values(one, known)]
            yield from ((f".{key}{place}", kind, text) for place, kind, text in found)

    return check


_SIDE = _one_of("higher", "lower")


def _sides(value: object, known: _Known) -> Found:
    """One word for all responses, or one for some."""
    example = '{ loss_rate = "lower" }'
    check = _SIDE if isinstance(value, str) else _table(_response, _SIDE, example)
    yield from check(value, known)


_BY = {"by": _column}
OPTIONS: Mapping[str, Mapping[str, Check]] = {
    "describe": _BY,
    "congestion": _BY | {"response": _response},
    "main_effects": _BY | {"confidence": _share, "method": _one_of("model", "two-sample")},
    "significance": {"confidence": _share, "method": _one_of("model", "two-sample")},
    "interactions": _BY,
    "term_effects": {"order": _count},
    "elementary_effects": _BY,
    "correlations": _BY | {"ranks": _truth},
    "response_clusters": _BY | {"ranks": _truth, "threshold": _share},
    "principal_components": _BY | {"keep": _count},
    "algorithm_clusters": _BY | {"cut": _share, "scale": _one_of("condition", "campaign")},
    "condition_response": _BY | {"alpha": _share, "critical": _positive},
    "condition_summary": _BY
    | {
        "adjust": _one_of("none", "holm", "fdr_bh"),
        "alpha": _share,
        "critical": _positive,
        "minimum_relative": _positive,
    },
    "rank_matrix": _BY
    | {
        "better": _table(_response, _SIDE, '{ loss_rate = "lower" }'),
        "order_by": _response,
    },
    "paired_differences": _BY | {"baseline": _label, "confidence": _share},
    "flow_comparison": {
        "algorithms": _table(_label, _text, '{ "CTCP among Reno" = "ctcp" }'),
        "groups": _texts,
        "maximum": _table(None, _positive, "{ g1 = 1000 }"),
        "order_by": _response,
        "standard": _text,
    },
    "harm": {"better": _sides, "confidence": _share, "own": _label, "solo": _label},
    "impact": {"baseline": _label, "confidence": _share},
    "warm_up": {"batch": _count, "series": _texts},
}
"""Options of each analysis, with the check of their values."""

"""Responses that no cell of a plan has are refused: by algorithm, by period, and altogether."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mesonet.design import Factor
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.plan.model import in_cell
from mesonet.plan.tables import Alternative
from mesonet.responses import Variant, lookup, registry

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


_PLACES = re.compile(r"algorithms.*|periods|(long_)?flows(\[\d+\](\.(algorithm|name|count))?)?")
"""Places of a scenario that name algorithms or flows, or say how many periods there are."""
_NEEDED = {
    "flows": "named flows",
    "bottleneck": "a single bottleneck",
    "population": "the population of a national network",
}
"""What responses need, in words; anything else is the name of a flow."""


def variant_problems(
    ids: object,
    scenario: Scenario,
    factors: Sequence[Factor],
    alternatives: Sequence[Alternative],
) -> list[Problem]:
    """Responses that would be undefined everywhere, as no cell has what they are about.

    Args:
        ids: The `responses` of a plan file; what is wrong with them otherwise is said elsewhere.
        scenario: The base scenario.
        factors: All that the plan varies.
        alternatives: Alternatives to compare; of a plan without any, the scenario as it is.
    """
    variants = {
        place: variant
        for place, name in enumerate(ids if isinstance(ids, list) else ())
        if (variant := _variant(name)) is not None
    }
    if not variants:
        return []
    cells = list(_cells(scenario, factors, alternatives or [Alternative(label="base")]))
    algorithms = dict.fromkeys(name for cell in cells for name in cell.algorithm_places())
    flows = {name: flow.algorithm for cell in cells for name, flow in cell.named_flows().items()}
    periods = max((cell.periods for cell in cells), default=0)
    # A list of all, which a plan without a list comes to, asks for none of them.
    every = isinstance(ids, list) and set(registry) <= set(ids)
    there = set(flows)
    there |= {"flows"} if flows else set()
    there |= {"bottleneck" for cell in cells if cell.bottleneck() is not None}
    there |= {"population" for cell in cells if cell.kind == "internet"}
    problems = []
    for place, variant in variants.items():
        needs = variant.response.needs
        if cells and needs and not every and needs not in there:
            what = _NEEDED.get(needs, f"a flow {needs}")
            message = f'expected a response that some cell has, got "{variant.id}": none has {what}'
            problems.append(Problem(f"responses[{place}]", "undefined_response", message))
        elif variant.algorithm and variant.algorithm not in algorithms:
            message = _message(variant, algorithms, flows)
            problems.append(Problem(f"responses[{place}]", "unknown_algorithm", message))
        if variant.period and variant.period > periods:
            message = f"no cell has a period {variant.period}; the last is {periods}"
            problems.append(Problem(f"responses[{place}]", "unknown_period", message))
    return problems


def _variant(response_id: object) -> Variant | None:
    """The response that an id stands for, if it is not in all cells."""
    try:
        variant = lookup(response_id) if isinstance(response_id, str) else None
    except InputError:
        return None
    if variant is None:
        return None
    return variant if variant.algorithm or variant.period or variant.response.needs else None


def _cells(
    scenario: Scenario, factors: Sequence[Factor], alternatives: Sequence[Alternative]
) -> Iterator[Scenario]:
    """Scenarios that together have all algorithms and periods of all cells.

    A level of a factor at a time: no two places of a scenario say one of them together.
    """
    levels = [
        factor.settings(code)
        for factor in factors
        if any(_PLACES.fullmatch(path) for path in factor.paths)
        for code in factor.codes
    ]
    for alternative in alternatives:
        for changes in ({}, *levels):
            try:
                yield in_cell(scenario, changes, alternative)
            except InputError:
                # Said of the level or the alternative, or of the cell when its runs are made.
                continue


def _message(variant: Variant, algorithms: dict[str, None], flows: dict[str, str]) -> str:
    name = variant.algorithm
    if name in flows:
        meant = f"{variant.response.id}:{flows[str(name)]}"
        return f'"{name}" is the name of a flow; variants are by algorithm: {meant}'
    hint = did_you_mean(name, algorithms) or f"; there are {', '.join(algorithms)}"
    return f'no cell has flows of "{name}"{hint}'

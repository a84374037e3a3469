"""What the cells of a plan have: responses of none are refused, and unknown algorithms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from mesonet.controller import name_problems, short
from mesonet.design import Factor
from mesonet.errors import InputError, Problem, did_you_mean
from mesonet.plan.model import in_cell
from mesonet.plan.paths import cause
from mesonet.plan.tables import Alternative
from mesonet.responses import Variant, lookup, registry
from mesonet.responses.flows import group_names
from mesonet.scenario.applications import Requests
from mesonet.scenario.laboratory import Laboratory
from mesonet.scenario.reading import algorithms_in

if TYPE_CHECKING:
    from mesonet.scenario import Scenario


_OF_FLOWS = r"algorithm|name|count|size|burst|stop|application.*"
_PLACES = re.compile(
    rf"algorithms.*|periods|record_.*|((long_)?flows|cross)(\[\d+\](\.({_OF_FLOWS}))?)?"
)
"""Places of a scenario that say which flows it has, whether they end, periods and what is kept."""


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
        if (variant := _variant(name))
        and (variant.algorithm or variant.period or variant.response.needs)
    }
    cells = list(_cells(scenario, factors, alternatives)) if variants else []
    if not cells:
        return []
    algorithms = dict.fromkeys(short(it) for cell in cells for it in cell.algorithm_places())
    flow_names = {name for cell in cells for name in cell.named_flows()}
    named = flow_names.union(*map(group_names, flow_names))
    periods = max(cell.periods for cell in cells)
    there = {*flow_names, *(["flows"] if flow_names else [])}
    there |= {"bottleneck" for cell in cells if cell.bottleneck() is not None}
    there |= {"population" for cell in cells if cell.kind == "internet"}
    there |= {"transfers" for cell in cells if _has_transfers(cell)}
    there |= {"record_queues" for cell in cells if cell.record_queues}
    # Requests are always recorded.
    there |= {"record_transfers" for cell in cells if cell.record_transfers or _has_requests(cell)}
    # A list of all, which a plan without a list comes to, asks for none of them.
    needed = isinstance(ids, list) and not set(registry) <= set(ids)
    problems = []
    for place, variant in variants.items():
        loc, needs, name = f"responses[{place}]", variant.response.needs, variant.algorithm
        if needs == "transfers" in there and not there & {"population", "record_transfers"}:
            needs = "record_transfers"
        if needed and needs and needs not in there:
            message = f'"{variant.id}" needs {needs}, which no cell has'
            problems.append(Problem(loc, "undefined_response", message))
        elif name and not (
            name in algorithms or name[1:] in named or (needs == "flows" and name in named)
        ):
            there_are = [*algorithms, *(f"@{it}" for it in sorted(named))]
            hint = did_you_mean(name, there_are) or f"; there are {', '.join(algorithms)}"
            message = f'no cell has flows of "{name}"{hint}'
            problems.append(Problem(loc, "unknown_algorithm", message))
        if variant.period and variant.period > periods:
            message = f"no cell has a period {variant.period}; the last is {periods}"
            problems.append(Problem(loc, "unknown_period", message))
    return problems


def _has_transfers(scenario: Scenario) -> bool:
    """True if something has an end: files, requests, bursts or flows that stop."""
    if not isinstance(scenario, Laboratory) or _has_requests(scenario):
        return True
    flows = chain.from_iterable(scenario.tables().values())
    return any(it.size or it.burst or it.stop for it in flows)


def _has_requests(scenario: Scenario) -> bool:
    return any(isinstance(it.settings, Requests) for it in scenario.applications().values())


def _variant(response_id: object) -> Variant | None:
    """The response of an id; None for what is wrong otherwise."""
    try:
        return lookup(response_id) if isinstance(response_id, str) else None
    except InputError:
        return None


def algorithm_problems(
    scenario: Scenario | None, factors: Sequence[Factor], alternatives: Mapping[str, Alternative]
) -> Iterator[Problem]:
    """Algorithms that do not exist, at the places of a plan that name them.

    The runs tell the same of their cells; this is for a plan that never gets so far. Controllers
    that are not built in are not loaded. Alternatives are by their places.
    """
    settings: list[tuple[str, Mapping[str, object]]] = [
        *((place, it.set) for place, it in alternatives.items()),
        *((f"factors.{it.name}", it.settings(code)) for it in factors for code in it.codes),
    ]
    named: dict[str, list[str]] = {}
    for place, changes in settings:
        for _, name in algorithms_in(changes):
            named.setdefault(name, []).append(place)
    for place, alternative in alternatives.items():
        for name in alternative.names.values():
            named.setdefault(name, []).append(place)
    paths = {place: it.paths() for place, it in alternatives.items()}
    paths |= {f"factors.{it.name}": list(it.paths) for it in factors}
    replaced = {name for it in alternatives.values() for name in it.names}
    for name, locs in scenario.algorithm_places().items() if scenario else ():
        places = [cause(loc, paths) for loc in locs if name not in replaced]
        named.setdefault(name, []).extend(it for it in places if it.startswith("scenario."))
    yield from name_problems(named, {}, loaded=False)


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
    for alternative in alternatives or [Alternative(label="base")]:
        for changes in ({}, *levels):
            try:
                cell = in_cell(scenario, changes, alternative)
                cell.named_flows()
            except InputError:
                # Said of the level or the alternative, or of the cell when its runs are made.
                continue
            yield cell

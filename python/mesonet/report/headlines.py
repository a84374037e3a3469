"""The first numbers of runs, as rows of a table: those of the network, and those of each flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mesonet.numbers import number
from mesonet.responses import Variant, registry
from mesonet.run import Run
from mesonet.scenario import Scenario

FLOWS = 12
"""Most flows that have a row of their own."""


class Headline(NamedTuple):
    """One of the first numbers of a run: the first of some responses that it has."""

    name: str
    responses: tuple[str, ...]
    unit: str
    factor: float


_DELAYS = ("sojourn", "bottleneck_delay", "network_queueing_delay")
_HEADLINES = (
    Headline("utilization", ("utilization",), "%", 100),
    Headline("goodput", ("goodput",), "Mbit/s", 1e-6),
    *(
        Headline(f"queueing delay, {name}", tuple(f"{it}_{end}" for it in _DELAYS), "ms", 1000)
        for name, end in (("median", "p50"), ("95th percentile", "p95"))
    ),
    Headline("retransmitted", ("flow_retransmitted",), "%", 100),
    Headline("lost", ("loss_rate",), "%", 100),
)
_OF_APPLICATIONS = (
    Headline("bit rate of films", ("video_bitrate",), "kbit/s", 1e-3),
    Headline("time that films stall", ("video_stall_share",), "%", 100),
    Headline("time to load a page", ("page_load_time",), "s", 1),
    Headline("late frames of calls", ("call_late_share",), "%", 100),
)
_OF_FLOWS = (
    Headline("goodput", ("flow_goodput",), "Mbit/s", 1e-6),
    Headline("delay p95", ("queueing_delay_p95",), "ms", 1000),
    Headline("retx", ("flow_retransmitted",), "%", 100),
)
_FIRST = 5
_QUALIFIED = {"bottleneck_delay_p50": " over time", "bottleneck_delay_p95": " over time"}
"""What tells a response from the one of packets that would stand in its place."""


def headlines(scenario: Scenario, columns: Mapping[str, Mapping[str, float]]) -> list[list[str]]:
    """The first numbers of runs, or of means over some: a column each, with the unit beside."""
    heading = [["", *columns, ""]] if len(columns) > 1 else []
    users, network = (_rows(scenario, columns, it) for it in (_OF_APPLICATIONS, _HEADLINES))
    return [*heading, *users, *network[:_FIRST]]


def _rows(
    scenario: Scenario, columns: Mapping[str, Mapping[str, float]], names: Iterable[Headline]
) -> list[list[str]]:
    rows, qualified = [], _QUALIFIED
    if scenario.kind == "internet":  # most of its flows have no names
        qualified = _QUALIFIED | {"flow_retransmitted": " by named flows"}
    for headline in names:
        unit, factor = _in(scenario, headline)
        for response in headline.responses:
            values = [column.get(response, float("nan")) for column in columns.values()]
            if any(value == value for value in values):
                shown = [number(value * factor, digits=3) for value in values]
                rows.append([headline.name + qualified.get(response, ""), *shown, unit])
                break
    return rows


def flow_rows(run: Run) -> list[list[str]]:
    """Headings, and a row for each of several named flows; empty for one, or for many.

    Where there are many, connections of applications have none.
    """
    every = list(run.scenario.named_flows())
    names = every
    if len(every) > FLOWS:
        used = {place for it in run.scenario.applications().values() for place in it.places}
        names = [name for place, name in enumerate(every) if place not in used]
    if len(every) == 1 or not 0 < len(names) <= FLOWS:
        return []
    scales = [_in(run.scenario, headline) for headline in _OF_FLOWS]
    heads = [f"{it.name} {unit}" for it, (unit, _) in zip(_OF_FLOWS, scales, strict=True)]
    rows = [["flow", *heads]]
    for name in names:
        # Not by an id: names of flows may have spaces.
        values = [_of_flow(run, headline.responses[0], name) for headline in _OF_FLOWS]
        shown = [
            number(it * factor, digits=3) for it, (_, factor) in zip(values, scales, strict=True)
        ]
        rows.append([name, *shown])
    return rows


def _of_flow(run: Run, response: str, name: str) -> float:
    return Variant(response, registry[response], algorithm=f"@{name}").compute(run.measurements)


def _in(scenario: Scenario, headline: Headline) -> tuple[str, float]:
    """Unit and factor of a number; goodputs of a scenario in packets have no bits."""
    if headline.unit != "Mbit/s":
        return headline.unit, headline.factor
    payload = scenario.payload()
    return ("segments/s", 1.0) if payload is None else ("Mbit/s", payload * headline.factor)

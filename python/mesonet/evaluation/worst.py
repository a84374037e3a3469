"""The worst condition of each experiment, run again and seen through time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mesonet.analysis import Trace, trace
from mesonet.campaign import Campaign
from mesonet.evaluation.result import Cell, Evaluation, ExperimentResult

_POINTS, _FLOWS = 200, 4
"""Points of a trace, and flows of each algorithm in it."""


def worst(experiment: ExperimentResult) -> Cell | None:
    """The cell with the most excess, decided ones first; none without a value."""
    measured = [cell for cell in experiment.cells if cell.excess is not None]
    return max(measured, key=lambda it: (it.state == "more harm", it.excess), default=None)


def worst_traces(evaluation: Evaluation, folder: Path) -> Mapping[str, Trace]:
    """The first run of the worst condition of each experiment through time, by its folder."""
    return {
        experiment.folder: _traced(experiment, cell, folder)
        for criterion in evaluation.criteria
        for experiment in criterion.experiments
        if experiment.profile == "rfc" and (cell := worst(experiment)) is not None
    }


def _traced(experiment: ExperimentResult, cell: Cell, folder: Path) -> Trace:
    run = Campaign.open(folder / experiment.folder).replay(cell.run)
    groups: dict[str, list[str]] = {}
    for name, flow in run.scenario.named_flows().items():
        groups.setdefault(flow.algorithm, []).append(name)
    names_drawn = [name for names in groups.values() for name in names[:_FLOWS]]
    return trace(run, flows=names_drawn, points=_POINTS)

"""Window that each algorithm keeps after a loss: one flow at a full bottleneck.

The slides say how much each algorithm reduces its rate; the bench is ours: 20 packets/ms, 50 ms,
room for 150 packets, so that windows stay far above those at which algorithms fall back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median
from typing import Any

from mesonet.controller import discipline_for
from mesonet.run import Run
from mesonet.scenario.keywords import dumbbell
from mesonet.studies import Item, RunResults

_DURATION = 60.0
_RATE = 20
_SHARPEST = 0.95
"""Threshold of a cut: the window falls below this part of the one before."""
_SPAN = 10
"""Intervals in which a cut is complete: two round trips."""


def cut_items(algorithms: Iterable[str]) -> list[Item]:
    """One run per algorithm."""
    return [
        Item(
            f"cut-{name}",
            dumbbell(
                rate=f"{_RATE} p/ms",
                rtt="50 ms",
                buffer="150 packets",
                queue=discipline_for(name),
                flows=[name],
                profile="mesonet",
                initial_ssthresh=250,
                interval="10 ms",
                duration=f"{_DURATION:g} s",
            ),
            measure_cuts,
            cost=_RATE * 1000 * _DURATION,
        )
        for name in dict.fromkeys(algorithms)
    ]


def measure_cuts(run: Run) -> dict[str, Any]:
    """Median part of the window that is kept where losses cut it, and how often that happened.

    A cut is the fall of the window from the end of an interval of 10 ms to the smallest in the two
    round trips that follow, retransmissions among them; the next is looked for after these.
    """
    windows = [float(value) for value in run.flows["cwnd"]]
    again = [float(value) for value in run.flows["retransmitted"]]
    kept, place = [], 1
    while place <= len(windows) - _SPAN:
        before, lowest = windows[place - 1], min(windows[place : place + _SPAN])
        if windows[place] < _SHARPEST * before and sum(again[place - 1 : place + _SPAN]) > 0:
            kept.append(lowest / before)
            place += _SPAN
        else:
            place += 1
    return {"kept": median(kept) if kept else math.nan, "cuts": len(kept)}


def cut_figures(run: RunResults) -> dict[str, float]:
    """Parts of the window that are kept after a loss, by label of the plan and for the claims."""
    alternatives = next(iter(run.campaigns.values())).plan.alternatives
    kept = {
        alternative.label: float(run.results[item]["kept"])
        for alternative in alternatives
        if (item := f"cut-{alternative.set['algorithms']}") in run.results
    }
    three = [kept.get(label, math.nan) for label in ("Scalable", "BIC", "HSTCP")]
    half = [abs(kept.get(label, math.nan) - 0.5) for label in ("CTCP", "FAST", "FAST-AT")]
    return {
        **{f"kept.{label}": value for label, value in kept.items()},
        "kept.smallest_of_three": math.nan if any(map(math.isnan, three)) else min(three),
        "kept.away_from_half": math.nan if any(map(math.isnan, half)) else max(half),
    }

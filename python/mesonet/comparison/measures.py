"""Numbers of a run that a comparison is about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from mesonet.comparison.running import Finished
from mesonet.responses.measurements import divide
from mesonet.run import Run


@dataclass(frozen=True)
class Measure:
    """A measure of the flows of one algorithm in a match.

    Attributes:
        name: Column of the measure.
        title: Name for people.
        unit: Unit in which it is shown.
        factor: Shown value of 1 in SI units.
        words: The measure in a sentence, as what is higher or lower.
        most: Largest value that it can have, in SI units; the smallest is zero for all.
        known_to: Part of a value that it is known to: the width of a class of the histogram.
    """

    name: str
    title: str
    unit: str
    factor: float
    words: str
    most: float = math.inf
    known_to: float = 0.0


_CLASS = 1 / 32
"""Widest class of the engine's histograms of sojourn times, as a part of the time."""

MEASURES = (
    Measure("utilization", "link used", "%", 100, "share of the link that is used", 1),
    Measure(
        "delay_p50",
        "queueing delay, median",
        "ms",
        1000,
        "median queueing delay",
        known_to=_CLASS,
    ),
    Measure(
        "delay_p95",
        "queueing delay, 95th percentile",
        "ms",
        1000,
        "queueing delay at the 95th percentile",
        known_to=_CLASS,
    ),
    Measure("sent_again", "segments sent again", "%", 100, "share of segments sent again", 1),
    Measure("rate", "goodput", "Mbit/s", 1e-6, "goodput"),
    Measure("share", "share of what is carried", "%", 100, "share of what is carried", 1),
    Measure("jain", "Jain's fairness index", "", 1, "Jain's fairness index", 1),
)
"""Measures of every match, in the order of tables."""
BY_NAME = {measure.name: measure for measure in MEASURES}
"""The measures by name."""


def measured(finished: Sequence[Finished]) -> pl.DataFrame:
    """One row for each run and algorithm in it, times in seconds, rates in bit/s."""
    return pl.DataFrame([row for each in finished for row in _rows(each)])


def _rows(finished: Finished) -> Iterator[dict[str, Any]]:
    run, match = finished.run, finished.match
    condition = {f"condition_{name}": value for name, value in asdict(finished.condition).items()}
    place = {**condition, "repeat": finished.repeat}
    shared = {
        "utilization": run.responses["utilization"],
        "delay_p50": run.responses["sojourn_p50"],
        "delay_p95": run.responses["sojourn_p95"],
        "jain": run.responses["jain_index"],
    }
    first, other = (_group(run, names) for names in finished.flows)
    carried = first["rate"] + other["rate"]
    own_kind = match.algorithm == match.other
    if own_kind:
        # Which of them is the first says nothing: each has half.
        sent = (first["sent_again"] + other["sent_again"]) / 2
        first = {"rate": carried / 2, "sent_again": sent}
    sides = [(match.algorithm, match.other, first)]
    if match.other and not own_kind:
        sides.append((match.other, match.algorithm, other))
    for algorithm, beside, numbers in sides:
        share = divide(numbers["rate"], carried)
        who = {"algorithm": algorithm, "beside": beside}
        yield {**place, **who, **shared, **numbers, "share": share}


def _group(run: Run, names: Sequence[str]) -> dict[str, float]:
    """Goodput [bit/s or packets/s] and the share of segments sent again, after the warm-up.

    Both are of the intervals that responses count, and of their time: the warm-up need not end with
    an interval.
    """
    window = run.measurements.windows[0]
    rows = window.flows.filter(pl.col("flow").is_in(list(names)))
    acked, again = float(rows["acked"].sum()), float(rows["retransmitted"].sum())
    bits = run.scenario.payload() or 1
    return {
        "rate": divide(acked * bits, window.seconds),
        "sent_again": again / (acked + again) if acked + again > 0 else 0.0,
    }

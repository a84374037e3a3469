"""Numbers of a run that a comparison is about."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from mesonet.comparison.question import Question
from mesonet.responses.measurements import divide


@dataclass(frozen=True)
class Measure:
    """A measure of the flows of one algorithm in a match.

    Attributes:
        name: Column of the measure.
        title: Name for people.
        unit: Unit in which it is shown.
        factor: Shown value of 1 in SI units.
        most: Largest value that it can have, in SI units; the smallest is zero for all.
        words: The measure in a sentence, as what is higher or lower; empty if it is not tested.
        response: Response that has it for all flows of a run.
        known_to: Part of a value that it is known to: the width of a class of the histogram.
    """

    name: str
    title: str
    unit: str
    factor: float
    most: float = math.inf
    words: str = ""
    response: str = ""
    known_to: float = 0.0


MEASURES = (
    Measure(
        "utilization", "link used", "%", 100, 1, "share of the link that is used", "utilization"
    ),
    Measure("delay_p50", "queueing delay, median", "ms", 1000),
    Measure(
        "delay_p95",
        "queueing delay, 95th percentile",
        "ms",
        1000,
        words="queueing delay at the 95th percentile",
        response="sojourn_p95",
        known_to=1 / 32,
    ),
    Measure(
        "sent_again",
        "segments sent again",
        "%",
        100,
        1,
        "share of segments sent again",
        "flow_sent_again",
    ),
    Measure("rate", "goodput", "Mbit/s", 1e-6),
    Measure("share", "share of what is carried", "%", 100, 1),
    Measure("jain", "Jain's fairness index", "", 1, 1),
)
"""Measures of every match, in the order of tables."""
BY_NAME = {measure.name: measure for measure in MEASURES}
"""The measures by name."""
TESTED = tuple(measure for measure in MEASURES if measure.response)
"""Measures of algorithms alone that are tested."""


def measured(question: Question, results: pl.DataFrame) -> pl.DataFrame:
    """One row for each run and algorithm in it, times in seconds, rates in bit/s."""
    matches = {match.words(): match for match in question.matches()}
    bits = question.plan.scenario.payload() or 1
    rows = []
    for row in results.sort("replicate", "condition", maintain_order=True).iter_rows(named=True):
        condition = question.conditions[row["condition"] - 1]
        place = {f"condition_{name}": value for name, value in condition._asdict().items()}
        shared = {
            "repeat": row["replicate"],
            "utilization": row["utilization"],
            "delay_p50": row["sojourn_p50"],
            "delay_p95": row["sojourn_p95"],
            "jain": row["jain_index"],
        }
        match = matches[row["alternative"]]
        for algorithm, beside in match.sides():
            rate, other = (
                row[f"flow_goodput:{name}"] if name else 0.0 for name in (algorithm, beside)
            )
            rows.append(
                {
                    **place,
                    "algorithm": algorithm,
                    "beside": beside,
                    **shared,
                    "rate": rate * question.flows * bits,
                    "sent_again": row[f"flow_sent_again:{algorithm}"],
                    "share": divide(rate, rate + other),
                }
            )
    return pl.DataFrame(rows)

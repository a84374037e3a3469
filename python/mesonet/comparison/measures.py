"""Numbers of a run that a comparison is about."""

from __future__ import annotations

import math
from typing import NamedTuple

import polars as pl

from mesonet.comparison.question import Question
from mesonet.responses.measurements import divide
from mesonet.scenario.link import PacketSizes


class Measure(NamedTuple):
    """A measure of the flows of one algorithm in a match.

    Attributes:
        name: Column of the measure.
        title: Name for people.
        short: Heading of a narrow table.
        unit: Unit in which it is shown.
        factor: Shown value of 1 in SI units.
        maximum: Largest value that it can have, in SI units; the smallest is zero for all.
        response: Response that has it for a flow alone, if it is tested there.
        words: The measure in a sentence.
        sentence: What to say of a difference alone, of who, how much and from whom.
        known_to: Part of a value that it is known to: the width of a class of the histogram.
    """

    name: str
    title: str
    short: str
    unit: str
    factor: float
    maximum: float = math.inf
    response: str = ""
    words: str = ""
    sentence: str = ""
    known_to: float = 0.0


MEASURES = (
    Measure(
        "utilization",
        "utilization",
        "util",
        "%",
        100,
        1,
        "utilization",
        "utilization",
        "the utilization of {who} is {size} percentage points {lower} than that of {whom}",
    ),
    Measure("delay_p50", "queueing delay, median", "p50", "ms", 1000),
    Measure(
        "delay_p95",
        "queueing delay, 95th percentile",
        "p95",
        "ms",
        1000,
        math.inf,
        "sojourn_p95",
        "queueing delay at the 95th percentile",
        "the queueing delay at the 95th percentile of {who} is {size} ms {lower} than that of "
        "{whom}",
        1 / 32,
    ),
    Measure(
        "retransmitted",
        "retransmitted",
        "retx",
        "%",
        100,
        1,
        "flow_retransmitted",
        "retransmitted share of segments",
        "{who} retransmits {size} percentage points {less} of its segments than {whom}",
    ),
    Measure("marked", "marked", "mark", "%", 100, 1),
    Measure("jain", "Jain's fairness index", "Jain", "", 1, 1),
    Measure("rate", "goodput", "goodput", "Mbit/s", 1e-6),
    Measure("share", "share of the goodput", "share", "%", 100, 1),
)
"""Measures of every match, in the order of tables."""
BY_NAME = {measure.name: measure for measure in MEASURES}
"""The measures by name."""
TESTED = tuple(measure for measure in MEASURES if measure.response)
"""Measures of algorithms alone that are tested."""


def measured(question: Question, results: pl.DataFrame) -> pl.DataFrame:
    """One row for each run and algorithm in it, times in seconds, rates in bit/s."""
    matches = {match.words(): match for match in question.matches}
    payload = 8 * PacketSizes().smss
    rows = []
    for row in results.sort("replicate", "condition", maintain_order=True).iter_rows(named=True):
        match = matches[row["alternative"]]
        condition = question.conditions[row["condition"] - 1]
        bits = payload if condition.in_bits else 1
        goodputs = [row[f"flow_goodput:{who}"] for who in match if who]
        for (algorithm, versus), goodput in zip(match.sides(), goodputs, strict=False):
            values = (
                row["utilization"],
                row["sojourn_p50"],
                row["sojourn_p95"],
                row[f"flow_retransmitted:{algorithm}"],
                row["mark_rate"],
                row["jain_index"],
                goodput * question.flows * bits,
                divide(goodput, sum(goodputs)),
            )
            rows.append(
                {
                    **condition.columns(),
                    "replicate": row["replicate"],
                    "algorithm": algorithm,
                    "versus": versus,
                    **dict(zip(BY_NAME, values, strict=True)),
                }
            )
    return pl.DataFrame(rows)

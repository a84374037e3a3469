"""What has been published about the two-flow bench, and how closely it must agree.

Source: K. Mills et al., the methodology paper of NIST SP 500-282, section 3 and figures 3 and 17
to 23: round-trip time 162 ms, no initial threshold, 0 to 1000 s. Where the paper has words instead
of numbers, the range that we take them to mean is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

ALGORITHMS = {
    "Reno": "reno",
    "BIC": "bic:nist",
    "CTCP": "ctcp:nist",
    "FAST": "fast",
    "FAST-AT": "fast-at:nist",
    "HSTCP": "hstcp:nist",
    "H-TCP": "htcp:nist",
    "Scalable": "scalable:nist",
}
"""The source's algorithms by the names they have here."""

Verdict = Literal["agrees", "differs", "fitted", "not measured"]


@dataclass(frozen=True)
class Statement:
    """One published result.

    Attributes:
        label: The algorithm as the source calls it.
        figure: What is compared, a figure of `measure_two_flows`.
        what: The same in words.
        published: What the source says.
        low: Smallest value that agrees.
        high: Largest value that agrees.
        rule: Where `low` and `high` come from, in words.
        source: Where it is published.
        unit: "packets", "part" or "".
        fitted: A parameter here was chosen so that this comes out, so agreement proves nothing.
    """

    label: str
    figure: str
    what: str
    published: str
    low: float
    high: float
    rule: str
    source: str
    unit: str = "part"
    fitted: bool = False

    @property
    def algorithm(self) -> str:
        """Name of the algorithm here."""
        return ALGORITHMS[self.label]

    def verdict(self, measured: float | None) -> Verdict:
        """Whether a measured value lies in the range, ends included; NaN does not."""
        if measured is None:
            return "not measured"
        if not self.low <= measured <= self.high:
            return "differs"
        return "fitted" if self.fitted else "agrees"

    def difference(self, measured: float) -> float:
        """How far a value lies outside the range: 0 inside, negative below, in the unit."""
        return min(measured - self.low, 0.0) + max(measured - self.high, 0.0)


def _near(
    label: str, figure: str, what: str, value: float, source: str, *, within: float = 0.03
) -> Statement:
    """A printed number; agrees within a part of it."""
    return Statement(
        label,
        figure,
        what,
        f"{value:g}",
        value * (1 - within),
        value * (1 + within),
        f"± {within:.0%}",
        source,
        "packets",
    )


def _part(
    label: str, figure: str, what: str, value: float, source: str, *, within: float = 0.03
) -> Statement:
    """A printed percentage; agrees within some points."""
    return Statement(
        label,
        figure,
        what,
        f"{value:.0%}",
        value - within,
        value + within,
        f"± {100 * within:g} points",
        source,
    )


def _full(label: str, source: str) -> Statement:
    return Statement(
        label, "both_use", "both: use of the path", "full", 0.98, math.inf, "at least 98 %", source
    )


def _equal(label: str, published: str, source: str) -> Statement:
    return Statement(
        label,
        "blue_part_end",
        "blue's part of the goodput, last 250 s",
        published,
        0.45,
        0.55,
        "45 to 55 %",
        source,
    )


PATH = 3402
"""What the path holds at 162 ms [packets]."""

STATEMENTS: tuple[Statement, ...] = (
    _near("Reno", "alone_window", "red alone: mean window", 2745, "text and Fig. 3"),
    _part("Reno", "alone_use", "red alone: use of the path", 0.80, "text"),
    _part("Reno", "both_use", "both: use of the path", 0.89, "text"),
    _near("BIC", "alone_window", "red alone: mean window", 3607, "Fig. 17"),
    _near("BIC", "both_window", "both: mean windows together", 3747, "Fig. 17"),
    _near("BIC", "red_window", "both: red's mean window", 2243, "Fig. 17", within=0.1),
    _near("BIC", "blue_window", "both: blue's mean window", 1504, "Fig. 17", within=0.1),
    _full("BIC", "text"),
    _part("CTCP", "alone_use", "red alone: use, comparable to Reno's", 0.80, "text", within=0.05),
    _full("CTCP", "text"),
    Statement(
        "CTCP",
        "both_excess",
        "both: windows beyond the path",
        "a few segments",
        0.0,
        68.0,
        "0 to a tenth of the buffer",
        "text",
        "packets",
    ),
    Statement(
        "FAST",
        "alone_variation",
        "red alone: variation of the window, 50 to 250 s",
        "fixed",
        0.0,
        0.01,
        "at most 1 % of the mean",
        "text",
    ),
    Statement(
        "FAST",
        "alone_window_late",
        "red alone: mean window, 50 to 250 s",
        "3482 (by its rule)",
        3482 * 0.98,
        3482 * 1.02,
        "path + alpha, ± 2 %",
        "text; derived",
        "packets",
    ),
    _full("FAST", "text"),
    _equal("FAST", "nearly equal", "text"),
    # The thresholds of `fast-at:nist` are not published; they were chosen for these two numbers.
    replace(_part("FAST-AT", "red_share", "both: red's share", 0.30, "text"), fitted=True),
    replace(_part("FAST-AT", "blue_share", "both: blue's share", 0.70, "text"), fitted=True),
    Statement(
        "FAST-AT",
        "blue_part_end",
        "blue's part of the goodput, last 250 s",
        "70%",
        0.67,
        0.73,
        "± 3 points",
        "text",
    ),
    _full("FAST-AT", "text"),
    _full("HSTCP", "text"),
    _equal("HSTCP", "equal", "text"),
    _full("H-TCP", "text"),
    _equal("H-TCP", "equal", "text"),
    _near("Scalable", "alone_excess", "red alone: windows beyond the path", 340, "text"),
    _full("Scalable", "text"),
    _part("Scalable", "blue_share", "both: blue's share", 0.02, "text", within=0.01),
)
"""Everything that the source says about its algorithms on the bench."""


@dataclass(frozen=True)
class Comparison:
    """A statement beside what was measured; `measured` is None where nothing was."""

    statement: Statement
    measured: float | None

    @property
    def verdict(self) -> Verdict:
        """Whether they agree."""
        return self.statement.verdict(self.measured)


def compare(
    figures: Mapping[str, Mapping[str, float]], statements: Iterable[Statement] = STATEMENTS
) -> list[Comparison]:
    """Statements beside the figures of their algorithms, by name; algorithms may be missing."""
    return [
        Comparison(statement, figures.get(statement.algorithm, {}).get(statement.figure))
        for statement in statements
    ]

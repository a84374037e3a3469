"""Rules on one figure of several algorithms, named by a prefix and the algorithm's label."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mesonet.studies.rules import Figures, Rule, number


def _listed(figures: Figures, prefix: str, labels: Sequence[str]) -> str:
    known = sorted(
        labels, key=lambda label: (math.isnan(figures[prefix + label]), -figures[prefix + label])
    )
    return ", ".join(f"{label} {number(figures[prefix + label])}" for label in known)


def each(
    prefix: str, labels: Sequence[str], low: float = -math.inf, high: float = math.inf
) -> Rule:
    """Every one lies in a range, ends included."""
    words = [f"at least {number(low)}"] if low > -math.inf else []
    words += [f"at most {number(high)}"] if high < math.inf else []
    return Rule(
        tuple(prefix + label for label in labels),
        "each " + " and ".join(words),
        lambda figures: all(low <= figures[prefix + label] <= high for label in labels),
        lambda figures: _listed(figures, prefix, labels),
    )


def above(prefix: str, higher: Sequence[str], lower: Sequence[str], *, slack: float = 0.0) -> Rule:
    """Every one of some lies above every one of others, or as little below as `slack`."""
    everyone = (*higher, *lower)
    words = f"{', '.join(higher)} above {', '.join(lower)}"
    return Rule(
        tuple(prefix + label for label in everyone),
        f"{words}, within {number(slack)}" if slack else words,
        lambda figures: (
            min(figures[prefix + label] for label in higher)
            >= max(figures[prefix + label] for label in lower) - slack
        ),
        lambda figures: _listed(figures, prefix, everyone),
    )


def placed(prefix: str, label: str, labels: Sequence[str], first: int, last: int) -> Rule:
    """One has a place, in descending order, in a range; the highest has the first."""

    def place(figures: Figures) -> int:
        mine = figures[prefix + label]
        return 1 + sum(figures[prefix + other] > mine for other in labels)

    words = f"place {first}" if first == last else f"place {first} to {last}"
    return Rule(
        tuple(prefix + each for each in labels),
        f"{label} in {words} of {len(labels)}",
        lambda figures: first <= place(figures) <= last,
        lambda figures: _listed(figures, prefix, labels),
    )

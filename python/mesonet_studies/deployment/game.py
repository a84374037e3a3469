"""Incentives to switch: signs of steps, and the equilibria that they leave."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

ALPHA = 0.05
"""Significance level of every interval, and of the adjusted p for a certain effect."""


@dataclass(frozen=True)
class Step:
    """Sources that switch while the share of the newcomer rises from `before` to `after`.

    `gain` is their goodput after the switch over that before, less 1, with its 95 % interval and p,
    adjusted for all steps that are tested together, from `n` replicates; NaN where unknown.
    """

    before: float
    after: float
    gain: float
    lower: float = math.nan
    upper: float = math.nan
    p_holm: float = math.nan
    n: int = 0

    @property
    def sign(self) -> Literal[-1, 0, 1]:
        """Sign of the gain whose interval excludes zero; 0 where the interval includes it.

        Of many steps without any gain, some have a sign by chance: the interval is not adjusted.
        """
        if self.lower > 0:
            return 1
        return -1 if self.upper < 0 else 0

    @property
    def certain(self) -> bool:
        """Tests whether the sign stands after adjustment for the number of steps."""
        return self.sign != 0 and self.p_holm < ALPHA

    @property
    def middle(self) -> float:
        """Share between both ends: a gain belongs to all shares that its step spans."""
        return (self.before + self.after) / 2


_OPEN = "open"


@dataclass(frozen=True)
class Outlook:
    """Equilibria of a deployment whose sources switch whenever they gain by it.

    No deployment is one where the first to switch lose (`none`), full deployment where the last
    gain (`universal`). In `mixed` ranges of shares gains turn into losses, in `tipping` ones losses
    into gains. Steps without a sign are `undecided`.
    """

    none: bool | None
    universal: bool | None
    mixed: tuple[tuple[float, float], ...]
    tipping: tuple[tuple[float, float], ...]
    undecided: int

    @property
    def decided(self) -> bool:
        """Tests whether the outlook has any statement."""
        return self.words() != _OPEN

    def words(self) -> str:
        """Statements of the outlook, in a few words."""
        sentences = []
        if self.none is not None:
            sentences.append(f"the first to switch {'lose' if self.none else 'gain'}")
        sentences += [f"a mix at {_range(*ends)} is stable" for ends in self.mixed]
        sentences += [f"it pays only above {_range(*ends)}" for ends in self.tipping]
        if self.universal is not None:
            sentences.append(f"the last to switch {'gain' if self.universal else 'lose'}")
        return "; ".join(sentences) or _OPEN


def _range(low: float, high: float) -> str:
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def outlook(steps: Sequence[Step], *, certain: bool = False) -> Outlook:
    """Equilibria from the signs of steps, smallest share first.

    Steps without a sign leave the question open between their neighbours: the range of a mix spans
    them. If asked, those that are not certain have none.
    """
    if certain:
        steps = [
            step if step.certain else replace(step, lower=math.nan, upper=math.nan)
            for step in steps
        ]
    decided = [step for step in steps if step.sign != 0]
    mixed: list[tuple[float, float]] = []
    tipping: list[tuple[float, float]] = []
    for step, following in itertools.pairwise(decided):
        if step.sign != following.sign:
            (mixed if step.sign > 0 else tipping).append((step.middle, following.middle))
    first, last = (steps[0].sign, steps[-1].sign) if steps else (0, 0)
    return Outlook(
        none=None if first == 0 else first < 0,
        universal=None if last == 0 else last > 0,
        mixed=tuple(mixed),
        tipping=tuple(tipping),
        undecided=len(steps) - len(decided),
    )


def crossing(steps: Sequence[Step]) -> float:
    """The share at which gains first turn into losses, between the middles of two steps.

    It is 0 if the first to switch lose, 1 if nobody does, NaN where a gain is not known.
    """
    if not steps or any(math.isnan(step.gain) for step in steps):
        return math.nan
    if steps[0].gain <= 0:
        return 0.0
    for step, following in itertools.pairwise(steps):
        if step.gain > 0 >= following.gain:
            fraction = step.gain / (step.gain - following.gain)
            return step.middle + fraction * (following.middle - step.middle)
    return 1.0

"""What a search has found, as data."""

from __future__ import annotations

from typing import Any, Literal

from mesonet.controller import short
from mesonet.evaluation.criteria import Data


class Trial(Data):
    """A condition that was tried in a stage, with a score for each replicate."""

    stage: str
    values: tuple[Any, ...]
    scores: tuple[float, ...]
    broken: int = 0
    """Runs in which the candidate broke; each counts as a score of 1."""
    error: str = ""
    """What the first of them said."""

    @property
    def mean(self) -> float | None:
        """Mean over the replicates; none without a score."""
        return sum(self.scores) / len(self.scores) if self.scores else None


class Judged(Data):
    """A condition measured with seeds that nothing was chosen by."""

    values: dict[str, Any]
    """Values by coordinate."""
    unusual: dict[str, Any]
    """Those that are not the usual ones."""
    searched: float | None
    """Mean score when it was chosen: too high, as the best of many is."""
    mean: float | None
    low: float | None
    high: float | None
    """Mean over fresh replicates, and its 95 % interval."""
    n: int
    broken: int
    error: str

    @property
    def shown(self) -> bool:
        """True if the interval lies above zero, or all replicates have the same above it."""
        bound = self.mean if self.low is None and self.n > 1 else self.low
        return bound is not None and bound > 0


class Search(Data):
    """The worst condition for an algorithm's neighbours, and the simplest that is nearly as bad."""

    format: Literal["mesonet-search-1"] = "mesonet-search-1"
    candidate: str
    parameters: dict[str, float]
    """Those of the candidate that were set."""
    against: str
    response: Literal["excess", "harm"]
    bounds: dict[str, list[Any]]
    """Least and largest value of each coordinate, or all of it."""
    seed: int
    budget: int
    runs: int
    command: str
    worst: Judged
    minimal: Judged
    complete: bool
    """False if the budget ended before everything simpler was tried."""
    shown: bool
    """True if harm is shown in the minimal condition."""
    replay: str
    """Command that runs the minimal condition again."""
    trials: tuple[Trial, ...]

    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences."""
        it = self.minimal
        if it.mean is None:
            return ("No run of the minimal condition has a score.",)
        more, than = (" more", " than to their own kind") if self.response == "excess" else ("", "")
        what = f"percentage points{more} of their goodput to {short(self.candidate)}{than}"
        ends = ""
        if it.low is not None and it.high is not None:
            ends = f" (95 % interval {100 * it.low:.0f} to {100 * it.high:.0f})"
        where = ", ".join(f"{name} {value}" for name, value in it.unusual.items())
        lost = f"Flows of {self.against} lose {100 * it.mean:.0f} {what}{ends}"
        sentences = [
            f"{lost}, in {it.n} fresh replicates.",
            f"The condition differs from a usual path in: {where or 'nothing'}.",
        ]
        if not self.shown:
            sentences.insert(0, "No harm is shown: the interval does not lie above zero.")
        if it.broken:
            sentences.append(f"In {it.broken} of the replicates the candidate failed: {it.error}")
        if not self.complete:
            sentences.append("The budget ended before everything simpler was tried.")
        return tuple(sentences)

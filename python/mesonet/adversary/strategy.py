"""The search and the reduction, over any function that measures points.

A start that fills the space, then differential evolution (R. Storn and K. Price, Journal of Global
Optimization 11, 1997) from its best points, in scipy's implementation. The reduction is a backward
elimination: as many coordinates as can be go home together, then the others part of the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mesonet.adversary.space import Point, Space
from mesonet.design.filling import sobol

Scores = NDArray[np.float64]
Measure = Callable[[str, Sequence[Point]], Scores]
"""Scores of points in a stage, measured together; higher for worse conditions, without noise."""
POPULATION = 8
"""Points of a generation; all of them are measured at once."""
KEEP = 0.9
"""Part of the worst that a reduced condition has to keep."""
_ARMS, _MANY = 3, 600
"""Runs of a replicate, and runs from which the last look has ten."""
_STEPS = (0.25, 0.5, 0.75)
"""Parts of the way home that are tried of coordinates which cannot go all of it."""


def start_points(space: Space, points: int, seed: int) -> list[Point]:
    """Points that fill the space: of a scrambled Sobol sequence, a power of two."""
    design = sobol([f"x{place}" for place, _ in enumerate(space.varied)], points=points, seed=seed)
    return list((design.matrix.select(design.factors).to_numpy() + 1) / 2)


def evolved(
    measure: Measure, begun: Sequence[Point], scores: Scores, *, generations: int, seed: int
) -> Point:
    """The worst point after some generations from the worst of `begun`, all of them measured anew.

    The first generation only measures these again: the best of many noisy scores is too high.
    """
    from scipy.optimize import differential_evolution

    order = np.argsort(-scores, kind="stable")[:POPULATION]
    count = iter(range(1, generations + 1))

    measured: list[tuple[float, Point]] = []

    def objective(places: NDArray[np.float64]) -> Scores:
        points = list(places.T)
        scores_now = measure(f"evolution-{next(count)}", points)
        measured.extend(zip(scores_now.tolist(), points, strict=True))
        return -scores_now

    differential_evolution(
        objective,
        [(0.0, 1.0)] * len(begun[0]),
        init=np.array([begun[place] for place in order]),
        maxiter=generations - 1,
        vectorized=True,
        updating="deferred",
        polish=False,
        tol=0.0,
        rng=seed,
    )
    return max(measured, key=lambda it: it[0])[1]


class _SpentError(Exception):
    """No points are left."""


class Reduction:
    """Brings a worst point home as far as `KEEP` of its score lasts, with at most some points.

    `point` is the simplest condition that was tried and keeps as much; `complete` is False if
    there were too few points left to try everything.
    """

    def __init__(self, measure: Measure, space: Space, worst: Point, *, points: int) -> None:
        self._measure, self._space, self._left, self._batch = measure, space, points, 0
        self._home, self.point, self.complete = space.home, worst, True
        try:
            self._reduce()
        except _SpentError:
            self.complete = False

    def _scores(self, points: Sequence[Point]) -> Scores:
        if len(points) > self._left:
            raise _SpentError
        self._left -= len(points)
        self._batch += 1
        return self._measure(f"reduction-{self._batch}", points)

    def _away(self) -> list[int]:
        """Coordinates whose values are not the usual ones."""
        both = zip(self.point, self._home, self._space.varied, strict=True)
        return [n for n, (at, home, it) in enumerate(both) if it.value(at) != it.value(home)]

    def _moved(self, places: Sequence[int], part: float = 1.0) -> Point:
        point = self.point.copy()
        point[places] += part * (self._home[places] - point[places])
        return point

    def _reduce(self) -> None:
        """Moves `point` from the worst one homewards."""
        away = self._away()
        singles = self._scores([self.point, *(self._moved([place]) for place in away)])
        bar, singles = KEEP * singles[0], singles[1:]
        while (singles >= bar).any():
            order = [away[n] for n in np.argsort(-singles, kind="stable") if singles[n] >= bar]
            # The coordinates that matter least first, then ever more of them together.
            sets = [order[:size] for size in range(2, len(order) + 1)]
            trials = [self._moved(places) for places in sets]
            self.point = self._moved(order[:1])
            together = self._scores(trials) if trials else np.array([])
            held = [it for it, score in zip(trials, together, strict=True) if score >= bar]
            self.point = held[-1] if held else self.point
            away = self._away()
            if not away:
                return
            singles = self._scores([self._moved([place]) for place in away])
        for place in away:
            trials = [self._moved([place], part) for part in _STEPS]
            scores = self._scores(trials)
            held = [it for it, score in zip(trials, scores, strict=True) if score >= bar]
            if held:
                self.point = held[-1]


class Shares(NamedTuple):
    """How the budget is shared.

    Attributes:
        start: Points that fill the space.
        generations: Generations of the evolution.
        reduction: Points of the reduction.
        fresh: Replicates of the last look.
    """

    start: int
    generations: int
    reduction: int
    fresh: int


def shares(runs: int, *, replicates: int, coordinates: int) -> Shares | None:
    """Up to two thirds of the runs for the start, a fifth for generations, what is left to reduce.

    None if too few are left for the worst point and it with each of its coordinates at home.
    """
    each = POPULATION * _ARMS * replicates
    generations = max(1, int(0.2 * runs) // each)
    fresh = 10 if runs >= _MANY else 5
    left = runs - generations * each - 2 * _ARMS * fresh
    begin = 2 ** int(np.log2(max(1.0, 0.65 * runs / _ARMS)))
    while begin > POPULATION and left - begin * _ARMS < (1 + coordinates) * _ARMS * replicates:
        begin //= 2
    reduction = (left - begin * _ARMS) // (_ARMS * replicates)
    return Shares(begin, generations, reduction, fresh) if reduction > coordinates else None

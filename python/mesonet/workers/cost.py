"""Model of the time that runs take, fitted to those that have finished.

    CPU seconds = m[group] (a + b packets + c simulated seconds),    a, b, c >= 0

fitted by least squares of the *relative* errors, since runs differ by orders of magnitude, over the
latest 5000 runs: b is what a packet costs, a what a run costs at all, c what passing time costs in
a large but idle network. The factor m of a group, such as an algorithm, starts at 1 and is believed
as it is confirmed. Groups of which no run has finished may be of other worlds, so packets alone say
what they cost, and the interval is as wide as that.

By the clock a run takes longer than that where runs wait for memory, disks, other programs and each
other. How much longer follows the latest runs, for what else a machine does comes and goes. What
comes may stay, so the interval is as wide as that differed from run to run, however many are left.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mesonet.workers.tasks import Eta, Task

Vector = npt.NDArray[np.float64]

_LEAST = 1e-4
"""No run counts as shorter [s]; clocks are not finer."""
_PRIOR = 1.0
"""Runs' worth of belief that a group is like all."""
_REMEMBERED = 5000
_ROUNDS = 8
_KEPT = 0.97
"""Weight kept by earlier wall-clock times after each run: the latest 23 runs have half of it."""
_Z = NormalDist().inv_cdf(0.95)


def features(task: Task) -> Vector:
    """Predictors of a task: one, expected packets, simulated seconds."""
    return np.array([1.0, task.cost, task.simulated])


class _Known(NamedTuple):
    x: Vector
    seconds: float
    group: str


@dataclass
class Work:
    """Sums over tasks that wait."""

    runs: int = 0
    groups: dict[str, tuple[Vector, Vector]] = field(default_factory=dict)

    def add(self, task: Task, sign: int = 1) -> None:
        """Takes a task in, or with sign -1 out."""
        x = features(task)
        total, squares = self.groups.get(task.group, (np.zeros(3), np.zeros((3, 3))))
        self.groups[task.group] = (total + sign * x, squares + sign * np.outer(x, x))
        self.runs += sign


class CostModel:
    """Predicts CPU seconds of tasks, and the time that is left."""

    def __init__(self) -> None:
        self._known: deque[_Known] = deque(maxlen=_REMEMBERED)
        self._runs = 0
        self._cpu = 0.0
        self._wall = 0.0
        self._wall_squares = 0.0
        self._refit_at = 1
        self._fit: Vector | None = None
        self._plain: Vector = np.zeros(3)
        self._factors: dict[str, float] = {}
        self._spread = 1.0
        self._uncertainty: Vector = np.zeros((3, 3))

    def learn(self, task: Task, *, cpu_seconds: float, seconds: float) -> bool:
        """Takes a finished task into account; returns whether predictions have changed."""
        cpu = max(cpu_seconds, _LEAST)
        self._known.append(_Known(features(task), cpu, task.group))
        self._runs += 1
        self._cpu = _KEPT * self._cpu + cpu
        wall = max(seconds, _LEAST)
        self._wall = _KEPT * self._wall + wall
        self._wall_squares = _KEPT * self._wall_squares + wall**2 / cpu
        if self._runs < self._refit_at:
            return False
        self._refit_at = max(self._runs + 1, math.ceil(1.5 * self._runs))
        self.refit()
        return True

    def resumed(self) -> None:
        """Says that all runs learnt so far are of the past: their clock counts as one run's."""
        if self._cpu > 0:
            latest = self._known[-1].seconds
            self._wall *= latest / self._cpu
            self._wall_squares *= latest / self._cpu
            self._cpu = latest

    @property
    def clock(self) -> float:
        """Seconds by the clock for a second of CPU, as the latest runs had it; 1 without any."""
        return self._wall / self._cpu if self._cpu > 0 else 1.0

    @property
    def _clock_spread(self) -> float:
        """Standard deviation of that over the latest runs, each with the weight of its CPU time."""
        if self._cpu <= 0:
            return 0.0
        return math.sqrt(max(self._wall_squares / self._cpu - self.clock**2, 0.0))

    def predict(self, task: Task) -> float | None:
        """CPU seconds a task will take; None without experience."""
        if self._fit is None:
            return None
        if task.group not in self._factors:
            return float(self._plain @ features(task))
        return self._factors[task.group] * float(self._fit @ features(task))

    def eta(self, waiting: Work, longest: Task | None, left: list[float], workers: int) -> Eta:
        """Time until all is done, which is at least that of the longest task.

        Args:
            waiting: tasks that are to be handed out.
            longest: the longest of these.
            left: CPU seconds that the running tasks still need, as far as is known.
            workers: number of tasks that run at once.

        Raises:
            ValueError: there is no experience.
        """
        if self._fit is None:
            raise ValueError("no run has finished")
        fit = self._fit
        total: Vector = np.zeros(3)
        unknown = 0.0
        variance: float = self._spread**2 * sum(part * part for part in left)
        for group, (sums, squares) in waiting.groups.items():
            factor = self._factors.get(group)
            if factor is None:
                unknown += float(self._plain @ sums)
                continue
            total += factor * sums
            variance += (self._spread * factor) ** 2 * max(float(fit @ squares @ fit), 0.0)
        variance += max(float(total @ self._uncertainty @ total), 0.0) + unknown**2
        share = (float(fit @ total) + unknown + sum(left)) / max(workers, 1)
        spread = math.sqrt(variance) / max(workers, 1)
        last = max([(self.predict(longest) or 0.0) if longest else 0.0, *left])
        if last > share:
            share, spread = last, self._spread * last
        clock = self.clock
        width = _student(self._runs) * math.hypot(clock * spread, self._clock_spread * share)
        return Eta(clock * share, max(clock * share - width, 0.0), clock * share + width)

    def refit(self) -> None:
        """Learns from what is known now; `learn` does it as experience grows by half."""
        x = np.array([known.x for known in self._known])
        y = np.array([known.seconds for known in self._known])
        names = sorted({known.group for known in self._known})
        groups = np.array([names.index(known.group) for known in self._known])
        factors = np.ones(len(names))
        # Weights are the inverse of what is predicted: of what was measured, they would favour
        # runs that happened to be short.
        weights, fit, kept = 1 / y, np.zeros(3), [1]
        for _ in range(_ROUNDS):
            scaled = x * factors[groups, None]
            fit, kept = _non_negative(scaled * weights[:, None], y * weights)
            plain = np.maximum(x @ fit, _LEAST)
            ratios = np.bincount(groups, y / plain, len(names))
            factors = (ratios + _PRIOR) / (np.bincount(groups, minlength=len(names)) + _PRIOR)
            weights = 1 / (plain * factors[groups])
        self._fit = fit
        packets = float(x[:, 1].sum())
        self._plain = np.array([0.0, float(y.sum()) / packets if packets > 0 else 0.0, 0.0])
        self._factors = dict(zip(names, factors.tolist(), strict=True))
        freedom = len(y) - len(kept)
        errors = float(np.sum((y * weights - 1) ** 2))
        # One run says nothing about the spread; a factor of two is a guess for want of one.
        self._spread = math.sqrt(errors / freedom) if freedom > 0 else 1.0
        used = (x * factors[groups, None] * weights[:, None])[:, kept]
        self._uncertainty = np.zeros((3, 3))
        self._uncertainty[np.ix_(kept, kept)] = self._spread**2 * np.linalg.pinv(
            used.T @ used, hermitian=True
        )


def _non_negative(x: Vector, y: Vector) -> tuple[Vector, list[int]]:
    """The non-negative fit: the best among those of every choice of columns.

    With as few runs as columns, the packets alone decide.
    """
    best, chosen, error = np.zeros(3), [1], math.inf
    scale = np.sqrt((x * x).sum(axis=0))
    for size in (1, 2, 3):
        for columns in itertools.combinations((1, 0, 2), size):
            kept = list(columns)
            if (scale[kept] == 0).any() or (len(y) <= 3 and columns != (1,)):
                continue
            values = np.linalg.lstsq(x[:, kept] / scale[kept], y, rcond=1e-9)[0] / scale[kept]
            if (values < 0).any():
                continue
            fit = np.zeros(3)
            fit[kept] = values
            squares = float(np.sum((x @ fit - y) ** 2))
            # A column that explains nothing is left out.
            if squares < error - 1e-6 * len(y):
                best, chosen, error = fit, kept, squares
    return best, chosen


def _student(runs: int) -> float:
    """Quantile of Student's t for a 90 % interval (first term of the Cornish-Fisher series)."""
    freedom = max(runs - 3, 1)
    return _Z + (_Z**3 + _Z) / (4 * freedom)

"""The search over functions whose worst point is known; nothing is simulated."""

import numpy as np
import pytest

from mesonet.adversary.execution import BUDGET
from mesonet.adversary.question import REPLICATES
from mesonet.adversary.space import space
from mesonet.adversary.strategy import KEEP, POPULATION, Reduction, evolved, shares, start_points
from mesonet.units import parse_size, parse_time

BOUNDS = {
    "rate": ("1 Mbit/s", "100 Mbit/s"),
    "rtt": ("5 ms", "300 ms"),
    "buffer": ("0.1 bdp", "16 bdp"),
    "loss": (0.0, 0.01),
    "flows": (1, 8),
    "victims": (1, 8),
    "start": ("0 s", "5 s"),
    "queue": "droptail",
}
SPACE = space(BOUNDS)


class Noisy:
    """Scores of conditions with noise, as few replicates leave it, and how many were asked for."""

    def __init__(self, score, seed, noise=0.05):
        self.score, self.noise, self.count = score, noise, 0
        self.draws = np.random.default_rng(seed)  # noqa: TID251 - no run depends on it

    def __call__(self, stage, points):
        self.count += len(points)
        conditions = [SPACE.named(SPACE.values(point)) for point in points]
        noise = self.draws.normal(0, self.noise * (2 if stage == "start" else 1), len(points))
        return np.array([self.score(**each) for each in conditions]) + noise


def is_weak(rtt, buffer):
    bdps = parse_size(buffer, bdp=True).value
    return 0.18 <= parse_time(rtt) <= 0.22 and bdps < 0.3


def planted(rtt, buffer, flows, victims, **others):
    return 0.8 * victims / (victims + flows) * is_weak(rtt, buffer)


def search(score, *, seed, budget=BUDGET):
    parts = shares(budget, replicates=REPLICATES, coordinates=len(SPACE.varied))
    measure = Noisy(score, seed)
    begun = start_points(SPACE, parts.start, seed)
    scores = measure("start", begun)
    worst = evolved(measure, begun, scores, generations=parts.generations, seed=seed)
    return worst, Reduction(measure, SPACE, worst, points=parts.reduction)


def test_a_planted_weakness_comes_out_nine_times_of_ten():
    """It has a hundredth of the space, and loss hides nothing."""
    hits = 0
    for seed in range(10):
        _, minimal = search(planted, seed=seed)
        condition = SPACE.named(SPACE.values(minimal.point))
        hits += is_weak(condition["rtt"], condition["buffer"])
    assert hits >= 9


def test_a_reduced_condition_differs_only_in_what_matters():
    _, minimal = search(lambda rtt, buffer, **_: 0.8 * is_weak(rtt, buffer), seed=1)
    usual = {it.name: it.usual for it in SPACE.coordinates}
    condition = SPACE.named(SPACE.values(minimal.point))
    assert {name for name in usual if condition[name] != usual[name]} == {"rtt", "buffer"}
    assert minimal.complete


def test_what_cannot_go_home_goes_part_of_the_way():
    """Harm above 100 ms whatever else; the round-trip time ends nearer to it than it began."""
    long = SPACE.home.copy()
    long[1] = 1.0
    measure = Noisy(lambda rtt, **_: float(parse_time(rtt) > 0.1), 1, noise=0.0)
    minimal = Reduction(measure, SPACE, long, points=100)
    rtt = parse_time(SPACE.named(SPACE.values(minimal.point))["rtt"])
    assert 0.1 < rtt < 0.2


def test_most_of_the_harm_is_kept():
    def score(rtt, buffer, **_):
        return parse_time(rtt) / (0.3 * (1 + parse_size(buffer, bdp=True).value))

    corner = SPACE.home.copy()
    corner[1], corner[2] = 0.9, 0.13
    minimal = Reduction(Noisy(score, 1, noise=0.0), SPACE, corner, points=100)
    first, last = (score(**SPACE.named(SPACE.values(it))) for it in (corner, minimal.point))
    assert KEEP * first <= last
    assert not np.array_equal(corner, minimal.point)


def test_a_reduction_stops_at_its_points():
    measure = Noisy(lambda **_: 1.0, 1, noise=0.0)
    corner = np.ones(len(SPACE.home))
    minimal = Reduction(measure, SPACE, corner, points=9)
    assert measure.count <= 9
    assert not minimal.complete
    assert not np.array_equal(minimal.point, corner)


def test_the_fewest_runs_bring_every_coordinate_home_once():
    runs = next(it for it in range(1000) if shares(it, replicates=3, coordinates=8))
    parts = shares(runs, replicates=REPLICATES, coordinates=8)
    measure = Noisy(lambda **_: 1.0, 1, noise=0.0)
    corner = np.ones(len(SPACE.home))
    minimal = Reduction(measure, SPACE, corner, points=parts.reduction)
    assert not np.array_equal(minimal.point, corner)


@pytest.mark.parametrize("runs", [200, 500, BUDGET, 5000])
def test_shares_keep_to_the_budget(runs):
    parts = shares(runs, replicates=REPLICATES, coordinates=len(SPACE.varied))
    points = POPULATION * parts.generations + parts.reduction
    spent = 3 * (parts.start + REPLICATES * points + 2 * parts.fresh)
    assert 0.9 * runs <= spent <= runs


def test_evolution_climbs():
    """From the best points of the start to a hill between them."""

    def hill(rtt, **_):
        return -abs(np.log(parse_time(rtt) / 0.063))

    measure = Noisy(hill, 1, noise=0.0)
    begun = start_points(SPACE, 8, 1)
    scores = measure("start", begun)
    worst = evolved(measure, begun, scores, generations=30, seed=1)
    assert hill(**SPACE.named(SPACE.values(worst))) > 0.5 * scores.max()

"""Plans that are executed until their stopping rule is content."""

import random
from types import SimpleNamespace

import polars as pl
from dumbbells import LITTLE

from mesonet.campaign.sequential import longer
from mesonet.plan import plan_from_dict


def plan(replicates=1, **stopping):
    data = {
        "name": "sequential",
        "scenario": LITTLE,
        "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
        "responses": ["utilization"],
        "replicates": replicates,
    }
    return plan_from_dict(data | ({"stopping": stopping} if stopping else {}))


class Folder:
    """Answers with noise of known size around 100, for replicates up to the `most`."""

    def __init__(self, spread=10.0, most=100):
        self.rows, self.spread, self.most = {}, spread, most

    def run(self, plan):
        for run in plan.runs():
            if run.replicate > self.most:
                continue
            noise = random.Random(run.id).gauss(0, self.spread)
            self.rows[run.id] = {
                "run": run.id,
                "condition": run.condition,
                "alternative": run.alternative,
                "replicate": run.replicate,
                "utilization": 100 + noise,
            }
        return SimpleNamespace(results=lambda: pl.DataFrame(list(self.rows.values())))


def executed(plan, folder):
    """Replicates of each block until the rule is content."""
    counts = [plan.replicates]
    while following := longer(plan, folder.run(plan)):
        plan, _ = following
        counts.append(plan.replicates)
    return counts


def test_without_a_rule_a_plan_is_executed_once():
    assert executed(plan(), Folder()) == [1]


def test_replicates_come_block_by_block_until_the_half_width_is_small():
    rule = {"responses": {"utilization": "10 %"}, "max_replicates": 50}
    counts = executed(plan(replicates=3, **rule), Folder())
    assert counts == list(range(3, counts[-1] + 1))
    # A spread of 10 needs about (1.96 * 10 / 10)^2, which is four, and t asks for some more.
    assert 4 < counts[-1] < 15


def test_it_ends_at_the_largest_number():
    rule = {"responses": {"utilization": 0.1}, "max_replicates": 5}
    assert executed(plan(**rule), Folder(spread=1000.0)) == [2, 3, 4, 5]


def test_it_ends_when_replicates_bring_nothing():
    rule = {"responses": {"utilization": 0.1}, "max_replicates": 4}
    assert executed(plan(**rule), Folder(spread=1000.0, most=2)) == [2, 3, 4]

"""Plans that are executed until their stopping rule is content."""

import random
from types import SimpleNamespace

import polars as pl
import pytest

from mesonet.campaign.sequential import run_plan
from mesonet.plan import plan_from_dict


def plan(**stopping):
    data = {
        "name": "sequential",
        "scenario": {
            "kind": "dumbbell",
            "rate": "10 Mbit/s",
            "rtt": "40 ms",
            "flows": ["reno"],
            "duration": "2 s",
        },
        "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
        "responses": ["utilization"],
    }
    return plan_from_dict(data | ({"stopping": stopping} if stopping else {}))


class Folder:
    """Keeps what was asked for, and answers with noise of known size around 100."""

    def __init__(self, spread=10.0):
        self.calls, self.rows, self.spread = [], {}, spread

    def run(self, asked, *, out, **options):
        self.calls.append((asked.replicates, options))
        for run in asked.runs():
            noise = random.Random(run.id).gauss(0, self.spread)
            self.rows[run.id] = {
                "run": run.id,
                "condition": run.condition,
                "alternative": run.alternative,
                "replicate": run.replicate,
                "utilization": 100 + noise,
            }
        return SimpleNamespace(results=lambda: pl.DataFrame(list(self.rows.values())), plan=asked)


def test_without_a_rule_a_plan_is_executed_once():
    folder = Folder()
    run_plan(plan(), out="x", run=folder.run, series=True)
    assert folder.calls == [(1, {"series": True})]


def test_replicates_come_block_by_block_until_the_half_width_is_small():
    folder, told = Folder(), []
    rule = {"responses": {"utilization": "10 %"}, "min_replicates": 3, "max_replicates": 50}
    campaign = run_plan(
        plan(**rule), out="x", run=folder.run, more=lambda n, cells: told.append((n, cells))
    )
    counts = [replicates for replicates, _ in folder.calls]
    assert counts == list(range(3, counts[-1] + 1))
    # A spread of 10 needs about (1.96 * 10 / 10)^2, which is four, and t asks for some more.
    assert 4 < counts[-1] < 15
    assert [n for n, _ in told] == counts[1:]
    frame = campaign.results()
    assert frame.group_by("condition").len()["len"].to_list() == [counts[-1]] * 2


def test_it_ends_at_the_largest_number():
    folder = Folder(spread=1000.0)
    run_plan(plan(responses={"utilization": 0.1}, max_replicates=5), out="x", run=folder.run)
    assert [replicates for replicates, _ in folder.calls] == [2, 3, 4, 5]


def test_it_ends_when_replicates_bring_nothing():
    class Failing(Folder):
        def run(self, asked, *, out, **options):
            super().run(asked, out=out, **options)
            kept = [row for row in self.rows.values() if row["replicate"] < 3]
            return SimpleNamespace(results=lambda: pl.DataFrame(kept))

    folder = Failing(spread=1000.0)
    run_plan(plan(responses={"utilization": 0.1}, max_replicates=4), out="x", run=folder.run)
    assert [replicates for replicates, _ in folder.calls] == [2, 3, 4]


def test_a_folder_that_is_longer_than_the_plan_goes_on_from_there():
    folder = Folder()
    rule = {"responses": {"utilization": 0.001}, "max_replicates": 8}
    folder.run(plan(**rule).with_replicates(6), out="x")
    folder.calls.clear()
    run_plan(plan(**rule), out="x", run=folder.run, retry_failed=True)
    assert [replicates for replicates, _ in folder.calls] == [2, 7, 8]
    assert [options["retry_failed"] for _, options in folder.calls] == [True, False, False]


def test_what_stops_a_block_stops_the_plan():
    def stopped(asked, *, out, **options):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(plan(responses={"utilization": 1}, max_replicates=3), out="x", run=stopped)

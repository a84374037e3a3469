"""Estimates of the time that runs take, and of the time that is left."""

import math
import os
import random
import signal
from collections import deque
from unittest.mock import Mock

import pytest

from mesonet.cli.progress import headline
from mesonet.workers import CostModel, Listener, Outcome, Progress, Task, execute_all
from mesonet.workers.cost import Work
from mesonet.workers.tasks import Beat


def task(packets, *, group="reno", simulated=10.0, number=0):
    return Task(f"{group}-{packets}-{number}", packets, None, group=group, simulated=simulated)


def waiting(tasks):
    work = Work()
    for one in tasks:
        work.add(one)
    return work


def learnt(examples):
    model = CostModel()
    for one, seconds in examples:
        model.learn(one, cpu_seconds=seconds, seconds=seconds)
    model.refit()
    return model


def test_without_experience_nothing_is_said():
    assert CostModel().predict(task(10)) is None
    with pytest.raises(ValueError, match="no run"):
        CostModel().eta(Work(), None, [], 2)


def test_one_run_makes_time_follow_packets():
    model = learnt([(task(100), 10.0)])
    assert model.predict(task(50)) == pytest.approx(5.0)


def test_what_a_run_a_packet_and_a_second_cost_is_found():
    model = learnt(
        (task(p, simulated=s), 0.5 + 2e-6 * p + 0.01 * s)
        for p in (1e3, 1e5, 1e6, 1e7)
        for s in (1.0, 60.0, 1000.0)
    )
    assert model.predict(task(3e6, simulated=500.0)) == pytest.approx(0.5 + 6 + 5, rel=1e-6)


def test_no_cost_is_negative():
    # Longer worlds took less time here, by chance: passing time is not given a negative price.
    model = learnt((task(p, simulated=10 / p), 1e-3 * p) for p in (10.0, 20.0, 40.0, 80.0))
    assert model.predict(task(40, simulated=1e6)) == pytest.approx(0.04)


def test_a_slow_algorithm_is_known_after_some_runs():
    examples = [(task(p), 1e-6 * p) for p in (1e6, 2e6, 3e6)] * 5
    examples += [(task(p, group="python"), 1e-5 * p) for p in (1e6, 2e6, 3e6)] * 5
    model = learnt(examples)
    slow, fast = model.predict(task(1e6, group="python")), model.predict(task(1e6))
    assert slow / fast > 7
    assert model.predict(task(1e6, group="new")) < slow


def test_time_left_of_other_worlds_goes_by_their_packets():
    """Runs of networks say nothing of what it costs that time passes at a single bottleneck."""
    network = [(task(p, group="internet", simulated=90.0), 4.0 + 1e-6 * p) for p in (4e6, 8e6)] * 20
    model = learnt(network)
    rest = [task(2e5, group="dumbbell", simulated=300.0, number=n) for n in range(370)]
    eta = model.eta(waiting(rest), rest[0], [], 2)
    # 1.67 µs per packet over all that is known.
    assert model.predict(rest[0]) == pytest.approx(0.333, abs=0.001)
    assert eta.seconds == pytest.approx(370 * 0.333 / 2, rel=0.01)
    assert eta.low == 0.0
    assert eta.high > 2 * eta.seconds
    # As soon as one has ended, it counts.
    model.learn(rest[0], cpu_seconds=0.2, seconds=0.2)
    model.refit()
    assert model.predict(rest[1]) < 2.0


def test_the_time_left_follows_the_work_over_the_workers():
    model = learnt([(task(100), 10.0)] * 5)
    assert model.eta(waiting([task(50)] * 4), task(50), [], 2).seconds == pytest.approx(10.0)
    assert model.eta(Work(), None, [6.0], 2).seconds == pytest.approx(6.0)
    assert model.eta(Work(), None, [], 2).seconds == 0.0


def test_no_campaign_ends_before_its_longest_run():
    model = learnt([(task(100), 10.0)] * 5)
    eta = model.eta(waiting([task(1000), task(1)]), task(1000), [], 16)
    assert eta.seconds == pytest.approx(100.0)


def test_time_by_the_clock_counts_when_workers_wait_for_each_other():
    model = CostModel()
    model.learn(task(100), cpu_seconds=10.0, seconds=20.0)
    assert model.eta(waiting([task(100)]), task(100), [], 1).seconds == pytest.approx(20.0)


def test_a_busy_past_is_soon_forgotten():
    model = CostModel()
    for _ in range(100):
        model.learn(task(100), cpu_seconds=10.0, seconds=80.0)
    model.resumed()
    for _ in range(20):
        model.learn(task(100), cpu_seconds=10.0, seconds=10.0)
    # The one run of the past at 80 s counts 0.54 by now, those at 10 s 15.2 together.
    assert model.eta(waiting([task(100)]), task(100), [], 1).seconds == pytest.approx(12.4, abs=0.1)
    for _ in range(80):
        model.learn(task(100), cpu_seconds=10.0, seconds=30.0)
    assert model.eta(waiting([task(100)]), task(100), [], 1).seconds == pytest.approx(29.2, abs=0.1)


def test_other_work_that_has_come_may_stay_or_go():
    model = CostModel()
    for clock in [1.0] * 40 + [2.0] * 10:
        model.learn(task(100), cpu_seconds=10.0, seconds=10.0 * clock)
    eta = model.eta(waiting([task(100)] * 100), task(100), [], 1)
    assert eta.low < 1000.0 < eta.seconds < 2000.0 < eta.high
    for _ in range(200):
        model.learn(task(100), cpu_seconds=10.0, seconds=20.0)
    eta = model.eta(waiting([task(100)] * 100), task(100), [], 1)
    assert 1900.0 < eta.low < eta.high < 2100.0


def test_the_interval_holds_about_nine_times_in_ten():
    draw = random.Random(7)
    held = 0
    for _ in range(200):
        sizes = [draw.uniform(1e5, 1e6) for _ in range(40)]
        times = [1e-6 * size * math.exp(draw.gauss(0, 0.3)) for size in sizes]
        model = learnt((task(s), t) for s, t in zip(sizes[:20], times[:20], strict=True))
        rest = [task(size) for size in sizes[20:]]
        eta = model.eta(waiting(rest), max(rest, key=lambda t: t.cost), [], 1)
        held += eta.low <= sum(times[20:]) <= eta.high
    assert 0.84 <= held / 200 <= 0.96


def test_work_that_is_handed_out_counts_no_more():
    work = waiting([task(10), task(20)])
    work.add(task(20), -1)
    model = learnt([(task(10), 1.0)] * 5)
    assert work.runs == 1
    assert model.eta(work, task(10), [], 1).seconds == pytest.approx(1.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_while_workers_are_sent_home_is_heard(number):
    pool = Mock()
    pool.close.side_effect = lambda: os.kill(os.getpid(), number)
    with pytest.raises(KeyboardInterrupt) as stopped:
        execute_all([], print, workers=1, before=Progress(total=0), listener=Listener(), pool=pool)
    assert stopped.value.args == (number,)


class Scripted:
    """One worker whose events come at given instants; the clock stands still between them."""

    def __init__(self, events, monkeypatch):
        self.events = deque(events)
        self.now = 0.0
        self.handed = False
        monkeypatch.setattr("mesonet.workers.execution.time.monotonic", lambda: self.now)

    def free(self):
        return 0 if self.handed else 1

    def workers(self):
        return 1

    def lonely(self):
        return ""

    def submit(self, _):
        self.handed = True
        return "somewhere"

    def poll(self, _):
        self.now, event = self.events.popleft()
        return [event]

    def memory(self, _):
        return None

    def close(self):
        pass


def test_the_time_left_of_a_run_is_that_since_its_worker_took_it_up(monkeypatch):
    """Not since it was handed out: a cluster lets runs wait, and begins some again."""
    model = learnt([(task(100), 10.0)] * 5)
    model.learn(task(100), cpu_seconds=10.0, seconds=20.0)
    one = task(100, simulated=100.0)
    events = [
        (30.0, Beat(one.id, 0.0, 0)),
        (36.0, Beat(one.id, 30.0, 0)),  # 6 s for 30 of 100: 14 s are left.
        (50.0, Beat(one.id, 0.0, 0)),
        (55.0, Beat(one.id, 20.0, 0)),  # Begun again: 5 s for 20 of 100.
        (75.0, Outcome(one.id, cpu_seconds=10.0, seconds=20.0)),
    ]
    told = []
    listener = Listener(progress=lambda it: told.append(it.eta and it.eta.seconds))
    pool = Scripted(events, monkeypatch)
    before = Progress(total=1)
    execute_all([one], print, workers=1, before=before, listener=listener, model=model, pool=pool)
    assert told[1] == pytest.approx(14.0)
    assert told[3] == pytest.approx(20.0)


def test_what_waits_for_a_place_on_a_cluster_is_not_running(monkeypatch):
    first, second = task(100), task(50)
    events = [
        (1.0, Beat(first.id, 0.0, 0)),
        (9.0, Outcome(first.id, cpu_seconds=8.0, seconds=8.0)),
        (10.0, Beat(second.id, 0.0, 0)),
        (19.0, Outcome(second.id, cpu_seconds=8.0, seconds=8.0)),
    ]
    pool = Scripted(events, monkeypatch)
    pool.free = lambda: 1  # One place, and one task that is on its way.
    told, started = [], []
    listener = Listener(
        started=started.append,
        progress=lambda it: told.append([run.id for run in it.running]),
    )
    before = Progress(total=2)
    execute_all([first, second], print, workers=1, before=before, listener=listener, pool=pool)
    assert told[:3] == [[first.id], [], [second.id]]
    assert [run for runs in started for run in runs] == [first.id, second.id]


def test_a_cluster_without_workers_is_told(monkeypatch):
    one = task(100)
    pool = Scripted([(1.0, Beat("another", 0.0, 0)), (20.0, Outcome(one.id))], monkeypatch)
    pool.lonely = lambda: "no worker is connected to tcp://it:8786; waiting for one"
    told = []
    listener = Listener(progress=lambda it: told.append(headline(it)))
    execute_all([one], print, workers=1, before=Progress(total=1), listener=listener, pool=pool)
    assert told[0] == "0/1 runs, no worker is connected to tcp://it:8786; waiting for one"
    assert told[-1] == "1/1 runs, finished"

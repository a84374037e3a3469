"""Estimates of the time that runs take, and of the time that is left."""

import os
import signal
from collections import deque
from unittest.mock import Mock

import pytest

from mesonet.cli.progress import headline
from mesonet.workers import Listener, Outcome, Pace, Progress, Task, execute_all
from mesonet.workers.tasks import Beat


def task(packets, *, group="reno", simulated=10.0, number=0):
    return Task(f"{group}-{packets}-{number}", packets, None, group=group, simulated=simulated)


@pytest.fixture
def pace():
    """Two groups, of which one takes ten times as long."""
    pace = Pace()
    pace.learn(task(100), 10.0)
    pace.learn(task(300), 30.0)
    pace.learn(task(100, group="python"), 100.0)
    return pace


def test_time_goes_with_planned_cost_at_the_pace_of_the_group(pace):
    assert Pace().seconds("reno", 10) is None
    assert pace.seconds("reno", 50) == pytest.approx(5.0)
    assert pace.seconds("python", 50) == pytest.approx(50.0)
    # 140 s for 500 of all.
    assert pace.seconds("new", 50) == pytest.approx(14.0)


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
    pace = Pace()
    pace.learn(task(100), 20.0)
    job = task(100, simulated=100.0)
    events = [
        (30.0, Beat(job.id, 0.0)),
        (36.0, Beat(job.id, 30.0)),  # 6 s of 20.
        (50.0, Beat(job.id, 0.0)),
        (55.0, Beat(job.id, 20.0)),  # Begun again: 5 s of 20.
        (75.0, Outcome(job.id, cpu_seconds=10.0, seconds=20.0)),
    ]
    told = []
    listener = Listener(progress=lambda it: told.append(it.eta))
    pool = Scripted(events, monkeypatch)
    before = Progress(total=1)
    execute_all([job], print, workers=1, before=before, listener=listener, pace=pace, pool=pool)
    assert told[1] == pytest.approx(14.0)
    assert told[3] == pytest.approx(15.0)


def test_the_time_left_is_that_of_the_longest_where_there_are_many_workers(pace, monkeypatch):
    rest = [task(1000), task(10)]
    events = [(1.0, Beat(rest[0].id, 0.0)), (101.0, Outcome(rest[0].id, seconds=100.0))]
    events += [(102.0, Outcome(rest[1].id, seconds=1.0))]
    pool = Scripted(events, monkeypatch)
    pool.free, pool.workers = lambda: 2, lambda: 16
    left = []
    listener = Listener(progress=lambda it: left.append(it.eta))
    before = Progress(total=2)
    execute_all(rest, print, workers=16, before=before, listener=listener, pace=pace, pool=pool)
    assert left == pytest.approx([100.0, 1.0, 0.0, 0.0])


def test_what_waits_for_a_place_on_a_cluster_is_not_running(monkeypatch):
    first, second = task(100), task(50)
    events = [
        (1.0, Beat(first.id, 0.0)),
        (9.0, Outcome(first.id, cpu_seconds=8.0, seconds=8.0)),
        (10.0, Beat(second.id, 0.0)),
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
    job = task(100)
    pool = Scripted([(1.0, Beat("another", 0.0)), (20.0, Outcome(job.id))], monkeypatch)
    pool.lonely = lambda: "no worker is connected to tcp://it:8786; waiting for one"
    told = []
    listener = Listener(progress=lambda it: told.append(headline(it)))
    execute_all([job], print, workers=1, before=Progress(total=1), listener=listener, pool=pool)
    assert told[0] == "0/1 runs, no worker is connected to tcp://it:8786; waiting for one"
    assert told[-1] == "1/1 runs, finished"

"""What is known of the time that is left."""

import pytest

from mesonet.workers import Speed


def test_without_experience_nothing_is_said():
    assert Speed().remaining([1.0], [], 2) is None


def test_the_time_left_follows_cost_over_workers():
    speed = Speed()
    speed.learn(cost=100.0, seconds=10.0)
    assert speed.remaining([50.0] * 4, [], 2) == pytest.approx(10.0)
    assert speed.remaining([], [(100.0, 4.0)], 2) == pytest.approx(6.0)
    assert speed.remaining([], [(100.0, 40.0)], 2) == 0.0
    assert speed.remaining([], [], 2) == 0.0


def test_no_campaign_ends_before_its_longest_run():
    speed = Speed()
    speed.learn(cost=100.0, seconds=10.0)
    assert speed.remaining([1000.0, 1.0], [], 16) == pytest.approx(100.0)

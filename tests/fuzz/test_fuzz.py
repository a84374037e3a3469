"""A share of `make fuzz` for every run of the tests: the same inputs each time."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

sys.path.insert(0, str(Path(__file__).parent))
import targets

NAMES = (
    *("scenarios", "scenario-files", "plans", "specs", "graphml", "gml", "sndlib"),
    "answers",
)


def test_every_target_is_tried():
    assert set(NAMES) == set(targets.targets())


@pytest.mark.parametrize("name", NAMES)
def test_any_input_is_read_or_refused(name, tmp_path):
    target = targets.targets()[name]
    read = []

    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def play(content):
        read.append(targets.attempt(target, content, tmp_path))

    play()
    # Inputs that are all refused at the door try nothing behind it.
    assert True in read
    assert False in read


def test_a_fault_is_no_refusal(tmp_path):
    def fails(content, folder):
        raise ValueError(content)

    with pytest.raises(ValueError, match="x"):
        targets.attempt(targets.Target(None, fails), b"x", tmp_path)

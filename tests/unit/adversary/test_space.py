"""Places from 0 to 1, and the values that they stand for."""

import numpy as np
import pytest
from refusals import refused

from mesonet.adversary.space import space
from mesonet.errors import InputError

BOUNDS = {
    "rate": ("1 Mbit/s", "100 Mbit/s"),
    "rtt": "20 ms",
    "buffer": ("0.1 bdp", "0.5 bdp"),
    "loss": (0.0, 0.01),
    "flows": (1, 8),
    "victims": 2,
    "start": "0 s",
    "queue": ("droptail", "fq_codel"),
}


def test_values_are_on_logarithmic_scales_with_two_digits():
    domain = space(BOUNDS)
    middle = domain.named(domain.values(np.full(5, 0.5)))
    assert middle["rate"] == "10 Mbit/s"
    assert middle["buffer"] == "0.22 bdp"
    assert middle["flows"] == 3
    assert middle["loss"] == 0.0
    assert middle["queue"] == "fq_codel"
    ends = domain.named(domain.values(np.ones(5)))
    assert (ends["rate"], ends["loss"], ends["flows"]) == ("100 Mbit/s", 0.01, 8)
    assert domain.named(domain.values(np.full(5, 0.75)))["loss"] == pytest.approx(0.00032)


def test_a_value_alone_is_no_coordinate_of_points():
    domain = space(BOUNDS)
    assert [it.name for it in domain.varied] == ["rate", "buffer", "loss", "flows", "queue"]


def test_home_is_the_usual_condition_or_the_bound_next_to_it():
    domain = space(BOUNDS)
    home = domain.named(domain.values(domain.home))
    assert home == {
        "rate": "50 Mbit/s",
        "rtt": "20 ms",
        "buffer": "0.5 bdp",
        "loss": 0.0,
        "flows": 1,
        "victims": 2,
        "start": "0 s",
        "queue": "droptail",
    }


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"rate": ("9 Mbit/s", "1 Mbit/s")}, [("rate", "range")]),
        ({"rate": ("0 bit/s", "1 Mbit/s")}, [("rate", "range")]),
        ({"rtt": ("1 ms", "2 ms", "3 ms")}, [("rtt", "range")]),
        ({"buffer": "20 packets"}, [("buffer", "quantity")]),
        ({"loss": "some"}, [("loss", "quantity")]),
        ({"flows": (0, 2)}, [("flows", "range")]),
        ({"queue": ()}, [("queue", "duplicate")]),
        (
            {"rtt": "9", "victims": ("x", 2), "queue": ("red", "red")},
            [("rtt", "quantity"), ("victims", "quantity"), ("queue", "duplicate")],
        ),
    ],
)
def test_bad_bounds_are_told_at_once(bounds, expected):
    with refused(InputError, *expected):
        space(BOUNDS | bounds)

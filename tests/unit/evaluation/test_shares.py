"""Equilibria of deployments, on hand-made goodputs."""

import numpy as np
import polars as pl
import pytest

from mesonet.evaluation.shares import RESPONSES, equilibria, label, shares

NAN = np.nan
RISING = np.linspace(-0.1, 0.1, 5)
"""What five replicates differ by."""


def sides(own, others):
    """Goodputs in five replicates, of two flows with none, one and two of the candidate's."""
    return tuple(np.array([[it] * 5 for it in side]) + RISING for side in (own, others))


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        # The candidate always has more: all switch.
        ([NAN, 8, 6], [4, 2, NAN], [0, 0, 1]),
        # It always has less: nobody does.
        ([NAN, 2, 3], [5, 8, NAN], [1, 0, 0]),
        # The first gains and the second loses: a mix.
        ([NAN, 6, 3], [5, 4, NAN], [0, 1, 0]),
        # Whoever is alone loses: both ends.
        ([NAN, 2, 6], [5, 4, NAN], [1, 0, 1]),
    ],
)
def test_nobody_gains_by_leaving_an_equilibrium(own, others, expected):
    assert equilibria(*sides(own, others)).tolist() == expected


def test_a_replicate_in_which_a_run_failed_leaves_the_others():
    runs = pl.DataFrame(
        [
            (1, label(count, 2, "reno"), replicate, 8.0 + replicate, 4.0)
            for count in range(3)
            for replicate in range(1, 4)
            if (count, replicate) != (1, 2)
        ],
        schema=("condition", "alternative", "replicate", *RESPONSES),
        orient="row",
    )
    asked = {"condition": 1, "levels": {}, "baseline": "reno", "flows": 2}
    outcome = list(shares(runs, **asked))
    assert [it.candidate for it in outcome] == [None, 10.0, 10.0]
    assert [it.probability for it in outcome] == [0.0, 0.0, 1.0]
    assert list(shares(runs.filter(pl.col("replicate") < 3), **asked)) == []


def test_an_equilibrium_that_depends_on_the_replicate_has_a_probability():
    own, others = sides([NAN, 5, 6], [5, 2, NAN])
    own[1] += 2 * RISING
    chances = equilibria(own, others)
    assert 0.2 < chances[0] < 0.8
    assert chances[0] + chances[2] > 1

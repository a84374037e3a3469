"""A plan by the fluid model: cells, effects of factors, and what is left out."""

import numpy as np
import pytest

from mesonet.errors import PlanError
from mesonet.fluid.known import known_error, means
from mesonet.plan import plan_from_dict
from mesonet.plan.screen import _weights, screen


def plan(*alternatives, **changed):
    """Two factors, and alternatives of two flows of one algorithm."""
    table = {
        "name": "small",
        "responses": ["utilization"],
        "scenario": {
            "kind": "dumbbell",
            "rate": "20 Mbit/s",
            "rtt": "40 ms",
            "flows": ["reno"],
            "duration": "4 s",
            "warm_up": 0.5,
        },
        "factors": {
            "buffer": {"path": "buffer", "low": "0.25 bdp", "high": "1 bdp"},
            "rate": {"path": "rate", "low": "20 Mbit/s", "high": "1 Gbit/s"},
        },
        "alternatives": [
            {"label": name, "set": {"flows": [{"algorithm": name, "count": 2}]}}
            for name in alternatives
        ],
    }
    return plan_from_dict({**table, **changed})


@pytest.fixture(scope="module")
def small_and_screen():
    return plan("reno", "bbr3"), screen(plan("reno", "bbr3"))


def test_a_cell_is_what_the_equations_give_and_the_error_that_is_known(small_and_screen):
    small, screened = small_and_screen
    scenario = small.scenario_of(1, small.alternatives[0])
    row, own = screened.cells.row(0, named=True), means(scenario)["reno"]
    assert (row["condition"], row["alternative"], row["algorithm"]) == (1, "reno", "reno")
    assert row["share"] == own.share
    assert row["rate"] == pytest.approx(own.share * 20e6 / 2)
    assert row["share_error"] == known_error(scenario, "reno").share
    assert row["queueing_delay"] <= 0.25 * 0.04


def test_an_effect_is_a_difference_of_means_and_its_error_the_sum_of_theirs(small_and_screen):
    _, screened = small_and_screen
    by = {row["factor"]: row for row in screened.effects.iter_rows(named=True)}
    shares = screened.cells.sort("condition")["share"].to_numpy()
    high = np.array([plan("reno").coded(it)["buffer"] > 0 for it in range(1, 5)])
    assert by["buffer"]["share"] == pytest.approx(shares[high].mean() - shares[~high].mean())
    # No condition of 1 Gbit/s was measured.
    assert by["buffer"]["share_error"] is None


def test_what_the_equations_do_not_contain_is_left_out_and_named(small_and_screen):
    _, screened = small_and_screen
    ((reason, where),) = screened.left_out.items()
    assert reason.startswith("flows[0].algorithm: ")
    assert where == {"bbr3": [1, 2, 3, 4]}
    assert screened.cells["alternative"].unique().to_list() == ["reno"]


def test_errors_of_an_effect_are_known_where_those_of_all_cells_are():
    factors = {"buffer": {"path": "buffer", "low": "0.25 bdp", "high": "1 bdp"}}
    screened = screen(plan("reno", factors=factors))
    (effect,) = screened.effects.iter_rows(named=True)
    assert effect["share_error"] == pytest.approx(screened.cells["share_error"].sum())


def test_two_algorithms_in_a_cell_have_rows_of_their_own():
    both = [{"label": "both", "set": {"flows": ["bbr1", "cubic"]}}]
    told = []
    screened = screen(
        plan(factors={}, alternatives=both), lambda cells: told.extend(cells) or cells
    )
    assert screened.cells["algorithm"].to_list() == ["bbr1", "cubic"]
    assert screened.effects.is_empty()
    assert len(told) == 1


def test_a_plan_without_a_cell_for_the_equations_is_refused():
    with pytest.raises(PlanError) as error:
        screen(plan("bbr3"))
    assert [problem[:2] for problem in error.value.problems] == [("--screen", "unsupported")]
    # Errors are kept of dumbbells alone.
    lot = {"kind": "parking_lot", "rate": "1 Mbit/s", "rtt": "9 ms", "flows": ["reno"]}
    with pytest.raises(PlanError):
        screen(plan("reno", factors={}, scenario={**lot, "duration": "1 s"}))


def test_an_effect_is_between_the_levels_that_are_farthest_apart():
    codes = np.array([-1.0, -1, 0, 0, 1, 1])
    values = np.array([1.0, 1, 5, 7, 2, 4])
    assert _weights(codes, values) @ values == pytest.approx(5)
    assert _weights(codes, -values) @ -values == pytest.approx(-5)
    assert abs(_weights(codes, np.zeros(6))).sum() == pytest.approx(2)


def test_where_no_level_is_there_twice_an_effect_is_the_linear_trend():
    codes = np.array([-1.0, -0.2, 0.4, 1])
    assert _weights(codes, codes) @ (3 * codes + 1) == pytest.approx(6)

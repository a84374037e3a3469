"""Response functions: the published formulas, the rules, and the claims."""

import math

import pytest

from mesonet.analysis.response_functions import (
    ctcp_window,
    cubic_window,
    hstcp_window,
    scalable_window,
)
from mesonet.conformance import reno_window
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import simulate
from mesonet.studies.study import RunResults
from mesonet_studies.response_function import curves as rules
from mesonet_studies.response_function import measure as study


def curve(label, rtt=0.1):
    return next(c for c in rules.CURVES if (c.label, c.rtt) == (label, rtt))


@pytest.mark.parametrize(
    ("rtt", "p", "window"),
    # RFC 9438, tables 1 and 2, C = 0.4; and what it prints for Reno.
    [
        (0.1, 1e-2, 12),
        (0.1, 1e-3, 38),
        (0.1, 1e-4, 187),
        (0.1, 1e-5, 1054),
        (0.1, 1e-6, 5926),
        (0.01, 1e-4, 120),
        (0.01, 1e-5, 379),
        (0.01, 1e-6, 1200),
    ],
)
def test_cubic_has_the_windows_of_its_tables(rtt, p, window):
    assert cubic_window(p, rtt) == pytest.approx(window, abs=0.6)


@pytest.mark.parametrize(
    ("p", "window"), [(1e-2, 12.2), (1e-3, 38), (1e-4, 263), (1e-5, 1795), (1e-6, 12279)]
)
def test_hstcp_has_the_windows_of_its_table(p, window):
    # RFC 3649, table 1.
    assert hstcp_window(p) == pytest.approx(window, rel=0.02)


@pytest.mark.parametrize(("p", "window"), [(1e-3, 64), (1e-4, 404), (1e-5, 2552)])
def test_ctcp_has_the_windows_of_its_table(p, window):
    # draft-sridharan-tcpm-ctcp-02, table 1.
    assert ctcp_window(p) == pytest.approx(window, rel=0.005)


def test_small_windows_are_those_of_standard_tcp():
    for function in (hstcp_window, scalable_window, ctcp_window):
        assert function(1e-2) == reno_window(1e-2)


def test_reno_under_random_losses_has_the_known_constant():
    # 1.31 / sqrt(p), less a little for the round trips of repair.
    expected = rules.expected_window(curve("Reno"), 1e-5, losses=20_000)
    assert expected * 1e-5**0.5 == pytest.approx(1.31, rel=0.02)


def test_scalable_balances_whatever_the_distances_are():
    expected = rules.expected_window(curve("Scalable"), 1e-4, losses=20_000)
    assert expected == pytest.approx(750, rel=0.03)


@pytest.mark.parametrize("curve", rules.CURVES)
def test_periodic_losses_give_the_printed_function(curve):
    for p in (1e-2, 1e-3, 1e-4):
        if study.applies(curve, p):
            assert rules.periodic_window(curve, p) == pytest.approx(curve.window(p), rel=0.06)


def test_the_path_never_queues_and_acknowledges_every_segment():
    scenario = study.response_scenario(curve("CUBIC", 0.01), 1e-3, losses=2000)
    spec = scenario.resolve()
    assert spec["stations"][0]["loss"] == 1e-3
    assert spec["transport"]["ack_every"] == 1
    assert spec["interfaces"] == [{"rate": None, "delay": 0.0025}]
    # A round trip takes the propagation and one service of 10 ns.
    packets = scenario.duration / 0.01 * cubic_window(1e-3, 0.01)
    assert packets * 1e-3 == pytest.approx(2000, rel=1e-4)


def finished(results):
    return RunResults(results, {}, {}, None)


def measured(**windows):
    return {
        name: {"window": window, "error": 1.0, "recoveries": 500, "timeouts": 0}
        for name, window in windows.items()
    }


def test_a_window_is_compared_with_the_function_carried_over():
    random = rules.expected_window(curve("CUBIC"), 1e-3)
    results = measured(**{"cubic-100ms-0.001": random})
    row = study.response_frame(results).row(0, named=True)
    assert row["published"] == pytest.approx(37.95, abs=0.01)
    assert row["from_published"] > 0.15
    assert row["carried"] == pytest.approx(row["published"] * random / row["periodic"])
    figures = study.figures(finished(results))
    largest = pytest.approx(100 * abs(row["from_carried"]))
    assert figures.pop("cubic-100ms.largest_difference") == largest
    assert all(math.isnan(value) for value in figures.values())


def test_scalable_is_not_judged_below_its_low_window():
    assert not study.applies(curve("Scalable"), 1e-2)
    assert study.applies(curve("Scalable"), 1e-3)
    figures = study.figures(finished(measured(**{"scalable-100ms-0.01": 99.0})))
    assert all(math.isnan(value) for value in figures.values())


def test_the_manual_has_a_row_per_window(load_tool):
    frame = study.response_frame(measured(**{"reno-100ms-0.001": 40.0}))
    text = load_tool("every_algorithm_tables").response_markdown(frame)
    assert text.splitlines()[-1].startswith("| Reno, 100 ms | 1e-3 | 38.7 |")


def test_a_short_run_is_measured():
    reno = curve("Reno")
    result = study.measure_window(simulate(study.response_scenario(reno, 1e-2, losses=500)))
    assert result["window"] == pytest.approx(12.25, rel=0.1)
    assert 400 < result["recoveries"] < 600


def test_the_warm_up_does_not_count():
    scenario = dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=["reno"], duration="2 s")
    run = simulate(scenario)
    assert study.measure_window(run)["window"] == pytest.approx(
        run.flows["cwnd"].to_numpy()[2:].mean()
    )

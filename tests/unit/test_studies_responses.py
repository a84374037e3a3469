"""Response functions: the published formulas, the rules, and the verdict."""

import pytest

from mesonet.conformance import reno_window
from mesonet.dumbbell import dumbbell
from mesonet.simulate import simulate
from mesonet.studies import response_function as study
from mesonet.studies import response_rules as rules


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
    assert rules.cubic_window(p, rtt) == pytest.approx(window, abs=0.6)


@pytest.mark.parametrize(
    ("p", "window"), [(1e-2, 12.2), (1e-3, 38), (1e-4, 263), (1e-5, 1795), (1e-6, 12279)]
)
def test_hstcp_has_the_windows_of_its_table(p, window):
    # RFC 3649, table 1.
    assert rules.hstcp_window(p) == pytest.approx(window, rel=0.02)


@pytest.mark.parametrize(("p", "window"), [(1e-3, 64), (1e-4, 404), (1e-5, 2552)])
def test_ctcp_has_the_windows_of_its_table(p, window):
    # draft-sridharan-tcpm-ctcp-02, table 1.
    assert rules.ctcp_window(p) == pytest.approx(window, rel=0.005)


def test_small_windows_are_those_of_standard_tcp():
    for function in (rules.hstcp_window, rules.scalable_window, rules.ctcp_window):
        assert function(1e-2) == reno_window(1e-2)


def test_reno_under_random_losses_has_the_known_constant():
    # 1.31 / sqrt(p), less a little for the round trips of repair.
    expected = rules.expected_window(curve("Reno"), 1e-5, losses=20_000)
    assert expected * 1e-5**0.5 == pytest.approx(1.31, rel=0.02)


def test_scalable_balances_whatever_the_distances_are():
    expected = rules.expected_window(curve("Scalable"), 1e-4, losses=20_000)
    assert expected == pytest.approx(750, rel=0.03)


@pytest.mark.parametrize(
    ("measured", "published", "expected", "verdict"),
    [
        (109.0, 100.0, 50.0, "agrees"),
        (120.0, 100.0, 115.0, "explained"),
        (120.0, 100.0, 105.0, "differs"),
        (80.0, 100.0, 85.0, "explained"),
    ],
)
def test_the_verdict(measured, published, expected, verdict):
    assert study.verdict(measured, published, expected) == verdict


def test_the_path_never_queues_and_acknowledges_every_segment():
    scenario = study.response_scenario(curve("CUBIC", 0.01), 1e-3)
    spec = scenario.resolve()
    assert spec["stations"][0]["loss"] == 1e-3
    assert spec["transport"]["ack_every"] == 1
    assert spec["interfaces"] == [{"rate": None, "delay": 0.0025}]
    # A round trip takes the propagation and one service of 10 ns.
    packets = scenario.duration / 0.01 * rules.cubic_window(1e-3, 0.01)
    assert packets * 1e-3 == pytest.approx(study.losses(1e-3), rel=1e-4)


def test_items_have_names_of_their_own():
    names = [item.name for item in study.response_items("full", ["reno", "cubic"])]
    assert len(names) == len(set(names)) == 15


def test_a_short_run_gives_a_row_of_the_table(tmp_path):
    reno = curve("Reno")
    scenario = study.response_scenario(reno, 1e-2)
    result = study.measure_window(simulate(scenario))
    results = {study.run_name(reno, 1e-2): result}
    page = study.write_response_pages(results, tmp_path).read_text("utf-8")
    assert "| Reno, 100 ms | 1e-2 | 12.2 |" in page
    assert {path.suffix for path in tmp_path.iterdir()} == {".md", ".csv", ".png"}
    assert study.response_frame(results)["verdict"].to_list() == ["agrees"]


def test_the_warm_up_does_not_count():
    scenario = dumbbell(rate="1 Mbit/s", rtt="20 ms", flows=["reno"], duration="2 s")
    run = simulate(scenario)
    assert study.measure_window(run)["window"] == pytest.approx(
        run.flows["cwnd"].to_numpy()[2:].mean()
    )

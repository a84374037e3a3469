"""Rates at given probabilities of marks and drops, beside theory."""

import math

import polars as pl
import pytest
from typer.testing import CliRunner

from mesonet.analysis import published_response
from mesonet.cli import app
from mesonet.errors import InputError
from mesonet.figures import printed, signal_ladder_chart
from mesonet.ladder import _Ladder, signal_ladder


@pytest.fixture(scope="module")
def ladder():
    names = ["reno", "cubic", "dctcp", "prague"]
    return signal_ladder(names, probabilities=[0.1, 0.01, 0.001])


def rates(ladder, algorithm, signal):
    rows = ladder.frame.filter(algorithm=algorithm, signal=signal)
    return dict(zip(rows["probability"], rows["rate"], strict=True))


@pytest.mark.parametrize("signal", ["mark", "drop"])
def test_reno_has_the_square_root_of_the_probability(ladder, signal):
    rate = rates(ladder, "reno", signal)
    for p in (0.01, 0.001):
        # Random losses raise the mean of the printed function by up to 7 %; the rest is chance.
        assert rate[p] == pytest.approx(math.sqrt(1.5 / p), rel=0.12)
    slope = math.log10(rate[0.001] / rate[0.01])
    assert slope == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("algorithm", ["dctcp", "prague"])
def test_scalable_controllers_have_the_inverse_of_the_probability(ladder, algorithm):
    # A cut by p / 2 comes at the first mark after a round trip, 1 / (p w) of one later; a segment
    # is gained per round trip. So p w / 2 = 1 + 1 / (p w), and w = (1 + sqrt(3)) / p.
    assert rates(ladder, algorithm, "mark")[0.01] == pytest.approx(
        (1 + math.sqrt(3)) / 0.01, rel=0.05
    )
    # Where the cut comes once in every round trip, it is the 2 / p of RFC 9332.
    function = published_response(algorithm, "mark")
    assert function is not None
    assert function.window(0.01, 0.1) == pytest.approx(200.0)


def test_scalable_controllers_halve_after_losses(ladder):
    for algorithm in ("dctcp", "prague"):
        rate = rates(ladder, algorithm, "drop")
        assert rate[0.001] == pytest.approx(math.sqrt(1.5 / 0.001), rel=0.12)


def test_cubic_is_above_its_printed_function_by_what_randomness_adds(ladder):
    rows = ladder.frame.filter(pl.col("algorithm") == "cubic", pl.col("probability") == 0.001)
    for rate, published in rows.select("rate", "published").iter_rows():
        assert 1.0 < rate / published < 1.35


def test_marks_and_drops_hit_the_same_packets(ladder):
    # A loss costs what a mark costs, but for repairs.
    marks, drops = rates(ladder, "reno", "mark"), rates(ladder, "reno", "drop")
    assert marks[0.001] == pytest.approx(drops[0.001], rel=0.02)
    assert marks[0.1] > drops[0.1], "timeouts"


@pytest.mark.parametrize("signal", ["mark", "drop"])
def test_signals_are_those_of_the_round_trips_that_rates_are_of(signal):
    ladder = _Ladder(0.1, "linux-4.18", seed=1)
    rung = ladder.rung("reno", signal, 0.1, (900.0, 100.0))
    counted = rung["marked" if signal == "mark" else "dropped"]
    assert counted == pytest.approx(0.1 * 100 * rung["rate"], rel=0.4)


@pytest.mark.parametrize("rtt", ["100", "10 Mbit/s", "0 ms", 0.0])
def test_round_trip_times_that_are_none_are_refused(rtt):
    with pytest.raises(InputError) as caught:
        signal_ladder(["reno"], probabilities=[2], rtt=rtt)
    assert [problem.loc for problem in caught.value.problems] == ["probabilities", "rtt"]


def test_the_chart_shows_simulated_and_published_rates(ladder):
    chart = signal_ladder_chart(ladder)
    panels = chart.to_dict()["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == ["Marked (ECN)", "Dropped"]
    assert "RFC 9438 section 5.1" in chart.to_json()
    assert printed(chart).startswith(b"<svg")


def test_the_command_prints_and_draws(tmp_path):
    figure = tmp_path / "ladder.svg"
    command = ["ladder", "reno", "--probability", "0.1", "--figure", str(figure)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "drop" in done.output
    assert figure.read_bytes().startswith(b"<svg")
    wrong = CliRunner().invoke(app, ["ladder", "reno", "--figure", str(tmp_path / "a.gif")])
    assert wrong.exit_code == 2


def test_a_ladder_goes_on_below_a_rung_on_which_every_packet_is_lost():
    rungs = signal_ladder(["reno"], probabilities=[1.0, 0.1])
    assert rungs.frame.select("signal", "probability").rows() == [
        ("mark", 0.1),
        ("drop", 1.0),
        ("drop", 0.1),
    ]
    lost, next_one = rungs.frame.filter(signal="drop")["rate"]
    assert lost == 0.0
    assert next_one > 2
    # A SYN is not ECN-capable: that says nothing of the algorithm.
    (note,) = rungs.notes
    assert note.startswith("reno, marks: no connection came about at 1")

"""Expected packets of runs, beside those that they send."""

from itertools import pairwise

import numpy as np
import pytest

from mesonet.plan import SECONDS_PER_EVENT, Expected, cpu_seconds, expected
from mesonet.plan.network import Network
from mesonet.plan.transfers import SIZES, Growth, sent_within
from mesonet.scenario.keywords import dumbbell, internet
from mesonet.simulation import simulate

SMALL = {
    "scale": 0.05,
    "duration": "20 s",
    "interface_speeds": ["0.4 p/ms", "4 p/ms"],
    "speed": "1200 p/ms",
}
MANY_LARGE_FILES = {"probability": [0.04, 0.004, 0.0004], "factor": [10, 1000, 10000]}
WORLDS = {
    "idle": internet(**SMALL, think_time="20 s"),
    "usual": internet(**SMALL),
    "no long flows, no jumbo files": internet(**SMALL, long_flows="none", jumbo="none"),
    "twice as far": internet(**SMALL, delay_multiplier=2),
    "overloaded": internet(
        **SMALL | {"speed": "600 p/ms"}, source_distribution="uniform", think_time="2.5 s"
    ),
    "overloaded, small buffers": internet(
        **SMALL | {"speed": "600 p/ms"},
        source_distribution="uniform",
        think_time="2.5 s",
        buffers="rtt*c/sqrt(n)",
    ),
    "files longer than the run": internet(**SMALL, larger_files=MANY_LARGE_FILES),
    "all begin by thinking": internet(**SMALL, startup="exponential"),
    "another provider": internet(**SMALL | {"scale": 0.02}, topology="isp"),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_population_sends_what_is_expected_within_a_third(name):
    guess, totals = expected(WORLDS[name].resolve()), simulate(WORLDS[name]).totals
    assert guess.packets == pytest.approx(totals["injected"], rel=1 / 3)
    assert guess.events == pytest.approx(totals["events"], rel=1 / 3)


LAB = {"rate": "12 Mbit/s", "rtt": "40 ms", "duration": "20 s"}
DUMBBELLS = {
    "shared": dumbbell(**LAB, flows=["reno", "reno"]),
    "one after the other": dumbbell(
        **LAB, flows=[{"algorithm": "reno", "stop": "10 s"}, {"algorithm": "reno", "start": "10 s"}]
    ),
    "small files": dumbbell(
        **LAB, flows=[{"algorithm": "reno", "size": "500 packets", "count": 4}]
    ),
    "a slow start": dumbbell(
        **LAB | {"rate": "1 Gbit/s", "rtt": "200 ms"}, flows=["reno"], initial_ssthresh=20
    ),
    "lossy": dumbbell(**LAB | {"rate": "1 Gbit/s"}, loss=0.01, flows=["reno"]),
    "a small receiver": dumbbell(**LAB, flows=["reno"], transport={"receive_window": 10.0}),
}


@pytest.mark.parametrize("name", DUMBBELLS)
def test_named_flows_send_what_is_expected_within_a_quarter(name):
    guess, totals = expected(DUMBBELLS[name].resolve()), simulate(DUMBBELLS[name]).totals
    assert guess.packets == pytest.approx(totals["injected"], rel=0.25)
    assert guess.events == pytest.approx(totals["events"], rel=0.25)


def test_a_transfer_connects_doubles_grows_and_fills_its_path():
    one, none = np.array(1.0), np.array(0.0)
    growth = Growth(initial=2.0, threshold=8.0, limit=np.inf)

    def seconds(size):
        return float(growth.seconds(np.array(size), 10.0 * one, one, none))

    # A path of ten packets: two, four, then eight, nine and ten in each round trip.
    assert seconds(2.0) == pytest.approx(2.0)
    assert seconds(6.0) == pytest.approx(3.0)
    assert seconds(6.0 + 18.0) == pytest.approx(5.0)
    assert seconds(6.0 + 18.0 + 50.0) == pytest.approx(10.0)


def test_a_transfer_is_cut_at_the_end_of_the_run():
    left = np.array([0.0, 2.0, 1e3])
    assert sent_within(left, SIZES / 10.0) == pytest.approx([0.0, 20.0, 1e4], rel=0.05)


def test_hops_are_the_stations_on_the_way():
    spec = internet().resolve()
    network = Network.of(spec)
    sites = np.array([0]), np.array([len(spec["sites"]) - 1])
    stations = [int(here[0]) for _, here, _ in network.walk(*sites)]
    assert stations[0] == spec["sites"][0]["station"]
    assert stations[-1] == spec["sites"][-1]["station"]
    assert all(
        {"from": a, "to": b} in [{"from": link["from"], "to": link["to"]} for link in spec["links"]]
        for a, b in pairwise(stations)
    )


def test_ways_between_all_sites_are_those_of_walks():
    network = Network.of(internet().resolve())
    delay, hops = network.between_sites()
    count = len(delay)
    walked, passed = np.zeros((count, count)), np.zeros((count, count))
    for which, _, delays in network.walk(*(each.ravel() for each in np.indices((count, count)))):
        walked.flat[which] += delays
        passed.flat[which] += 1
    np.testing.assert_array_equal(hops, passed)
    np.testing.assert_allclose(delay, walked, rtol=1e-12)


def test_processor_time_is_that_of_the_events_and_a_little_for_each_run():
    runs = [Expected(1e6, 1e7), Expected(1.0, 1.0)]
    assert cpu_seconds(runs) == pytest.approx(1e7 * SECONDS_PER_EVENT + 0.01, rel=1e-4)
    assert cpu_seconds(runs, seconds_per_event=1e-6) == pytest.approx(10.01, rel=1e-4)


def test_short_delays_take_time_of_their_own():
    """A region takes 0.36 us for a step of the shortest delay; there are eleven regions."""
    usual = expected(WORLDS["usual"].resolve())
    short = expected(internet(**SMALL, delay_multiplier=1e-4).resolve())
    assert short.steps == pytest.approx(11 * 20 / 300e-9)
    assert usual.steps == pytest.approx(short.steps * 1e-4)
    assert cpu_seconds([short]) > 0.36e-6 * short.steps > 200
    assert expected(DUMBBELLS["shared"].resolve()).steps == 0

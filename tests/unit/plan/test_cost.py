"""Expected packets of runs, beside those that they send."""

import pytest

from mesonet.plan import SECONDS_PER_EVENT, Expected, cpu_seconds, expected
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
    "hosts with jitter": dumbbell(**LAB, flows=["reno"], transport={"host_jitter": "1 ms"}),
    "off for half of the time": dumbbell(
        **LAB, flows=["cubic"], path={"on_changes": [["5 s", False], ["15 s", True]]}
    ),
    "a small receiver": dumbbell(**LAB, flows=["reno"], transport={"receive_window": 10.0}),
}


@pytest.mark.parametrize("name", DUMBBELLS)
def test_named_flows_send_what_is_expected_within_a_quarter(name):
    guess, totals = expected(DUMBBELLS[name].resolve()), simulate(DUMBBELLS[name]).totals
    assert guess.packets == pytest.approx(totals["injected"], rel=0.25)
    assert guess.events == pytest.approx(totals["events"], rel=0.25)


def test_processor_time_is_that_of_the_events_and_a_little_for_each_run():
    runs = [Expected(1e6, 1e7), Expected(1.0, 1.0)]
    assert cpu_seconds(runs) == pytest.approx(1.5e7 * SECONDS_PER_EVENT + 0.01, rel=1e-4)
    assert cpu_seconds(runs, seconds_per_event=1e-6) == pytest.approx(15.01, rel=1e-4)

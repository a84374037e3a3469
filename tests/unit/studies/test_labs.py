"""The student's laboratory: what is simulated, what is kept of it, figures, verdicts, pages."""

import json
import math

import numpy as np
import pytest
from refusals import refused

import mesonet
from mesonet.errors import PlanError
from mesonet.simulation import check
from mesonet.studies import Options, find_study
from mesonet_studies.labs import measure
from mesonet_studies.labs.laboratory import flow, laboratory
from mesonet_studies.labs.measures import (
    events,
    loss_events,
    mean_rate,
    measure_facts,
    measure_segments,
    queue_peak,
    repair,
    slope,
)

NAMES = ("lab-reno", "lab-aiad", "lab-aimd56", "lab-competing-aimd", "lab-rtt")


def scenario(study, name):
    """Scenario of a run by the name of its result."""
    items = find_study(study).prepare(Options("pocket")).items
    run, *variant = name.split(", ")
    return next(it.scenario for it in items if it.name == ", ".join([f"{run}-1", *variant]))


@pytest.fixture(scope="module")
def alone():
    return measure_segments(mesonet.simulate(scenario("lab-reno", "one")))


def test_the_laboratory_is_the_published_one():
    spec = check(scenario("lab-reno", "one"))
    assert spec["stations"][0]["rate"] == {"bits_per_second": 10e6}
    assert spec["stations"][0]["buffer"] == {"packets": 100}
    assert spec["interfaces"] == [{"rate": None, "delay": 0.005}]
    assert spec["flows"][0]["size"] == 1000
    options = spec["transport"]
    assert (options["initial_ssthresh"], options["initial_window"]) == (500, 1)
    assert (options["recovery"], options["ack_every"], options["rto_min"]) == ("tahoe", 1, 1.0)
    assert spec["measure"]["segments"]


def test_five_flows_start_a_tenth_of_a_second_apart_with_their_own_threshold():
    spec = check(scenario("lab-reno", "five"))
    assert [each["start"] for each in spec["flows"]] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert spec["transport"]["initial_ssthresh"] == 16


def test_decreases_are_the_published_ones():
    params = {
        each["name"]: each["params"]
        for each in check(scenario("lab-competing-aimd", "competing"))["algorithms"]
    }
    assert params == {"reno": {}, "aimd": {"decrease": pytest.approx(1 / 6)}}
    literal = scenario("lab-competing-aimd", "competing, threshold")
    names = [each["name"] for each in check(literal)["algorithms"]]
    assert names == ["aimd:lab-half", "aimd:lab"]
    assert [each["name"] for each in check(scenario("lab-aiad", "aiad"))["algorithms"]] == ["aiad"]


def test_the_far_host_is_ten_times_as_far():
    named = scenario("lab-rtt", "rtt").named_flows()
    assert (named["far"].base_rtt, named["near"].base_rtt) == (0.2, 0.02)


def test_every_variant_can_be_simulated():
    study = find_study("lab-competing-aimd")
    assert len(study.variants) == 25
    for name in NAMES:
        for item in find_study(name).prepare(Options("desk")).items:
            check(item.scenario)
    aiad = {item.name: item for item in find_study("lab-aiad").prepare(Options("desk")).items}
    assert check(aiad["aiad-1, mebibyte"].scenario)["flows"][0]["size"] == 1049
    assert check(aiad["standard-1, queue-50"].scenario)["stations"][0]["buffer"] == {"packets": 50}
    # Standard TCP halves its window, whatever a changed decrease applies to.
    assert "standard-1, threshold" not in aiad
    assert "aiad-1, threshold" in aiad
    # All but one keep the random delays of hosts, those with options of the transport, too.
    quiet = [k for k, it in aiad.items() if "host_jitter" not in check(it.scenario)["transport"]]
    assert quiet
    assert all(name.endswith(", host-jitter") for name in quiet)


def test_one_flow_of_the_report(alone):
    # By hand: 25 segments on the path and 100 in the queue; slow start overshoots to twice that.
    kept = alone["flows"]["A"]
    assert [round(window) for _, window in kept["restarts"]] == [248, 127]
    assert kept["losses"][0][2] == 127
    assert kept["completion"] == pytest.approx(1.20, abs=0.01)
    assert kept["sent"] == 1000 + len(kept["repeats"][0])
    assert kept["dropped"] == len(kept["drops"][0]) == 129
    assert kept["acks"][1][-1] == 1000
    assert max(alone["queue"]) == 101
    assert alone["full"][0] == pytest.approx(0.23)
    # Every segment that was not dropped arrived before the end of the last bin.
    assert sum(kept["rate"]) * 0.1e6 / 8000 == pytest.approx(kept["sent"] - kept["dropped"])


def test_a_transfer_that_does_not_end_has_no_completion():
    kept = measure_facts(mesonet.simulate(laboratory([flow("reno", name="A")], duration=0.5)))
    assert kept["flows"]["A"]["done"] is None
    assert kept["flows"]["A"]["completion"] is None


def test_losses_closer_than_a_round_trip_are_one_event():
    losses = events(np.array([0.2, 0.25, 0.3, 0.9]))
    assert losses == [[0.2, 0.3, 3], [0.9, 0.9, 1]]
    assert events(np.array([])) == []
    flows = {"A": {"losses": [[0.2, 0.3, 3]]}, "B": {"losses": [[0.35, 0.4, 2], [0.9, 0.9, 1]]}}
    assert loss_events({"flows": flows}) == [[0.2, 0.4, 5], [0.9, 0.9, 1]]


def test_rates_slopes_and_peaks():
    run = {
        "time": [0.0, 0.1, 0.2, 0.3],
        "queue": [0, 10, 20, 5],
        "bins": [0.0, 0.1, 0.2],
        "flows": {"A": {"rate": [2.0, 4.0, 9.0]}},
    }
    assert slope(run, 0.0, 0.2) == pytest.approx(100)
    assert math.isnan(slope(run, 0.25, 0.3))
    assert queue_peak(run, 0.25) == 5
    assert math.isnan(queue_peak(run, 1.0))
    assert mean_rate(run, "A", 0.0, 0.2) == 3
    assert math.isnan(mean_rate(run, "A", 0.0, 0.05))


def test_combined_thresholds_are_what_the_losses_leave():
    flows = {
        "blue": {"restarts": [[0.3, 120.0], [0.8, 60.0]]},
        "red": {"restarts": [[0.3, 120.0], [0.8, 96.0]]},
    }
    by_window = [measure._combined(flows, "window", number) for number in (1, 2)]
    assert by_window == pytest.approx([60 + 100, 30 + 80])
    assert measure._combined(flows, "threshold", 1) == pytest.approx(500 / 2 + 500 * 5 / 6)
    flows["red"]["restarts"].pop()
    assert math.isnan(measure._combined(flows, "window", 2))


def test_the_enlarged_part_shows_a_loss_and_its_repair(alone):
    part = repair(alone, "A")
    lost = [
        point for point in zip(*alone["flows"]["A"]["drops"], strict=True) if part.holds(*point)
    ]
    again = [
        segment
        for time, segment in zip(*alone["flows"]["A"]["repeats"], strict=True)
        if part.holds(time, segment)
    ]
    assert len(lost) == min(event[2] for event in alone["flows"]["A"]["losses"])
    assert {segment for _, segment in lost} <= set(again)
    assert repair({"flows": {"A": dict(alone["flows"]["A"], repeats=[[], []])}}, "A") is None
    assert repair({"flows": {"A": {"losses": []}}}, "A") is None


@pytest.mark.parametrize(
    ("name", "options", "place", "kind"),
    [
        ("lab-aiad", {"algorithms": ("cubic",)}, "algorithms", "unsupported"),
        ("lab-reno", {"algorithms": ()}, "algorithms", "empty"),
        ("lab-reno", {"seed": 99999999999999999999}, "seed", "range"),
    ],
)
def test_what_does_not_fit_is_refused(name, options, place, kind):
    with refused(PlanError, (place, kind)):
        find_study(name).prepare(Options(**options))


def test_segments_are_recorded_only_where_asked_for():
    scenario = laboratory([flow("reno", name="A")], duration=2.0)
    run = mesonet.simulate(scenario)
    assert run.segments.columns == ["time", "flow", "fate", "segment"]
    counts = dict(run.segments["fate"].value_counts().iter_rows())
    assert counts["sent"] == 1000
    assert counts["dropped"] == run.totals["dropped"]
    assert counts["sent"] + counts["retransmitted"] == run.totals["data_sent"]
    assert run.segments["time"].is_sorted()
    plain = scenario.replace({"record_segments": False})
    assert "segments" not in json.dumps(plain.resolve()["measure"])
    assert mesonet.simulate(plain).segments.is_empty()

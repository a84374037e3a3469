"""RTT fairness: the published table, scenarios, frames, the page of any algorithms."""

import numpy as np
import pytest

from mesonet.studies import Options, find_study
from mesonet.studies.hcc import fairness
from mesonet.studies.hcc.scenarios import HIGH_SPEED
from mesonet.studies.study import RunResults


def test_the_scenario_is_the_published_setting():
    spec = fairness.fairness_scenario("fast", ratio=1.5, buffer=600).resolve()
    assert sorted(each["delay"] * 4 for each in spec["interfaces"]) == pytest.approx([0.04, 0.06])
    assert spec["stations"][0]["buffer"] == {"packets": 600}
    assert spec["stations"][0]["rate"] == {"bits_per_second": 2e8}
    assert spec["packet"] == {"smss": 960, "header": 40, "control": 40}
    assert spec["algorithms"][0]["params"] == {"alpha": 400.0}
    assert spec["duration"] == 300
    assert [flow["start"] for flow in spec["flows"]] == [0, 0]


@pytest.mark.parametrize("buffer", fairness.BUFFERS)
@pytest.mark.parametrize("label", HIGH_SPEED)
def test_the_printed_indices_are_those_of_the_printed_throughputs(label, buffer):
    for ratio in fairness.RATIOS:
        throughputs = fairness.published(label, buffer, ratio)
        printed = fairness.published_jain(label, buffer, ratio)
        assert fairness.jain(*throughputs) == pytest.approx(printed, abs=2e-4)


def test_jain_at_its_ends():
    assert fairness.jain(5, 5) == 1
    assert fairness.jain(5, 0) == 0.5
    assert fairness.jain(0, 0) == 1
    assert fairness.published("HSTCP", 600, 1.0) is None
    assert fairness.published("Reno", 600, 1.5) is None


def test_interpretations_have_runs_of_their_own():
    late = fairness.TimingInterpretation(start=0.5)
    long = fairness.TimingInterpretation(start=0.5, short_first=False)
    names = {fairness.run_name("fast", 2, 600, it) for it in (fairness.SCORED, late, long)}
    assert len(names) == 3
    assert "fast-2-600" in names
    for interpretation, starts in ((late, [0, 0.5]), (long, [0.5, 0])):
        spec = fairness.fairness_scenario(
            "fast", ratio=2, buffer=600, interpretation=interpretation
        ).resolve()
        assert [flow["start"] for flow in spec["flows"]] == starts


def test_the_table_has_published_values_in_brackets():
    results = {"hstcp-1.5-600": {"first": 150.0, "second": 49.0, "queue": 10.0}}
    frame = fairness.fairness_frame(results, ["hstcp"])
    assert frame["efficiency"].to_list() == [199.0]
    assert np.isclose(frame["published_jain"][0], 0.5085, atol=1e-4)
    assert "| hstcp | 199.0 (199.6) | *0.795* (0.508) |" in fairness.fairness_markdown(frame)


def test_the_study_takes_any_algorithm():
    study = find_study("rtt-fairness")
    prepared = study.prepare(Options("desk", algorithms=("cubic", "hcc")))
    assert len(prepared.items) == 2 * 2 * 4
    results = {item.name: {"first": 120.0, "second": 70.0, "queue": 9.0} for item in prepared.items}
    (section,) = prepared.evaluate(RunResults(results, {}, {}, None)).sections
    assert [title for title, _ in section.tables] == [
        "Buffer of 600 packets",
        "Buffer of 2000 packets",
    ]
    assert [table.rows for _, table in section.tables] == [8, 8]

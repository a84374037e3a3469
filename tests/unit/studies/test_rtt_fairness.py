"""RTT fairness: the published table, scenarios, frames, the page of any algorithms."""

import numpy as np
import pytest

from mesonet.studies import Options, find_study
from mesonet.studies.study import RunResults
from mesonet_studies.hcc.lab import BUFFERS
from mesonet_studies.hcc.rtt_fairness import measure as fairness

STUDY = find_study("rtt-fairness")


def test_the_scenario_is_the_published_setting():
    items = {item.name: item for item in STUDY.prepare(Options("desk")).items}
    spec = items["fast-1.5-600"].scenario.resolve()
    assert sorted(each["delay"] * 4 for each in spec["interfaces"]) == pytest.approx([0.04, 0.06])
    assert spec["stations"][0]["buffer"] == {"packets": 600}
    assert spec["stations"][0]["rate"] == {"bits_per_second": 2e8}
    assert spec["packet"] == {"smss": 960, "header": 40, "control": 40}
    assert spec["algorithms"][0]["params"] == {"alpha": 400.0}
    assert spec["duration"] == 300
    assert [flow["start"] for flow in spec["flows"]] == [0, 0]


def test_the_printed_indices_are_those_of_the_printed_throughputs():
    printed = fairness.printed()
    assert printed.height == 7 * 2 * 3
    for row in printed.iter_rows(named=True):
        assert fairness.jain(row["first"], row["second"]) == pytest.approx(row["jain"], abs=2e-4)
        assert row["efficiency"] == pytest.approx(row["first"] + row["second"], abs=1e-9)
    assert sorted(set(printed["buffer"])) == list(BUFFERS)


def test_jain_at_its_ends():
    assert fairness.jain(5, 5) == 1
    assert fairness.jain(5, 0) == 0.5
    assert fairness.jain(0, 0) == 1
    assert fairness.jain(1, 1, 0) == pytest.approx(2 / 3)


def test_the_table_has_published_values_in_brackets(load_tool):
    results = {"hstcp-1.5-600": {"first": 150.0, "second": 49.0, "queue": 10.0}}
    frame = fairness.fairness_frame(results, ["hstcp"])
    assert frame["efficiency"].to_list() == [199.0]
    assert np.isclose(frame["published_jain"][0], 0.5085, atol=1e-4)
    text = load_tool("every_algorithm_tables").fairness_markdown(frame)
    assert "| hstcp | 199.0 (199.6) | *0.795* (0.508) |" in text.splitlines()
    assert fairness.fairness_frame(results, ["reno"]).is_empty()


def test_the_study_takes_any_algorithm():
    prepared = STUDY.prepare(Options("desk", algorithms=("cubic", "hcc")))
    assert len(prepared.items) == 2 * 2 * 4
    results = {item.name: {"first": 120.0, "second": 70.0, "queue": 9.0} for item in prepared.items}
    (section,) = prepared.evaluate(RunResults(results, {}, {}, None)).sections
    tables = [each for each in section.blocks if each.kind == "table"]
    assert [each.title for each in tables] == ["Buffer of 600 packets", "Buffer of 2000 packets"]
    assert [each.table.rows for each in tables] == [8, 8]


def test_many_algorithms_are_drawn_for_one_buffer():
    prepared = STUDY.prepare(Options("full"))
    results = {item.name: {"first": 120.0, "second": 70.0, "queue": 9.0} for item in prepared.items}
    (section,) = prepared.evaluate(RunResults(results, {}, {}, None)).sections
    assert len(results) > 40 * 2 * 4
    (chart,) = [each for each in section.blocks if each.kind == "chart"]
    assert chart.caption.endswith("The buffer is 2000 packets; the tables have all.")
    assert '"buffer":"600 packets"' not in str(chart.picture.spec)

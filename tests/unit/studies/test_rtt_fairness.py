"""RTT fairness: the published table, scenarios, frames, the page of any algorithms."""

import numpy as np
import pytest

from mesonet.studies import Options, find_study
from mesonet_studies.hcc.lab import BUFFERS
from mesonet_studies.hcc.rtt_fairness import measure as fairness


def test_the_scenario_is_the_published_setting():
    items = {item.name: item for item in find_study("rtt-fairness").prepare(Options("desk")).items}
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

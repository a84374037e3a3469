"""Estimates of criterion as `make bench` reads them; every tool loads."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Programs that end in _ns3 are run by a Python that has ns-3.
TOOLS = sorted(path for path in (ROOT / "tools").rglob("*.py") if not path.stem.endswith("_ns3"))


def test_estimates_are_per_element(tmp_path, load_tool):
    folder = tmp_path / "on_ack" / "reno" / "new"
    folder.mkdir(parents=True)
    bench = {"full_id": "on_ack/reno", "throughput": {"Elements": 100}}
    interval = {"lower_bound": 900.0, "upper_bound": 1200.0}
    estimates = {"median": {"point_estimate": 1000.0, "confidence_interval": interval}}
    (folder / "benchmark.json").write_text(json.dumps(bench), "utf-8")
    (folder / "estimates.json").write_text(json.dumps(estimates), "utf-8")
    (row,) = load_tool("bench").estimates(tmp_path)
    expected = {"elements": 100, "ns_per_element": 10.0, "low": 9.0, "high": 12.0}
    assert row == {"bench": "on_ack/reno"} | expected


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_every_tool_loads(load_tool, path):
    assert load_tool(path.stem).__doc__

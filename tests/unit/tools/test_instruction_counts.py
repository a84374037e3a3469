"""Comparison of instruction counts with the stored ones."""

import json

import pytest


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("instruction_counts")


def counts(compiler="rustc 1", **runs):
    table = {name: {"instructions": value} for name, value in runs.items()}
    return {"circumstances": {"compiler": compiler}, "runs": table}


KEPT = counts(few=1000, many=10_000_000)


@pytest.mark.parametrize("factor", [1, 1.029, 0.971])
def test_counts_within_the_tolerance_pass(tool, factor):
    counted = counts(few=1000, many=int(10_000_000 * factor))
    assert tool.compare(KEPT, counted) == ([], [])


@pytest.mark.parametrize(("many", "change"), [(10_400_000, "+4.0%"), (9_600_000, "-4.0%")])
def test_a_count_that_has_moved_fails(tool, many, change):
    (failure,), notes = tool.compare(KEPT, counts(few=1000, many=many))
    assert failure.startswith("many: ")
    assert change in failure
    assert not notes


def test_runs_that_only_one_side_has_fail(tool):
    failures, _ = tool.compare(KEPT, counts(few=1000, other=5))
    assert failures == ["many: not counted", "other: not kept"]


def test_moved_counts_end_with_status_one(tool, capsys):
    assert tool.report(tool.Comparison(["a run: moved"], [])) == 1
    assert "error: a run: moved" in capsys.readouterr().err


def test_what_is_kept_covers_the_standard_runs(tool):
    kept = json.loads(tool.KEPT.read_text("utf-8"))
    assert kept["runs"].keys() == tool.RUNS.keys()
    assert len(tool.RUNS) == 5
    assert kept["because"]
    assert all((tool.WORLDS / f"{run.world}.json").is_file() for run in tool.RUNS.values())

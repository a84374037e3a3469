"""Kept runs: what is kept is taken over, and a number that moves is found."""

import json
import math

import kept_runs

from mesonet.studies import find_study
from mesonet.studies.execution import execute_runs
from mesonet.studies.study import Options


def test_kept_runs_are_read_as_they_were_written(tmp_path):
    runs = {("items", "b"): {"x": [1.5, math.nan]}, ("", "a"): {"run": "a", "y": 0.1 + 0.2}}
    kept_runs.write(tmp_path / "runs.parquet", runs)
    assert kept_runs.differences(runs, kept_runs.read(tmp_path / "runs.parquet")) == []


def test_the_last_digit_of_a_number_is_a_difference():
    kept = {("items", "a"): {"x": [1.0, 2.0]}}
    now = {("items", "a"): {"x": [1.0, math.nextafter(2.0, 3.0)]}}
    (told,) = kept_runs.differences(kept, now)
    assert told == "items a: x[1] was 2.0, is 2.0000000000000004"


def test_the_sample_is_a_part_and_at_least_one_of_every_plan():
    runs = {("a", str(number)): {} for number in range(49)} | {("b", "1"): {}}
    drawn = kept_runs.sample(runs)
    assert sum(plan == "a" for plan, _ in drawn) == 3
    assert ("b", "1") in drawn


def test_worse_verdicts_are_found():
    rows = [{"id": "better", "verdict": "agrees"}, {"id": "worse", "verdict": "disagrees"}]
    verdicts = {"better": ["disagrees", "1"], "worse": ["agrees", "1"], "gone": ["agrees", "1"]}
    assert kept_runs.worsened({"claims": rows}, {"verdicts": verdicts}) == [
        ("worse", "agrees", "disagrees"),
        ("gone", "agrees", None),
    ]


def test_kept_runs_are_not_simulated_again(tmp_path):
    """Numbers that no simulation gives come out of the folder as they were put in."""
    study = find_study("response-function")
    prepared = study.prepare(Options("pocket"))
    kept = kept_runs.read(kept_runs.KEPT / "response-function.parquet")
    marked = {key: {**numbers, "marked": 7} for key, numbers in kept.items()}
    kept_runs.put(marked, prepared, tmp_path)
    files = sorted((tmp_path / "runs").iterdir())
    assert len(files) == len(prepared.items)
    assert all(json.loads(file.read_text("utf-8"))["marked"] == 7 for file in files)
    results = execute_runs(prepared, out=tmp_path, workers=1)
    assert all(numbers["marked"] == 7 for numbers in results.results.values())

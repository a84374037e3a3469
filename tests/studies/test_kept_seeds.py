"""Verdicts of more seeds are what the kept runs say; nothing is simulated."""

import kept_runs
import pytest

from mesonet.studies import find_study
from mesonet.studies.execution import execute_runs
from mesonet.studies.study import Options


@pytest.mark.parametrize("name", ["nist-1a", "nist-1b", "nist-2a", "nist-2b"])
def test_verdicts_of_seeds_follow_from_kept_runs(name, tmp_path, load_tool):
    tool = load_tool("chance")
    table = tool.kept_seeds()[name]
    options = Options("pocket", replicates=3, variants=(), conditions=tuple(table["conditions"]))
    prepared = find_study(name).prepare(options)
    runs = kept_runs.read(kept_runs.KEPT / f"{name}.parquet")
    seeds = kept_runs.read(kept_runs.KEPT / f"{name}-seeds.parquet")
    kept_runs.put(runs | seeds, prepared, tmp_path)
    (campaign,) = execute_runs(prepared, out=tmp_path, workers=1).campaigns.values()
    assert campaign.results().height == campaign.status()["done"]
    assert tool.judged(prepared.study, campaign.results(), campaign) == table

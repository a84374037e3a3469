"""Every study at pocket size: no verdict may be worse than the kept one.

`make studies` runs them, and `make test` leaves them out. Verdicts rest on kept results of runs; a
24th of the runs, and those that are not kept, are simulated. RUNS=all simulates all of them, and
RUNS=keep keeps them, too. Runs stay in the folder of MESONET_STUDIES, if it is set.
"""

import json
import os
import warnings
from pathlib import Path

import kept_runs
import pytest

from mesonet.controller import library
from mesonet.studies import CATALOGUE, find_study
from mesonet.studies.execution import execute_runs
from mesonet.studies.study import Options

KEPT = Path(__file__).parents[2] / "scorecards" / "pocket"
RUNS = os.environ.get("RUNS", "sample")
if RUNS not in ("sample", "all", "keep"):
    raise pytest.UsageError(f'RUNS: expected sample, all or keep, got "{RUNS}"')
# Other readings of a study are there to be compared with it, not to be watched over.
SCORED = [name for name in CATALOGUE if name != "pocket"]


@pytest.mark.parametrize("name", SCORED)
def test_no_verdict_is_worse_than_the_kept_one(name, tmp_path):
    study = find_study(name)
    if name == "implementations" and not Path(library._ADAPTER).is_file():
        pytest.skip("make adapters has not been called here")
    prepared = study.prepare(Options("pocket"))
    folder = Path(os.environ.get("MESONET_STUDIES", tmp_path)) / f"{name}-pocket"
    file = kept_runs.KEPT / f"{name}.parquet"
    kept = kept_runs.read(file) if RUNS != "keep" else {}
    if RUNS == "sample":
        again = kept_runs.sample(kept)
        taken = {key: numbers for key, numbers in kept.items() if key not in again}
        kept_runs.put(taken, prepared, folder)
    # Two studies run side by side; a process for each keeps two cores busy.
    run_results = execute_runs(prepared, out=folder, workers=1)
    assert not run_results.failures
    now = kept_runs.current_runs(prepared, run_results)
    if RUNS == "keep":
        kept_runs.write(file, now)
    assert kept_runs.differences(kept, now) == [], "if this is meant: make studies RUNS=keep"
    unknown = len(now.keys() - kept.keys())
    if RUNS == "sample" and unknown:
        warnings.warn(
            f"{unknown} runs of {name} are not kept: make studies RUNS=keep", stacklevel=1
        )
    if not study.claims:
        return
    card = prepared.evaluate(run_results).scorecard.to_dict()
    (folder / f"{name}.json").write_text(json.dumps(card, indent=1), "utf-8")
    kept_card = json.loads((KEPT / f"{name}.json").read_text("utf-8"))
    assert kept_runs.worsened(card, kept_card) == []

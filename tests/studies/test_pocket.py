"""Every study at pocket size: no verdict may be worse than the kept one.

These take minutes, and `make studies` runs them; `make test` leaves them out. Runs are kept in the
folder of MESONET_STUDIES, if it is set, and not simulated again.
"""

import json
import os
from pathlib import Path

import pytest

from mesonet.studies import CATALOGUE, find_study
from mesonet.studies.execution import execute_runs, judge
from mesonet.studies.scorecard import worsened
from mesonet.studies.study import Options

KEPT = Path(__file__).parents[2] / "scorecards" / "pocket"
# Other readings of a study are there to be compared with it, not to be watched over.
SCORED = [name for name in CATALOGUE if name != "pocket"]


@pytest.mark.parametrize("name", SCORED)
def test_no_verdict_is_worse_than_the_kept_one(name, tmp_path):
    study = find_study(name)
    prepared = study.prepare(Options("pocket"))
    folder = Path(os.environ.get("MESONET_STUDIES", tmp_path)) / f"{name}-pocket"
    # Two studies run side by side; a process for each keeps two cores busy.
    run_results = execute_runs(prepared, out=folder, workers=1)
    assert not run_results.failures
    _, card = judge(study, "pocket", prepared, run_results)
    if card is None:
        return
    card.write(folder / f"{name}.json")
    assert worsened(card, json.loads((KEPT / f"{name}.json").read_text("utf-8"))) == []

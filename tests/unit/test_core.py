"""The engine called from Python returns what it returns when called from Rust."""

from __future__ import annotations

import json
from pathlib import Path

from mesonet import _core  # noqa: TID251  (the module under test)

DATA = Path(__file__).parents[2] / "crates" / "sim" / "tests" / "data"


def test_python_and_rust_get_the_same_run() -> None:
    """`cargo test -p sim` compares the same file with the same run."""
    expected = json.loads((DATA / "dumbbell.totals.json").read_text(encoding="utf-8"))
    run = _core.run((DATA / "dumbbell.json").read_text(encoding="utf-8"), 1, 1)
    run["totals"].pop("events")  # the simulator's own steps
    assert run["totals"] == expected["totals"]
    assert run["flows"]["acked"].sum(axis=1).tolist() == expected["acked"]
    assert [value.hex() for value in run["flows"]["cwnd"][-1].tolist()] == expected["cwnd"]

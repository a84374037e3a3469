"""The engine called from Python returns what it returns when called from Rust."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from refusals import refused

from mesonet import _core  # noqa: TID251  (the module under test)
from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import dumbbell
from mesonet.simulation import check

DATA = Path(__file__).parents[3] / "crates" / "sim" / "tests" / "data"


def test_python_and_rust_get_the_same_run():
    """`cargo test -p sim` compares the same file with the same run."""
    expected = json.loads((DATA / "dumbbell.totals.json").read_text(encoding="utf-8"))
    spec = _core.Spec((DATA / "dumbbell.json").read_text(encoding="utf-8"))
    run = spec.run(1)
    run["totals"].pop("events")  # the simulator's own steps
    assert run["totals"] == expected["totals"]
    assert run["flows"]["acked"].sum(axis=1).tolist() == expected["acked"]
    assert [value.hex() for value in run["flows"]["cwnd"][-1].tolist()] == expected["cwnd"]


def test_a_handle_serves_many_runs():
    """Runs leave nothing behind in it, also at the same time."""
    spec = _core.Spec((DATA / "dumbbell.json").read_text(encoding="utf-8"))
    seeds = [1, 2, 1, 3, 2, 1]
    with ThreadPoolExecutor(2) as pool:
        totals = [run["totals"] for run in pool.map(spec.run, seeds)]
    for seed, pooled in zip(seeds, totals, strict=True):
        alone = _core.Spec((DATA / "dumbbell.json").read_text(encoding="utf-8"))
        assert alone.run(seed)["totals"] == pooled


def test_what_is_wrong_has_place_kind_and_message():
    text = (DATA / "dumbbell.json").read_text(encoding="utf-8")
    spec = json.loads(text)
    spec["duration"] = -1.0
    spec["transport"]["syn_tries"] = 17
    with pytest.raises(_core.ScenarioProblem) as caught:
        _core.Spec(json.dumps(spec))
    assert caught.value.args[0] == [
        ("duration", "range", "expected more than 0 s, got -1"),
        ("transport.syn_tries", "range", "expected 1 to 16, got 17"),
    ]


@pytest.mark.parametrize(
    ("name", "most"), [("syn_tries", 16), ("dup_thresh", 2**32 - 1), ("ack_every", 2**32 - 1)]
)
def test_the_largest_value_of_a_field_is_the_largest_of_the_engine(name, most):
    lab = {"rate": "10 Mbit/s", "rtt": "10 ms", "flows": ["reno"]}
    spec = check(dumbbell(**lab, transport={name: most}))
    assert spec["transport"][name] == most
    with refused(ScenarioError, (f"transport.{name}", "less_than_equal")):
        dumbbell(**lab, transport={name: most + 1})
    spec["transport"][name] = most + 1
    with pytest.raises(_core.ScenarioProblem):
        _core.Spec(json.dumps(spec))

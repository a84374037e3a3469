"""Functions between a scenario and the engine, with the engine replaced by numbers we know."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from mesonet import checked
from mesonet.controller import controllers
from mesonet.errors import InputError, ScenarioError
from mesonet.scenario.keywords import dumbbell, internet
from mesonet.simulation import check, simulate
from mesonet.tables import result_version

SERIES = [
    "thinking",
    "connecting",
    "sending",
    "slow_start",
    "standard",
    "alternate",
    "initial_slow_start",
    "cwnd_sum",
    "srtt_sum",
    "srtt_count",
    "queueing_sum",
    "injected",
    "delivered",
    "dropped",
    "syns",
    "connection_failures",
    "completed",
    "aborted",
    "acked",
    "acks",
    "data_sent",
    "retransmitted",
    "timeouts",
    "recoveries",
    "cwnd_increases",
    "duplicate_acks",
    "completed_size",
    "completed_sent",
]
FLOWS = ("acked", "cwnd", "srtt", "phase", "retransmitted", "in_flight")
TOTALS = [
    "injected",
    "delivered",
    "dropped",
    "in_flight",
    "syns",
    "connections",
    "connection_failures",
    "completed",
    "aborted",
    "data_sent",
    "retransmitted",
    "acks",
    "hops",
    "events",
]
GROUPS = [
    "transfers",
    "goodput_sum",
    "goodput_sq_sum",
    "retransmission_sum",
    "size_sum",
    "sent_sum",
    "duration_sum",
]


class Engine:
    """An engine that answers at once; it remembers what it was asked."""

    RESULT_VERSION = "7"
    Rows = ()  # No table comes as rows here.
    ScenarioProblem = checked._core.ScenarioProblem

    def __init__(self):
        self.problems = []
        self.asked = []
        self.parsed = 0

    def Spec(self, text, plugins):  # noqa: N802  (a class)
        assert not plugins
        self.parsed += 1
        if self.problems:
            raise Engine.ScenarioProblem(self.problems)
        return Handle(self, json.loads(text))

    def algorithms(self):
        limits = {"min": 0.0, "max": 1e6}
        gamma = {"name": "gamma", "default": 30.0, "unit": "segments", "doc": "Backlog.", **limits}
        text = {"display": "A name", "summary": "A sentence.", "source": "A document."}
        shared = {"needs": None, "edition": 1, "ecn": "classic", **text}
        return [
            {"name": "reno", "params": [], **shared},
            {"name": "ctcp", "params": [gamma], **shared},
        ]


@dataclass
class Handle:
    """A checked scenario of the engine."""

    engine: Engine
    world: dict[str, Any]

    def need(self):
        return {"sources": 1}

    def run(self, seed, threads, progress):
        if seed == 13:
            raise Engine.ScenarioProblem([("stations[0].rate", "range", "unlucky")])
        self.engine.asked.append((seed, threads))
        if progress is not None:
            progress(1.0)
        world = self.world
        watched, flows = len(world["measure"]["stations"]), len(world["flows"])
        stations = len(world["stations"])
        rows = {"algorithm": [0], "pair": [3], "interface": [1], "file": [2]}
        rows |= {name: [1.0] for name in GROUPS}
        return {
            "series": {"time": np.array([1.0, 2.0])}
            | {name: np.array([10.0, 20.0]) for name in SERIES},
            "classes": {
                "sending": np.arange(12).reshape(2, 6),
                "acked": np.arange(12).reshape(2, 6) * 10,
            },
            "queues": {
                "packets": np.arange(2 * watched).reshape(2, watched),
                "capacity": np.full(watched, 100),
            },
            "flows": {name: np.arange(2.0 * flows).reshape(2, flows) for name in FLOWS},
            "groups": {name: np.array(values) for name, values in rows.items()},
            "transfers": {
                "source": np.array([1]),
                "receiver_site": np.array([1]),
                "algorithm": np.array([0]),
                "pair": np.array([0]),
                "interface": np.array([0]),
                "file": np.array([3]),
                "size": np.array([9]),
                "sent": np.array([10]),
                "start": np.array([0.5]),
                "duration": np.array([1.5]),
            },
            "signals": {
                "station": np.array([0], dtype="u4"),
                "cause": np.array([1], dtype="u1"),
                "dropped": np.array([2]),
                "marked": np.array([3]),
            },
            "stations": {name: np.arange(stations) for name in ("arrivals", "drops", "departures")},
            "totals": dict.fromkeys(TOTALS, 0)
            | {"injected": 30, "delivered": 20, "dropped": 4, "in_flight": 6},
        }


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    fake = Engine()
    built_in = sys.modules["mesonet.controller.catalogue"].built_in
    built_in.cache_clear()
    for name in ("tables", "checked", "controller.catalogue"):
        monkeypatch.setattr(sys.modules[f"mesonet.{name}"], "_core", fake)
    monkeypatch.setattr(checked, "_KEPT", {})
    monkeypatch.setattr(checked, "_ACCEPTED", set())
    # Controllers in Python that other tests of this process have imported.
    monkeypatch.setattr(sys.modules["mesonet.controller.catalogue"], "_imported", lambda _: ())
    yield fake
    # The next test of this process asks the engine again.
    built_in.cache_clear()


def lab(**options):
    return dumbbell(
        **{"rate": "10 Mbit/s", "rtt": "10 ms", "flows": ["reno", "ctcp"], "duration": "2 s"}
        | options
    )


def problems(call, *args, **options):
    with pytest.raises(ScenarioError) as caught:
        call(*args, **options)
    return {problem.loc: problem.message for problem in caught.value.problems}


def test_tables_are_long_and_named():
    run = simulate(lab(), seed=3)
    assert run.classes.columns == ["time", "pair", "sending", "acked"]
    assert run.classes["pair"].to_list()[:7] == ["DD", "DF", "DN", "FF", "FN", "NN", "DD"]
    assert run.classes.filter(pl.col("pair") == "FF")["acked"].to_list() == [30, 90]
    assert run.queues.to_dicts() == [
        {"time": 1.0, "station": "forward", "packets": 0, "capacity": 100},
        {"time": 2.0, "station": "forward", "packets": 1, "capacity": 100},
    ]
    assert run.flows.filter(pl.col("flow") == "ctcp-1")["cwnd"].to_list() == [1.0, 3.0]
    assert run.stations["station"].to_list() == ["forward", "reverse"]
    group = run.groups.to_dicts()[0]
    assert [group[name] for name in ("algorithm", "pair", "path_class", "interface", "file")] == [
        "reno",
        "FF",
        "F",
        "fast",
        "service_pack",
    ]
    transfer = run.transfers.to_dicts()[0]
    place = [transfer[name] for name in ("receiver_site", "file", "flow")]
    assert place == ["reverse", "movie", "ctcp-1"]


def test_conservation_is_shown():
    assert simulate(lab()).conservation == {
        "injected": 30,
        "delivered": 20,
        "dropped": 4,
        "in_flight": 6,
        "missing": 0,
    }


def test_measurements_know_the_timeline_and_the_bottleneck():
    measured = simulate(lab(warm_up=0.5)).measurements
    assert measured.periods == {"period 1": (1.0, 2.0)}
    assert measured.groups_from == 1.0
    assert measured.bottleneck == pytest.approx(1e7 / 12_000)


def test_the_three_tier_world_too():
    run = simulate(internet(duration="2 s", interval="1 s"))
    assert run.queues["station"].n_unique() == 17
    assert set(run.flows["flow"]) == {"L1", "L2", "L3"}
    assert run.measurements.bottleneck is None


def test_progress_and_threads_reach_the_engine(engine):
    seen = []
    simulate(lab(), seed=5, threads=2, progress=seen.append)
    assert (engine.asked, seen) == ([(5, 2)], [1.0])


def test_written_folder(tmp_path):
    run = simulate(lab(), seed=3)
    folder = run.write(tmp_path / "a" / "run")
    assert pl.read_parquet(folder / "series.parquet").equals(run.series)
    numbers = json.loads((folder / "responses.json").read_text())
    assert numbers["seed"] == 3
    assert numbers["result_version"] == "7" == result_version()
    assert numbers["totals"]["injected"] == 30
    assert set(numbers["responses"]) == set(run.responses)
    assert (folder / "scenario.toml").read_text() == lab().to_toml()


def test_a_run_is_written_into_a_new_or_empty_folder_unless_told_otherwise(tmp_path):
    run = simulate(lab(), seed=3)
    (tmp_path / "scenario.toml").write_text("mine")
    (tmp_path / "segments.parquet").write_text("of another run")
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(InputError):
        run.write(tmp_path)
    assert (tmp_path / "scenario.toml").read_text() == "mine"
    run.write(tmp_path, overwrite=True)
    assert (tmp_path / "scenario.toml").read_text() == lab().to_toml()
    assert not (tmp_path / "segments.parquet").exists()
    assert (tmp_path / "notes").read_text() == "mine"


def test_algorithms_are_known_by_name():
    assert [info.name for info in controllers()] == ["reno", "ctcp"]
    assert controllers()[1].parameters[0].unit == "segments"


def test_unknown_algorithms_are_named_where_they_stand():
    refusals = problems(check, lab(flows=["reno", "ctpc", "xyzzy"]))
    assert refusals["flows[1].algorithm"].endswith('got "ctpc" (did you mean "ctcp"?)')
    assert refusals["flows[2].algorithm"].endswith("known are ctcp, reno")
    assert set(problems(check, internet(algorithms="ctpc"))) == {"algorithms.ctpc"}


def test_unknown_parameters_are_named():
    refusals = problems(check, lab(parameters={"ctcp": {"gama": 3}}))
    assert 'did you mean "gamma"?' in refusals["parameters.ctcp.gama"]


def test_problems_of_names_and_of_resolution_come_together():
    assert set(problems(check, internet(algorithms="x", topology="y"))) == {
        "algorithms.x",
        "topology",
    }


def test_what_the_engine_refuses(engine):
    assert problems(simulate, lab(), seed=13) == {"stations[0].rate": "unlucky"}
    engine.problems = [
        ("transport.rto_min", "range", "too small"),
        ("algorithms[1]", "algorithm", "gamma is negative"),
    ]
    assert problems(check, lab(duration="3 s")) == {
        "transport.rto_min": "too small",
        "parameters.ctcp": "gamma is negative",
    }


@pytest.mark.parametrize("value", ["scenario.toml", Path("scenario.toml"), {"kind": "dumbbell"}])
def test_what_is_no_scenario(value):
    for call in (simulate, check):
        with pytest.raises(ScenarioError) as caught:
            call(value)
        assert [problem.kind for problem in caught.value.problems] == ["type"]


def test_checking_gives_the_resolved_scenario():
    assert check(lab()) == lab().resolve()


def test_a_scenario_is_parsed_and_checked_once(engine):
    for seed in range(1, 6):
        simulate(lab(), seed=seed)
        check(lab())
    assert (engine.parsed, len(engine.asked)) == (1, 5)
    simulate(lab(duration="3 s"))
    assert engine.parsed == 2


def test_handles_are_kept_for_the_scenarios_used_last(engine, monkeypatch):
    monkeypatch.setattr(checked, "HANDLES", 2)
    for duration in ("2 s", "3 s", "2 s", "4 s", "2 s"):
        simulate(lab(duration=duration))
    assert engine.parsed == 3
    # A scenario whose handle has gone was checked nevertheless.
    check(lab(duration="3 s"))
    assert engine.parsed == 3
    simulate(lab(duration="3 s"))
    assert engine.parsed == 4


def test_a_scenario_that_the_engine_refused_is_checked_again(engine):
    engine.problems = [("transport.rto_min", "range", "too small")]
    for _ in range(2):
        assert problems(check, lab()) == {"transport.rto_min": "too small"}
    engine.problems = []
    check(lab())
    assert engine.parsed == 3


@pytest.mark.parametrize(
    ("options", "loc"),
    [
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"threads": 0}, "threads"),
    ],
)
def test_seeds_and_threads(options, loc):
    assert set(problems(simulate, lab(), **options)) == {loc}

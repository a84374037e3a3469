"""Levels with names: tables of what they set, or values of a path."""

import pytest

from mesonet.errors import PlanError
from mesonet.plan import plan_from_dict

SCENARIO = {
    "kind": "dumbbell",
    "rate": "10 Mbit/s",
    "rtt": "20 ms",
    "flows": [{"algorithm": "reno", "name": "video"}, "cubic"],
    "duration": "1 s",
}
NETWORK = {
    "clean": {"buffer": "2 bdp"},
    "policed": {"rate": "5 Mbit/s", "queue": {"kind": "codel", "target": "9 ms"}},
    "lte": {"rate_trace": {"file": "lte.down"}},
}


def named(**levels):
    factors = {
        "network": {"levels": levels},
        "far": {"path": "rtt", "levels": {"no": "9 ms", "yes": "90 ms"}},
    }
    return {
        "name": "named",
        "scenario": SCENARIO,
        "factors": factors,
        "responses": ["flow_goodput:@video"],
    }


def test_a_named_level_sets_its_table_and_leaves_the_rest(tmp_path):
    (tmp_path / "lte.down").write_text("\n".join(map(str, range(3, 999, 3))), encoding="utf-8")
    plan = plan_from_dict(named(**NETWORK), folder=tmp_path)
    network, far = plan.factors
    assert [network.text(code) for code in network.codes] == list(NETWORK)
    assert [far.text(code) for code in far.codes] == ["no", "yes"]
    assert network.code("policed") == 0
    clean, policed, lte = (run.scenario for run in plan.runs()[:3])
    assert str(clean.buffer) == "2 bdp"
    assert (str(clean.rate), str(policed.rate)) == ("10 Mbit/s", "5 Mbit/s")
    assert (policed.queue.kind, clean.queue.kind) == ("codel", "droptail")
    assert lte.rate_changes
    assert not policed.rate_changes
    again = plan_from_dict(plan.to_dict())
    assert [run.id for run in again.runs()] == [run.id for run in plan.runs()]


@pytest.mark.parametrize(
    ("levels", "places"),
    [
        ({"one": {"buffer": "2 bdp"}, "two": 5}, ["factors.network.levels.two"]),
        ({"one": {"bufer": "2 bdp"}, "two": {"rate": "1 Mbit/s"}}, ["factors.network.path"]),
        (
            {"one": {"rate_trace": {"file": "no"}}, "two": {"rtt": "1 ms"}},
            ["factors.network.levels.one.rate_trace.file"],
        ),
    ],
)
def test_what_is_wrong_with_a_named_level_has_its_place(levels, places, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError) as refused:
        plan_from_dict(named(**levels))
    locs = [problem.loc for problem in refused.value.problems]
    assert locs[: len(places)] == places

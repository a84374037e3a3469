"""Questions of comparisons: matches, plans, and what cannot be asked."""

import shutil
from pathlib import Path

import pytest

from mesonet import InputError
from mesonet.comparison import Match, question

AIMD = Path(__file__).resolve().parents[3] / "examples" / "controllers" / "aimd.py"
SMALL = {
    "rate": "5 Mbit/s",
    "rtt": "40 ms",
    "buffer": "1 bdp",
    "loss": 0.0,
    "queue": "droptail",
    "versus": (),
    "flows": 1,
    "replicates": 2,
    "duration": "4 s",
    "warm_up": 0.25,
    "seed": 1,
}


def asked(*algorithms, **changes):
    return question(algorithms, **SMALL | changes)


def test_a_file_stands_for_its_only_controller(tmp_path):
    shutil.copy(AIMD, tmp_path / "halving.py")
    posed = asked(str(tmp_path / "halving.py"), "reno")
    assert posed.algorithms == ("python:halving.Aimd", "reno")


def scenario(asked, condition=1, match=0, replicate=1):
    return asked.plan.scenario_of(condition, asked.plan.alternatives[match], replicate)


@pytest.mark.parametrize(
    ("algorithms", "versus", "pairs"),
    [
        (["reno", "cubic"], [], [("reno", "reno"), ("reno", "cubic"), ("cubic", "cubic")]),
        (["reno", "vegas"], ["cubic"], [("reno", "cubic"), ("vegas", "cubic"), ("cubic", "cubic")]),
        # Two that meet the other way round meet once.
        (["reno", "bic"], ["bic", "reno"], [("reno", "bic"), ("reno", "reno"), ("bic", "bic")]),
    ],
)
def test_every_algorithm_is_alone_and_beside_every_other_once(algorithms, versus, pairs):
    expected = [*map(Match, algorithms), *(Match(*pair) for pair in pairs)]
    posed = asked(*algorithms, versus=versus)
    assert list(posed.matches) == expected
    for match, alternative in zip(expected, posed.plan.alternatives, strict=True):
        assert alternative.label == match.words()
        flows = alternative.set["flows"]
        assert [flow["algorithm"] for flow in flows] == [name for name in match if name]


def test_conditions_are_all_combinations_in_the_order_of_the_plan():
    posed = asked("reno", rate=["5Mbit/s", "5000 kbit/s", "10 Mbit/s"], rtt=("10ms", "0.04 s"))
    words = [posed.words(each) for each in posed.conditions]
    assert words == ["5 Mbit/s, 10 ms", "5 Mbit/s, 40 ms", "10 Mbit/s, 10 ms", "10 Mbit/s, 40 ms"]
    assert asked("reno").where == "5 Mbit/s, 40 ms, 1 bdp, droptail"
    assert posed.where == "4 conditions with 1 bdp, droptail"
    cells = [scenario(posed, number) for number in (1, 2, 3, 4)]
    assert [each.bottleneck() * 12_000 for each in cells] == pytest.approx([5e6, 5e6, 10e6, 10e6])
    assert [each.rtt for each in cells] == pytest.approx([0.01, 0.04, 0.01, 0.04], rel=0.05)


def test_matches_of_a_repeat_share_round_trip_time_and_starts():
    posed = asked("reno", "cubic", flows=2)
    alone, own, mixed = (scenario(posed, 1, match, 2) for match in (1, 2, 3))
    assert alone.rtt == own.rtt == mixed.rtt
    assert 0.038 <= mixed.rtt <= 0.042
    starts = [flow.start for flow in mixed.flows]
    assert starts == [flow.start for flow in own.flows]
    assert starts[:2] == [flow.start for flow in alone.flows]
    assert len(set(starts)) == 4
    assert 0 <= min(starts) < max(starts) <= 0.05 * 4
    assert [flow.name for flow in mixed.flows] == ["reno-1", "reno-2", "cubic-1", "cubic-2"]
    assert scenario(posed, 1, 3, 1).rtt != mixed.rtt


@pytest.mark.parametrize(
    ("duration", "interval"), [("60 s", 0.1), ("1 s", 0.1), ("50 ms", 0.005), ("1 us", 1e-7)]
)
def test_short_runs_have_short_intervals(duration, interval):
    assert scenario(asked("reno", duration=duration)).interval == interval


def test_hosts_take_up_to_the_time_of_a_packet_at_the_bottleneck_unless_told_otherwise():
    """Floyd and Jacobson (1992): up to the service time of the bottleneck, here 1500 bytes."""
    posed = asked("reno", rate=["8 Mbit/s", "1 p/ms"], buffer="20 packets")
    jitters = [
        scenario(posed, condition).transport_options()["host_jitter"] for condition in (1, 2)
    ]
    assert jitters == pytest.approx([1500 * 8 / 8e6, 1e-3])
    off = scenario(asked("reno", host_jitter="0 s")).transport_options()
    assert off.get("host_jitter", 0) == 0


@pytest.mark.parametrize(
    ("algorithms", "changes", "expected"),
    [
        (["cubik", "reno"], {}, ["algorithms"]),
        ([], {}, ["algorithms"]),
        ([["reno", "cubic"]], {}, ["algorithms"]),
        (["cubik"], {"rate": "fast", "rtt": "9"}, ["rate", "rtt", "algorithms"]),
        (["reno"], {"queue": "codl"}, ["queue"]),
        (["reno"], {"rate": 5, "queue": 3}, ["rate", "queue"]),
        (["reno"], {"loss": [0.0, 2.0]}, ["loss"]),
        (["cubik"], {"flows": 10**30}, ["flows", "algorithms"]),
        (["reno"], {"flows": 0, "duration": "x"}, ["duration", "flows"]),
        (["reno"], {"duration": "0 s"}, ["duration"]),
        (["reno"], {"host_jitter": "-1 s"}, ["host_jitter"]),
        (["reno"], {"rate": "1 bit/s"}, ["rate"]),
        (["reno"], {"rate": ["1 bit/s", "1 Mbit/s"]}, ["rate"]),
        (["reno"], {"flows": 0, "seed": -1}, ["flows", "seed"]),
        (["reno", "cubik", "reno"], {"flows": 0}, ["flows", "algorithms", "algorithms"]),
        # Two matches, so 1,200,000 runs of the million that a plan may have.
        (["reno"], {"replicates": 600_000}, ["replicates"]),
        (["cubic"], {"profile": "linuxx"}, ["profile"]),
    ],
)
def test_every_problem_is_told_at_once(algorithms, changes, expected):
    with pytest.raises(InputError) as caught:
        asked(*algorithms, **changes)
    assert [problem.loc for problem in caught.value.problems] == expected


def test_transport_is_the_scenarios_own_unless_it_is_asked_for():
    plain, linux, marked = asked("cubic"), asked("cubic", profile="linux"), asked("cubic", ecn=True)
    assert scenario(plain).profile is None
    assert scenario(linux) == scenario(plain).replace({"profile": "linux"})
    assert scenario(marked).transport_options()["ecn"]
    mixed = asked("cubic", rate=["1 Mbit/s", "1 p/ms"], buffer="50 packets", ecn=True)
    assert mixed.transport().startswith("profile rfc, mesonet; ECN on;")


def test_paths_name_conditions_and_values_beside_them_take_their_place():
    link = dict.fromkeys(("rate", "rtt", "buffer", "loss"))
    named = asked("reno", path=["lte", "geo"], **link)
    assert [named.words(each) for each in named.conditions] == ["path lte", "path geo"]
    cells = [scenario(named, number) for number in (1, 2)]
    assert [str(each.rate) for each in cells] == ["5 Mbit/s", "40 Mbit/s"]
    assert [each.rtt for each in cells] == pytest.approx([0.04, 0.6], rel=0.05)
    assert [each.transport.host_jitter for each in cells] == pytest.approx([0.0024, 0.0003])
    versus = asked("reno", path=["lte", "geo"], **link | {"rate": ["1 Mbit/s", "2 Mbit/s"]})
    assert [str(scenario(versus, number).rate) for number in (1, 2, 3, 4)] == [
        "1 Mbit/s",
        "2 Mbit/s",
    ] * 2
    near = asked("reno", path=["lte", "geo"], **link | {"rtt": "10 ms"})
    assert [scenario(near, number).rtt for number in (1, 2)] == pytest.approx([0.01] * 2, rel=0.05)
    with pytest.raises(InputError) as caught:
        asked("reno", path=["lte", "goe"], **link)
    assert [problem.loc for problem in caught.value.problems] == ["path"]

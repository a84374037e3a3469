"""Questions of comparisons: matches, scenarios, and what cannot be asked."""

from __future__ import annotations

import pytest

from mesonet import InputError, dumbbell
from mesonet.comparison.question import Match, question

SMALL = {
    "rate": "5 Mbit/s",
    "rtt": "40 ms",
    "buffer": "1 bdp",
    "loss": 0.0,
    "queue": "droptail",
    "beside": (),
    "flows": 1,
    "repeats": 2,
    "duration": "4 s",
    "warm_up": 0.25,
    "seed": 1,
}


def asked(*algorithms, **changes):
    return question(algorithms, **SMALL | changes)


def test_every_algorithm_is_alone_and_beside_every_other_once():
    found = asked("reno", "cubic").matches()
    assert found == (
        Match("reno"),
        Match("cubic"),
        Match("reno", "reno"),
        Match("reno", "cubic"),
        Match("cubic", "cubic"),
    )


def test_beside_names_the_others_and_these_meet_their_own_kind():
    found = asked("reno", "vegas", beside=["cubic"]).matches()
    assert found == (
        Match("reno"),
        Match("vegas"),
        Match("reno", "cubic"),
        Match("vegas", "cubic"),
        Match("cubic", "cubic"),
    )


def test_conditions_are_all_combinations_with_units_as_written_elsewhere():
    found = asked("reno", rate=["5Mbit/s", "5000 kbit/s", "10 Mbit/s"], rtt=("10ms", "0.04 s"))
    words = [found.words(each) for each in found.conditions]
    assert words == ["5 Mbit/s, 10 ms", "5 Mbit/s, 40 ms", "10 Mbit/s, 10 ms", "10 Mbit/s, 40 ms"]
    assert asked("reno").words(asked("reno").conditions[0]) == "5 Mbit/s, 40 ms, 1 bdp, droptail"


def test_matches_of_a_repeat_share_round_trip_time_and_starts():
    found = asked("reno", "cubic", flows=2)
    (condition,) = found.conditions
    alone, own, mixed = (
        found.scenario(condition, Match(*names), 2)
        for names in (("cubic",), ("reno", "reno"), ("reno", "cubic"))
    )
    assert alone.rtt == own.rtt == mixed.rtt
    assert 0.038 <= mixed.rtt <= 0.042
    starts = [flow.start for flow in mixed.flows]
    assert starts == [flow.start for flow in own.flows]
    assert starts[:2] == [flow.start for flow in alone.flows]
    assert len(set(starts)) == 4
    assert min(starts) >= 0
    assert max(starts) <= 0.05 * 4
    other = found.scenario(condition, Match("reno", "cubic"), 1)
    assert other.rtt != mixed.rtt
    assert other == found.scenario(condition, Match("reno", "cubic"), 1)


@pytest.mark.parametrize(
    ("duration", "interval"), [("60 s", 0.1), ("1 s", 0.1), ("50 ms", 0.005), ("1 us", 1e-7)]
)
def test_short_runs_have_short_intervals(duration, interval):
    found = asked("reno", duration=duration)
    assert found.scenario(found.conditions[0], Match("reno"), 1).interval == interval


def test_a_scenario_is_what_was_asked_for():
    found = asked("reno", buffer="20 packets", queue="codel", loss=0.01)
    made = found.scenario(found.conditions[0], Match("reno"), 1)
    assert made == dumbbell(
        rate="5 Mbit/s",
        rtt=f"{round(made.rtt * 1e9)} ns",
        buffer="20 packets",
        loss=0.01,
        queue="codel",
        flows=made.flows,
        duration="4 s",
        warm_up=0.25,
        record_queues=True,
        transport={"host_jitter": "2.4 ms"},
    )


def test_hosts_take_up_to_the_time_of_a_packet_at_the_bottleneck_unless_told_otherwise():
    """Floyd and Jacobson (1992): up to the service time of the bottleneck, here 1500 bytes."""
    found = asked("reno", rate=["8 Mbit/s", "1 p/ms"], buffer="20 packets")
    jitters = [
        found.scenario(each, Match("reno"), 1).transport_options()["host_jitter"]
        for each in found.conditions
    ]
    assert jitters == pytest.approx([1500 * 8 / 8e6, 1e-3])
    off = asked("reno", host_jitter="0 s")
    (condition,) = off.conditions
    assert off.scenario(condition, Match("reno"), 1).transport_options().get("host_jitter", 0) == 0


def test_two_algorithms_that_meet_the_other_way_round_meet_once():
    found = asked("reno", "cubic", "bic", beside=["reno", "cubic"])
    pairs = [frozenset(match) for match in found.matches() if match.other]
    assert len(pairs) == len(set(pairs)) == 5


@pytest.mark.parametrize(
    ("algorithms", "changes", "expected"),
    [
        (["cubik", "reno"], {}, ["algorithms"]),
        (["cubik", 3], {"rate": "fast"}, ["rate", "algorithm", "algorithms"]),
        ([], {}, ["algorithms"]),
        (["reno"], {"rate": "fast", "rtt": "9"}, ["rate", "rtt"]),
        (["reno"], {"queue": "codl"}, ["queue"]),
        (["reno"], {"loss": [0.0, 2.0]}, ["loss"]),
        (["reno"], {"loss": {}}, ["loss"]),
        (["cubik"], {"flows": 10**30}, ["flows", "algorithms"]),
        (["reno"], {"flows": 0, "duration": "x"}, ["flows", "duration"]),
        (["reno"], {"duration": "0 s"}, ["duration"]),
        (["reno"], {"host_jitter": "-1 s"}, ["host_jitter"]),
        (["reno"], {"rate": "1 bit/s"}, ["rate"]),
        # Two repeats have the seeds 2^64 - 1 and 2^64, which is one too large.
        (["reno"], {"seed": 2**64 - 1}, ["seed"]),
        (["reno"], {"flows": 0, "seed": -1}, ["flows", "seed"]),
        (["reno"], {"queue": {"kind": "red"}, "rate": 5}, ["rate", "queue"]),
        (
            ["reno", "cubik", "reno"],
            {"beside": ["vegas", "vegas"], "flows": 0},
            ["algorithms", "beside", "flows", "algorithms"],
        ),
        (["reno"], {"repeats": 200000}, ["repeats"]),
    ],
)
def test_every_problem_is_told_at_once(algorithms, changes, expected):
    with pytest.raises(InputError) as caught:
        asked(*algorithms, **changes)
    places = [problem.loc.partition(".")[0] for problem in caught.value.problems]
    assert places == expected


def test_transport_is_the_scenarios_own_unless_it_is_asked_for():
    plain, linux, marked = asked("cubic"), asked("cubic", profile="linux"), asked("cubic", ecn=True)
    (condition,) = plain.conditions
    first = plain.scenario(condition, Match("cubic"), 1)
    assert first.profile is None
    assert linux.scenario(condition, Match("cubic"), 1) == first.replace({"profile": "linux"})
    assert marked.scenario(condition, Match("cubic"), 1).transport_options()["ecn"]
    said = "profile {}; ECN off, but for algorithms that ask for it; random delay of packets "
    said += "at hosts up to the time that the bottleneck takes for a packet"
    assert plain.transport() == said.format("rfc")
    assert linux.transport() == said.format("linux")
    assert marked.transport().startswith("profile rfc; ECN on; ")
    late = asked("cubic", host_jitter="2 ms")
    assert late.transport().endswith("; random delay of packets at hosts up to 2 ms")
    packets = asked("cubic", rate="1 p/ms", buffer="50 packets")
    assert packets.transport() == said.format("mesonet")

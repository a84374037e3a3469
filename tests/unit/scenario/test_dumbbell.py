import sys

import polars as pl
import pytest
from refusals import refused

from mesonet.controller import discipline_for
from mesonet.errors import ScenarioError
from mesonet.scenario.keywords import dumbbell, flow
from mesonet.simulation import check, simulate

LINK = {"rate": "100 Mbit/s", "rtt": "40 ms"}
LINED = {
    **LINK,
    "flows": ["reno"],
    "access_rate": "100 Mbit/s",
    "access_buffer": "300 packets",
}


def problems(options):
    with pytest.raises(ScenarioError) as caught:
        dumbbell(**options)
    return {problem.loc: problem.message for problem in caught.value.problems}


def test_a_link_has_a_port_in_each_direction():
    spec = dumbbell(**LINK, flows=["cubic"]).resolve()
    assert [station["name"] for station in spec["stations"]] == ["forward", "reverse"]
    assert spec["next_link"] == [[-2, -1], [-1, -2]]
    assert spec["links"] == []
    assert [site["station"] for site in spec["sites"]] == [0, 1]
    assert spec["stations"][0]["rate"] == {"bits_per_second": 1e8}
    # 100 Mbit/s for 40 ms is 500,000 bytes, 333.3 packets of 1500.
    assert spec["stations"][0]["buffer"] == {"packets": 334}
    assert spec["transport"]["ack_cost"] is True
    assert spec["interfaces"] == [{"rate": None, "delay": 0.01}]
    assert spec["population"] is None


def test_a_rate_in_packets_makes_one_shared_router():
    spec = dumbbell(rate="21 p/ms", rtt="162 ms", buffer="0.2 bdp", flows=["reno"]).resolve()
    assert len(spec["stations"]) == 1
    assert spec["next_link"] == [[-1, -1]]
    assert [site["station"] for site in spec["sites"]] == [0, 0]
    # The published two-flow bench: 0.2 of 3402 packets.
    assert spec["stations"][0]["buffer"] == {"packets": 681}
    assert spec["transport"]["ack_cost"] is False
    assert spec["transport"]["initial_window"] == 2.0


def test_flows():
    scenario = dumbbell(
        **LINK,
        flows=[
            flow("cubic", count=2),
            flow("reno", name="back", start="2 s", stop="9 s", reverse=True, rtt="80 ms"),
            flow("cubic", size="1 MB"),
        ],
    )
    spec = scenario.resolve()
    assert [f["name"] for f in spec["flows"]] == ["cubic-1", "cubic-2", "back", "cubic-3"]
    assert scenario.forward_flows() == ("cubic-1", "cubic-2", "cubic-3")
    back = spec["flows"][2]
    assert (back["source"], back["receiver"], back["start"], back["stop"]) == (1, 0, 2.0, 9.0)
    assert spec["interfaces"][back["interface"]]["delay"] == 0.02
    assert spec["flows"][3]["size"] == 685
    assert [a["name"] for a in spec["algorithms"]] == ["cubic", "reno"]
    assert spec["measure"]["stations"] == [0, 1]


def test_work_grows_with_the_number_of_flows_and_not_with_its_square():
    def calls(count):
        scenario = dumbbell(
            **LINK, flows=[flow("reno", rtt=f"{n % 9 + 1} ms") for n in range(count)]
        )
        called = 0

        def counted(*_):
            nonlocal called
            called += 1

        sys.setprofile(counted)
        try:
            scenario.resolve()
        finally:
            sys.setprofile(None)
        return called

    assert calls(800) < 5 * calls(200)


def test_buffer_in_bytes_stays_in_bytes():
    spec = dumbbell(**LINK, buffer="64 kB", flows=["reno"]).resolve()
    assert spec["stations"][1]["buffer"] == {"bytes": 64_000}


def test_loss_is_on_the_forward_direction_only():
    spec = dumbbell(**LINK, loss=0.01, flows=["reno"]).resolve()
    assert [station["loss"] for station in spec["stations"]] == [0.01, 0.0]


def test_bottleneck_in_segments():
    assert dumbbell(**LINK, flows=["reno"]).bottleneck() == pytest.approx(1e8 / 12_000)
    assert dumbbell(rate="21 p/ms", rtt="1 s", flows=["reno"]).bottleneck() == 21_000.0


def test_no_map():
    assert dumbbell(**LINK, flows=["reno"]).geometry() == {"nodes": [], "links": []}


@pytest.mark.parametrize(
    ("options", "loc", "kind"),
    [
        ({"rtt": "40 ms", "flows": ["reno"]}, "rate", "missing"),
        ({**LINK, "flows": []}, "flows", "too_short"),
        ({**LINK}, "flows", "missing"),
        ({**LINK, "flows": ["reno"], "rtt": 40}, "rtt", "value_error"),
        ({**LINK, "flows": ["reno"], "rate": "0 Mbit/s"}, "rate", "value_error"),
        ({**LINK, "flows": ["reno"], "rate": "1 Tp/s"}, "rate", "value_error"),
        ({**LINK, "flows": ["reno"], "rate": "1000 Tbit/s"}, "rate", "range"),
        ({**LINK, "flows": ["reno"], "buffer": "0 packets"}, "buffer", "value_error"),
        ({**LINK, "flows": ["reno"], "buffer": "1.5 packets"}, "buffer", "value_error"),
        ({**LINK, "flows": ["reno"], "buffer": "100 B"}, "buffer", "too_small"),
        ({**LINK, "flows": ["reno"], "buffer": "100"}, "buffer", "value_error"),
        ({**LINK, "flows": ["reno"], "buffer": "1e14 bdp"}, "buffer", "too_large"),
        ({**LINK, "flows": ["reno"], "loss": 1.0}, "loss", "less_than"),
        (
            {**LINK, "flows": ["cubic"], "parameters": {"cubic": {"c": "0.5"}}},
            "parameters.cubic.c",
            "value_error",
        ),
        (
            {**LINK, "flows": [{"algorithm": "reno", "name": ""}]},
            "flows[0].name",
            "string_too_short",
        ),
        ({**LINK, "flows": ["reno"], "bufer": "1 bdp"}, "bufer", "unknown_key"),
        (
            {**LINK, "flows": ["reno", {"algorithm": "reno", "strat": "1 s"}]},
            "flows[1].strat",
            "unknown_key",
        ),
        (
            {**LINK, "flows": [{"algorithm": "reno", "count": 10**12}]},
            "flows[0].count",
            "too_large",
        ),
        (
            {**LINK, "flows": [{"algorithm": "r", "rtt": f"{k} ms"} for k in range(1, 300)]},
            "flows",
            "too_large",
        ),
        ({**LINK, "flows": [{"algorithm": "reno", "start": "1 h"}]}, "flows[0].start", "too_large"),
        (
            {**LINK, "flows": [{"algorithm": "reno", "start": "3 s", "stop": "2 s"}]},
            "flows[0].stop",
            "too_small",
        ),
        (
            {**LINK, "flows": [{"algorithm": "r", "name": "a"}, {"algorithm": "r", "name": "a"}]},
            "flows",
            "duplicate",
        ),
        ({**LINK, "flows": ["reno"], "access_buffer": "9 packets"}, "access_buffer", "conflict"),
        ({**LINED, "access_rate": "9 p/ms"}, "access_buffer", "conflict"),
        ({**LINED, "rate": "9 p/ms"}, "access_buffer", "conflict"),
        ({**LINED, "access_buffer": "1 bdp"}, "access_buffer", "value_error"),
        ({**LINED, "access_buffer": "100 B"}, "access_buffer", "too_small"),
        ({**LINED, "access_buffer": "0 packets"}, "access_buffer", "value_error"),
        ({**LINED, "flows": [{"algorithm": "reno", "count": 1001}]}, "access_buffer", "too_large"),
    ],
)
def test_what_cannot_be_honoured(options, loc, kind):
    with pytest.raises(ScenarioError) as caught:
        dumbbell(**options)
    assert (loc, kind) in [(it.loc, it.kind) for it in caught.value.problems]


@pytest.mark.parametrize("name", ["xcp", "vcp"])
def test_senders_that_need_a_router_of_their_kind(name):
    options = {"rate": "10 p/ms", "rtt": "40 ms", "flows": [name]}
    with refused(ScenarioError, ("queue", "discipline")):
        simulate(dumbbell(**options))
    assert discipline_for(name) == name
    check(dumbbell(**options, queue=name))


def test_lines_of_hosts_are_stations_before_the_bottleneck():
    flows = [flow("reno", name="there"), flow("reno", name="back", reverse=True)]
    spec = dumbbell(**{**LINED, "flows": flows, "rate": "50 Mbit/s"}).resolve()
    names = ["forward", "reverse", "host of there", "host of back"]
    assert [station["name"] for station in spec["stations"]] == names
    assert [station["rate"]["bits_per_second"] for station in spec["stations"]] == [
        5e7,
        5e7,
        1e8,
        1e8,
    ]
    assert [station["buffer"]["packets"] for station in spec["stations"][2:]] == [300, 300]
    assert [each["rate"] for each in spec["interfaces"]] == [None]
    # Sites: the two sending hosts, receivers on the left, receivers on the right.
    assert [site["station"] for site in spec["sites"]] == [2, 3, 0, 1]
    assert [(each["source"], each["receiver"]) for each in spec["flows"]] == [(0, 3), (1, 2)]
    assert [(link["from"], link["to"]) for link in spec["links"]] == [(2, 0), (3, 1)]
    assert spec["next_link"] == [[-2, -1, -2, -1], [-1, -2, -1, -2], [-2, 0, -2, 0], [1, -2, 1, -2]]


@pytest.mark.parametrize("algorithm", ["reno", "bic"])
def test_a_buffer_before_the_line_of_the_only_host_is_as_good_as_one_at_the_link(algorithm):
    common = {**LINK, "flows": [algorithm], "duration": "30 s"}
    at_link = simulate(dumbbell(**common, buffer="300 packets"))
    at_host = simulate(
        dumbbell(
            **common, buffer="300 packets", access_rate="100 Mbit/s", access_buffer="300 packets"
        )
    )
    acked = [float(run.flows["acked"].sum()) for run in (at_link, at_host)]
    assert acked[1] == pytest.approx(acked[0], rel=0.01)
    drops = [
        run.stations.filter(pl.col("drops") > 0)["station"].to_list() for run in (at_link, at_host)
    ]
    assert drops == [["forward"], [f"host of {algorithm}-1"]]


def test_flows_in_both_directions_cross_their_hosts_lines():
    flows = [flow("reno", name="there"), flow("reno", name="back", reverse=True)]
    run = simulate(dumbbell(**{**LINED, "flows": flows, "duration": "20 s"}))
    rates = {
        name: float(run.flows.filter(flow=name)["acked"].sum()) * 1500 * 8 / 20 / 1e6
        for name in ("there", "back")
    }
    assert all(60 < rate < 100 for rate in rates.values()), rates


@pytest.mark.parametrize(
    ("duration", "interval", "most"),
    [("1 s", "1 s", 0.5), ("2 s", "1 s", 0.75), ("1900 ms", "1 s", 0.263), ("1 s", "100 ms", 0.95)],
)
def test_a_warm_up_leaves_a_whole_interval(duration, interval, most):
    times = {"duration": duration, "interval": interval}
    path = {"rate": "1 Mbit/s", "rtt": "10 ms", "flows": ["reno"]}
    run = simulate(dumbbell(**path, **times, warm_up=most))
    assert run.responses["utilization"] > 0
    with refused(ScenarioError, ("warm_up", "too_large")):
        dumbbell(**path, **times, warm_up=most + 0.001)


@pytest.mark.parametrize(("warm_up", "most"), [(0.0, 10), (0.25, 8), (0.9, 1)])
def test_every_period_has_a_whole_interval(warm_up, most):
    path = {"rate": "1 Mbit/s", "rtt": "10 ms", "flows": ["reno"], "warm_up": warm_up}
    times = {"duration": "1 s", "interval": "100 ms"}
    run = simulate(dumbbell(**path, **times, periods=most))
    _, *of_periods = run.measurements.windows
    assert len(of_periods) == most
    assert all(window.seconds > 0 for window in of_periods)
    with refused(ScenarioError, ("periods", "too_large")):
        dumbbell(**path, **times, periods=100)


def test_a_scenario_is_shown_by_what_is_not_a_default():
    world = dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=["reno"])
    shown = "Dumbbell(rate='1 Mbit/s', rtt='10 ms', flows=[{'algorithm': 'reno'}])"
    assert repr(world) == shown
    assert repr(world.replace({"periods": 2})) == shown.replace("rate", "periods=2, rate", 1)


def test_values_of_a_scenario_are_replaced_by_keyword_too():
    world = dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=["reno"])
    changed = world.replace({"flows[0].start": "1 s"}, rtt="20 ms")
    assert changed == world.replace({"flows[0].start": "1 s", "rtt": "20 ms"})
    with refused(ScenarioError, ("rrt", "unknown_key")):
        world.replace(rrt="20 ms")


@pytest.mark.parametrize(
    ("options", "loc"),
    [
        ({"rate": "99 bit/s"}, "rate"),
        ({"rate": "0.0009 p/s"}, "rate"),
        ({"access_rate": "99 bit/s"}, "access_rate"),
        ({"rate_changes": [("1 s", "99 bit/s")]}, "rate_changes[0].rate"),
        # A link that stops every other picosecond was walked through picosecond by picosecond.
        ({"rate_changes": [("1 ps", "0 bit/s")], "rate_period": "1 s"}, "rate_changes[0].at"),
        (
            {"rate_changes": [("1 s", "1 Mbit/s")], "rate_period": "1000000.5 us"},
            "rate_period",
        ),
        ({"duration": "168 h", "interval": "10 s"}, "duration"),
    ],
)
def test_what_the_engine_cannot_do_is_told_by_the_key_of_the_user(options, loc):
    with pytest.raises(ScenarioError) as caught:
        check(dumbbell(**{**LINK, "flows": ["reno"], **options}))
    assert [problem.loc for problem in caught.value.problems] == [loc]


@pytest.mark.parametrize(("rate", "duration"), [("100 kbit/s", "2 s"), ("1 kbit/s", "1000 s")])
def test_a_full_link_is_used_once(rate, duration):
    """Of some eleven packets in the window, the acknowledged ones are up to one more."""
    room = {"rtt": "20 ms", "buffer": "10 packets", "warm_up": 0.3}
    lab = dumbbell(rate=rate, flows=["cubic"], duration=duration, **room)
    assert 0.98 < simulate(lab).responses["utilization"] <= 1


def test_a_round_trip_shorter_than_it_can_be_has_no_queueing():
    """The SYN's is measured by clocks of 16.384 ns: 61 of them are 0.6 ns less than 1 us."""
    syn = flow("reno", start="7 ns", size="10 packets")
    times = {"rtt": "1 us", "duration": "4 us", "interval": "100 ns", "warm_up": 0}
    run = simulate(dumbbell(rate="10 Tbit/s", buffer="20 packets", flows=[syn], **times))
    assert run.flows["srtt"].max() == pytest.approx(61 * 16.384e-9)
    assert run.responses["queueing_delay_p50"] == 0

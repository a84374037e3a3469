"""Responses of named flows, completion times and queueing delays, worked by hand."""

import math
from dataclasses import replace

import polars as pl
import pytest
from changed import changed

import mesonet
from mesonet.errors import InputError
from mesonet.responses import Measurements, compute, lookup

SECOND = 1.0


def run(goodputs, *, phases=None, base_rtt=0.1, interval=SECOND, **columns):
    """Named flows with a goodput [segments/s] in each interval; with 0.1 s, 10 RTTs are 1 s."""
    count = len(next(iter(goodputs.values())))
    rows = []
    for k in range(count):
        for name, rates in goodputs.items():
            row = {"time": interval * (k + 1), "flow": name, "acked": rates[k] * interval}
            row |= {"phase": (phases or {}).get(name, [1] * count)[k]}
            for column in ("cwnd", "srtt", "retransmitted"):
                row[column] = columns.get(column, {}).get(name, [0.0] * count)[k]
            rows.append(row)
    return Measurements(
        interval=interval,
        duration=count * interval,
        tables={
            "series": pl.DataFrame({"time": [interval * (k + 1) for k in range(count)]}),
            "flows": pl.DataFrame(rows),
        },
        flow_algorithms={name: name.split("-")[0] for name in goodputs},
        base_rtts=dict.fromkeys(goodputs, base_rtt),
    )


def value(measurements, name):
    return compute(measurements, [name])[name]


TWO = run({"reno-1": [10.0, 20.0, 30.0, 20.0], "ctcp-1": [30.0, 20.0, 10.0, 60.0]})


def test_shares_of_two_flows():
    # Means 20 and 30: deviation 5 around 25.
    assert value(TWO, "efficiency_index") == 50.0
    assert value(TWO, "sigma_f") == pytest.approx(5.0 / 25.0)
    assert value(TWO, "flow_goodput") == 25.0
    assert value(TWO, "flow_goodput:ctcp") == 30.0
    assert value(TWO, "jain_index") == pytest.approx(50**2 / (2 * (20**2 + 30**2)))


def test_flows_of_a_name_are_those_with_a_number_behind_it():
    assert value(TWO, "flow_goodput:reno-1") == 20.0
    named = run({"victim-1": [10.0, 20.0], "victim-2": [30.0, 20.0], "other": [0.0, 0.0]})
    named = replace(named, flow_algorithms=dict.fromkeys(named.flow_algorithms, "cubic"))
    assert value(named, "flow_goodput:victim") == 20.0
    # Connections of applications have a number more.
    lines = run({"victim-1-1": [10.0], "victim-1-2": [20.0], "victim-2-1": [60.0]})
    lines = replace(lines, flow_algorithms=dict.fromkeys(lines.flow_algorithms, "cubic"))
    assert value(lines, "flow_goodput:@victim-1") == 15.0
    assert value(lines, "flow_goodput:victim") == 30.0
    assert value(named, "flow_goodput:other") == 0.0
    assert value(named, "flow_goodput:cubic") == pytest.approx(40 / 3)


def test_starved_seconds_have_less_than_a_twentieth_of_an_equal_share():
    # Equal shares are 50 and 10; the second flow has 4, then 0.4.
    seconds = run({"a": [96.0, 19.6], "b": [4.0, 0.4]}, interval=1.0)
    assert value(seconds, "flow_starved:b") == 0.5
    assert value(seconds, "flow_starved") == 0.25


def test_instantaneous_unfairness_is_the_deviation_of_deviations():
    # Deviations between the flows: 10, 0, 10, 20; their mean is 10, their deviation sqrt(50).
    assert value(TWO, "xi_f") == pytest.approx(math.sqrt(50.0) / 25.0)
    assert value(TWO, "xi_f_1s") == value(TWO, "xi_f")
    # In windows of 2 s: goodputs 15, 25 and 25, 35; deviations 5 and 5.
    assert value(changed(TWO, base_rtts={"reno-1": 0.1, "ctcp-1": 0.2}), "xi_f") == 0.0


def test_windows_shorter_than_an_interval_are_undefined():
    short = changed(TWO, base_rtts=dict.fromkeys(TWO.base_rtts, 0.05))
    assert math.isnan(value(short, "xi_f"))
    assert math.isnan(value(short, "convergence_time"))
    assert value(short, "xi_f_1s") > 0
    assert math.isnan(value(changed(TWO, base_rtts={}), "xi_f"))


def test_fairness_counts_only_while_all_flows_send():
    late = run(
        {"a-1": [40.0, 40.0, 10.0, 10.0], "b-1": [0.0, 0.0, 10.0, 30.0]},
        phases={"b-1": [-1, -1, 1, 1]},
    )
    # Of the last two seconds: means 10 and 20, deviations 0 and 10.
    assert value(late, "sigma_f") == pytest.approx(5.0 / 15.0)
    assert value(late, "xi_f") == pytest.approx(5.0 / 15.0)
    # Jain's index: 1, then 40² / (2 (10² + 30²)).
    assert value(late, "jain_index_10rtt") == pytest.approx((1.0 + 0.8) / 2)
    assert value(late, "min_jain_index_1s") == pytest.approx(0.8)


def test_stability_is_the_coefficient_of_variation():
    # Totals 40, 40, 40, 80: mean 50, deviation sqrt(300).
    assert value(TWO, "stability") == pytest.approx(math.sqrt(300.0) / 50.0)
    assert value(TWO, "stability_1s") == value(TWO, "stability")
    # Reno's own: 10, 20, 30, 20 has mean 20 and deviation sqrt(50).
    assert value(TWO, "flow_stability:reno") == pytest.approx(math.sqrt(50.0) / 20.0)


def test_convergence_counts_from_the_last_start():
    flows = {"a-1": [40.0, 40.0, 30.0, 22.0, 20.0], "b-1": [0.0, 0.0, 10.0, 18.0, 20.0]}
    late = run(flows, phases={"b-1": [-1, -1, 0, 1, 1]})
    # Shares 0.55 and 0.45 are just within 10 % of a half, at the end of the second second.
    assert value(late, "convergence_time") == 2.0
    never = run({"a-1": [30.0] * 4, "b-1": [10.0] * 4})
    assert math.isnan(value(never, "convergence_time"))
    assert math.isnan(value(run({"a-1": [1.0] * 3}), "convergence_time"))


def test_goodput_latency_ends_at_nine_tenths_of_the_maximum():
    flows = run({"a-1": [0.0, 5.0, 50.0, 91.0, 100.0]}, phases={"a-1": [-1, 0, 0, 0, 1]})
    # It starts at 1 s; 91 of 100 is reached at 4 s.
    assert value(flows, "goodput_latency") == 3.0
    assert math.isnan(value(run({"a-1": [0.0, 0.0]}), "goodput_latency"))


def test_recovery_latency_starts_after_the_longest_spell_of_loss():
    flows = run(
        {"a-1": [100.0, 60.0, 100.0, 20.0, 10.0, 30.0, 60.0, 95.0]},
        retransmitted={"a-1": [0.0, 3.0, 0.0, 9.0, 9.0, 0.0, 0.0, 0.0]},
    )
    # Losses last from 3 s to 5 s; 95 of 100 is reached at 8 s.
    assert value(flows, "recovery_latency") == 3.0
    assert math.isnan(value(run({"a-1": [1.0, 2.0]}), "recovery_latency"))
    lost = run({"a-1": [9.0, 1.0, 1.0]}, retransmitted={"a-1": [0.0, 1.0, 0.0]})
    assert math.isnan(value(lost, "recovery_latency"))


def test_activation_threshold_is_the_smallest_window_under_own_rules():
    flows = run(
        {"a-1": [1.0] * 4},
        phases={"a-1": [0, 1, 2, 2]},
        cwnd={"a-1": [3.0, 12.0, 17.5, 40.0]},
    )
    assert value(flows, "activation_threshold") == 17.5
    assert math.isnan(value(TWO, "activation_threshold"))


def test_the_threshold_of_scalable_tcp_shows_in_a_run():
    """NIST, slide 34: "Scalable TCP ... 16 packets"."""
    scenario = mesonet.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", flows=["scalable:nist", "reno"], duration="20 s",
        interval="20 ms",
    )  # fmt: skip
    responses = mesonet.simulate(scenario).responses
    assert 16.0 <= responses["activation_threshold:scalable:nist"] < 17.0
    assert math.isnan(responses["activation_threshold:reno"])


def test_queueing_delays_are_round_trips_less_propagation():
    flows = run(
        {"a-1": [1.0] * 4, "b-1": [1.0] * 4},
        phases={"b-1": [-1, 1, 1, 1]},
        srtt={"a-1": [0.0, 0.1, 0.2, 0.3], "b-1": [9.0, 0.1, 0.2, 0.3]},
    )
    # Of 0, 0.1 and 0.2, each twice; what is not sending or has no sample does not count.
    assert value(flows, "queueing_delay_p50") == pytest.approx(0.1)
    assert value(flows, "queueing_delay_p95") == pytest.approx(0.2)
    # Of 0, 0.1, 0.2: at 0.99 x 2 = 1.98 of the way, between the last two.
    assert value(flows, "queueing_delay_p99:b") == pytest.approx(0.198)


def test_queueing_delays_of_network_and_bottleneck():
    ends = [1.0, 2.0, 3.0, 4.0, 5.0]
    measured = Measurements(
        interval=1.0,
        duration=5.0,
        tables={
            "series": pl.DataFrame(
                {
                    "time": ends,
                    "queueing_sum": [0.0, 1.0, 4.0, 9.0, 16.0],
                    "srtt_count": [0, 1, 2, 3, 4],
                }
            ),
            "queues": pl.DataFrame(
                {"time": ends, "station": ["forward"] * 5, "packets": [0, 10, 20, 30, 40]}
            ),
        },
        bottleneck=100.0,
    )
    # The means are 1, 2, 3, 4; the interval without flows has none.
    assert value(measured, "network_queueing_delay_p50") == 2.5
    assert value(measured, "bottleneck_delay_p50") == 0.2
    assert value(measured, "bottleneck_delay_p95") == pytest.approx(0.38)


def test_completion_times():
    transfers = pl.DataFrame(
        {
            "algorithm": ["reno", "reno", "ctcp", "ctcp"],
            "start": [0.0, 4.0, 4.0, 5.0],
            "duration": [1.0, 1.0, 2.0, 3.0],
        }
    )
    groups = pl.DataFrame({"algorithm": ["reno", "ctcp"], "transfers": [1, 2],
                           "duration_sum": [1.0, 5.0]})  # fmt: skip
    measured = changed(TWO, transfers=transfers, groups=groups, groups_from=4.0)
    # The first ended during the warm-up.
    assert value(measured, "completion_time") == 2.0
    assert value(measured, "completion_time:ctcp") == 2.5
    assert value(measured, "completion_time_p50") == 2.0
    assert value(measured, "completion_time_p95:ctcp") == pytest.approx(2.95)
    assert math.isnan(value(TWO, "completion_time_p50"))


def test_every_algorithm_of_several_is_reported():
    responses = compute(TWO)
    assert {"flow_goodput:reno", "flow_goodput:ctcp", "page_load_time:ctcp"} <= set(responses)
    assert "g1:reno" not in responses
    alone = compute(run({"a-1": [1.0] * 3}))
    assert not any(":" in name for name in alone)


def test_periods_restrict_rates_and_not_latencies():
    parted = changed(TWO, periods={"one": (0.0, 2.0), "two": (2.0, 4.0)})
    assert value(parted, "efficiency_index@1") == 40.0
    assert value(parted, "efficiency_index@2") == 60.0
    with pytest.raises(InputError):
        lookup("convergence_time@1")


def test_flows_in_any_order_of_rows_and_with_gaps():
    shuffled = changed(TWO, flows=TWO.flows.sort("flow", "time"))
    assert compute(shuffled, ["xi_f", "sigma_f"]) == compute(TWO, ["xi_f", "sigma_f"])
    assert math.isnan(value(changed(TWO, flows=TWO.flows.head(7)), "sigma_f"))


def test_base_round_trips_of_long_flows_are_published():
    """NIST SP 500-282: propagation delays of Abilene of 6 to 100 ms, twice that with X2 = 2."""
    world = mesonet.internet(base_sources=1, speed="4 p/ms", delay_multiplier=2)
    rtts = [flow.base_rtt for flow in world.named_flows().values()]
    assert (max(rtts), min(rtts)) == (0.2, 0.012)


def around(goodputs, *, phases=None):
    """L1 with a goodput in each second; files on very fast paths are larger from 5 s to 8 s."""
    flows = run({"L1": goodputs}, phases={"L1": phases} if phases else None)
    return changed(flows, congestion=(5.0, 8.0))


def test_latencies_around_the_congestion():
    flows = around([0.0, 20.0, 50.0, 95.0, 90.0, 300.0, 5.0, 5.0, 40.0, 99.0, 100.0])
    # It starts at once; of the largest outside the congestion, 100, nine tenths are reached at 4 s,
    # and again at 10 s, 2 s after its end. The 300 of the congestion do not count.
    assert value(flows, "goodput_latency_L1") == 4.0
    assert value(flows, "recovery_latency_L1") == 2.0
    late = around([0.0, 20.0, 95.0, 95.0, 90.0, 1.0, 1.0, 1.0, 95.0], phases=[-1] + [1] * 8)
    assert value(late, "goodput_latency_L1") == 2.0


def test_latencies_that_are_not_over_are_lower_bounds():
    flows = around([0.0, 20.0, 50.0, 50.0, 50.0, 5.0, 5.0, 5.0, 40.0, 99.0, 100.0])
    assert value(flows, "goodput_latency_L1") == 5.0
    flows = around([0.0, 99.0, 100.0, 100.0, 100.0, 5.0, 5.0, 5.0, 40.0, 40.0, 40.0])
    assert value(flows, "recovery_latency_L1") == 3.0


def test_latencies_need_a_congestion_and_the_flow():
    flows = around([0.0, 99.0, 100.0, 100.0, 100.0, 5.0, 5.0, 5.0, 40.0])
    assert math.isnan(value(flows, "goodput_latency_L2"))
    assert math.isnan(value(changed(flows, congestion=None), "goodput_latency_L1"))
    over = changed(flows, congestion=(5.0, 9.0))
    assert math.isnan(value(over, "recovery_latency_L1"))
    assert math.isnan(value(around([0.0] * 10), "goodput_latency_L1"))


def test_deviation_of_windows_is_that_of_each_flow():
    windows = {"a-1": [10.0, 30.0, 10.0, 30.0], "b-1": [5.0, 5.0, 5.0, 5.0]}
    goodputs = {name: [1.0] * 4 for name in windows}
    flows = run(goodputs, cwnd=windows)
    # 10 and 0; the mean of both.
    assert value(flows, "cwnd_deviation") == 5.0
    assert math.isnan(value(changed(flows, flows=pl.DataFrame()), "cwnd_deviation"))
    # Of flows that have sent, if any has.
    idle = {"b-1": [-1] * 4}
    assert value(run(goodputs, cwnd=windows, phases=idle), "cwnd_deviation") == 10.0
    idle |= {"a-1": [-1] * 4}
    assert math.isnan(value(run(goodputs, cwnd=windows, phases=idle), "cwnd_deviation"))


def test_flows_are_gone_through_once_however_many_there_are(monkeypatch):
    class Once(tuple):
        __slots__ = ()
        times = 0

        def __iter__(self):
            Once.times += 1
            return super().__iter__()

    many = run({f"f{k}": [1.0, 2.0] for k in range(50)})
    series = many.whole.flow_series
    assert series.only(Once(series.names[:7])).names == series.names[:7]
    assert Once.times == 1
    calls = []
    whole = pl.DataFrame.filter
    monkeypatch.setattr(
        pl.DataFrame, "filter", lambda *args, **kwargs: calls.append(1) or whole(*args, **kwargs)
    )
    assert value(many, "jain_index") == pytest.approx(1.0)
    assert len(calls) < 10


def test_a_file_that_is_not_complete_counts_with_its_age():
    transfers = pl.DataFrame({"algorithm": ["reno"], "flow": ["reno-1"], "start": [0.0],
                              "duration": [1.0]})  # fmt: skip
    files = {"files": ("reno-1", "ctcp-1"), "flow_starts": {"reno-1": 0.0, "ctcp-1": 1.0}}
    measured = changed(TWO, transfers=transfers, **files)
    # The second begins at 1 s of 4.
    assert value(measured, "file_time") == 2.0
    assert value(measured, "file_time_p50:ctcp") == value(measured, "file_time:@ctcp") == 3.0
    assert value(measured, "file_time:reno") == 1.0
    assert value(changed(measured, transfers=transfers[:0]), "file_time") == 3.5
    assert math.isnan(value(changed(TWO, **files), "file_time"))


def test_a_flow_that_never_connects_starves_from_its_start():
    late = run({"a": [20.0] * 4, "b": [0.0] * 4}, phases={"b": [-1] * 4})
    never = changed(late, flow_starts={"a": 0.0, "b": 2.0})
    assert value(never, "flow_starved:b") == 1.0
    assert value(never, "jain_index_10rtt") == 0.5
    assert math.isnan(value(changed(late, flow_starts={"a": 0.0, "b": 4.0}), "flow_starved"))
    # A flow that is over does not starve.
    over = run({"a": [20.0] * 4, "b": [20.0, 0.0, 0.0, 0.0]}, phases={"b": [1, -1, -1, -1]})
    assert value(changed(over, flow_starts={"a": 0.0, "b": 0.0}), "flow_starved") == 0.0


def test_flows_starve_where_nobody_gets_anything():
    assert value(run({"a": [0.0] * 4, "b": [0.0] * 4}), "flow_starved") == 1.0

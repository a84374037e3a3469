"""Responses of hand-made measurements, where every number can be checked by head."""

import math

import numpy as np
import polars as pl
import pytest
from changed import changed
from refusals import refused

from mesonet import dumbbell, flow, simulate
from mesonet.errors import InputError
from mesonet.responses import (
    FLOW_GROUPS,
    Measurements,
    compute,
    lookup,
    registry,
)
from mesonet.tables.names import PAIRS, PATH_CLASSES

COLUMNS = """
connecting sending slow_start standard alternate initial_slow_start cwnd_sum srtt_sum srtt_count
queueing_sum injected delivered dropped completed acked timeouts connection_failures cwnd_increases
completed_size completed_sent recoveries data_sent
"""


def measurements(**series):
    """Ten intervals of 1 s: warm-up to 4 s, then periods of 2 s; columns not given are zero."""
    time = [float(end) for end in range(1, 11)]
    columns = {name: series.get(name, [0] * 10) for name in COLUMNS.split()}
    return Measurements(
        interval=1.0,
        duration=10.0,
        tables={"series": pl.DataFrame({"time": time, **columns})},
        periods={"a": (4.0, 6.0), "b": (6.0, 8.0), "c": (8.0, 10.0)},
        groups_from=4.0,
    )


def group(**values):
    row = {
        "algorithm": "reno",
        "pair": "DD",
        "interface": "fast",
        "file": "movie",
        "transfers": 2,
        "goodput_sum": 30.0,
        "goodput_sq_sum": 500.0,
        "retransmission_sum": 0.5,
    } | values
    return row | {"path_class": PATH_CLASSES[str(row["pair"])]}


RAMP = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_the_registry_has_all_of_experiment_1():
    symbols = {response.symbols.get("exp1") for response in registry.values()}
    assert {f"y{i}" for i in range(1, 46)} | {f"T.y{i}" for i in range(1, 6)} <= symbols
    assert {f"g{i}" for i in range(1, 25)} <= set(registry)
    for key, response in registry.items():
        assert key == response.id
        assert response.name
        assert response.unit
        assert response.definition.endswith(".")
        assert response.source


def test_flow_groups_are_numbered_as_published():
    assert FLOW_GROUPS[1] == ("VF", "fast", "movie")
    assert FLOW_GROUPS[6] == ("T", "normal", "movie")
    assert FLOW_GROUPS[7] == ("VF", "fast", "service_pack")
    assert FLOW_GROUPS[16] == ("F", "normal", "document")
    assert FLOW_GROUPS[24] == ("T", "normal", "web_object")


def test_warm_up_does_not_count_and_periods_can_be_asked_for():
    run = measurements(sending=RAMP)
    periods = compute(run, ["y1", "y1@1", "y1@2", "y1@3"])
    assert list(periods.values()) == [7.5, 5.5, 7.5, 9.5]
    assert math.isnan(compute(run, ["y1@4"])["y1@4"])


def test_without_periods_the_whole_run_counts():
    run = changed(measurements(sending=RAMP), periods={})
    assert compute(run, ["y1", "y1@1"]) == {"y1": 5.5, "y1@1": 5.5}


def test_intervals_belong_to_the_period_of_their_midpoint():
    run = changed(measurements(sending=RAMP), periods={"a": (3.6, 5.4), "b": (5.4, 6.6)})
    assert compute(run, ["y1@1", "y1@2"]) == {"y1@1": 5.0, "y1@2": 6.5}


def test_ratios_are_of_sums():
    run = measurements(
        sending=[0] * 4 + [1, 1, 1, 1, 1, 5],
        cwnd_sum=[9] * 4 + [10, 10, 10, 10, 10, 100],
        cwnd_increases=[2] * 10,
        srtt_sum=[1] * 10,
        srtt_count=[10] * 10,
        queueing_sum=[0.5] * 10,
        completed_size=[90] * 10,
        completed_sent=[100] * 10,
        dropped=[1] * 10,
        injected=[50] * 10,
        completed=[3] * 10,
        delivered=RAMP,
    )
    values = compute(run, ["y2", "y3", "y4", "y5", "y6", "y7", "y8", "loss_rate"])
    assert list(values.values()) == pytest.approx([1.2, 7.5, 15.0, 3.0, 0.1, 0.1, 0.05, 0.02])


def test_states_of_active_flows_add_up():
    names = ("sending", "slow_start", "initial_slow_start", "standard", "alternate", "connecting")
    counts = zip(names, (10, 4, 3, 5, 1, 2), strict=True)
    run = measurements(**{name: [count] * 10 for name, count in counts})
    values = compute(run, ["y1", "y42", "y43", "y44", "y45"])
    assert values == {"y1": 10.0, "y42": 2.0, "y43": 3.0, "y44": 6.0, "y45": 1.0}


def test_goodput_by_pair_class():
    run = changed(
        measurements(),
        groups=pl.DataFrame(
            [
                group(),
                group(interface="normal", transfers=1, goodput_sum=0.0, goodput_sq_sum=0.0),
                group(pair="NN", transfers=1, goodput_sum=7.0, goodput_sq_sum=49.0),
            ]
        ),
    )
    values = compute(run, ["y9", "y10", "y11", "y12", "y29", "y30", "y13"])
    assert values["y9"] == 10.0
    assert values["y10"] == pytest.approx(10.0)  # of 10, 20 and 0
    assert values["y11"] == 0.5
    assert values["y12"] == pytest.approx(1 / 3)
    assert values["y29"] == 7.0
    assert math.isnan(values["y30"])
    assert math.isnan(values["y13"])


def test_shares_of_files_and_numbers_behind_flow_groups():
    run = changed(
        measurements(),
        groups=pl.DataFrame(
            [
                group(),
                group(algorithm="ctcp", file="web_object", transfers=6),
                group(pair="NN", file="document", transfers=2),
            ]
        ),
    )
    wanted = ["share_movie", "share_document", "share_service_pack", "share_web_object"]
    assert list(compute(run, wanted).values()) == [0.2, 0.2, 0.0, 0.6]
    behind = compute(run, ["share_movie:reno", "n1", "n1:ctcp", "n19:ctcp"])
    assert list(behind.values()) == [0.5, 2.0, 0.0, 6.0]
    shares = (registry[f"share_{file}"] for file in ("web_object", "movie"))
    assert [share.symbols["exp2"] for share in shares] == ["y13", "y16"]
    assert math.isnan(compute(measurements(), ["n1"])["n1"])


def test_flow_groups_pool_algorithms_unless_one_is_named():
    run = changed(
        measurements(),
        groups=pl.DataFrame(
            [
                group(),
                group(algorithm="ctcp:nist", transfers=3, goodput_sum=90.0),
                group(pair="DF", algorithm="ctcp:nist", transfers=1, goodput_sum=4.0),
                group(pair="FF", transfers=1, goodput_sum=6.0),
            ]
        ),
    )
    values = compute(run, ["g1", "g1:reno", "g1:ctcp:nist", "g1:cubic", "g3", "g2"])
    assert values["g1"] == 24.0
    assert values["g1:reno"] == 15.0
    assert values["g1:ctcp:nist"] == 30.0
    assert math.isnan(values["g1:cubic"])
    assert values["g3"] == 5.0
    assert math.isnan(values["g2"])
    assert compute(run)["g3:ctcp:nist"] == 4.0


def test_long_flows_saturation_and_laboratory():
    time = [float(end) for end in range(1, 11)]
    flows = pl.DataFrame(
        {
            "time": time * 2,
            "flow": ["L1"] * 10 + ["L2"] * 10,
            "acked": [0] * 4 + [30] * 6 + [0] * 4 + [10] * 6,
            "cwnd": [5.0] * 20,
            "srtt": [math.nan] * 5 + [0.1] * 5 + [0.3] * 10,
            "phase": [-1] * 4 + [1] * 6 + [1] * 10,
        }
    )
    queues = pl.DataFrame(
        {
            "time": time * 2,
            "station": ["B0a"] * 10 + ["X"] * 10,
            "packets": [50] * 10 + [10] * 10,
            "used": [0.9] * 7 + [0.5] * 3 + [0.1] * 10,
            "capacity": [100] * 10 + [0] * 10,
        }
    )
    run = changed(measurements(acked=[40] * 10), flows=flows, queues=queues, bottleneck=50.0)
    values = compute(run)
    assert (values["y33"], values["y34"]) == (30.0, 10.0)
    assert values["y36"] == 0.5
    assert values["goodput"] == 40.0
    # Three measured intervals at 0.9 and three at 0.5, of the station that is watched first.
    assert values["utilization"] == pytest.approx(0.7)
    assert values["jain_index"] == pytest.approx(0.8)
    assert values["mean_queue"] == 30.0
    assert values["queue_occupancy"] == 0.5
    assert values["flow_rtt"] == pytest.approx((5 * 0.1 + 6 * 0.3) / 11)
    assert values["flow_cwnd"] == 5.0
    for undefined in ("y35", "y37", "throughput_VF"):
        assert math.isnan(values[undefined])


def test_throughput_per_flow_of_path_classes():
    rows = [(float(end), pair) for end in range(1, 11) for pair in PAIRS]
    classes = pl.DataFrame(rows, schema=["time", "pair"], orient="row").with_columns(
        sending=pl.when(pl.col("pair") == "FF").then(0).otherwise(2),
        acked=pl.when(pl.col("pair") == "DN").then(6).otherwise(2),
    )
    run = changed(measurements(), classes=classes)
    values = compute(run, ["throughput_VF", "throughput_F", "throughput_T"])
    assert values == pytest.approx({"throughput_VF": 1, "throughput_F": 2, "throughput_T": 10 / 6})


def test_aggregates_are_of_the_whole_run():
    totals = {"injected": 9, "delivered": 8, "connections": 4, "completed": 3, "syns": 6}
    values = compute(changed(measurements(), totals=totals), [f"T.y{i}" for i in range(1, 6)])
    assert list(values.values()) == [9.0, 8.0, 4.0, 3.0, 1.5]


def test_nothing_measured_is_undefined_everywhere():
    empty = Measurements(interval=1.0, duration=1.0, tables={})
    assert all(math.isnan(value) for value in compute(empty).values())


def test_segments_and_episodes_are_those_of_the_measured_periods():
    run = measurements(data_sent=[100] * 10, recoveries=RAMP, timeouts=[1] * 10)
    values = compute(run, ["data_sent", "data_sent@1", "loss_episodes", "loss_episodes@2"])
    assert values["data_sent"] == 600
    assert values["data_sent@1"] == 200
    assert values["loss_episodes"] == pytest.approx((5 + 6 + 7 + 8 + 9 + 10 + 6) / 600)
    assert values["loss_episodes@2"] == pytest.approx((7 + 8 + 2) / 200)


def test_flows_or_segments_weigh_the_same_in_a_retransmission_rate():
    # One flow of 100 segments lost none, one of a single segment was sent twice.
    groups = pl.DataFrame(
        [
            group(transfers=1, retransmission_sum=0.0),
            group(transfers=1, retransmission_sum=0.5, file="document"),
        ]
    )
    run = changed(
        measurements(completed_size=[0] * 9 + [101], completed_sent=[0] * 9 + [102]),
        groups=groups,
    )
    values = compute(run, ["y6", "flow_retransmission", "flow_retransmission:reno"])
    assert values["y6"] == pytest.approx(1 / 102)
    assert values["flow_retransmission"] == values["flow_retransmission:reno"] == 0.25


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("loss_rat", '"loss_rate"'),
        *((name, "") for name in ("y46", "T.y1@2", "y9@1", "y1:reno", "y1@0", "")),
    ],
)
def test_unknown_responses_are_refused(name, suggestion):
    with refused(InputError, ("", "unknown_response")) as caught:
        lookup(name)
    assert suggestion in str(caught.value)


def test_columns_are_the_same_with_and_without_frames():
    scenario = dumbbell(
        rate="5 Mbit/s", rtt="40 ms", buffer="1 bdp", flows=["reno", "cubic"], duration="3 s"
    )
    framed, bare = (simulate(scenario, seed=1) for _ in range(2))
    for table in ("series", "flows", "queues", "classes"):
        frame = framed.tables[table]
        numbers = [name for name, kind in frame.schema.items() if kind.is_numeric()]
        assert numbers
        for name in numbers:
            expected = frame[name].to_numpy().astype(float)
            for run in (framed, bare):
                assert run.measurements.whole.column(name, table).tolist() == expected.tolist()
    assert compute(framed.measurements) == pytest.approx(
        compute(bare.measurements), rel=0, abs=0, nan_ok=True
    )
    assert framed.measurements.whole.column("no such", "flows").size == 0


@pytest.mark.parametrize(
    ("duration", "interval", "whole"),
    [("10.5 s", "10 s", 10.0), ("2.01 s", "100 ms", 2.0), ("2.1 s", "100 ms", 2.1)],
)
def test_rates_are_over_whole_intervals(duration, interval, whole):
    """What is counted in a short interval at the end is not divided by a whole one."""
    scenario = dumbbell(
        rate="10 Mbit/s", rtt="20 ms", flows=["reno", "cubic"], duration=duration, interval=interval
    )
    run = simulate(scenario, seed=1)
    acked = run.flows.filter(pl.col("time") <= whole + 1e-9)["acked"].sum()
    responses = run.responses
    assert responses["goodput"] == pytest.approx(acked / whole)
    assert responses["flow_goodput"] == pytest.approx(acked / whole / 2)
    used = run.queues.filter(pl.col("time") <= whole + 1e-9, pl.col("station") == "forward")["used"]
    assert responses["utilization"] == pytest.approx(used.mean())


def test_shares_of_active_flows_are_undefined_without_a_population():
    """Named flows of a laboratory complete transfers and are never counted as active."""
    flows = [flow("reno", size="100 kB"), "cubic"]
    run = simulate(dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, duration="2 s"), seed=1)
    assert run.responses["completions"] == 0.5
    assert np.isnan([run.responses[name] for name in ("completion_ratio", "failure_ratio")]).all()


def test_retransmission_rates_of_named_flows_are_those_of_their_transfers():
    flows = [flow("reno", size="1 MB"), flow("cubic", size="2 MB"), "reno"]
    scenario = dumbbell(
        rate="10 Mbit/s", rtt="20 ms", loss=0.01, flows=flows, duration="10 s",
        record_transfers=True,
    )  # fmt: skip
    run = simulate(scenario, seed=1)
    rates = dict(run.transfers.select("algorithm", 1 - pl.col("size") / pl.col("sent")).iter_rows())
    assert len(rates) == 2
    assert run.responses["flow_retransmission"] == pytest.approx(sum(rates.values()) / 2)
    responses = compute(run.measurements, ["flow_retransmission:cubic", "flow_retransmission:bic"])
    assert responses["flow_retransmission:cubic"] == pytest.approx(rates["cubic"])
    assert np.isnan(responses["flow_retransmission:bic"])

"""Congestion state as qlog: valid, and what the run had."""

import itertools
import json
from pathlib import Path

import jsonschema
import polars as pl
import pytest

from mesonet.capture import as_qlog

SCHEMA = json.loads(Path(__file__).with_name("qlog-0.3.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def read(run, flow=None):
    return json.loads(as_qlog(run._recording(), flow))


def events(log, name, at=0):
    return [event["data"] for event in log["traces"][at]["events"] if event["name"] == name]


def acknowledged(log):
    received = events(log, "transport:packet_received")
    frames = [frame for data in received for frame in data.get("frames", [])]
    ranges = [pair for frame in frames for pair in frame["acked_ranges"]]
    return [number for pair in ranges for number in range(pair[0], pair[-1] + 1)]


def numbers(log, name):
    return [data["header"]["packet_number"] for data in events(log, name)]


@pytest.mark.parametrize(
    ("flow", "changes"),
    [
        ("cubic", {}),
        ("bbr3", {}),
        ("reno", {"transport": {"recovery": "newreno"}}),
        ("cubic", {"loss": 0.1}),
        ("prague", {"queue": {"kind": "dualpi2"}}),
        ("cubic", {"loss": 0.999_999_9, "seed": 1}),
    ],
)
def test_files_are_valid(lab, flow, changes):
    VALIDATOR.check_schema(SCHEMA)
    log = read(lab(flow, duration="1 s", **changes))
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    times = [event["time"] for event in log["traces"][0]["events"]]
    assert times == sorted(times)
    assert len(times) > 1


def test_the_schema_refuses_what_the_drafts_do_not_have():
    event = {"time": 1.0, "name": "recovery:packet_lost", "data": {"header": {"packet_number": 1}}}
    file = {"qlog_version": "0.3", "traces": [{"events": [event]}]}
    assert list(VALIDATOR.iter_errors(file))
    event["data"] = {"header": {"packet_type": "1RTT", "packet_number": 1}}
    assert not list(VALIDATOR.iter_errors(file))
    event["name"] = "recovery:no_such_event"
    assert list(VALIDATOR.iter_errors(file))


def test_the_first_bytes_say_what_it_is(lab):
    """The main schema asks for version and format among the first 256 characters."""
    head = as_qlog(lab("cubic", duration="1 s")._recording())[:256]
    assert b'"qlog_version": "0.3"' in head
    assert b'"qlog_format": "JSON"' in head


def test_connections_of_a_flow_are_acknowledged_each(lab):
    requests = {"kind": "rpc", "size": "20 kB", "pause": "0.1 s"}
    run = lab({"algorithm": "cubic", "application": requests}, buffer="100 packets")
    log = read(run)
    sent, told = numbers(log, "transport:packet_sent"), acknowledged(log)
    assert run.totals["completed"] > 5
    assert len(sent) - 14 <= len(told) == len(set(told))


def test_acks_ahead_of_what_was_sent_acknowledge_what_was(lab):
    bursts = {"burst": "20 packets", "pause": "0.1 s", "conduct": "acks_ahead"}
    log = read(lab({"algorithm": "reno", **bursts}, transport={"receive_window": 500}))
    assert acknowledged(log)
    assert set(acknowledged(log)) <= set(numbers(log, "transport:packet_sent"))


def test_blocks_of_quic_acknowledge(lab):
    run = lab("cubic", loss=0.02, profile="quic")
    blocks = run.packets.filter(pl.col("host") == "sender", pl.col("sack_end") > 0).height
    received = events(read(run), "transport:packet_received")
    assert blocks > 10
    assert sum("frames" in data for data in received) > 0.9 * len(received)


def test_transmissions_are_sent_acknowledged_or_lost(lab):
    run = lab({"algorithm": "cubic", "size": "400 kB"}, loss=0.03)
    assert run.totals["completed"] == 1
    log = read(run)
    sent, lost = numbers(log, "transport:packet_sent"), numbers(log, "recovery:packet_lost")
    assert sent == list(range(run.totals["data_sent"]))
    probes = run.packets.filter(pl.col("host") == "sender", pl.col("cause") == "probe").height
    assert len(lost) == run.totals["retransmitted"] - probes > 0
    told = acknowledged(log)
    assert len(told) == len(set(told)) == -(-400_000 // 1460), "each segment once"
    assert not set(told) & set(lost)


def test_metrics_are_those_of_the_table(lab):
    run = lab("bbr3")
    log = read(run)
    merged = {}
    for data in events(log, "recovery:metrics_updated"):
        merged |= data
    last = run.senders.row(-1, named=True)
    assert merged["congestion_window"] == round(last["cwnd"] * 1460)
    assert merged["bytes_in_flight"] == last["in_flight"] * 1460
    assert merged["smoothed_rtt"] == pytest.approx(last["srtt"] * 1e3, abs=1e-6)
    assert merged["min_rtt"] == pytest.approx(last["min_rtt"] * 1e3, abs=1e-6)
    assert merged["pacing_rate"] == round(8 * 1460 / last["pacing_interval"])
    assert 40 <= merged["latest_rtt"] < 100


def test_states_follow_recovery(lab):
    run = lab("cubic")
    changes = events(read(run), "recovery:congestion_state_updated")
    names = [change["new"] for change in changes]
    assert names[:2] == ["slow_start", "recovery"]
    assert "congestion_avoidance" in names
    assert all(before["new"] == after["old"] for before, after in itertools.pairwise(changes))
    assert names.count("recovery") <= run.totals["recoveries"]


def test_flows_are_traces(lab):
    run = lab("cubic", "reno", duration="1 s")
    assert [trace["title"] for trace in read(run)["traces"]] == ["cubic-1", "reno-1"]
    assert [trace["title"] for trace in read(run, "reno-1")["traces"]] == ["reno-1"]

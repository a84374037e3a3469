"""What users of applications judge by, on requests whose answer can be worked out on paper."""

import math
from dataclasses import replace

import polars as pl
import pytest

import mesonet
from mesonet.responses import Measurements, compute

NAN = math.nan


def _measured(application, rows, *, stop=None, **fields):
    """Requests of one application `app`: unit, size, asked, received; 1000 segments/s, 40 ms."""
    lab = mesonet.dumbbell(
        rate="12 Mbit/s",
        rtt="40 ms",
        flows=[mesonet.flow("cubic", name="app", application=application, stop=stop)],
    )
    names = ("unit", "size", "asked", "received")
    requests = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        application=pl.lit("app"), received=pl.col("received").cast(pl.Float64)
    )
    return Measurements(
        interval=0.1,
        tables={"requests": requests},
        bottleneck=lab.bottleneck(),
        applications=lab.applications(),
        **({"duration": 15.0} | fields),
    )


def test_slowdown_is_beside_the_empty_path():
    """Handshake and way are 60 ms; 40 and 140 segments take 40 and 140 ms at 1000 a second."""
    rpc = {"kind": "rpc", "size": "10 kB", "every": "1 s"}
    rows = [(0, 40, 1.0, 1.1), (1, 140, 2.0, 2.6), (2, 1, 3.0, NAN)]
    responses = compute(_measured(rpc, rows), ["slowdown", "slowdown_p50", "slowdown_p50_q4"])
    assert list(responses.values()) == pytest.approx([2.0, 2.0, NAN], nan_ok=True)
    reused = compute(_measured(rpc | {"reuse": True}, rows[:1]), ["slowdown", "completion_time"])
    assert list(reused.values()) == pytest.approx([0.1 / 0.06, 0.1])


def test_a_request_that_is_not_answered_counts_with_its_age():
    """As a file that is not complete: the last one was asked for 12 s before the end."""
    rpc = {"kind": "rpc", "size": "10 kB", "every": "1 s"}
    rows = [(0, 40, 1.0, 1.5), (1, 40, 3.0, NAN)]
    transfers = pl.DataFrame(
        schema={"algorithm": str, "flow": str, "start": float, "duration": float}
    )
    run = _measured(rpc, rows)
    run = replace(run, tables={**run.tables, "transfers": transfers})
    assert compute(run, ["file_time"]) == compute(_measured(rpc, rows), ["file_time"])
    assert compute(run, ["file_time"])["file_time"] == pytest.approx(6.25)
    assert compute(run, ["file_time:@app"])["file_time:@app"] == pytest.approx(6.25)
    assert compute(run, ["completion_time"])["completion_time"] == pytest.approx(0.5)


def test_slowdown_by_quartile_of_sizes():
    rpc = {"kind": "rpc", "size": "10 kB", "every": "1 s", "reuse": True}
    # 20 ms and a ms for each segment; the smaller, the slower.
    rows = [(at, at, 1.0, 1.0 + (9 - at) * (20 + at) / 1000) for at in range(1, 9)]
    ids = [f"slowdown_p50_q{quartile}" for quartile in (1, 2, 3, 4)]
    assert list(compute(_measured(rpc, rows), ids).values()) == pytest.approx([7.5, 5.5, 3.5, 1.5])


def test_a_page_is_there_with_its_last_object():
    web = {"kind": "web", "objects": 2, "size": "10 kB", "pause": "1 s"}
    rows = [
        (0, 9, 1.0, 3.0),
        (0, 9, 1.0, 2.0),
        (1, 9, 5.0, 5.5),
        (1, 9, 5.0, 6.0),
        (2, 9, 8.0, 9.0),
    ]
    rows.append((2, 9, 8.0, NAN))
    responses = compute(_measured(web, rows), ["page_load_time", "page_load_time_p50"])
    assert list(responses.values()) == pytest.approx([1.5, 1.5])
    late = compute(_measured(web, rows, groups_from=4.0), ["page_load_time"])
    assert late["page_load_time"] == pytest.approx(1.0)


def test_a_film_stalls_while_no_segment_is_there():
    """Segments of 4 s at 1 s, 2 s and 11 s: pictures to 9 s and from 11 s to 15 s of 18 s."""
    film = {"kind": "video", "rates": ["1.168 Mbit/s", "2.336 Mbit/s"]}
    rows = [(0, 400, 0.5, 1.0), (1, 400, 1.0, 2.0), (2, 800, 2.0, 11.0), (3, 800, 11.0, NAN)]
    responses = compute(
        _measured(film, rows, duration=18.0),
        ["video_startup", "video_stall_share", "video_bitrate", "video_switches"],
    )
    assert list(responses.values()) == pytest.approx([0.5, 5 / 17, 4.672e6 / 3, 60 / 17])
    # What was asked for before `stop` still comes; a film that has all ends with its last segment.
    stops = {"duration": 18.0, "stop": "12 s"}
    waits = compute(_measured(film, rows, **stops), ["video_stall_share"])
    assert waits["video_stall_share"] == pytest.approx(5 / 17)
    ended = compute(_measured(film, rows[:3], **stops), ["video_stall_share"])
    assert ended["video_stall_share"] == pytest.approx(2 / 14)


def test_a_film_that_never_begins_stands_still_at_no_rate():
    ids = ["video_stall_share", "video_bitrate", "video_startup"]
    never = compute(_measured({"kind": "video"}, [(0, 400, 3.0, NAN)], duration=18.0), ids)
    assert list(never.values()) == pytest.approx([1.0, 0.0, NAN], nan_ok=True)


def test_a_frame_is_late_after_its_deadline():
    """Of five frames one is late and one does not come; of that at 14.9 s nobody knows."""
    call = {"kind": "call", "rate": "1 Mbit/s"}
    rows = [(0, 2, 1.0, 1.1), (1, 2, 2.0, 2.1), (2, 2, 3.0, 3.2), (3, 2, 4.0, 4.1)]
    rows += [(4, 2, 14.0, NAN), (5, 2, 14.9, NAN)]
    ids = ["call_late_share", "call_delay_p50", "call_delay_p99"]
    over_tcp = compute(_measured(call, rows), ids)
    assert list(over_tcp.values()) == pytest.approx([0.4, 0.1, 0.968])
    # Over UDP what has not come does not come: it is late and has no delay.
    over_udp = compute(_measured(call | {"over": "udp"}, rows), ids)
    assert list(over_udp.values()) == pytest.approx([0.4, 0.1, 0.197])


def test_the_rate_of_a_call_is_that_of_the_frames_that_come():
    """Four frames of two segments in 11 s: the deadline, 150 ms, before the end."""
    call = {"kind": "call", "rate": "1 Mbit/s", "over": "udp"}
    rows = [(at, 2, float(at), at + 0.1) for at in (1, 2, 3, 4)] + [(5, 2, 5.0, NAN)]
    responses = compute(_measured(call, rows, duration=11.15), ["call_rate"])
    assert responses["call_rate"] == pytest.approx(4 * 2 * 11680 / 11)


def test_first_segments_are_there_with_their_ack():
    rows = [("a", "sent", 0, 1.0), ("a", "acknowledged", 9, 1.5), ("a", "acknowledged", 11, 1.6)]
    rows += [("b", "sent", 0, 2.0), ("b", "acknowledged", 10, 2.2), ("b", "sent", 10, 2.3)]
    names = ("flow", "fate", "segment", "time")
    segments = pl.DataFrame(rows, schema=names, orient="row")
    run = Measurements(interval=0.1, duration=9.0, tables={"segments": segments})
    responses = compute(run, ["first_bytes_time_10", "first_bytes_time_100"])
    assert list(responses.values()) == pytest.approx([0.4, NAN], nan_ok=True)


def test_without_applications_nothing_is_defined():
    ids = ("slowdown", "page_load_time", "video_bitrate", "video_stall_share", "call_late_share")
    run = mesonet.simulate(
        mesonet.dumbbell(rate="1 Mbit/s", rtt="40 ms", flows=["reno"], duration="1 s")
    )
    assert all(math.isnan(value) for value in compute(run.measurements, ids).values())


def test_a_connection_that_is_never_asked_for_anything_does_not_starve():
    web = {"kind": "web", "objects": 1, "size": "10 kB", "pause": "1 s", "connections": 2}
    flows = [mesonet.flow("cubic", name="tab", application=web)]
    run = mesonet.simulate(mesonet.dumbbell(rate="9 Mbit/s", rtt="9 ms", flows=flows))
    assert run.measurements.flow_starts == {"tab-1": 0.0, "tab-2": math.inf}
    assert math.isnan(run.responses["flow_starved"])

"""Rates of a bottleneck that change, and recorded links."""

import math

import numpy as np
import polars as pl
import pytest

import mesonet
from mesonet import analysis, figures
from mesonet.plan import expected, load_plan
from mesonet.scenario import load_scenario
from mesonet.scenario.rate_changes import VaryingRate


def _lab(**changes):
    fields = {"rate": "12 Mbit/s", "rtt": "40 ms", "flows": ["cubic"], "duration": "12 s"} | changes
    return mesonet.dumbbell(**fields)


def _megabits(run, start, end):
    """Rate of acknowledged packets with their headers, from one time to another [Mbit/s]."""
    within = run.flows.filter(
        (run.flows["time"] > start + 1e-9) & (run.flows["time"] <= end + 1e-9)
    )
    return float(within["acked"].sum()) * 1500 * 8 / (end - start) / 1e6


def test_a_flow_has_the_rate_of_the_link_and_none_in_an_outage():
    changes = [("4 s", "3 Mbit/s"), ("7 s", "0 Mbit/s"), ("8 s", "12 Mbit/s")]
    run = mesonet.simulate(_lab(rate_changes=changes, buffer="2 bdp"))
    assert _megabits(run, 2, 4) == pytest.approx(12, rel=0.01)
    assert _megabits(run, 5, 7) == pytest.approx(3, rel=0.01)
    assert _megabits(run, 7.3, 8) == 0
    assert _megabits(run, 9, 12) == pytest.approx(12, rel=0.01)
    # Of 4 s at 12, 3 s at 3 and 4 s at 12 Mbit/s.
    assert 0.93 < run.responses["utilization"] < 1


@pytest.mark.parametrize("queue", ["droptail", "pie", "fq_codel", "pi2", "cake"])
def test_no_interval_has_more_than_the_link_carries(queue):
    changes = [("1 s", "2 Mbit/s"), ("1500 ms", "20 Mbit/s")]
    lab = _lab(rate_changes=changes, rate_period="2 s", queue=queue, flows=["reno", "cubic"])
    run = mesonet.simulate(lab)
    acked = run.flows.group_by("time", maintain_order=True).agg(pl.col("acked").sum())
    ends, total = acked["time"].to_numpy(), acked["acked"].cum_sum().to_numpy()
    varying = lab.varying_rate()
    assert varying is not None
    assert (total <= varying.carried(ends)).all()
    # Windows shrink with every fall of the rate; without any changes they fill the link.
    assert total[-1] > 0.3 * varying.carried(ends)[-1]


def test_a_rate_that_changes_to_itself_gives_the_same_run():
    plain = mesonet.simulate(_lab(), seed=3)
    same = mesonet.simulate(_lab(rate_changes=[("5 s", "12 Mbit/s")]), seed=3)
    # The packet in service at the change is a picosecond late.
    for name in ("utilization", "mean_queue", "flow_rtt", "bottleneck_delay_p95"):
        assert same.responses[name] == pytest.approx(plain.responses[name], rel=1e-9)


def test_the_engine_has_numbers_and_a_steady_rate_has_none():
    changes = [("1 s", "0 bit/s"), {"at": "1.5 s", "rate": "24 Mbit/s"}]
    stations = _lab(rate_changes=changes, rate_period="3 s").resolve()["stations"]
    assert stations[0]["rate_changes"] == {"times": [1, 1.5], "rates": [0, 24e6], "period": 3}
    assert "rate_changes" not in stations[1]
    assert "rate_changes" not in _lab().resolve()["stations"][0]


def test_a_scenario_with_changes_survives_its_file(tmp_path):
    lab = _lab(rate_changes=[("1 s", "0 bit/s"), ("2 s", "5 Mbit/s")], rate_period="4 s")
    (tmp_path / "lab.toml").write_text(lab.to_toml())
    assert mesonet.load_scenario(tmp_path / "lab.toml") == lab


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"rate_period": "2 s"}, {"rate_period": "a period needs rate_changes that it repeats"}),
        (
            {"rate_changes": [("2 s", "1 Mbit/s"), ("2 s", "9 p/ms")]},
            {
                "rate_changes[1].at": "expected a time after 2 s, got 2 s",
                "rate_changes[1].rate": "expected a rate in bits, as that of the bottleneck, "
                "got 9 p/ms",
            },
        ),
        (
            {"rate_changes": [("2 s", "1 Mbit/s"), ("3 s", "2 Mbit/s")], "rate_period": "3 s"},
            {"rate_changes[1].at": None},
        ),
        (
            {"rate_changes": [("2 s", "0 Mbit/s")]},
            {
                "rate_changes": "expected a rate above zero at the end, or a rate_period that "
                "brings one: this outage has no end"
            },
        ),
        (
            {"rate_changes": [("0 s", "0 Mbit/s")], "rate_period": "1 s"},
            {
                "rate_changes": "expected a rate above zero at the end, or a rate_period that "
                "brings one: this outage has no end"
            },
        ),
        (
            {"rate_changes": [("1 s", "2e13 bit/s")]},
            {"rate_changes[0].rate": "expected 100 bit/s to 10 Tbit/s, got 20 Tbit/s"},
        ),
        (
            {"rate_changes": [("1 s", "2 Mbit/s")], "queue": "xcp", "flows": ["xcp"]},
            {"rate_changes": "routers of xcp know one rate, so it cannot change"},
        ),
        (
            {"rate_changes": [("1 s", "-2 Mbit/s"), ("now", "1 Mbit/s"), "3 s"]},
            {"rate_changes[0].rate": None, "rate_changes[1].at": None, "rate_changes[2]": None},
        ),
    ],
)
def test_wrong_changes_are_told_at_once(changes, problems):
    with pytest.raises(mesonet.ScenarioError) as caught:
        _lab(**changes)
    messages = {each.loc: each.message for each in caught.value.problems}
    assert messages.keys() == problems.keys()
    assert all(message is None or messages[loc] == message for loc, message in problems.items())


def test_a_varying_rate_carries_its_integral_and_drains_by_it():
    once = VaryingRate.of(10.0, [2, 3], [0, 40], None)
    times = np.array([0.0, 1, 2, 2.5, 3, 4, 10])
    assert once.carried(times).tolist() == [0, 10, 20, 20, 20, 60, 300]
    assert once.drained(np.array([5.0, 21, 60])).tolist() == [0.5, 3.025, 4]
    again = VaryingRate.of(10.0, [2, 3], [0, 40], 4.0)
    assert again.carried(np.array([4.0, 5, 8, 402.5])).tolist() == [60, 70, 120, 6020]
    assert again.drained(np.array([60.0, 70, 6025])).tolist() == [4, 5, 403.125]


def test_the_delay_of_a_queue_counts_the_outage_before_it():
    lab = _lab(rate_changes=[("6 s", "0 Mbit/s"), ("9 s", "12 Mbit/s")], buffer="4 bdp")
    run = mesonet.simulate(lab)
    # Half a window waits for three seconds; drop-tail's 160 packets take 0.16 s themselves.
    assert 2.9 < run.responses["bottleneck_delay_p99"] < 3.2


def test_a_recorded_link_has_the_bytes_of_its_trace(tmp_path):
    # Opportunities bunch and thin out, several in a millisecond and none for tens of them.
    times = [
        1 + int(7998 * (k / 6000 + 0.02 * math.sin(k / 50) * (1 - k / 6000))) for k in range(6000)
    ]
    times = [*sorted(max(1, time) for time in times), 8000]
    (tmp_path / "x.down").write_text("".join(f"{time}\n" for time in times))
    for step, changes in (("10 ms", 400), ("1 s", 8)):
        link = mesonet.rate_trace(tmp_path / "x.down", step=step)
        assert link["rate"].value == pytest.approx(6001 * 1504 * 8 / 8)
        assert link["rate_period"] == "8 s"
        assert len(link["rate_changes"]) >= changes
        varying = _lab(**link).varying_rate()
        assert varying is not None
        sent = varying.carried(np.array([8.0, 16.0])) * 1500 / 1504
        assert sent == pytest.approx([6001, 12002])
        halves = np.searchsorted(times, [4000], side="left")[0] + 1
        assert varying.carried(np.array([4.0]))[0] * 1500 / 1504 == pytest.approx(halves, abs=1)
    run = mesonet.simulate(_lab(**mesonet.rate_trace(tmp_path / "x.down"), buffer="1 MB"))
    assert run.responses["utilization"] > 0.9


def test_a_trace_of_times_and_rates_holds_each_until_its_time(tmp_path):
    file = tmp_path / "norway.log"
    file.write_text("0.0\t9.0\n1.5\t4.0\n2.0 0\n2.0 7\n4.0 2e0\n")
    link = mesonet.rate_trace(file, step="1 s")
    # Pensieve takes the throughput of a line for the time since the line before.
    assert [(change.at, change.rate.value) for change in link["rate_changes"]] == [
        (0.0, 4e6),
        (1.5, 0.0),
        (2.0, 2e6),
    ]
    assert link["rate_period"] == "4 s"
    assert link["rate"].value == pytest.approx((1.5 * 4e6 + 2 * 2e6) / 4)
    # A first line after zero holds from zero on.
    file.write_text("1 3\n2 5\n", "utf-8-sig")
    assert [change.rate.value for change in mesonet.rate_trace(file)["rate_changes"]] == [3e6, 5e6]


def places(call, *args, **options):
    with pytest.raises(mesonet.ScenarioError) as caught:
        call(*args, **options)
    return {each.loc: each.kind for each in caught.value.problems}


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", {"": "bad_file"}),
        ("0\n0\n", {":2": "bad_line"}),
        ("1\ntwo\n3.5\n", {":2": "bad_line", ":3": "bad_line"}),
        ("5\n4\n9\n8\n", {":2": "bad_line", ":4": "bad_line"}),
        ("1\n" + "9" * 5000 + "\n", {":2": "bad_line"}),
        # 1504 bytes in 500 s make 24 bit/s; the engine's links have 100 at least.
        ("500000\n", {":1": "too_small"}),
        ("0 1\n1 nan\n2\n3 -1\n", {":2": "bad_line", ":3": "bad_line", ":4": "bad_line"}),
        ("0 1\n2 1\n1 1\n", {":3": "bad_line"}),
        ("0 1\n1 " + "9" * 5000, {":2": "bad_line"}),
        ("0 1\n1 0\n", {":2": "too_small"}),
        ("0 1\n", {":1": "bad_line"}),
    ],
)
def test_lines_of_a_trace_that_are_wrong_are_told(tmp_path, text, problems):
    file = tmp_path / "bad.down"
    file.write_text(text)
    expected = {f"{file}{line}": kind for line, kind in problems.items()}
    assert places(mesonet.rate_trace, file) == expected


def test_what_is_no_trace_and_a_wrong_step_are_told(tmp_path):
    file = tmp_path / "none"
    assert places(mesonet.rate_trace, file) == {str(file): "missing_file"}
    assert places(mesonet.rate_trace, file, step="100 us") == {"step": "too_small"}
    assert places(mesonet.rate_trace, file, step="soon") == {"step": "unit"}


LAB = """kind = "dumbbell"
rtt = "40 ms"
flows = ["cubic"]
rate_trace = { file = "traces/lte.down", step = "100 ms" }
"""


def test_a_trace_is_named_in_a_scenario_and_in_a_plan(tmp_path):
    lab, trace = tmp_path / "lab.toml", tmp_path / "traces" / "lte.down"
    trace.parent.mkdir()
    trace.write_text("".join(f"{ms}\n" for ms in [*range(1, 300), 500]))
    lab.write_text(LAB)
    scenario = load_scenario(lab)
    link = mesonet.rate_trace(trace, step="100 ms")
    assert scenario == mesonet.dumbbell(**link, rtt="40 ms", flows=["cubic"])
    (tmp_path / "plan.toml").write_text('name = "p"\n[scenario]\n' + LAB)
    (run,) = load_plan(tmp_path / "plan.toml").runs()
    assert run.scenario == scenario
    # A trace of another content is another run.
    trace.write_text("1\n500\n")
    (other,) = load_plan(tmp_path / "plan.toml").runs()
    assert other.id != run.id


@pytest.mark.parametrize(
    ("table", "problems"),
    [
        ('"lte.down"', {"rate_trace": "type"}),
        ('{ step = "20 ms" }', {"rate_trace.file": "missing"}),
        ('{ file = "lte.down", steps = 1 }', {"rate_trace.steps": "unknown_key"}),
        ('{ file = "lte.down", step = "1" }', {"rate_trace.step": "unit"}),
        ('{ file = "lte.down" }\nrate = "1 Mbit/s"', {"rate": "conflict"}),
        ('{ file = "none.down" }', {"rate_trace.file": "missing_file"}),
    ],
)
def test_a_named_trace_that_cannot_be_is_told_in_its_place(tmp_path, table, problems):
    (tmp_path / "lte.down").write_text("1\n2\n")
    lab = tmp_path / "lab.toml"
    lab.write_text("".join(LAB.splitlines(keepends=True)[:3]) + f"rate_trace = {table}\n")
    assert places(load_scenario, lab) == problems


def test_a_plan_expects_what_the_mean_rate_takes():
    plain = expected(_lab().resolve())
    half = expected(_lab(rate_changes=[("1 s", "0 Mbit/s")], rate_period="2 s").resolve())
    assert half.packets == pytest.approx(plain.packets / 2, rel=0.05)


def test_a_chart_of_rates_shows_the_capacity():
    run = mesonet.simulate(_lab(rate_changes=[("4 s", "0 Mbit/s"), ("6 s", "6 Mbit/s")]))
    traced = analysis.trace(run)
    assert traced.link is not None
    at = dict(traced.link.with_columns(pl.col("time").round(1)).iter_rows())
    assert [at[time] for time in (4.0, 4.1, 6.0, 6.1)] == pytest.approx([1000, 0, 0, 500])
    drawn = figures.trace_chart(traced, panels=["rate"]).to_json()
    assert drawn.count('"strokeDash"') == 1
    plain = figures.trace_chart(analysis.trace(mesonet.simulate(_lab())), panels=["rate"]).to_json()
    assert '"strokeDash"' not in plain

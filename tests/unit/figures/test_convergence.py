"""The picture of two windows: lines where theory has them, and the path of the run."""

import polars as pl
import pytest
from drawings import values
from refusals import refused

import mesonet
from mesonet.figures import convergence_chart


@pytest.fixture(scope="module")
def run():
    flows = [mesonet.flow("reno", name="near"), mesonet.flow("reno", name="far", rtt="80 ms")]
    return mesonet.simulate(
        mesonet.dumbbell(
            rate="12 Mbit/s", rtt="40 ms", buffer="20 packets", flows=flows, duration="20 s"
        )
    )


def test_lines_are_where_the_pipe_and_the_buffer_are_full(run):
    rows = [row for row in values(convergence_chart(run, "near", "far")) if "line" in row]
    ends = {name: [(it["x"], it["y"]) for it in rows if it["line"] == name] for name in
            ("equal rates", "pipe full", "buffer full")}  # fmt: skip
    # 12 Mbit/s are 1000 packets of 1500 bytes in a second.
    assert sum(ends["pipe full"], ()) == pytest.approx((40, 0, 0, 80))
    assert sum(ends["buffer full"], ()) == pytest.approx((60, 0, 0, 100))
    (zero, end) = ends["equal rates"]
    assert zero == (0, 0)
    assert end[1] / end[0] == pytest.approx(2)


def test_the_path_is_that_of_the_windows(run):
    rows = values(convergence_chart(run, "near", "far", start=5, end=9))
    path = pl.DataFrame([row for row in rows if "time" in row])
    assert path["time"].min() > 5
    assert path["time"].max() <= 9
    flows = run.flows.filter(pl.col("time").is_between(5, 9, closed="right"))
    for axis, name in (("x", "near"), ("y", "far")):
        wanted = flows.filter(flow=name)["cwnd"].to_list()
        assert path.unique("time", maintain_order=True)[axis].to_list() == wanted


def test_a_flow_that_is_not_there_is_refused(run):
    with refused(mesonet.InputError, ("flows", "unknown_flow")):
        convergence_chart(run, "near", "fair")

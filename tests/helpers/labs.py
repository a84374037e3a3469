"""Small networks for any algorithms, and runs that should be the same."""

import polars as pl

import mesonet

RIVALS = mesonet.dumbbell(
    rate="10 Mbit/s",
    rtt="20 ms",
    buffer="1 bdp",
    flows=[mesonet.flow("reno", name="mine"), mesonet.flow("cubic", name="rival")],
    duration="2 s",
)
"""Two flows with names, for two seconds."""


def lab(*flows, **changes):
    """A dumbbell of 10 Mbit/s and 40 ms, for four seconds."""
    options = {"rate": "10 Mbit/s", "rtt": "40 ms", "duration": "4 s", "flows": flows}
    return mesonet.dumbbell(**options | changes)


def world(algorithms, **changes):
    """A national network of few sources, in several regions."""
    return mesonet.internet(
        base_sources=1,
        speed="4 p/ms",
        think_time="500 ms",
        duration="3 s",
        initial_ssthresh=100,
        algorithms=algorithms,
        **changes,
    )


def early_nation():
    """A run of a national network of few sources that all begin at once."""
    world = mesonet.internet(
        base_sources=1, duration="4 s", startup="early", speed="4 p/ms", algorithms="reno"
    )
    return mesonet.simulate(world)


def shortest(run, begin, end):
    """Shortest of the smoothed round-trip times of intervals with ACKs [s]."""
    acked = run.flows.filter(pl.col("time").is_between(begin, end) & (pl.col("acked") > 0))
    least = acked["srtt"].min()
    assert isinstance(least, float)
    return least


def assert_same(first, other):
    """Every column of every table; names follow the algorithm and may differ."""
    assert first.totals == other.totals
    for table in ("series", "classes", "queues", "flows", "groups", "transfers", "stations"):
        frames = [getattr(run, table) for run in (first, other)]
        frames = [frame.drop({"flow", "algorithm"} & {*frame.columns}) for frame in frames]
        assert frames[0].columns == frames[1].columns
        for column in frames[0].columns:
            assert frames[0][column].equals(frames[1][column], null_equal=True), (table, column)

"""Small networks for any algorithms, and runs that should be the same."""

import mesonet


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


def assert_same(first, other):
    """Every column of every table; names follow the algorithm and may differ."""
    assert first.totals == other.totals
    for table in ("series", "classes", "queues", "flows", "groups", "transfers", "stations"):
        frames = [getattr(run, table) for run in (first, other)]
        frames = [frame.drop({"flow", "algorithm"} & {*frame.columns}) for frame in frames]
        assert frames[0].columns == frames[1].columns
        for column in frames[0].columns:
            assert frames[0][column].equals(frames[1][column], null_equal=True), (table, column)

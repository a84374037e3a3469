"""Texts of help() and the reference page about scenarios and runs."""

import mesonet


def test_help_of_a_run_names_every_column():
    scenario = mesonet.dumbbell(
        rate="10 Mbit/s",
        rtt="20 ms",
        flows=[mesonet.flow("reno", size="20 kB")],
        duration="1 s",
        record_segments=True,
        record_transfers=True,
        record_packets=True,
    )
    run = mesonet.simulate(scenario)
    named = ("classes", "queues", "flows", "groups", "transfers", "stations", "segments")
    for table in (*named, "packets", "senders"):
        for column in getattr(run, table).columns:
            assert f"`{column}`" in mesonet.Run.__doc__, (table, column)
    for column in set(run.series.columns) - set(run.totals):
        assert f"`{column}`" in mesonet.Run.__doc__, column


def test_a_run_shows_itself_in_one_line():
    run = mesonet.simulate(
        mesonet.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"], duration="2 s"), seed=3
    )
    utilization = f"{run.responses['utilization']:.2g}"
    loss = f"{run.responses['loss_rate']:.2g}"
    assert repr(run) == (
        f"Run(dumbbell, seed 3, 2 s: utilization {utilization}, loss_rate {loss}; "
        "tables series, classes, queues, flows, stations, signals)"
    )


def test_the_page_of_the_dumbbell_is_up_to_date(load_tool):
    tool = load_tool("dumbbell_page")
    assert tool.PAGE.read_text("utf-8") == tool.page(), "run make golden"

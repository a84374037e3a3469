"""Texts of help() and the reference page about scenarios and runs."""

import mesonet


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


def test_pages_of_laboratories_are_up_to_date(load_tool):
    tool = load_tool("laboratory_pages")
    for name, page in tool.pages().items():
        assert (tool.PAGES / name).read_text("utf-8") == page, "run make golden"

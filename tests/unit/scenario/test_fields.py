"""Texts of help() and the reference page about scenarios and runs."""

import inspect

import pytest

import mesonet
from mesonet.scenario.dumbbell import PacketSizes
from mesonet.scenario.fields import describe, field_texts
from mesonet.scenario.flows import Flow
from mesonet.scenario.transport import Transport


def fields(model):
    return {text.name: text for text in field_texts(model)}


def test_fields_have_meaning_values_and_default():
    dumbbell = fields(mesonet.Dumbbell)
    assert dumbbell["access_rate"].meaning.startswith("Line rate of hosts")
    assert dumbbell["access_rate"].values == 'rate, such as "100 Mbit/s" or "8 p/ms"'
    assert dumbbell["rtt"].default == "required"
    assert dumbbell["buffer"].default == '"1 bdp"'
    assert dumbbell["interval"].default == '"100 ms"'
    assert dumbbell["periods"].values == "whole number from 1 to 100"
    assert dumbbell["loss"].values == "number from 0 to below 1"
    assert dumbbell["queue"].values.startswith('name such as "fq_codel", or table such as {')
    assert fields(PacketSizes)["smss"].default == "1460"
    assert fields(Flow)["size"].values.startswith("size, such as")


def test_own_fields_come_before_shared_ones_and_kind_is_left_out():
    names = list(fields(mesonet.Dumbbell))
    assert names[:2] == ["rate", "rtt"]
    assert "kind" not in names
    assert names.index("flows") < names.index("warm_up")


@pytest.mark.parametrize("model", [mesonet.Dumbbell, mesonet.Internet, PacketSizes, Transport])
def test_every_field_is_explained(model):
    for text in field_texts(model):
        assert text.meaning, text.name
        assert f"    {text.name}: " in model.__doc__
    assert describe(model).rstrip() in model.__doc__


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (mesonet.dumbbell, "    access_rate: Line rate of hosts"),
        (mesonet.flow, "    size: Data to send"),
        (mesonet.internet, "    think_time: X9"),
    ],
)
def test_help_of_functions_lists_what_they_take(function, words):
    assert words in function.__doc__
    assert "Raises `ScenarioError`" in function.__doc__
    assert ">>> " in function.__doc__


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


def test_help_shows_tables_as_python_has_them():
    told = inspect.getdoc(mesonet.dumbbell)
    assert '{"kind": "codel", "target": "5 ms"}' in told
    assert "(True or False; default False)" in told
    assert " = " not in told.partition("Keyword Args")[2]

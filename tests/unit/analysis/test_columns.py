"""Columns of tables of analyses have units and meanings."""

import functools

import pytest
from tabled import tabled

from mesonet import compare, dumbbell, flow, simulate
from mesonet.analysis import (
    REGISTRY,
    contour,
    example_campaign,
    main_effects,
    queue_records,
    ten_steps,
    trace,
    warm_up,
)
from mesonet.analysis.result import Result


def unknown(result, *, but=()):
    return {
        (name, column)
        for name in result.table_names()
        for column in set(result.to_frame(name).columns) - set(result.about(name)) - set(but)
    }


KINDS = list(REGISTRY)


@functools.cache
def tables_of(which):
    campaign = example_campaign(which)
    return tabled(
        campaign.frame,
        factors=campaign.factors,
        responses=list(campaign.responses),
        kinds=KINDS,
    )


@pytest.mark.parametrize("which", ["pocket", "mixed"])
def test_every_column_of_every_analysis_is_told(which):
    assert unknown(tables_of(which), but=example_campaign(which).factors) == set()


@pytest.mark.parametrize("name", KINDS)
def test_columns_have_the_type_that_is_declared(name):
    tables = tables_of("mixed")
    for table in REGISTRY[name].tables:
        schema = table.columns.schema()
        frame = tables[table.name]
        assert {n: kind for n, kind in frame.schema.items() if n in schema} == {
            n: kind for n, kind in schema.items() if n in frame.columns
        }


def test_every_column_of_other_results_is_told():
    campaign = example_campaign()
    steps = ten_steps(campaign.frame, factors=campaign.factors, response="y1")
    run = simulate(
        dumbbell(flows=[flow("reno")], rate="2 Mbit/s", rtt="40 ms", duration="4 s"), seed=1
    )
    results = [value for value in vars(steps).values() if isinstance(value, Result)]
    results += [trace(run), queue_records(run), warm_up(run.series)]
    results += [contour(campaign.frame, factors=campaign.factors[:2], response="y1")]
    results += [compare("reno", "cubic", rate="2 Mbit/s", duration="4 s", replicates=1)]
    for result in results:
        assert unknown(result, but=campaign.factors) == set(), type(result)


def test_the_unit_is_that_of_the_only_response():
    campaign = example_campaign()
    effects = main_effects(campaign.frame, factors=campaign.factors, responses="y1")
    assert effects.about()["effect"].unit == "flows"
    assert effects.about()["relative"].unit == "1"
    assert effects.about()["low"].meaning == "mean at the low level"
    assert ten_steps(campaign.frame, factors=campaign.factors, response="y1").ordered.about()[
        "value"
    ] == ("flows", "value")


def test_units_of_several_responses_go_along_by_name():
    campaign = example_campaign()
    both = main_effects(campaign.frame, factors=campaign.factors, responses=["y1", "y3"])
    assert both.facts()["units"] == {"y1": "flows", "y3": "packets/interval"}
    assert both.about()["effect"].unit == ""
    assert "in the unit of its response" in both.about()["effect"].meaning

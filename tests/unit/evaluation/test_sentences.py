"""Regions in which a candidate does more harm."""

from itertools import product

from mesonet.evaluation.result import Cell
from mesonet.evaluation.sentences import covered

FACTORS = {"buffer": ("1", "4"), "rate": ("5", "20"), "flows": ("2", "8")}


def cells(*more, centre=None):
    """Cells of all corners, of which some have more harm, and perhaps of the centre."""
    places = {levels: "more harm" if levels in more else "undecided" for levels in corners()}
    if centre is not None:
        places["2", "10", "4"] = centre
    return [
        Cell(
            condition=number,
            levels=dict(zip(FACTORS, levels, strict=True)),
            baseline="reno",
            response="r",
            words="goodput",
            statistic="harm",
            unit="",
            factor=1.0,
            n=5,
            reference=0.0,
            candidate=0.0,
            excess=0.1,
            low=None,
            high=None,
            p=None,
            state=state,
            needed=None,
            run="",
        )
        for number, (levels, state) in enumerate(places.items(), 1)
    ]


def corners():
    return list(product(*FACTORS.values()))


def regions(judged):
    return [dict(region) for region, _ in covered(judged, "more harm", FACTORS)]


def test_cells_that_share_a_level_are_one_region():
    shallow = [levels for levels in corners() if levels[0] == "1"]
    assert regions(cells(*shallow)) == [{"buffer": "1"}]


def test_a_level_with_an_exception_is_no_region():
    shallow = [levels for levels in corners() if levels[0] == "1"]
    assert regions(cells(*shallow[1:])) == [
        {"buffer": "1", "rate": "20"},
        {"buffer": "1", "flows": "8"},
    ]


def test_a_single_cell_has_all_its_levels():
    only = [{"buffer": "4", "rate": "5", "flows": "8"}]
    assert regions(cells(("4", "5", "8"))) == only


def test_all_conditions_are_all_only_with_the_centre():
    assert regions(cells(*corners())) == [{}]
    assert regions(cells(*corners(), centre="more harm")) == [{}]
    assert {} not in regions(cells(*corners(), centre="undecided"))


def test_the_centre_alone_is_said_to_be_that():
    assert regions(cells(centre="more harm")) == [{"": "centre"}]


def test_nothing_is_said_of_nothing():
    assert regions(cells()) == []

"""Regions in which a candidate is worse, and what is said of them."""

from itertools import product

from mesonet.evaluation.result import Cell, CriterionResult, ExperimentResult
from mesonet.evaluation.sentences import covered, foremost, sentences, values

FACTORS = {"buffer": ("1", "4"), "rate": ("5", "20"), "flows": ("2", "8")}


def cells(*more, centre=None, baseline="reno"):
    """Cells of all corners, of which some are worse, and perhaps the centre."""
    places = {levels: "worse" if levels in more else "undecided" for levels in corners()}
    if centre is not None:
        places["2", "10", "4"] = centre
    return [
        Cell(
            condition=number,
            levels=dict(zip(FACTORS, levels, strict=True)),
            baseline=baseline,
            response="r",
            words="goodput",
            statistic="harm",
            margin=0.05,
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
    return [dict(region) for region, _ in covered(judged, "worse", FACTORS)]


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
    assert regions(cells(*corners(), centre="worse")) == [{}]
    assert {} not in regions(cells(*corners(), centre="undecided"))


def test_the_centre_alone_is_said_to_be_that():
    assert regions(cells(centre="worse")) == [{"": "centre"}]


def test_nothing_is_said_of_nothing():
    assert regions(cells()) == []


def criterion(judged):
    experiment = ExperimentResult(
        id="",
        title="Long flows",
        question="",
        line="",
        arms="mix",
        profile="rfc",
        folder="criteria/5.2.1",
        design="",
        factors=FACTORS,
        aliases=(),
        scenario={},
        conditions=8,
        replicates=5,
        duration="1 s",
        runs=80,
        failed=0,
        cells=tuple(judged),
        effects=(),
    )
    return CriterionResult(
        section="5.2.1", title="", strength="", asks="", status="run", experiments=(experiment,)
    )


def test_a_region_is_that_of_each_baseline():
    """Where one baseline has exceptions the other is named, and a region without them has both."""
    shallow = [levels for levels in corners() if levels[0] == "1"]
    judged = [*cells(*corners(), baseline="cubic"), *cells(*shallow, baseline="reno")]
    said = {it.text.partition(":")[0]: it for it in sentences([criterion(judged)], "worse")}
    assert set(said) == {"under all conditions", "where buffer = 1"}
    assert {where: it.cells for where, it in said.items()} == {
        "under all conditions": 8,
        "where buffer = 1": 8,
    }
    assert "(versus cubic: harm" in said["under all conditions"].text
    assert "(cubic: harm" in said["where buffer = 1"].text
    assert all(it.others for it in said.values())


def test_a_baseline_that_is_alone_in_a_region_is_said_to_be():
    judged = [*cells(*corners(), baseline="cubic"), *cells(baseline="reno")]
    (only,) = sentences([criterion(judged)], "worse")
    assert "(cubic only: harm" in only.text


def test_the_sentence_with_the_largest_excess_stands_for_its_section():
    judged = [
        it.model_copy(update={"excess": 0.9 if it.condition == 1 else 0.1})
        for it in cells(("1", "5", "2"), *(it for it in corners() if it[0] == "4"))
    ]
    said = list(sentences([criterion(judged)], "worse"))
    ((first, more),) = foremost(said, "worse", others=True)
    assert (first.text.partition(":")[0], more) == (
        "where rate = 5, flows = 2",
        len(said) - 1,
    )
    assert foremost(said, "worse", others=False) == []


def test_values_have_the_unit_of_their_measure():
    cell = cells()[0].model_copy(update={"reference": 0.75, "candidate": 0.99})
    assert values(cell) == "harm 75 → 99 %"
    delay = {"statistic": "change", "unit": "ms", "factor": 1000.0, "reference": 0.0061}
    assert values(cell.model_copy(update=delay)).startswith("6.1 → ")

import pytest
import synthetic
from refusals import refused
from tabled import tabled

from mesonet.analysis import REGISTRY, digest
from mesonet.errors import InputError


def test_every_kind_gives_tables():
    tables = tabled(
        synthetic.campaign(),
        factors=synthetic.FACTORS,
        responses=["loss_rate"],
        kinds=list(REGISTRY),
    )
    assert set(REGISTRY) <= set(tables)
    assert {"influence", "rank_summary", "rank_tests", "paired_blocks"} <= set(tables)
    assert {"term_models", "response_cluster_members", "stand_apart"} <= set(tables)
    assert {"component_variances", "component_scores", "component_separation"} <= set(tables)


def test_options_reach_the_analysis():
    tables = tabled(
        synthetic.campaign(),
        factors=synthetic.FACTORS,
        responses=["goodput_DD"],
        kinds={"paired_differences": {"baseline": "ctcp"}, "main_effects": {"by": "alternative"}},
    )
    assert tables["paired_differences"]["baseline"].unique().to_list() == ["ctcp"]
    assert tables["main_effects"].height == 18


def test_unknown_names_and_options_are_all_listed():
    with pytest.raises(InputError) as caught:
        tabled(
            synthetic.campaign(),
            factors=synthetic.FACTORS,
            responses=["loss_rate"],
            kinds={"main_effect": {}, "rank_matrix": {"sort": 1}},
        )
    assert [(it.loc, it.kind) for it in caught.value.problems] == [
        ("main_effect", "unknown_analysis"),
        ("rank_matrix.sort", "unknown_key"),
    ]


def test_duplicated_runs_are_refused():
    frame = synthetic.campaign()
    with pytest.raises(InputError):
        tabled(frame.vstack(frame), factors=[], responses=["loss_rate"], kinds=["describe"])


def test_text_is_not_a_response():
    with refused(InputError, ("run", "not_numeric")):
        tabled(synthetic.campaign(), factors=[], responses=["run"], kinds=["describe"])


def test_digest_ignores_order_and_wall_time_and_sees_every_bit():
    frame = synthetic.campaign()
    first = digest(frame, responses=synthetic.RESPONSES)
    shuffled = frame.reverse().with_columns(wall_seconds=frame["wall_seconds"] * 2)
    assert digest(shuffled, responses=synthetic.RESPONSES) == first
    changed = frame.with_columns(goodput_DD=frame["goodput_DD"] * (1 + 1e-15))
    assert digest(changed, responses=synthetic.RESPONSES) != first

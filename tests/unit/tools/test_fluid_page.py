"""The page of the fluid model: its figures are those of the models, and errors read well."""

from pathlib import Path

import pytest

from mesonet.fluid import known

PAGE = Path(__file__).parents[3] / "docs" / "models" / "fluid.md"


@pytest.fixture(scope="module")
def tool(load_tool):
    return load_tool("fluid_page")


def test_a_row_of_the_page_is_what_both_models_give(tool):
    ((condition, own),) = tool.rows_of({"cubic": 16}, 0.0, "1 bdp")
    texts = ["cubic", "0", "16", "1 bdp", *tool.cells(own)]
    assert f"| {' | '.join(texts)} |" in PAGE.read_text("utf-8").splitlines()
    kept = tool.kept([(condition, own)])
    assert known.measured().join(kept, on=kept.columns).height == len(tool.PATHS)


def errors(tool, **changed):
    return tool.Errors(**{**dict.fromkeys(tool.Errors._fields, 0.0), "loss": 1.0, **changed})


def test_ranges_have_signs_but_for_nothing(tool):
    own = [
        errors(tool, share=-0.001, window=-0.1, carried=0.4),
        errors(tool, share=0.002, window=0.1, loss=1.5),
    ]
    assert tool.cells(own) == ["0 to 0", "−10 to +10", "0 to 0", "1.0 to 1.5"]
    assert tool.cells([errors(tool, loss=float("nan"))])[3] == "none"
    assert tool.shares(own) == "0 to 40"


def test_the_largest_error_is_of_the_conditions_that_are_asked_for(tool):
    small = errors(tool, window=-0.3, loss=0.25, segments=4.0)
    alone = {"flows": 1, "beside": ""}
    rows = [
        (alone, [small, errors(tool, window=0.1, segments=20.0)]),
        ({"flows": 2, "beside": "reno"}, [errors(tool, window=0.5)]),
    ]
    assert tool.largest(rows, "window", flows=1) == "30"
    assert tool.largest(rows, "window", above=10, flows=1) == "10"
    assert tool.largest(rows, "window", beside=("reno", "cubic")) == "50"
    assert tool.largest(rows, "queue") == "below 1"
    assert tool.largest(rows, "loss") == "4.0"


def test_errors_of_parking_lots_are_ranges_and_the_farthest_of_an_algorithm(tool):
    own = [tool.NetworkErrors(0.1, 0.05, -0.2, 0.0, 0.3), tool.NetworkErrors(0.4, -0.01, 0.1, 0, 0)]
    assert tool.network_cells(own) == ["10 to 40", "−1 to +5", "−20 to +10", "0 to 0", "0 to +30"]
    networks = [(("reno", 0.0, "1 bdp"), own), (("bbr1", 0.0, "1 bdp"), own[1:])]
    assert tool.farthest(networks, "through", "reno", "bbr1") == "20"
    assert tool.farthest(networks, "through", "bbr1") == "10"


def test_both_models_share_a_parking_lot_nearly_alike(tool, monkeypatch):
    monkeypatch.setattr(tool, "DURATION", 20)
    here = tool.network_errors("reno", 0.001, "1 bdp", ("20 Mbit/s", "80 ms"))
    assert abs(here.share) < 0.1
    assert 0.1 < here.carried < 0.5
    assert abs(here.across) < 0.2

"""Elementary effects on functions whose effects are known."""

import polars as pl
import pytest
from tabled import tabled

from mesonet.analysis import elementary_effects
from mesonet.design import full_factorial, morris
from mesonet.errors import InputError


def frame(design, function):
    rows = [
        {
            **row,
            "run": str(row["condition"]),
            "alternative": "a",
            "replicate": 1,
            "y": function(row),
        }
        for row in design.matrix.to_dicts()
    ]
    return pl.DataFrame(rows)


def test_effects_of_a_linear_function_are_exact_and_without_spread():
    design = morris(["a", "b", "c"], trajectories=6)
    found = elementary_effects(
        frame(design, lambda row: 3 * row["a"] - row["b"]), factors=["a", "b", "c"], responses="y"
    ).frame
    # From low to high the code changes by two.
    assert found["mean"].to_list() == pytest.approx([6, -2, 0])
    assert found["mean_absolute"].to_list() == pytest.approx([6, 2, 0])
    assert found["sd"].to_list() == pytest.approx([0, 0, 0], abs=1e-9)
    assert found["n"].to_list() == [6, 6, 6]


def test_interactions_show_as_spread():
    design = morris(["a", "b"], trajectories=10)
    found = elementary_effects(
        frame(design, lambda row: row["a"] * row["b"]), factors=["a", "b"], responses="y"
    ).frame
    assert (found["sd"] > 0.5).all()


def test_other_designs_have_none():
    other = frame(full_factorial(["a", "b"]), lambda row: row["a"])
    with pytest.raises(InputError):
        elementary_effects(other, factors=["a", "b"], responses="y")
    tables = tabled(
        other, factors=["a", "b"], responses=["y"], kinds=["elementary_effects", "describe"]
    )
    assert tables["elementary_effects"].is_empty()
    assert tables.notes["elementary_effects"][0].startswith("Not a Morris design")
    assert not tables["describe"].is_empty()


def test_steps_between_means_over_other_alternatives_are_left_out():
    codes = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0)]
    frame = pl.DataFrame(
        [
            {
                "condition": condition, "alternative": label, "replicate": 1,
                "a": a, "b": b, "y": None if (label, condition) == ("new", 3) else value,
            }
            for condition, (a, b) in enumerate(codes, start=1)
            for label, value in (("reno", 10.0), ("new", 60.0))
        ]
    )  # fmt: skip
    found = elementary_effects(frame, factors=["a", "b"], responses="y")
    assert found.frame.filter(factor="b")["n"].item() == 0
    assert any("y in condition 3" in note for note in found.notes)

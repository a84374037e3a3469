"""Notes beside the numbers: one replicate, replicates without variance, other levels."""

import polars as pl
import pytest
import synthetic
from tabled import tabled

from mesonet.analysis import main_effects, two_level_part
from mesonet.errors import InputError


def campaign(codes, *, replicates=1, value=lambda codes, replicate: sum(codes) + replicate):
    rows = [
        {
            "run": f"{c}-{r}", "condition": c, "alternative": "a", "replicate": r,
            **dict(zip("ab", pair, strict=True)), "y": float(value(pair, r)),
        }
        for c, pair in enumerate(codes, start=1)
        for r in range(1, replicates + 1)
    ]  # fmt: skip
    return pl.DataFrame(rows)


TWO = [(-1, -1), (1, -1), (-1, 1), (1, 1)]


def test_what_the_plan_knows_to_be_missing_is_said_with_every_table():
    whole = synthetic.campaign(conditions=8, replicates=2)
    planned = whole.select("condition", "alternative", "replicate")
    frame = whole.filter((pl.col("condition") != 3) & (pl.col("run") != whole["run"][-1]))
    kinds = ["describe", "paired_differences"]
    asked = {"factors": synthetic.FACTORS, "responses": ["loss_rate"], "kinds": kinds}
    tables = tabled(frame, planned=planned, **asked)
    note = "8 of 48 runs are missing: all 6 of condition 3; reno 2, ctcp 2, scalable 4."
    assert all(notes[0] == note for notes in tables.notes.values())
    assert not any("left out" in text for notes in tables.notes.values() for text in notes)
    complete = tabled(whole, planned=planned, **asked)
    assert not any("missing" in text for notes in complete.notes.values() for text in notes)


def test_the_centre_has_no_part_in_main_effects():
    part = two_level_part(campaign([*TWO, (0, 0)]), factors=["a", "b"], centre=5)
    assert part.factors == ("a", "b")
    assert "Condition 5 is the centre" in part.notes[0]
    with_centre = main_effects(part.frame, factors=part.factors, responses="y").frame
    without = main_effects(campaign(TWO), factors=["a", "b"], responses="y").frame
    assert with_centre.equals(without)


def test_a_design_without_two_levels_has_no_main_effects():
    filled = campaign([(-0.5, 0.1), (0.2, 0.7), (0.9, -0.4)])
    tables = tabled(filled, factors=["a", "b"], responses=["y"], kinds=["main_effects"])
    assert tables["main_effects"].is_empty()
    assert tables.notes["main_effects"][0].startswith("Not a two-level design")
    with pytest.raises(InputError):
        main_effects(filled, factors=["a", "b"], responses="y")
